"""Can published rows be paired with original records, each row with a record of its own that it recodes?

Rows of a written release are sorted, so nothing says which record became which row. A row is a box: in each column its
cell stands for some values, and its symbols for some items. It recodes the records that lie in it. The question is
answered exactly, in three steps:

1. Boxes are separated, column by column, wherever no cell spans both sides; what is apart cannot be paired across. Each
   round sorts, so this takes O(n log n) for each column. Recodings whose classes do not overlap end here: a box that is
   left alone has to have as many records as rows.
2. Where boxes overlap, the records in each are looked up with a bit for every box: records times boxes times columns
   over 64 steps, in pieces, inside what step 1 could not separate.
3. The pairs that are left are a flow problem (Dinic). It stops at `MOST_PAIRS` pairs and says so.

Suppressed rows say nothing and may be anybody, so they are left out; the others must all find a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.compilation import njit
from crypsis.data.cells import CellKind
from crypsis.errors import TooLarge
from crypsis.verifiers.contained_values import ContainedValues
from crypsis.verifiers.table_classes import joined_codes

MOST_PAIRS = 80_000_000
MOST_ROUNDS = 64
BOXES_AT_ONCE = 4096
STEPS_AT_ONCE = 200_000_000  # between two looks at signals

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SetColumn:
    """Symbols of the rows and items of the records over one vocabulary.

    Row r shows the symbols codes[offsets[r]:offsets[r + 1]], symbol s the items
    members[symbol_offsets[s]:symbol_offsets[s + 1]]. Record r holds known[known_offsets[r]:known_offsets[r + 1]], -1
    for an item that no symbol holds. `may_lack[i]` says of occurrence i of `known` that a row need not show it.
    """

    offsets: Int64s
    codes: Int32s
    symbol_offsets: Int64s
    members: Int32s
    known_offsets: Int64s
    known: Int64s
    may_lack: Bools
    n_items: int


def unpaired_rows(columns: Sequence[ContainedValues], sets: SetColumn | None, suppressed: Bools) -> int:
    """How many of the rows that are not suppressed stay without a record, when as many as possible have one."""
    kept = np.flatnonzero(~suppressed)
    if not len(kept):
        return 0
    cells = [column.published.codes.astype(np.int64)[kept] for column in columns]
    values = [column.original.codes.astype(np.int64) + 1 for column in columns]  # 0 is a missing value
    n_records = len(suppressed)
    if sets is not None:
        cells.append(_row_numbers(sets.offsets, sets.codes.astype(np.int64))[kept])
        values.append(_row_numbers(sets.known_offsets, sets.known * 2 + sets.may_lack))
    first_box, supply = _distinct(cells, len(kept))
    first_point, demand = _distinct(values, n_records)
    boxes, points = kept[first_box], first_point
    spans = [_Span.of(column, boxes, points) for column in columns]
    apart = _separate(spans, supply, demand)
    if apart is None:
        return _at_least_one(supply, demand)
    alone, unpaired = np.zeros(len(apart.box_group), np.bool_), 0
    if sets is None:
        alone, unpaired = _count_single_boxes(apart, spans, supply, demand)
    pending = np.flatnonzero(~alone)
    if not len(pending):
        return unpaired
    left, right = _containing_pairs(apart, pending, spans, sets, boxes, points)
    return unpaired + int(supply[pending].sum()) - largest_flow(left, right, supply, demand)


class _Pairs(NamedTuple):
    """Pair p joins left[p] and right[p]. The pairs of box b are by_left[left_starts[b]:left_starts[b + 1]]."""

    left_starts: Int64s
    by_left: Int64s
    right_starts: Int64s
    by_right: Int64s
    left: Int32s
    right: Int32s


def largest_flow(left: Int32s, right: Int32s, supply: Int64s, demand: Int64s) -> int:
    """The most units that can go from the left, each with its supply, along the pairs to the right with its demand."""
    pairs = _Pairs(
        offsets_of(np.bincount(left, minlength=len(supply))),
        np.argsort(left, kind="stable"),
        offsets_of(np.bincount(right, minlength=len(demand))),
        np.argsort(right, kind="stable"),
        left,
        right,
    )
    free, wanted = supply.copy(), demand.copy()
    carried = np.zeros(len(left), np.int64)
    _take_greedily(pairs, free, wanted, carried)
    reachable = np.diff(pairs.left_starts) > 0
    while (free[reachable] > 0).any() and (wanted > 0).any():
        left_level, right_level = _levels(pairs, free, carried)
        moved = _augment(pairs, free, wanted, carried, left_level, right_level)
        if not moved:
            break
    return int(carried.sum())


@dataclass(frozen=True, eq=False)
class _Span:
    """One column: box b spans the values low[b] to high[b] in an order in which most cells have no gaps.

    A cell with gaps spans them, too; `table[row[b]]` then tells what it really holds. Point p has the value value[p].
    """

    low: Int64s
    high: Int64s
    row: Int64s
    table: Bools
    value: Int64s
    width: int

    @classmethod
    def of(cls, column: ContainedValues, boxes: Int64s, points: Int64s) -> _Span:
        """The missing value is 0, the codes of the original come after it."""
        cell = column.published.codes.astype(np.int64)[boxes]
        value = column.original.codes.astype(np.int64)[points] + 1
        width = len(column.original.domain) + 1
        low, high, row = column.low + 1, column.high + 1, column.row.copy()
        everything = np.isin(column.published.cells.kinds, (CellKind.ANY, CellKind.SUPPRESSED))
        low[everything], high[everything] = 0, width - 1
        only_missing = column.missing & ~everything
        low[only_missing], high[only_missing] = 0, 0
        table = np.zeros((len(column.table), width), np.bool_)
        table[:, 1:] = column.table[:, : width - 1]
        if len(table):
            index = _order_without_gaps(table, low, high, row)
            ordered = np.empty_like(table)
            ordered[:, index] = table
            single = (row < 0) & (low == high)
            low[single], high[single] = index[low[single]], index[low[single]]
            table, value = ordered, index[value]
            listed = np.flatnonzero(row >= 0)
            held = table[row[listed]]
            count = held.sum(axis=1)
            low[listed] = np.where(count > 0, held.argmax(axis=1), 1)
            high[listed] = np.where(count > 0, width - 1 - held[:, ::-1].argmax(axis=1), 0)
            gapless = listed[high[listed] - low[listed] + 1 == count]
            row[gapless] = -1
        return cls(low[cell], high[cell], row[cell], table, value, width)

    def holds(self, box: Int64s, point: Int64s) -> Bools:
        """Whether each of these boxes holds the value of the point beside it."""
        value = self.value[point]
        inside = (self.low[box] <= value) & (value <= self.high[box])
        listed = np.flatnonzero(self.row[box] >= 0)
        inside[listed] = self.table[self.row[box[listed]], value[listed]]
        return inside


def _order_without_gaps(table: Bools, low: Int64s, high: Int64s, row: Int64s) -> Int64s:
    """A place for each value in which nested cells have no gaps; ranges keep the order that they have."""
    width = table.shape[1]
    same = np.arange(width)
    count = table.sum(axis=1)
    first, last = table.argmax(axis=1), width - 1 - table[:, ::-1].argmax(axis=1)
    ranged = (row < 0) & (low < high) & ~((low == 0) & (high == width - 1))
    if ranged.any() or ((last - first + 1 == count) | (count == 0)).all():
        return same
    by_size = np.argsort(-count, kind="stable")
    place = np.empty(width, np.int64)
    place[np.lexsort(table[by_size[::-1]])] = same
    return place


@dataclass(frozen=True, eq=False)
class _Apart:
    """Which group each box and each point belongs to; -1 for a point that no box can hold."""

    box_group: Int64s
    point_group: Int64s
    n_groups: int


def _separate(spans: Sequence[_Span], supply: Int64s, demand: Int64s) -> _Apart | None:
    """Groups between which nothing can be paired; None where a group has more rows than records."""
    n_boxes, n_points = len(supply), len(demand)
    apart = _Apart(np.zeros(n_boxes, np.int64), np.zeros(n_points, np.int64), 1)
    for _ in range(MOST_ROUNDS):
        before = apart.n_groups
        for span in spans:
            if (span.low > span.high).any():
                return None  # a cell that holds no original value
            apart = _split(apart, span)
        rows = np.bincount(apart.box_group, supply, apart.n_groups)
        covered = apart.point_group >= 0
        records = np.bincount(apart.point_group[covered], demand[covered], apart.n_groups)
        if (rows > records).any():
            return None
        if apart.n_groups == before:
            break
    return apart


def _split(apart: _Apart, span: _Span) -> _Apart:
    """Split every group in one column, between values that no box of the group spans."""
    width = span.width + 1
    start = apart.box_group * width + span.low
    order = np.argsort(start, kind="stable")
    start = start[order]
    reach = np.maximum.accumulate(apart.box_group[order] * width + span.high[order])
    new = np.ones(len(start), np.bool_)
    new[1:] = start[1:] > reach[:-1]
    firsts = np.flatnonzero(new)
    ends = reach[np.append(firsts[1:], len(start)) - 1]
    box_group = np.empty(len(start), np.int64)
    box_group[order] = np.cumsum(new) - 1
    key = apart.point_group * width + span.value
    group = np.searchsorted(start[firsts], key, side="right") - 1
    covered = (apart.point_group >= 0) & (group >= 0) & (key <= ends[np.maximum(group, 0)])
    return _Apart(box_group, np.where(covered, group, -1), len(firsts))


def _count_single_boxes(apart: _Apart, spans: Sequence[_Span], supply: Int64s, demand: Int64s) -> tuple[Bools, int]:
    """Which boxes are alone in their group, and how many of their rows have no record."""
    n_boxes = np.bincount(apart.box_group, minlength=apart.n_groups)
    alone = n_boxes[apart.box_group] == 1
    box_of_group = np.full(apart.n_groups, -1, np.int64)
    box_of_group[apart.box_group[alone]] = np.flatnonzero(alone)
    point = np.flatnonzero(apart.point_group >= 0)
    box = box_of_group[apart.point_group[point]]
    point, box = point[box >= 0], box[box >= 0]
    inside = np.ones(len(point), np.bool_)
    for span in spans:
        inside &= span.holds(box, point)
    records = np.bincount(box[inside], demand[point[inside]], len(supply)).astype(np.int64)
    return alone, int(np.maximum(supply - records, 0)[alone].sum())


def _at_least_one(supply: Int64s, demand: Int64s) -> int:
    return max(1, int(supply.sum() - demand.sum()))


def _containing_pairs(
    apart: _Apart,
    pending: Int64s,
    spans: Sequence[_Span],
    sets: SetColumn | None,
    boxes: Int64s,
    points: Int64s,
) -> tuple[Int32s, Int32s]:
    """Every pair of a pending box and a point in it, boxes in pieces of whole groups where these are small."""
    order = pending[np.argsort(apart.box_group[pending], kind="stable")]
    by_group = np.argsort(apart.point_group, kind="stable")
    sorted_groups = apart.point_group[by_group]
    left, right, found = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], 0
    for start, end in _pieces(apart.box_group[order]):
        piece = order[start:end]
        groups = apart.box_group[piece]
        low, high = np.searchsorted(sorted_groups, [groups[0], groups[-1] + 1])
        candidates = by_group[low:high]
        bits = _Bits(apart, spans, sets, boxes, points, piece, candidates)
        for first, last in pairwise(bits.stops):
            box, point = bits.pairs(first, last, MOST_PAIRS - found + 1)
            if sets is not None:
                shown = _shows_only_held(
                    boxes[piece[box]],
                    points[candidates[point]],
                    sets.offsets,
                    sets.codes,
                    sets.symbol_offsets,
                    sets.members,
                    sets.known_offsets,
                    sets.known,
                    np.full(sets.n_items + 1, -1, np.int64),
                )
                box, point = box[shown], point[shown]
            found += len(box)
            if found > MOST_PAIRS:
                raise TooLarge(
                    f"More than {MOST_PAIRS:,} pairs of published rows and original records fit each other. Verify the "
                    "release before it is written, give its private report, or a file that was written in input order."
                )
            left.append(piece[box].astype(np.int32))
            right.append(candidates[point].astype(np.int32))
    return np.concatenate(left), np.concatenate(right)


def _pieces(groups: Int64s) -> list[tuple[int, int]]:
    """Ranges of boxes, sorted by group: whole groups together, or parts of one group that is large."""
    ends = np.append(np.flatnonzero(np.diff(groups)) + 1, len(groups)).tolist()
    pieces: list[tuple[int, int]] = []
    start = last = 0
    for end in ends:
        if end - start > BOXES_AT_ONCE and last > start:
            pieces.append((start, last))
            start = last
        while end - start > BOXES_AT_ONCE:
            pieces.append((start, start + BOXES_AT_ONCE))
            start += BOXES_AT_ONCE
        last = end
    if last > start:
        pieces.append((start, last))
    return pieces


class _Bits:
    """For every value and item that the points have, which boxes of the piece hold it: a bit each."""

    def __init__(
        self,
        apart: _Apart,
        spans: Sequence[_Span],
        sets: SetColumn | None,
        boxes: Int64s,
        points: Int64s,
        piece: Int64s,
        candidates: Int64s,
    ) -> None:
        self.n_boxes = len(piece)
        self.n_words = (len(piece) + 63) // 64
        features: list[Int64s] = []
        rows: list[Words] = []
        n_features = 0
        for span in spans:
            present, feature = np.unique(span.value[candidates], return_inverse=True)
            rows.append(
                _boxes_of_values(present, span.low[piece], span.high[piece], span.row[piece], span.table, self.n_words)
            )
            features.append(feature.reshape(-1) + n_features)
            n_features += len(present)
        lengths = np.full(len(candidates), len(spans), np.int64)
        table = np.stack(features, axis=1).reshape(-1) if features else np.zeros(0, np.int64)
        self.offsets, self.features = offsets_of(lengths), table
        if sets is not None:
            held = _boxes_of_items(
                boxes[piece], sets.offsets, sets.codes, sets.symbol_offsets, sets.members, sets.n_items, self.n_words
            )
            rows.append(held)
            self.offsets, self.features = _with_items(
                self.offsets,
                self.features,
                points[candidates],
                sets.known_offsets,
                sets.known,
                sets.may_lack,
                n_features,
                sets.n_items,
            )
        self.rows = np.concatenate(rows) if rows else np.zeros((1, self.n_words), np.uint64)
        groups, of_point = apart.box_group[piece], apart.point_group[candidates]
        self.first_box = np.searchsorted(groups, of_point, side="left")
        self.last_box = np.searchsorted(groups, of_point, side="right")
        steps = np.cumsum((np.diff(self.offsets) + 1) * ((self.last_box - self.first_box) // 64 + 2))
        marks = np.searchsorted(steps, np.arange(STEPS_AT_ONCE, steps[-1] if len(steps) else 0, STEPS_AT_ONCE)) + 1
        self.stops = np.unique(np.concatenate([[0], marks, [len(candidates)]])).tolist()

    def pairs(self, first: int, last: int, most: int) -> tuple[Int64s, Int64s]:
        """(box, point) of the points from first to last, numbered in the piece; a few more than `most` at the most."""
        return _pairs_of_bits(first, last, self.offsets, self.features, self.rows, self.first_box, self.last_box, most)


@njit
def _boxes_of_values(present: Int64s, low: Int64s, high: Int64s, row: Int64s, table: Bools, n_words: int) -> Words:
    """Mark for each value, as bits, the boxes whose cell contains it."""
    bits = np.zeros((len(present), n_words), np.uint64)
    # Boxes whose cells have no gaps are open from their first value to their last: a sweep over the values.
    starts, ends = np.searchsorted(present, low), np.searchsorted(present, high + 1)
    opening, closing = np.argsort(starts), np.argsort(ends)
    opened, closed = 0, 0
    state = np.zeros(n_words, np.uint64)
    for value in range(len(present)):
        while opened < len(opening) and starts[opening[opened]] <= value:
            box = opening[opened]
            if row[box] < 0 and ends[box] > value:
                state[box >> 6] |= np.uint64(1) << np.uint64(box & 63)
            opened += 1
        while closed < len(closing) and ends[closing[closed]] <= value:
            box = closing[closed]
            if row[box] < 0 and starts[box] < ends[box]:
                state[box >> 6] &= ~(np.uint64(1) << np.uint64(box & 63))
            closed += 1
        bits[value] = state
    for box in range(len(row)):
        if row[box] >= 0:
            for value in range(starts[box], ends[box]):
                if table[row[box], present[value]]:
                    bits[value, box >> 6] |= np.uint64(1) << np.uint64(box & 63)
    return bits


@njit
def _boxes_of_items(
    rows: Int64s, offsets: Int64s, codes: Int32s, symbol_offsets: Int64s, members: Int32s, n_items: int, n_words: int
) -> Words:
    """Mark for each item, as bits, the boxes that have a symbol for it."""
    bits = np.zeros((n_items + 1, n_words), np.uint64)  # the last one: an item that no symbol holds
    for box in range(len(rows)):
        for index in range(offsets[rows[box]], offsets[rows[box] + 1]):
            for slot in range(symbol_offsets[codes[index]], symbol_offsets[codes[index] + 1]):
                bits[members[slot], box >> 6] |= np.uint64(1) << np.uint64(box & 63)
    return bits


@njit
def _with_items(
    offsets: Int64s,
    features: Int64s,
    records: Int64s,
    known_offsets: Int64s,
    known: Int64s,
    may_lack: Bools,
    first_item: int,
    n_items: int,
) -> tuple[Int64s, Int64s]:
    """The features of each point followed by the items that a row must show."""
    longer = np.zeros(len(records) + 1, np.int64)
    for point in range(len(records)):
        n_shown = 0
        for index in range(known_offsets[records[point]], known_offsets[records[point] + 1]):
            n_shown += not may_lack[index]
        longer[point + 1] = longer[point] + offsets[point + 1] - offsets[point] + n_shown
    every = np.empty(longer[-1], np.int64)
    for point in range(len(records)):
        at = longer[point]
        for index in range(offsets[point], offsets[point + 1]):
            every[at] = features[index]
            at += 1
        for index in range(known_offsets[records[point]], known_offsets[records[point] + 1]):
            if not may_lack[index]:
                every[at] = first_item + (known[index] if known[index] >= 0 else n_items)
                at += 1
    return longer, every


@njit
def _pairs_of_bits(
    first: int,
    last: int,
    offsets: Int64s,
    features: Int64s,
    rows: Words,
    first_box: Int64s,
    last_box: Int64s,
    most: int,
) -> tuple[Int64s, Int64s]:
    """List the boxes that every feature of a point fits, for a run of points and up to a number of pairs."""
    room, n_pairs = 1024, 0
    left, right = np.empty(room, np.int64), np.empty(room, np.int64)
    for point in range(first, last):
        if first_box[point] == last_box[point]:
            continue
        for word in range(first_box[point] >> 6, ((last_box[point] - 1) >> 6) + 1):
            both = ~np.uint64(0)
            for index in range(offsets[point], offsets[point + 1]):
                both &= rows[features[index], word]
                if both == np.uint64(0):
                    break
            box = word << 6
            while both != np.uint64(0):
                if both & np.uint64(1) and first_box[point] <= box < last_box[point]:
                    if n_pairs == room:
                        room *= 2
                        more_left, more_right = np.empty(room, np.int64), np.empty(room, np.int64)
                        more_left[:n_pairs] = left
                        more_right[:n_pairs] = right
                        left, right = more_left, more_right
                    left[n_pairs], right[n_pairs] = box, point
                    n_pairs += 1
                both >>= np.uint64(1)
                box += 1
        if n_pairs > most:
            break
    return left[:n_pairs], right[:n_pairs]


@njit
def _shows_only_held(
    rows: Int64s,
    records: Int64s,
    offsets: Int64s,
    codes: Int32s,
    symbol_offsets: Int64s,
    members: Int32s,
    known_offsets: Int64s,
    known: Int64s,
    present: Int64s,
) -> Bools:
    """Of each pair: every symbol of the row holds an item of the record."""
    shown = np.ones(len(rows), np.bool_)
    for pair in range(len(rows)):
        for index in range(known_offsets[records[pair]], known_offsets[records[pair] + 1]):
            if known[index] >= 0:
                present[known[index]] = pair
        for index in range(offsets[rows[pair]], offsets[rows[pair] + 1]):
            held = False
            for slot in range(symbol_offsets[codes[index]], symbol_offsets[codes[index] + 1]):
                if present[members[slot]] == pair:
                    held = True
                    break
            if not held:
                shown[pair] = False
                break
    return shown


@njit
def _take_greedily(pairs: _Pairs, free: Int64s, wanted: Int64s, carried: Int64s) -> None:
    """Whoever has few pairs takes first, and takes what few others can take: then little has to be moved."""
    left_starts, by_left, right = pairs.left_starts, pairs.by_left, pairs.right
    choices = np.diff(pairs.right_starts)
    for box in np.argsort(np.diff(left_starts)):
        while free[box] > 0:
            best = -1
            for index in range(left_starts[box], left_starts[box + 1]):
                pair = by_left[index]
                if wanted[right[pair]] > 0 and (best < 0 or choices[right[pair]] < choices[right[best]]):
                    best = pair
            if best < 0:
                break
            units = min(free[box], wanted[right[best]])
            carried[best] += units
            free[box] -= units
            wanted[right[best]] -= units


@njit
def _levels(pairs: _Pairs, free: Int64s, carried: Int64s) -> tuple[Int64s, Int64s]:
    """How many steps each box and point is away from a box with free units; -1 where there is no way."""
    left_starts, by_left, right_starts, by_right, left, right = pairs
    left_level, right_level = np.full(len(free), -1, np.int64), np.full(len(right_starts) - 1, -1, np.int64)
    queue = np.empty(len(free), np.int64)
    head, tail = 0, 0
    for box in range(len(free)):
        if free[box] > 0:
            left_level[box] = 0
            queue[tail] = box
            tail += 1
    while head < tail:
        box = queue[head]
        head += 1
        for index in range(left_starts[box], left_starts[box + 1]):
            point = right[by_left[index]]
            if right_level[point] >= 0:
                continue
            right_level[point] = left_level[box] + 1
            for back in range(right_starts[point], right_starts[point + 1]):
                pair = by_right[back]
                if carried[pair] > 0 and left_level[left[pair]] < 0:
                    left_level[left[pair]] = right_level[point] + 1
                    queue[tail] = left[pair]
                    tail += 1
    return left_level, right_level


@njit
def _augment(
    pairs: _Pairs, free: Int64s, wanted: Int64s, carried: Int64s, left_level: Int64s, right_level: Int64s
) -> bool:
    """A blocking flow: follow levels upwards, never a pair twice that led nowhere."""
    left_starts, by_left, right_starts, by_right, left, right = pairs
    left_next, right_next = left_starts[:-1].copy(), right_starts[:-1].copy()
    path = np.empty(len(free) + len(wanted) + 1, np.int64)  # pairs, forwards at even places and back at odd ones
    moved = False
    for source in range(len(free)):
        while free[source] > 0:
            length, box, found = 0, source, False
            while True:
                advanced = False
                while left_next[box] < left_starts[box + 1]:  # forwards to a point
                    pair = by_left[left_next[box]]
                    point = right[pair]
                    if right_level[point] != left_level[box] + 1:
                        left_next[box] += 1
                        continue
                    if wanted[point] > 0:
                        path[length] = pair
                        length += 1
                        found = True
                        break
                    while right_next[point] < right_starts[point + 1]:  # back to a box that gives up a unit
                        back = by_right[right_next[point]]
                        if carried[back] > 0 and left_level[left[back]] == right_level[point] + 1:
                            break
                        right_next[point] += 1
                    if right_next[point] < right_starts[point + 1]:
                        back = by_right[right_next[point]]
                        path[length], path[length + 1] = pair, back
                        length += 2
                        box = left[back]
                        advanced = True
                        break
                    left_next[box] += 1
                if found:
                    break
                if advanced:
                    continue
                if length == 0:
                    break
                length -= 2  # nothing from here: step back
                right_next[right[path[length]]] += 1
                box = left[path[length]]
            if not found:
                break
            units = min(free[source], wanted[right[path[length - 1]]])
            for step in range(1, length, 2):
                units = min(units, carried[path[step]])
            for step in range(length):
                carried[path[step]] += units if step % 2 == 0 else -units
            free[source] -= units
            wanted[right[path[length - 1]]] -= units
            moved = True
    return moved


def _distinct(columns: list[Int64s], n_records: int) -> tuple[Int64s, Int64s]:
    """A record of each distinct row, and how many there are."""
    _, first, counts = np.unique(joined_codes(columns, n_records), return_index=True, return_counts=True)
    return first.astype(np.int64), counts.astype(np.int64)


def _row_numbers(offsets: Int64s, codes: Int64s) -> Int64s:
    """Equal numbers for rows of equal codes, whatever their order."""
    lengths = np.diff(offsets)
    row = np.repeat(np.arange(len(lengths)), lengths)
    ordered = codes[np.lexsort((codes, row))]
    numbers: dict[bytes, int] = {}
    listed = [ordered[start:end].tobytes() for start, end in pairwise(offsets_of(lengths).tolist())]
    return np.array([numbers.setdefault(text, len(numbers)) for text in listed], np.int64)
