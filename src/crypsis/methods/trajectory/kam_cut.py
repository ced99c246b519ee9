"""KAMCut: publish of each trajectory its longest beginning that k trajectories share.

Guarantees sequence k-anonymity, also when only the published data are counted. Costs one sort of the trajectories.

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Transactions on Data Privacy 3, 2010, 91-121.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.guarantees import SequenceKAnonymity
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.kernels.prefix_tree import nearest_kept
from crypsis.methods.method import Method
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.feasibility import counted_shards, individuals_of
from crypsis.methods.trajectory.prefix_rounds import BeginningsOfShard, CutShard, cut_shard, shared_beginnings
from crypsis.methods.trajectory.prefix_tree import (
    PrefixTree,
    check_enough,
    check_enough_of,
    private_facts,
    published_rows,
)
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories

LOST = "rare from its first visit on"


@dataclass(frozen=True, kw_only=True)
class KAMCut(Method):
    """Cut each trajectory to its longest beginning that at least k trajectories share.

    All trajectories are laid into one prefix tree; branches that fewer than k pass are cut off, and a trajectory ends
    where its branch was cut. What begins rarely is not published at all, however common the rest of it is: KAMRec
    recovers some of that. Time grows with the number of visits (one sort, one walk over the tree).
    Differs from the paper: nodes count trajectories with that beginning, not all that contain it; the promise is
    checked for every published subsequence, not for whole trajectories only.

    >>> import crypsis
    >>> walks = crypsis.Trajectories.from_lists([["home", "park", "shop"], ["home", "park"], ["clinic"]])
    >>> release = crypsis.anonymize(walks, crypsis.KAMCut(k=2))
    >>> release.data.to_lists()
    [['home', 'park'], ['home', 'park']]
    >>> release.verify().holds
    True

    Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity
    through generalization. Transactions on Data Privacy 3, 2010, 91-121: KAM_CUT.
    """

    choose_when = "When beginnings matter most (from the start page, from home), and it must be quick."
    costs = "Whatever begins rarely is cut off, however common the rest is."
    accepts = Trajectories
    counts_people = True
    truthful = True
    promises = SequenceKAnonymity
    scaling = Scaling.EXACT
    publishes_shards = True
    stages = ("prefix tree", "publish")

    k: Annotated[int, AtLeast(1), "Trajectories that must share each published sequence."] = 5
    unit: ChosenUnit = None

    @property
    def guarantee(self) -> SequenceKAnonymity:
        return SequenceKAnonymity(k=self.k, unit=self.unit or "trajectory")

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        groups = individuals_of(data, self.unit, type(self).__name__)
        check_enough(data, groups, self.k, self.unit)
        with context.stage("prefix tree"):
            tree = PrefixTree.of(data, groups, self.k)
            last_kept = nearest_kept(tree.nodes.parent, tree.kept)[tree.end_of_row]
        with context.stage("publish"):
            context.private.update(private_facts(tree))
            lengths = tree.nodes.depth[last_kept].astype(np.int64)
            return published_rows(data, data.codes, data.offsets[:-1], lengths, LOST, context)

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        data = counted_shards(data, self.unit, type(self).__name__)
        check_enough_of(data.individuals, self.k, self.unit)
        with context.stage("prefix tree"):
            beginnings, kept = shared_beginnings(data.whole_people, len(data.locations), self.k, executor)
            context.private["tree"] = {"kept": kept, "cut_trajectories": sum(own.cut for own in beginnings)}
        if data.is_large:
            return self._recoded_shards(data, beginnings, context)
        with context.stage("publish"):
            whole = data.whole
            lengths = np.concatenate([load(own.file) for own in beginnings])
            if data.person is not None:
                lengths = lengths[np.argsort(np.concatenate(data.person.input_rows()))]
            return published_rows(whole, whole.codes, whole.offsets[:-1], lengths, LOST, context)

    def _recoded_shards(
        self, data: EncodedTrajectories, beginnings: list[BeginningsOfShard], context: RunContext
    ) -> RecodedRecords:
        """What is published of each shard, in the symbols of all."""
        occurs = np.full(len(data.locations), -1, np.int32)
        occurring = np.unique(np.concatenate([own.occurring for own in beginnings])).astype(np.int32)
        occurs[occurring] = occurring
        symbols, symbol_of_code = Symbols.of_partition(data.locations.vocabulary, occurs)
        every = PublishedTrajectories(np.array([0, len(occurring)], np.int64), symbol_of_code[occurring], symbols, None)
        lost, empty = sum(own.lost for own in beginnings), data.n_records - data.n_filled
        context.private["accounting"] = record_accounting(data.n_records, empty, lost)
        shards = [
            CutShard(shard.file, shard.first, shard.rows, shard.first_filled, own.file)
            for shard, own in zip(data.shards, beginnings, strict=True)
        ]
        return RecodedRecords(shards, cut_shard, every, data.one_of_each, (every, symbol_of_code, data.locations))
