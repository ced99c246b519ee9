"""USeqAnon: k^m-anonymous trajectories by merging inside utility constraints and suppressing what has no partner.

Guarantees k^m-anonymity, that no symbol crosses a constraint, and that few locations are suppressed. Costs what
SeqAnon costs.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Transactions on Data Privacy 7, 2014, 165-194.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from crypsis.data.constraints import TENS_OF_NEAR, UtilityConstraints
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.guarantees import ConstrainedKmAnonymity
from crypsis.guarantees.constrained_km_anonymity import SuppressedPercentage
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.feasibility import check_enough, individuals_by_length, individuals_of
from crypsis.methods.trajectory.global_recoding import private_facts, published_recoding
from crypsis.methods.trajectory.merging import Guidance, LocationMerging
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories
from crypsis.methods.trajectory.shard_merging import ShardMerging
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories


@dataclass(frozen=True, kw_only=True)
class USeqAnon(Method):
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

    choose_when: ClassVar[str] = "When an analysis is known in advance and needs certain places told apart."
    costs: ClassVar[str] = "Places without a partner that you allow are left out, up to the share that you state."
    example_options: ClassVar[str] = "--constraints auto:20 --delta 50"
    accepts: ClassVar[type] = Trajectories
    counts_people: ClassVar[bool] = True
    truthful: ClassVar[bool] = True
    family: ClassVar[str] = "trajectory"
    promises: ClassVar[type[ConstrainedKmAnonymity]] = ConstrainedKmAnonymity
    scaling: ClassVar[Scaling] = Scaling.EXACT
    publishes_shards: ClassVar[bool] = True
    stages: ClassVar[tuple[str, ...]] = ("feasibility", "count size 1..m", "merge size 1..m", "publish")
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "constraints")

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

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        x, y = data.locations.coordinates(type(self).__name__)
        group_of_code = self.resolve(data).constraints.groups_of(data)
        groups = individuals_of(data, self.unit, type(self).__name__)
        longest = int(data.lengths.max(initial=0))
        with context.stage("feasibility"):
            reached = individuals_by_length(data, groups, min(self.m, longest + 1))
            check_enough(reached, self.k, self.unit or "trajectory")
        state = LocationMerging(data, x, y, groups, Guidance(group_of_code=group_of_code, delta=float(self.delta)))
        if self.k > 1:
            for size in range(1, min(self.m, longest) + 1):
                state.make_frequent(size, self.k, context)
        with context.stage("publish"):
            suppressed = [label for symbol in state.suppressed for label in symbol]
            published = published_recoding(data, state.representatives(), suppressed=suppressed)
            context.private.update(private_facts(data, published, state.merges))
            context.private["suppressed"] = state.suppressed
            context.private["suppressed_percent"] = state.suppressed_percent
        return published

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        coordinates = data.locations.coordinates(type(self).__name__)
        group_of_code = self.resolve(data.one_of_each).constraints.groups_of(data.one_of_each)
        individuals_of(data.one_of_each, self.unit, type(self).__name__)
        with context.stage("feasibility"):
            check_enough(data.reached(min(self.m, data.longest + 1)), self.k, self.unit or "trajectory")
        state = ShardMerging(
            data, coordinates, executor, guidance=Guidance(group_of_code=group_of_code, delta=float(self.delta))
        )
        if self.k > 1:
            for size in range(1, min(self.m, data.longest) + 1):
                state.make_frequent(size, self.k, context)
        context.private["suppressed"] = state.suppressed
        context.private["suppressed_percent"] = state.suppressed_percent
        return state.published(data, None, context)
