"""SDSeqAnon: k^m-anonymous trajectories by merging locations that are near and mean similar things.

Guarantees k^m-anonymity. Costs what SeqAnon costs, plus a walk up the taxonomy for each pair that is compared.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Transactions on Data Privacy 7, 2014, 165-194.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.arrays import Int64s
from crypsis.data.trajectory import Trajectories
from crypsis.guarantees import KmAnonymity
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.hierarchy import FAN_OUT_FIVE, Taxonomy
from crypsis.methods.trajectory.feasibility import feasible_length
from crypsis.methods.trajectory.merging import Guidance
from crypsis.methods.trajectory.merging_method import MergingMethod
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories, WhenInfeasible


@dataclass(frozen=True, kw_only=True)
class SDSeqAnon(MergingMethod):
    """Merge locations that are near and alike in meaning until k trajectories share every subsequence of up to m.

    As SeqAnon, but a rare location is merged where distance times semantic dissimilarity is least: the share of all
    locations below the closest common ancestor of both in a taxonomy. A restaurant goes with the restaurant around
    the corner sooner than with the clinic next door.
    Differs from the paper: average linkage between symbols, ties settled by the order of the location table, and a
    test in advance for lengths that no merging can protect. Without a taxonomy one is built from coordinates.

    >>> import crypsis
    >>> from crypsis.hierarchy import Taxonomy
    >>> commutes = crypsis.Trajectories.from_lists(
    ...     [["home", "bar", "work"], ["home", "work", "cafe"], ["home", "clinic"], ["home", "ward"]],
    ...     locations={"home": (0, 0), "work": (5, 0), "bar": (6, 1), "clinic": (6, 2), "cafe": (8, 2), "ward": (8, 3)},
    ... )
    >>> meaning = Taxonomy([
    ...     ("bar", "leisure"), ("cafe", "leisure"), ("clinic", "health"), ("ward", "health"),
    ...     ("home", "daily"), ("work", "daily"), ("leisure", "all"), ("health", "all"), ("daily", "all"),
    ... ])
    >>> release = crypsis.anonymize(commutes, SDSeqAnon(k=2, m=1, taxonomy=meaning))
    >>> release.context.private["merges"].to_lists()
    [['bar', 'cafe'], ['clinic', 'ward']]
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: SD-SEQANON.
    """

    choose_when = "When the kind of a place matters: two restaurants rather than a restaurant and a clinic."
    costs = "Places are joined with others of their kind, a little farther away."
    promises = KmAnonymity
    needs = ("coordinates", "taxonomy")

    k: SharedByTrajectories = 5
    m: KnownLength = 2
    taxonomy: Annotated[Taxonomy, "What locations mean: a tree with the locations as leaves."] = FAN_OUT_FIVE  # type: ignore[assignment]
    on_infeasible: WhenInfeasible = "error"
    unit: ChosenUnit = None

    @property
    def complete(self) -> bool:
        return self.on_infeasible == "error"

    @property
    def guarantee(self) -> KmAnonymity:
        return KmAnonymity(k=self.k, m=self.m, unit=self.unit or "trajectory")

    def longest_kept(self, reached: Int64s) -> int | None:
        return feasible_length(reached, self.k, self.unit, self.on_infeasible)

    def guidance(self, data: Trajectories) -> Guidance:
        taxonomy = self.resolve(data).taxonomy
        taxonomy.leaves_of(data.locations)  # refused before anything else is looked at
        return Guidance(taxonomy=taxonomy)
