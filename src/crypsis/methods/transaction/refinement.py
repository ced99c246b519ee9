"""The third step of disassociation: clusters that hide the same terms are joined and share chunks (REFINE).

A pass orders the nodes by what they hide, the terms that most nodes hide first, and tries each with its neighbour.
Joins change how many nodes hide a term and with it the order, so that most nodes have new neighbours in every pass; a
pair that failed before is remembered. Costs per pass a look at the few terms that lead each node's key, in the order
in which they lie in memory, and a few bits that tell which neighbours have a frequent term in common; only these are
examined. Nodes are sorted by their first few terms, by more only where these are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.executors.threads import even_ranges, map_in_threads
from crypsis.kernels.cluster_joining import examine, join_neighbours
from crypsis.kernels.failed_joins import roomier
from crypsis.kernels.joint_nodes import (
    UNKNOWN,
    WORDS_OF_A_NODE,
    Arena,
    Leading,
    Leaves,
    Nodes,
    Pairs,
    mark_all,
    moved,
)
from crypsis.kernels.node_order import settle_ties, sort_keys, sorted_by_key
from crypsis.kernels.vertical_partition import TERM_CHUNK
from crypsis.methods.transaction.horizontal_partition import Clusters
from crypsis.methods.transaction.ranked_records import RankedRecords
from crypsis.methods.transaction.vertical_partition import COMBINATIONS, Placement
from crypsis.run_context import RunContext

_NODES_OF_A_RANGE = 5_000
_LEADING = 24  # terms known of each node, enough to tell its first few for many passes
Result = TypeVar("Result")

_NODES, _HIDDEN, _ENTRIES, _PLACED, _FAILED, _LEAVES = range(6)  # what `used` counts


@dataclass(frozen=True)
class Forest:
    """Nodes by number, leaves first: parent (-1 for roots), records, shared chunks.

    node_of_pair and chunk_of_pair say which shared chunk took what a leaf had hidden, -1 where none did.
    """

    parent: Int64s
    size: Int64s
    n_chunks: Int64s
    node_of_pair: Int32s
    chunk_of_pair: Int32s
    passes: int = 0

    @classmethod
    def of_leaves(cls, placement: Placement, clusters: Clusters) -> Forest:
        """Each cluster for itself."""
        n, nothing = len(clusters), np.full(len(placement.term), -1, np.int32)
        return cls(np.full(n, -1, np.int64), clusters.sizes, np.zeros(n, np.int64), nothing, nothing)


def refined(
    records: RankedRecords,
    clusters: Clusters,
    placement: Placement,
    rests_on_term_chunk: Bools,
    k: int,
    m: int,
    printed: bool,
    max_passes: int | None,
    workers: int,
    context: RunContext,
) -> Forest:
    """Join neighbours until a whole pass joins nothing, or for the given number of passes."""
    state = _Joining(records, clusters, placement, rests_on_term_chunk, k, workers)
    n_leaves = len(clusters)
    passes = 0
    while max_passes is None or passes < max_passes:
        passes += 1
        joins = state.one_pass(k, m, printed)
        if joins < 0:
            raise TooLarge(
                f"A joint cluster has too many combinations of {m} terms to check. Lower m, or choose refine='none'."
            )
        context.report_progress(None)
        if joins == 0:
            break
    end = int(state.used[_NODES])
    nodes = state.nodes
    assert end < 2 * n_leaves
    return Forest(
        nodes.parent[:end].copy(),
        nodes.size[:end].copy(),
        nodes.n_chunks[:end].copy(),
        state.pairs.node,
        state.pairs.chunk,
        passes,
    )


class _Joining:
    """All that changes while nodes are joined."""

    def __init__(
        self,
        records: RankedRecords,
        clusters: Clusters,
        placement: Placement,
        rests_on_term_chunk: Bools,
        k: int,
        workers: int,
    ) -> None:
        n_leaves, n_terms = len(clusters), len(records.codes)
        hidden = np.flatnonzero(placement.chunk == TERM_CHUNK)
        placed = np.flatnonzero(placement.chunk != TERM_CHUNK)
        hidden_of = np.bincount(placement.leaf[hidden], minlength=n_leaves)
        placed_of = np.bincount(placement.leaf[placed], minlength=n_leaves)
        word = _words(n_leaves)
        nothing = np.full(len(placement.term), -1, np.int32)
        self.sensitive = records.sensitive
        self.pairs = Pairs(
            placement.leaf, placement.term, placement.starts, placement.postings, nothing, nothing.copy()
        )
        self.leaves = Leaves(
            clusters.sizes.astype(np.int32),
            rests_on_term_chunk,
            np.where(rests_on_term_chunk, hidden_of, n_terms + 1).astype(np.int32),
        )
        hidden_at = offsets_of(hidden_of)[:-1]
        self.nodes = Nodes(
            hidden_at=_with_room(hidden_at, n_leaves),
            hidden_len=_with_room(hidden_of, n_leaves),
            strong_len=np.zeros(2 * n_leaves, np.int64),
            entries_len=_with_room(hidden_of, n_leaves),
            placed_at=_with_room(offsets_of(placed_of)[:-1], n_leaves),
            placed_len=_with_room(placed_of, n_leaves),
            size=_with_room(clusters.sizes, n_leaves),
            largest_leaf=_with_room(clusters.sizes, n_leaves),
            leaves_at=_with_room(np.arange(n_leaves), n_leaves),
            leaves_len=_with_room(np.ones(n_leaves, np.int64), n_leaves),
            word=np.concatenate((word, np.zeros_like(word))),
            parent=np.full(2 * n_leaves, -1, np.int64),
            n_chunks=np.zeros(2 * n_leaves, np.int64),
            marks=np.empty((2 * n_leaves, WORDS_OF_A_NODE), np.uint64),
        )
        self.arena = Arena(
            placement.term[hidden],
            placement.supports[hidden].astype(np.int32),
            np.arange(len(hidden)),
            np.ones(len(hidden), np.int32),
            np.zeros(len(hidden), np.int32),
            hidden.astype(np.int32),
            np.zeros(len(hidden), np.int32),
            placement.term[placed],
            word[placement.leaf[placed]],
            np.arange(n_leaves, dtype=np.int32),
        )
        self.used = np.array([n_leaves, len(hidden), len(hidden), len(placed), 0, n_leaves], np.int64)
        self.shared_by = np.bincount(placement.term[hidden], minlength=n_terms)
        self.failed = np.full(16, -1, np.int64)
        self.failed_last = np.full(2 * n_leaves, -1, np.int64)
        self.leading = Leading(np.full((2 * n_leaves, _LEADING), n_terms, np.int32), np.full(2 * n_leaves, UNKNOWN))
        self.hits = [np.zeros(n_leaves, np.int32) for _ in range(workers)]
        self.row_of = np.full(len(records), -1, np.int32)
        self.workers = workers
        self.listed = np.arange(n_leaves)
        self.living = np.arange(n_leaves)  # the same nodes by number: reading what is kept of each goes faster so
        self.key_of = np.empty(2 * n_leaves, np.int64)
        self.bits = min(max(n_terms.bit_length(), 1), 31)
        mark_all(self.listed, self.nodes, self.arena, k)

    def one_pass(self, k: int, m: int, printed: bool) -> int:
        """Order the nodes again and join neighbours; the number of joins."""
        self._make_room()
        place = np.empty(len(self.shared_by), np.int32)
        place[np.argsort(-self.shared_by, kind="stable")] = np.arange(len(place), dtype=np.int32)
        self.key_of[self.living] = np.concatenate(
            self._in_ranges(
                lambda number, first, last: sort_keys(
                    self.living[first:last], self.nodes, self.arena, self.leading, self.shared_by, place, self.bits
                ),
                np.ones(len(self.living), np.int64),
            )
        )
        key_bits = min(63 // self.bits, _LEADING) * self.bits + 1  # the one more tells nodes that hide nothing
        self.listed, keys = sorted_by_key(self.listed, self.key_of[self.listed], key_bits)
        settle_ties(self.listed, keys, self.nodes, self.arena, place, self.bits)
        verdicts = np.empty(len(self.listed), np.int8)
        self._in_ranges(
            lambda number, first, last: examine(
                self.listed,
                first,
                last,
                self.leaves,
                self.nodes,
                self.arena,
                self.pairs,
                self.failed,
                self.failed_last,
                self.hits[number],
                self.sensitive,
                k,
                printed,
                verdicts,
            ),
            1 + self.nodes.strong_len[self.listed],  # most of the work lies where many terms are strong
        )
        end = int(self.used[_NODES])
        self.listed, joins = join_neighbours(
            self.listed, verdicts, self.pairs, self.leaves, self.nodes, self.arena, self.used, self.shared_by,
            self.failed, self.hits[0], self.row_of, self.sensitive, k, m, printed, COMBINATIONS,
        )  # fmt: skip
        nodes = np.arange(end, int(self.used[_NODES]))
        self.living = np.concatenate((self.living[self.nodes.parent[self.living] < 0], nodes))
        return joins

    def _in_ranges(self, work: Callable[[int, int, int], Result], weights: Int64s) -> list[Result]:
        """Work on the list in ranges of about equal weight, one for each thread; ranges are numbered."""
        ranges = even_ranges(weights, self.workers, _NODES_OF_A_RANGE)
        return map_in_threads(lambda shard: work(shard[0], *shard[1]), list(enumerate(ranges)), self.workers)

    def _make_room(self) -> None:
        """A pass writes at most as much as the listed nodes hold, each pair of nodes once, and one failure per node."""
        nodes, living = self.nodes, self.living
        hidden, entries, placed = (
            int(lengths[living].sum()) for lengths in (nodes.hidden_len, nodes.entries_len, nodes.placed_len)
        )
        n_leaves = len(self.leaves.size)
        arena, used = self.arena, self.used
        lacking = (
            used[_HIDDEN] + hidden > len(arena.term)
            or used[_ENTRIES] + entries > len(arena.entries)
            or used[_PLACED] + placed + hidden // 2 > len(arena.placed_term)  # two nodes that hide a term may place it
            or used[_LEAVES] + n_leaves > len(arena.leaves)
        )
        if lacking:
            self._compact(3 * hidden, 3 * entries, 3 * placed + hidden // 2, 8 * n_leaves)
        if 2 * (int(used[_FAILED]) + len(self.listed)) > len(self.failed):
            slots = 1 << (4 * (int(used[_FAILED]) + len(self.listed)) + 15).bit_length()
            self.failed = roomier(self.failed, slots, self.nodes)
            used[_FAILED] = np.count_nonzero(self.failed != -1)

    def _compact(self, hidden: int, entries: int, placed: int, n_leaves: int) -> None:
        """Move the parts of the listed nodes to a new arena of these capacities."""
        nodes, arena, used, listed = self.nodes, self.arena, self.used, self.listed
        begins, lengths = nodes.hidden_at[listed], nodes.hidden_len[listed]
        term, support, pairs_of, strong = (
            moved(values, begins, lengths, hidden)
            for values in (arena.term, arena.support, arena.pairs_of, arena.strong)
        )
        # Entries of a node lie one behind the other, in the order of its terms.
        n_hidden, some = int(lengths.sum()), lengths > 0
        first = np.empty(hidden, np.int64)
        first[:n_hidden] = offsets_of(pairs_of[:n_hidden])[:-1]
        of_entries = arena.first[begins[some]], nodes.entries_len[listed[some]]
        entry, entry_leaf = (moved(values, *of_entries, entries) for values in (arena.entries, arena.entry_leaf))
        at_placed, n_placed = nodes.placed_at[listed], nodes.placed_len[listed]
        placed_term = moved(arena.placed_term, at_placed, n_placed, placed)
        words = moved(arena.placed_word.view(np.int32).reshape(-1), 4 * at_placed, 4 * n_placed, 4 * placed)
        at_leaves, of_leaves = nodes.leaves_at[listed], nodes.leaves_len[listed]
        leaves = moved(arena.leaves, at_leaves, of_leaves, n_leaves)
        placed_word = words.view(np.uint64).reshape(-1, 2)
        self.arena = Arena(
            term, support, first, pairs_of, strong, entry, entry_leaf, placed_term, placed_word, leaves
        )  # fmt: skip
        for places, parts in ((nodes.hidden_at, lengths), (nodes.placed_at, n_placed), (nodes.leaves_at, of_leaves)):
            places[listed] = offsets_of(parts)[:-1]
        used[[_HIDDEN, _ENTRIES, _PLACED, _LEAVES]] = n_hidden, of_entries[1].sum(), n_placed.sum(), of_leaves.sum()


def _with_room(of_leaves: Int64s, n_joints: int) -> Int64s:
    return np.concatenate((of_leaves.astype(np.int64), np.zeros(n_joints, np.int64)))


def _words(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Two words per leaf that look random: sets of leaves are compared by the exclusive or of their words.

    They are the same in every run, and so is the result. Two different sets have equal words with probability 2^-128.
    """
    with np.errstate(over="ignore"):
        word = (np.arange(1, 2 * n + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (word ^ (word >> np.uint64(31))).reshape(n, 2)
