"""BFP2kA: give rare sequences the shape of the most similar frequent beginning.

Guarantees pattern-preserving k-anonymity. Costs one sort, and for each distinct rare sequence a walk over a tree.

Pensa, Monreale, Pinelli, Pedreschi. Pattern-preserving k-anonymization of sequences and its application to mobility
data mining. PiLBA 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.guarantees import PatternPreservingKAnonymity
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.kernels.lcs import Sequences, closest_paths
from crypsis.kernels.prefix_tree import ROOT, heights, pruned
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.feasibility import individuals_of
from crypsis.methods.trajectory.prefix_tree import PrefixTree, check_enough, private_facts, published_rows
from crypsis.methods.trajectory.trajectory_blocks import anonymize_in_blocks
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories

SEQUENCES_PER_STEP = 4096


@dataclass(frozen=True, kw_only=True)
class BFP2kA(Method):
    """Replace rare sequences by the frequent beginning that has most in common with them.

    All sequences are laid into one prefix tree. Those that leave the part that k sequences pass are cut, and each is
    published as the shortest kept path with which it has the longest subsequence in common; one that shares no item
    with any path is lost. The published data are close in their frequent patterns, but not truthful record by record:
    a replaced sequence may hold items that the person never had.
    Time grows with the distinct cut sequences times the kept nodes.
    Differs from the paper: sequences enter the tree as often as they occur, those that end inside a cut branch are
    cut too, and ties go to the smallest path in item order.

    >>> import crypsis
    >>> walks = crypsis.Trajectories.from_lists([["a", "b", "c"], ["a", "b", "c"], ["x", "b", "c"]])
    >>> release = crypsis.anonymize(walks, crypsis.BFP2kA(k=2))
    >>> release.data.to_lists()
    [['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c']]
    >>> release.verify().holds
    True

    Pensa, Monreale, Pinelli, Pedreschi. Pattern-preserving k-anonymization of sequences and its application
    to mobility data mining. PiLBA 2008: BF-P2kA.
    """

    choose_when = "For mining frequent patterns: their frequencies are kept best."
    costs = "Rare sequences are replaced, so a row need not be true of anybody."
    accepts = Trajectories
    counts_people = True
    promises = PatternPreservingKAnonymity
    scaling = Scaling.BLOCKS
    publishes_shards = True
    stages = ("prefix tree", "replace", "publish")

    k: Annotated[int, AtLeast(1), "Sequences of the original that must contain each published one."] = 5
    unit: ChosenUnit = None

    @property
    def guarantee(self) -> PatternPreservingKAnonymity:
        return PatternPreservingKAnonymity(k=self.k, unit=self.unit or "trajectory")

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        groups = individuals_of(data, self.unit, type(self).__name__)
        check_enough(data, groups, self.k, self.unit)
        with context.stage("prefix tree"):
            tree = PrefixTree.of(data, groups, self.k)
        with context.stage("replace"):
            published_node = np.arange(len(tree.nodes.item), dtype=np.int32)
            published_node[tree.cut_nodes] = replacing_nodes(tree, context)
        with context.stage("publish"):
            context.private.update(private_facts(tree))
            nodes = published_node[tree.end_of_row]
            lengths = tree.nodes.depth[nodes].astype(np.int64)
            return published_rows(
                data, data.codes, tree.starts[nodes], lengths, "shares no location with what is frequent", context
            )

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        return anonymize_in_blocks(self, data, executor, context, block, by_place=False)


def replacing_nodes(tree: PrefixTree, context: RunContext) -> Int32s:
    """By cut sequence: the kept node whose path replaces it, the root where there is none."""
    kept, before = pruned(tree.nodes, tree.kept)
    height = heights(kept.parent)
    chosen = np.full(len(tree.cut_nodes), ROOT, np.int32)
    for first in range(0, len(chosen), SEQUENCES_PER_STEP):
        paths = tree.paths_to(tree.cut_nodes[first : first + SEQUENCES_PER_STEP])
        found, _ = closest_paths(Sequences(*paths), kept, height, len(tree.data.locations))
        chosen[first : first + SEQUENCES_PER_STEP] = before[found]
        context.report_progress(min(1.0, (first + SEQUENCES_PER_STEP) / len(chosen)))
    return chosen
