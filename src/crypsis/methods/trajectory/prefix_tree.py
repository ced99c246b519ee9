"""The prefix tree of all trajectories, pruned where fewer than k individuals pass: what KAMCut, KAMRec, BFP2kA share.

A node stands for a beginning of trajectories. Its support counts the trajectories with that beginning; whether it is
kept depends on the individuals they belong to. The path of a kept node is contained in the trajectories of k
individuals, so it, and everything it contains, is safe to publish.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, frozen, offsets_of
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import TooFewTrajectories
from crypsis.kernels.lcs import Sequences
from crypsis.kernels.pattern_tree import Corpus, corpus_of
from crypsis.kernels.prefix_tree import ROOT, Nodes, grow, individuals_through, lexicographic_order, summed_up
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.trajectory.feasibility import how_many
from crypsis.run_context import RunContext


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """All trajectories as one tree; `kept` are the nodes that at least k individuals pass."""

    data: Trajectories
    groups: Int32s
    k: int
    nodes: Nodes
    end_of_row: Int32s
    order: Int64s
    individuals: Int64s

    @classmethod
    def of(cls, data: Trajectories, groups: Int32s, k: int) -> PrefixTree:
        """Sort the trajectories, grow the tree, count who passes each node."""
        order, differs = lexicographic_order(data.offsets, data.codes, len(data.locations))
        nodes, end_of_row = grow(data.offsets, data.codes, order, differs)
        n_groups = int(groups.max()) + 1 if len(groups) else 0
        if n_groups == len(data):
            own = np.bincount(end_of_row, minlength=len(nodes.item))
            own[ROOT] = 0
            individuals = summed_up(nodes.parent, own)
        else:
            individuals = individuals_through(nodes, end_of_row, order, groups, n_groups)
        return cls(data, groups, k, nodes, end_of_row, order, frozen(individuals))

    @cached_property
    def kept(self) -> Bools:
        kept = self.individuals >= self.k
        kept[ROOT] = True
        return frozen(kept)

    @cached_property
    def rows_ending(self) -> Int64s:
        """By node: the trajectories that end there; none for the root, where the empty ones end."""
        ending = np.bincount(self.end_of_row, minlength=len(self.nodes.item))
        ending[ROOT] = 0
        return frozen(ending)

    @cached_property
    def support(self) -> Int64s:
        """By node: the trajectories that pass it."""
        return frozen(summed_up(self.nodes.parent, self.rows_ending))

    @cached_property
    def pruned_support(self) -> Int64s:
        """By node: the trajectories that pass it and end in a kept node; the others are cut."""
        return frozen(summed_up(self.nodes.parent, np.where(self.kept, self.rows_ending, 0)))

    @cached_property
    def cut_nodes(self) -> Int64s:
        """Where the distinct cut trajectories end, in their order."""
        return frozen(np.flatnonzero((self.rows_ending > 0) & ~self.kept))

    @cached_property
    def kept_leaves(self) -> Bools:
        """Kept nodes without a kept child."""
        leaves = self.kept.copy()
        leaves[self.nodes.parent[self.kept][1:]] = False
        leaves[ROOT] = False
        return frozen(leaves)

    @cached_property
    def starts(self) -> Int64s:
        """By node: where its path begins among the codes of the data; it has as many as the node is deep."""
        return frozen(self.data.offsets[:-1][self.nodes.maker] if len(self.data) else np.zeros(1, np.int64))

    def paths_to(self, nodes: Int64s) -> Sequences:
        """The paths of these nodes."""
        return Sequences(self.data.codes, self.starts[nodes], self.nodes.depth[nodes])

    def corpus_of(self, ends: Int64s) -> Corpus:
        """The paths to these nodes, ready to count who contains a pattern: all where trajectories end, and others."""
        return corpus_of_rows(self.paths_to(ends), ends, self.end_of_row, self.groups, len(self.data.locations))

    def labelled(self, nodes: Int64s, counts: Int64s) -> list[tuple[tuple[str, ...], int]]:
        """Path and count of these nodes, in the order of the paths; for small data."""
        labels = self.data.locations.labels
        return [
            (tuple(labels[code] for code in self.data.codes[start : start + depth].tolist()), count)
            for start, depth, count in zip(
                self.starts[nodes].tolist(), self.nodes.depth[nodes].tolist(), counts[nodes].tolist(), strict=True
            )
        ]


def corpus_of_rows(
    distinct: Sequences, numbers: Int64s, number_of_row: Int32s | Int64s, groups: Int32s, n_codes: int
) -> Corpus:
    """Distinct sequences; row r holds the one whose number is number_of_row[r], if any is."""
    index = np.searchsorted(numbers, number_of_row)
    index[index == len(numbers)] = 0
    rows = np.flatnonzero(numbers[index] == number_of_row) if len(numbers) else np.zeros(0, np.int64)
    n_individuals = int(groups.max()) + 1 if len(groups) else 0
    counts = np.bincount(index[rows], minlength=len(numbers))
    if n_individuals == len(groups):
        whose_offsets, whose = np.zeros(1, np.int64), np.zeros(0, np.int32)
    else:
        whose_offsets = offsets_of(counts)
        whose = groups[rows[np.argsort(index[rows], kind="stable")]]
    return corpus_of(distinct, counts, whose_offsets, whose, n_individuals, n_codes)


def check_enough(data: Trajectories, groups: Int32s, k: int, unit: str | None) -> None:
    """Fewer than k individuals who were anywhere at all can never be protected."""
    check_enough_of(len(np.unique(groups[data.lengths > 0])), k, unit)


def check_enough_of(have: int, k: int, unit: str | None) -> None:
    """The same by how many individuals were anywhere at all."""
    if k >= 2 and have < k:
        raise TooFewTrajectories(
            f"No {k}-anonymous release exists: {how_many(have, unit)} visited any location, {k} are required. "
            "Add data or lower k.",
            have=have,
            required=k,
        )


def published_rows(
    data: Trajectories, codes: Int32s, starts: Int64s, lengths: Int64s, reason: str, context: RunContext
) -> PublishedTrajectories:
    """Publish trajectory r as `lengths[r]` codes from `starts[r]`; one that has nothing left is lost.

    Trajectories that were empty before are published as empty. The context learns which row became which.
    """
    lost = (lengths == 0) & (data.lengths > 0)
    rows = np.flatnonzero(~lost)
    offsets = offsets_of(lengths[rows])
    positions = np.arange(offsets[-1]) + np.repeat(starts[rows] - offsets[:-1], lengths[rows])
    published_codes = codes[positions]
    occurs = np.full(len(data.locations), -1, np.int32)
    occurring = np.unique(published_codes)
    occurs[occurring] = occurring
    symbols, symbol_of_code = Symbols.of_partition(data.locations.vocabulary, occurs)
    owners = None if data.owners is None else data.owners[rows]
    empty = int((data.lengths == 0).sum())
    context.private.update(
        {
            "lost": [{"row": row, "reason": reason} for row in np.flatnonzero(lost).tolist()],
            "published_input_rows": frozen(rows),
            "accounting": record_accounting(len(data), empty, int(lost.sum())),
        }
    )
    return PublishedTrajectories(offsets, symbol_of_code[published_codes], symbols, None, owners)


def private_facts(tree: PrefixTree) -> dict[str, Any]:
    """Sizes of the tree, for the publisher alone."""
    return {
        "tree": {
            "nodes": len(tree.nodes.item) - 1,
            "kept": int(tree.kept.sum()) - 1,
            "cut_sequences": len(tree.cut_nodes),
            "cut_trajectories": int(tree.rows_ending[tree.cut_nodes].sum()),
        }
    }
