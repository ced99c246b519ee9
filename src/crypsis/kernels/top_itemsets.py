"""The K most frequent itemsets of any length: first by support falling, then shorter ones, then by their items.

Record r is items[offsets[r]:offsets[r + 1]], ascending and distinct; offsets int64, items int32. A subset of an itemset
comes before it in this order, so the K best are closed under subsets: an itemset of length n + 1 can only be one of
them if its subsets of length n are among the K best so far. The threshold rises with every length, and records are
kept as bitmaps, one per itemset of the last length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class TopItemsets:
    """Itemsets as rows of `sets`, filled up with -1, best first. `cut` of those looked at have the support of the last
    one and did not make it."""

    sets: Int64s
    supports: Int64s
    cut: int

    def as_tuples(self) -> list[tuple[int, ...]]:
        return [tuple(item for item in row if item >= 0) for row in self.sets.tolist()]


def top_itemsets(
    offsets: Int64s, items: Int32s, n_items: int, most: int, ancestors: NDArray[np.bool_] | None = None
) -> TopItemsets:
    """The `most` best itemsets, or all there are. Items `ancestors[a, b]` never stand in one itemset."""
    supports = np.bincount(items, minlength=n_items).astype(np.int64)
    occurring = np.flatnonzero(supports)
    kept = _Kept(occurring[:, None].astype(np.int64), supports[occurring], most)
    singles = np.sort(kept.of_length(1)[:, 0])
    number = np.full(n_items, -1, np.int64)
    number[singles] = np.arange(len(singles))
    n_records = len(offsets) - 1
    together = _pair_supports(offsets, items, number, len(singles))
    first, second = np.nonzero(together)
    if ancestors is not None:
        apart = ~(ancestors[singles[first], singles[second]] | ancestors[singles[second], singles[first]])
        first, second = first[apart], second[apart]
    kept.add(np.stack([singles[first], singles[second]], axis=1), together[first, second].astype(np.int64))
    length = 2
    bitmaps: Words = np.zeros((0, 0), np.uint64)
    rows: dict[tuple[int, ...], int] = {}
    single_bits: Words | None = None
    while len(last := kept.of_length(length)) > 1:
        last = last[np.lexsort(last.T[::-1])]
        one, other = _joinable(last)
        if ancestors is not None:
            ends = last[one, -1], last[other, -1]
            apart = ~(ancestors[ends[0], ends[1]] | ancestors[ends[1], ends[0]])
            one, other = one[apart], other[apart]
        if not len(one):
            break
        if single_bits is None:
            single_bits = _bitmaps(offsets, items, number, len(singles), n_records)
            bitmaps = single_bits[number[last[:, 0]]] & single_bits[number[last[:, 1]]]
        else:
            before = np.array([rows[tuple(row[:-1])] for row in last.tolist()], np.int64)
            bitmaps = bitmaps[before] & single_bits[number[last[:, -1]]]
        rows = {tuple(row): index for index, row in enumerate(last.tolist())}
        wider = np.concatenate([last[one], last[other, -1:]], axis=1)
        counted = _common(bitmaps, one, other)
        occurs = counted > 0
        kept.add(wider[occurs], counted[occurs])
        length += 1
    return TopItemsets(kept.sets, kept.supports, kept.cut)


class _Kept:
    """The best itemsets so far. New ones are longer than all before and come in the order of their items, so a stable
    sort by support is the order wanted."""

    def __init__(self, sets: Int64s, supports: Int64s, most: int) -> None:
        self.most = most
        self.cut = 0
        self.sets = sets[:0]
        self.supports = supports[:0]
        self.add(sets, supports)

    def add(self, sets: Int64s, supports: Int64s) -> None:
        filled = np.full((len(self.sets), sets.shape[1]), -1, np.int64)
        filled[:, : self.sets.shape[1]] = self.sets
        every, counted = np.concatenate([filled, sets]), np.concatenate([self.supports, supports])
        order = np.argsort(-counted, kind="stable")
        last = counted[order[self.most - 1]] if len(order) > self.most else 0
        before = self.cut if len(self.supports) and last == self.supports[-1] else 0
        self.cut = before + int(np.count_nonzero(counted[order[self.most :]] == last))
        self.sets, self.supports = every[order[: self.most]], counted[order[: self.most]]

    def of_length(self, length: int) -> Int64s:
        if self.sets.shape[1] < length:
            return self.sets[:0]
        sizes = (self.sets >= 0).sum(axis=1)
        chosen: Int64s = self.sets[sizes == length]
        return chosen


def _joinable(last: Int64s) -> tuple[Int64s, Int64s]:
    """Pairs of rows that differ in the last item only, in order."""
    starts = np.flatnonzero(np.append(True, (last[1:, :-1] != last[:-1, :-1]).any(axis=1)))
    ends = np.append(starts[1:], len(last))
    after = np.repeat(ends, ends - starts) - np.arange(len(last)) - 1
    one = np.repeat(np.arange(len(last)), after)
    within = np.arange(len(one)) - np.repeat(np.cumsum(after) - after, after)
    return one, one + 1 + within


@njit
def _pair_supports(offsets: Int64s, items: Int32s, number: Int64s, n_numbers: int) -> Int32s:
    """Records that hold both of two numbered items; above the diagonal."""
    together = np.zeros((n_numbers, n_numbers), np.int32)
    held = np.empty(16, np.int64)
    for record in range(len(offsets) - 1):
        n_held = 0
        while len(held) < offsets[record + 1] - offsets[record]:
            held = np.empty(2 * len(held), np.int64)
        for index in range(offsets[record], offsets[record + 1]):
            if number[items[index]] >= 0:
                held[n_held] = number[items[index]]
                n_held += 1
        for first in range(n_held):
            for second in range(first + 1, n_held):
                together[held[first], held[second]] += 1
    return together


@njit
def _bitmaps(offsets: Int64s, items: Int32s, number: Int64s, n_numbers: int, n_records: int) -> Words:
    """A bit for each record that holds a numbered item."""
    bits = np.zeros((n_numbers, (n_records + 63) // 64), np.uint64)
    for record in range(n_records):
        for index in range(offsets[record], offsets[record + 1]):
            row = number[items[index]]
            if row >= 0:
                bits[row, record // 64] |= np.uint64(1) << np.uint64(record % 64)
    return bits


@njit
def _common(bitmaps: Words, one: Int64s, other: Int64s) -> Int64s:
    """Bits that two rows have in common."""
    counts = np.zeros(len(one), np.int64)
    for pair in range(len(one)):
        total = 0
        for word in range(bitmaps.shape[1]):
            both = bitmaps[one[pair], word] & bitmaps[other[pair], word]
            both = both - ((both >> np.uint64(1)) & np.uint64(0x5555555555555555))
            both = (both & np.uint64(0x3333333333333333)) + ((both >> np.uint64(2)) & np.uint64(0x3333333333333333))
            both = (both + (both >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            total += int((both * np.uint64(0x0101010101010101)) >> np.uint64(56))
        counts[pair] = total
    return counts
