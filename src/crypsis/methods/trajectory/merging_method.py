"""What the three methods that merge locations share: SeqAnon, SDSeqAnon and USeqAnon differ in what guides a merge."""

from __future__ import annotations

from abc import abstractmethod

from crypsis.arrays import Int64s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.feasibility import counted_shards, individuals_by_length, individuals_of
from crypsis.methods.trajectory.global_recoding import private_facts, published_recoding
from crypsis.methods.trajectory.merging import NO_GUIDANCE, Guidance, LocationMerging
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories
from crypsis.methods.trajectory.shard_merging import ShardMerging
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories


class MergingMethod(Method):
    """Merge locations, short subsequences first, until k individuals share every subsequence of up to m of them."""

    accepts = Trajectories
    counts_people = True
    truthful = True
    scaling = Scaling.EXACT
    publishes_shards = True
    stages = ("feasibility", "count size 1..m", "merge size 1..m", "publish")

    k: SharedByTrajectories  # not a field here: each method lists its parameters in its own order
    m: KnownLength
    unit: ChosenUnit

    @abstractmethod
    def longest_kept(self, reached: Int64s) -> int | None:
        """The length to cut trajectories to, given how many individuals have each; None where all visits stay.

        Raises the error that says why merging alone cannot protect the data.
        """

    def guidance(self, data: Trajectories) -> Guidance:
        """What decides which locations are merged beside their distance; refuses data that it does not cover."""
        return NO_GUIDANCE

    @property
    def smallest_size(self) -> int:
        """The size of the subsequences to begin with."""
        return 1

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        x, y = data.locations.coordinates(type(self).__name__)
        guidance = self.guidance(data)
        groups = individuals_of(data, self.unit, type(self).__name__)
        with context.stage("feasibility"):
            sizes = min(self.m, int(data.lengths.max(initial=0)) + 1)
            longest = self.longest_kept(individuals_by_length(data, groups, sizes))
            kept = data if longest is None else data.truncated(longest)
        state = LocationMerging(kept, x, y, groups, guidance)
        self._merge(state, int(kept.lengths.max(initial=0)), context)
        with context.stage("publish"):
            suppressed = [label for symbol in state.suppressed for label in symbol]
            published = published_recoding(kept, state.representatives(), longest, suppressed)
            context.private.update(private_facts(data, published, state.merges))
        return published

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        coordinates = data.locations.coordinates(type(self).__name__)
        guidance = self.guidance(data.one_of_each)
        data = counted_shards(data, self.unit, type(self).__name__)
        with context.stage("feasibility"):
            longest = self.longest_kept(data.reached(min(self.m, data.longest + 1)))
        state = ShardMerging(data, coordinates, executor, longest, guidance)
        self._merge(state, data.longest if longest is None else longest, context)
        return state.published(data, longest, context)

    def _merge(self, state: LocationMerging | ShardMerging, longest: int, context: RunContext) -> None:
        if self.k > 1:
            for size in range(self.smallest_size, min(self.m, longest) + 1):
                state.make_frequent(size, self.k, context)
        if state.guidance.group_of_code is not None:
            context.private["suppressed"] = state.suppressed
            context.private["suppressed_percent"] = state.suppressed_percent
