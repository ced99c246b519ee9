"""SeqAnon: k^m-anonymous trajectories by merging nearby locations, short subsequences first.

Guarantees k^m-anonymity. Costs one enumeration of the subsequences of each size plus, per merge, the
trajectories of the rarer location.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Transactions on Data Privacy 7, 2014, 165-194.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.arrays import Int64s
from crypsis.guarantees import KmAnonymity
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.methods.trajectory.feasibility import feasible_length
from crypsis.methods.trajectory.merging_method import MergingMethod
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories, WhenInfeasible


@dataclass(frozen=True, kw_only=True)
class SeqAnon(MergingMethod):
    """Merge nearby locations until k trajectories share every subsequence of up to m of them.

    Sizes go up from 1 to m, so a rare pair is only looked for once single locations are safe. Each merge joins the
    rarest location of a rare subsequence with the one nearest to it (average linkage).
    Time grows with n * L^m for n trajectories of length L; m above 3 is rarely practical.
    Differs from the paper: feasibility is tested first, equal distances are settled by the order of the location
    table, subsequences are taken from the merged data, and supports are kept up to date instead of recounted.

    >>> import crypsis
    >>> places = {"home": (0, 0), "park": (0, 1), "clinic": (5, 5), "shop": (5, 6)}
    >>> walks = crypsis.Trajectories.from_lists(
    ...     [["home", "shop"], ["park", "clinic"], ["home", "clinic"], ["park", "shop"]], locations=places)
    >>> release = crypsis.anonymize(walks, crypsis.SeqAnon(k=3, m=2))
    >>> release.data.to_lists()[0]
    [['home', 'park'], ['clinic', 'shop']]
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: SEQANON.
    """

    choose_when = "For visits to places on a map, when no visit may be left out."
    costs = "Nearby places are published as one: bar or restaurant. m above 3 takes long."
    promises = KmAnonymity
    needs = ("coordinates",)

    k: SharedByTrajectories = 5
    m: KnownLength = 2
    on_infeasible: WhenInfeasible = "error"
    unit: ChosenUnit = None
    apriori: Annotated[
        bool,
        "Begin with single locations and go up to m; off is a benchmark baseline that leaves shorter trajectories "
        "unprotected.",
    ] = True

    @property
    def guarantee(self) -> KmAnonymity:
        return KmAnonymity(k=self.k, m=self.m, unit=self.unit or "trajectory")

    @property
    def complete(self) -> bool:
        return self.on_infeasible == "error"

    @property
    def assured(self) -> bool:
        return self.apriori

    @property
    def smallest_size(self) -> int:
        return 1 if self.apriori else max(self.m, 1)

    def longest_kept(self, reached: Int64s) -> int | None:
        return feasible_length(reached, self.k, self.unit, self.on_infeasible)
