"""USeqAnon: k^m-anonymous trajectories by merging inside utility constraints and suppressing what has no partner.

Guarantees k^m-anonymity, that no symbol crosses a constraint, and that few locations are suppressed. Costs what
SeqAnon costs.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Transactions on Data Privacy 7, 2014, 165-194.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.arrays import Int64s
from crypsis.data.constraints import TENS_OF_NEAR, UtilityConstraints
from crypsis.data.trajectory import Trajectories
from crypsis.guarantees import ConstrainedKmAnonymity
from crypsis.guarantees.constrained_km_anonymity import SuppressedPercentage
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.methods.trajectory.feasibility import check_enough
from crypsis.methods.trajectory.merging import Guidance
from crypsis.methods.trajectory.merging_method import MergingMethod
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories


@dataclass(frozen=True, kw_only=True)
class USeqAnon(MergingMethod):
    """Merge nearby locations inside utility constraints, and suppress the few that find no partner there.

    As SeqAnon, but a rare location is merged only with one of its own constraint. Where there is none left, all its
    visits are deleted; more than `delta` percent of the visited locations is an error. No length is infeasible, since
    suppression can always finish; a trajectory that loses all its visits stays, empty.
    Differs from the paper: the loop runs while a subsequence is not empty *and* rare (the printed "or" never ends),
    the rarer symbol is suppressed, and the percentage counts the locations that occur in the data.

    >>> import crypsis
    >>> from crypsis.data.constraints import UtilityConstraints
    >>> commutes = crypsis.Trajectories.from_lists(
    ...     [["home", "bar"], ["home", "cafe"], ["home", "clinic"], ["home", "bar"]],
    ...     locations={"home": (0, 0), "bar": (6, 1), "cafe": (9, 3), "clinic": (6, 2)},
    ... )
    >>> useful = UtilityConstraints([["bar", "cafe"], ["clinic"], ["home"]])
    >>> release = crypsis.anonymize(commutes, USeqAnon(k=2, m=2, constraints=useful, delta=25))
    >>> release.data.to_lists()
    [['home', ['bar', 'cafe']], ['home', ['bar', 'cafe']], ['home'], ['home', ['bar', 'cafe']]]
    >>> release.data.suppressed
    ('clinic',)
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: U-SEQANON.
    """

    choose_when = "When an analysis is known in advance and needs certain places told apart."
    costs = "Places without a partner that you allow are left out, up to the share that you state."
    example_options = "--constraints auto:20 --delta 50"
    promises = ConstrainedKmAnonymity
    needs = ("coordinates", "constraints")

    k: SharedByTrajectories = 5
    m: KnownLength = 2
    constraints: Annotated[
        UtilityConstraints, "Groups of locations that may be merged with each other; every visited one lies in one."
    ] = TENS_OF_NEAR  # type: ignore[assignment]
    delta: SuppressedPercentage = 10.0
    unit: ChosenUnit = None

    @property
    def complete(self) -> bool:
        return self.delta == 0

    @property
    def guarantee(self) -> ConstrainedKmAnonymity:
        return ConstrainedKmAnonymity(
            k=self.k, m=self.m, unit=self.unit or "trajectory", constraints=self.constraints, delta=self.delta
        )

    def longest_kept(self, reached: Int64s) -> int | None:
        check_enough(reached, self.k, self.unit or "trajectory")
        return None

    def guidance(self, data: Trajectories) -> Guidance:
        return Guidance(group_of_code=self.resolve(data).constraints.groups_of(data), delta=float(self.delta))
