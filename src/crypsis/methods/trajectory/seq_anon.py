"""SeqAnon: k^m-anonymous trajectories by merging nearby locations, short subsequences first.

Guarantees k^m-anonymity. Costs one enumeration of the subsequences of each size plus, per merge, the
trajectories of the rarer location.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Transactions on Data Privacy 7, 2014, 165-194.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.guarantees import KmAnonymity
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.feasibility import feasible_length, individuals_of, longest_feasible
from crypsis.methods.trajectory.global_recoding import private_facts, published_recoding
from crypsis.methods.trajectory.merging import LocationMerging
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories, WhenInfeasible
from crypsis.methods.trajectory.shard_merging import ShardMerging
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories


@dataclass(frozen=True, kw_only=True)
class SeqAnon(Method):
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

    choose_when: ClassVar[str] = "For visits to places on a map, when no visit may be left out."
    costs: ClassVar[str] = "Nearby places are published as one: bar or restaurant. m above 3 takes long."
    accepts: ClassVar[type] = Trajectories
    counts_people: ClassVar[bool] = True
    truthful: ClassVar[bool] = True
    family: ClassVar[str] = "trajectory"
    promises: ClassVar[type[KmAnonymity]] = KmAnonymity
    scaling: ClassVar[Scaling] = Scaling.EXACT
    publishes_shards: ClassVar[bool] = True
    stages: ClassVar[tuple[str, ...]] = ("feasibility", "count size 1..m", "merge size 1..m", "publish")
    needs: ClassVar[tuple[str, ...]] = ("coordinates",)

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

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        x, y = data.locations.coordinates(type(self).__name__)
        groups = individuals_of(data, self.unit, type(self).__name__)
        with context.stage("feasibility"):
            longest = longest_feasible(data, groups, self.k, self.m, self.unit, self.on_infeasible)
            kept = data if longest is None else data.truncated(longest)
        state = LocationMerging(kept, x, y, groups)
        if self.k > 1:
            largest = min(self.m, int(kept.lengths.max(initial=0)))
            for size in range(1 if self.apriori else max(self.m, 1), largest + 1):
                state.make_frequent(size, self.k, context)
        with context.stage("publish"):
            published = published_recoding(kept, state.representatives(), longest)
            context.private.update(private_facts(data, published, state.merges))
        return published

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        coordinates = data.locations.coordinates(type(self).__name__)
        individuals_of(data.one_of_each, self.unit, type(self).__name__)
        with context.stage("feasibility"):
            reached = data.reached(min(self.m, data.longest + 1))
            longest = feasible_length(reached, self.k, self.unit, self.on_infeasible)
        state = ShardMerging(data, coordinates, executor, longest)
        if self.k > 1:
            largest = min(self.m, data.longest if longest is None else longest)
            for size in range(1 if self.apriori else max(self.m, 1), largest + 1):
                state.make_frequent(size, self.k, context)
        return state.published(data, longest, context)
