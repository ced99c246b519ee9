"""Regions of a table: scores of their specializations, blocks of split points, and dividing the records.

Records, regions and attributes come as named arrays. Scores are whole multiples of 1 / `unit`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit

MAX, DISCERNIBILITY, NCP, NCP_GAIN = 0, 1, 2, 3
GRID = 1 << 20


class GroupedRecords(NamedTuple):
    """Records, those of region p in the rows starts[p] to starts[p + 1] - 1.

    rows[r, a] is the cell of record r in attribute a, classes[r] its class, both in 16 bits where they fit.
    """

    rows: Int32s
    classes: Int32s
    starts: Int64s
    n_classes: int


class Spans(NamedTuple):
    """Region p spans the cells low[p, a] to high[p, a] - 1 of attribute a.

    A numeric attribute is cut at split[p, a]: smaller cells go left. A category is in node[p, a] of its tree.
    """

    low: Int32s
    high: Int32s
    split: Int32s
    node: Int32s


class Attributes(NamedTuple):
    """Attribute a has width[a] cells; the nodes of all trees are counted through.

    The child of a node that holds a cell is slots[slot_base[a] + depth[node] * width[a] + cell], counted from
    first_child[node] on.
    """

    numeric: Bools
    width: Int64s
    first_child: Int32s
    n_children: Int32s
    node_low: Int32s
    node_high: Int32s
    depth: Int32s
    slot_base: Int64s
    slots: Int32s


@njit
def extent(cells: int) -> int:
    """The penalty of a range in cells: none for a single one."""
    return cells if cells > 1 else 0


@njit
def in_units(cells: int, width: int, unit: int) -> int:
    """`cells / width` in whole units, rounded down; without an intermediate that overflows."""
    return cells // width * unit + cells % width * unit // width


@njit
def root_in_grid(squares: int) -> int:
    """The square root in steps of 1 / GRID, rounded up.

    The root is correctly rounded and so never decreases where the squares increase; being whole, two results whose true
    roots differ by at most 1 differ by at most GRID + 1.
    """
    return np.int64(math.ceil(math.sqrt(squares) * GRID))  # type: ignore[return-value]


@njit
def class_counts(records: GroupedRecords, chosen: Int64s) -> Int64s:
    """The records of each class in the chosen regions."""
    counts = np.zeros((len(chosen), records.n_classes), np.int64)
    for index in range(len(chosen)):
        region = chosen[index]
        for row in range(records.starts[region], records.starts[region + 1]):
            counts[index, records.classes[row]] += 1
    return counts


class _Tally(NamedTuple):
    """Room to count the records of one region: by attribute, child and class, and by class.

    `candidates` are the attributes that may specialize the region, of which `numbers` and `categories` are counted in
    their own ways: `right` counts the records right of the cuts, by class; `base` is where the slots of a node begin.
    """

    counts: Int64s
    totals: Int64s
    right: Int64s
    candidates: Int64s
    numbers: Int64s
    categories: Int64s
    cuts: Int64s
    base: Int64s


@njit
def _tally_of(n_attributes: int, n_classes: int, attributes: Attributes) -> _Tally:
    """Room for any region."""
    widest = 2
    for node in range(len(attributes.n_children)):
        widest = max(widest, attributes.n_children[node])
    return _Tally(
        counts=np.zeros((n_attributes, widest, n_classes), np.int64),
        totals=np.zeros(n_classes, np.int64),
        right=np.zeros((n_classes, n_attributes), np.int64),
        candidates=np.zeros(n_attributes, np.int64),
        numbers=np.zeros(n_attributes, np.int64),
        categories=np.zeros(n_attributes, np.int64),
        cuts=np.zeros(n_attributes, np.int64),
        base=np.zeros(n_attributes, np.int64),
    )


@njit
def candidate_scores(
    records: GroupedRecords, chosen: Int64s, valid: Bools, spans: Spans, attributes: Attributes, kind: int, unit: int
) -> Int64s:
    """The score of specializing each chosen region by each attribute where that is valid, 0 elsewhere."""
    n_attributes = records.rows.shape[1]
    scores = np.zeros((len(chosen), n_attributes), np.int64)
    tally = _tally_of(n_attributes, records.n_classes, attributes)
    for index in range(len(chosen)):
        region = chosen[index]
        for candidate in range(_count_children(records, region, valid, spans, attributes, tally)):
            attribute = tally.candidates[candidate]
            scores[index, attribute] = _score(region, attribute, spans, attributes, tally.counts[attribute], kind, unit)
    return scores


@njit
def child_counts(
    records: GroupedRecords, chosen: Int64s, valid: Bools, spans: Spans, attributes: Attributes, size: int
) -> Int64s:
    """The records of each class in each child that specializing the chosen regions would make.

    By region, valid attribute, child and class, one after another; `size` counts in all.
    """
    n_attributes, n_classes = records.rows.shape[1], records.n_classes
    counts = np.zeros(size, np.int64)
    tally = _tally_of(n_attributes, n_classes, attributes)
    at = 0
    for index in range(len(chosen)):
        region = chosen[index]
        for candidate in range(_count_children(records, region, valid, spans, attributes, tally)):
            attribute = tally.candidates[candidate]
            for child in range(_fan(region, attribute, spans, attributes)):
                for label in range(n_classes):
                    counts[at] = tally.counts[attribute, child, label]
                    at += 1
    return counts


@njit
def scores_of_counts(
    counts: Int64s,
    chosen: Int64s,
    valid: Bools,
    spans: Spans,
    attributes: Attributes,
    n_classes: int,
    kind: int,
    unit: int,
) -> Int64s:
    """What `candidate_scores` says of records whose `child_counts` these are."""
    scores = np.zeros((len(chosen), valid.shape[1]), np.int64)
    at = 0
    for index in range(len(chosen)):
        region = chosen[index]
        for attribute in range(valid.shape[1]):
            if valid[region, attribute]:
                fan = _fan(region, attribute, spans, attributes)
                own = counts[at : at + fan * n_classes].reshape(fan, n_classes)
                scores[index, attribute] = _score(region, attribute, spans, attributes, own, kind, unit)
                at += fan * n_classes
    return scores


@njit
def _fan(region: int, attribute: int, spans: Spans, attributes: Attributes) -> int:
    """How many children a region has by an attribute."""
    if attributes.numeric[attribute]:
        return 2
    return int(attributes.n_children[spans.node[region, attribute]])


@njit
def _count_children(
    records: GroupedRecords, region: int, valid: Bools, spans: Spans, attributes: Attributes, tally: _Tally
) -> int:
    """Count the records that each child would have, for every valid attribute; returns how many there are."""
    n_candidates, n_numbers, n_categories = 0, 0, 0
    tally.totals[:] = 0
    tally.right[:, :] = 0
    for attribute in range(records.rows.shape[1]):
        if valid[region, attribute]:
            tally.candidates[n_candidates] = attribute
            n_candidates += 1
            tally.counts[attribute, :, :] = 0
            if attributes.numeric[attribute]:
                tally.numbers[n_numbers] = attribute
                tally.cuts[n_numbers] = spans.split[region, attribute]
                n_numbers += 1
            else:
                depth = attributes.depth[spans.node[region, attribute]]
                tally.categories[n_categories] = attribute
                tally.base[n_categories] = attributes.slot_base[attribute] + depth * attributes.width[attribute]
                n_categories += 1
    for row in range(records.starts[region], records.starts[region + 1]):
        label = records.classes[row]
        tally.totals[label] += 1
        for index in range(n_numbers):  # adding the comparison itself: a branch would be guessed wrong too often
            tally.right[label, index] += records.rows[row, tally.numbers[index]] >= tally.cuts[index]
        for index in range(n_categories):
            attribute = tally.categories[index]
            child = attributes.slots[tally.base[index] + records.rows[row, attribute]]
            tally.counts[attribute, child, label] += 1
    for index in range(n_numbers):
        for label in range(records.n_classes):
            tally.counts[tally.numbers[index], 0, label] = tally.totals[label] - tally.right[label, index]
            tally.counts[tally.numbers[index], 1, label] = tally.right[label, index]
    return n_candidates


@njit
def _score(
    region: int, attribute: int, spans: Spans, attributes: Attributes, counts: Int64s, kind: int, unit: int
) -> int:
    """The score of specializing a region whose children have so many records by class.

    It follows from what the children come to: records in their largest classes, squares of sizes, or penalties.
    """
    low, high, split = spans.low[region, attribute], spans.high[region, attribute], spans.split[region, attribute]
    numeric, node = attributes.numeric[attribute], spans.node[region, attribute]
    total = 0
    for child in range(2 if numeric else attributes.n_children[node]):
        size, largest = 0, 0
        for label in range(counts.shape[1]):
            size += counts[child, label]
            largest = max(largest, counts[child, label])
        if kind == MAX:
            total += largest
        elif kind == DISCERNIBILITY:
            total += size * size
        else:
            if not numeric:
                inner = attributes.first_child[node] + child
                cells = attributes.node_high[inner] - attributes.node_low[inner]
            elif child == 0:
                cells = split - low
            else:
                cells = high - split
            whole = extent(high - low) if kind == NCP_GAIN else 0
            total += size * (whole - extent(cells))
    if kind == MAX:
        return int(total)
    if kind == DISCERNIBILITY:
        return -root_in_grid(total)
    return in_units(total, attributes.width[attribute], unit)


@njit
def _add_block(
    blocks: Int64s, at: int, begin: int, end: int, low: int, high: int, left: Int64s, right: Int64s, kind: int
) -> int:
    """Write the points `begin` to `end`, which divide the records alike, as one block or as up to three."""
    while begin <= end:
        last = end
        if kind >= NCP:  # a range of one cell has no penalty, so the outermost points stand alone
            if begin == low + 1:
                last = begin
            elif end == high - 1 and begin < end:
                last = end - 1
        n_left, n_right, most_left, most_right = 0, 0, 0, 0
        for label in range(len(left)):
            n_left += left[label]
            n_right += right[label]
            most_left = max(most_left, left[label])
            most_right = max(most_right, right[label])
        blocks[at, 0], blocks[at, 1], blocks[at, 3] = begin, last, 0
        if kind == MAX:
            blocks[at, 2] = most_left + most_right
        elif kind == DISCERNIBILITY:
            blocks[at, 2] = -root_in_grid(n_left * n_left + n_right * n_right)
        else:
            blocks[at, 2] = -(n_left * extent(begin - low) + n_right * extent(high - begin))
            blocks[at, 3] = n_right - n_left
        begin = last + 1
        at += 1
    return at


@njit
def split_blocks(
    records: GroupedRecords, regions: Int64s, attributes: Int64s, low: Int32s, high: Int32s, kind: int
) -> tuple[Int64s, Int64s]:
    """The split points of an attribute in each region, those that divide the records alike in one block.

    Returns offsets, and per block its first and last point, the score of the first and what each further point adds.
    NCP scores are in cells of the attribute; gain and penalty differ by a constant here.
    """
    rows, classes, starts, n_classes = records
    room = 0
    for index in range(len(regions)):
        region = regions[index]
        cells = int(high[region, attributes[index]]) - int(low[region, attributes[index]])
        room += min(cells, starts[region + 1] - starts[region] + 4)
    blocks = np.empty((room, 4), np.int64)
    offsets = np.zeros(len(regions) + 1, np.int64)
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    at = 0
    for index in range(len(regions)):
        region, attribute = regions[index], attributes[index]
        begin, end = int(low[region, attribute]), int(high[region, attribute])
        start, stop = starts[region], starts[region + 1]
        left[:] = 0
        right[:] = 0
        for row in range(start, stop):
            right[classes[row]] += 1
        point = begin + 1
        if end - begin <= 8 * (stop - start) + 64:
            counts = np.zeros((end - begin, n_classes), np.int64)
            for row in range(start, stop):
                counts[rows[row, attribute] - begin, classes[row]] += 1
            for cell in range(begin, end):
                found = False
                for label in range(n_classes):
                    found = found or counts[cell - begin, label] > 0
                if found:
                    at = _add_block(blocks, at, point, min(cell, end - 1), begin, end, left, right, kind)
                    point = cell + 1
                    for label in range(n_classes):
                        left[label] += counts[cell - begin, label]
                        right[label] -= counts[cell - begin, label]
        else:
            keys = np.empty(stop - start, np.int64)
            for row in range(start, stop):
                keys[row - start] = np.int64(rows[row, attribute]) * n_classes + classes[row]
            keys.sort()
            at, point = _add_blocks(blocks, at, keys, np.ones(len(keys), np.int64), begin, end, left, right, kind)
        at = _add_block(blocks, at, point, end - 1, begin, end, left, right, kind)
        offsets[index + 1] = at
    return offsets, blocks[:at]


@njit
def _add_blocks(
    blocks: Int64s,
    at: int,
    keys: Int64s,
    counts: Int64s,
    begin: int,
    end: int,
    left: Int64s,
    right: Int64s,
    kind: int,
) -> tuple[int, int]:
    """Write the blocks up to the last cell that occurs; `keys` are cells times the number of classes plus the class.

    Keys rise, and each stands for so many records. Returns where the next block goes, and the first point after these.
    """
    n_classes, point = len(left), begin + 1
    for index in range(len(keys)):
        cell, label = int(keys[index] // n_classes), keys[index] % n_classes
        if cell >= point:
            at = _add_block(blocks, at, point, min(cell, end - 1), begin, end, left, right, kind)
            point = cell + 1
        left[label] += counts[index]
        right[label] -= counts[index]
    return at, point


@njit
def blocks_of_counts(
    offsets: Int64s, keys: Int64s, counts: Int64s, low: Int64s, high: Int64s, n_classes: int, kind: int
) -> tuple[Int64s, Int64s]:
    """What `split_blocks` says of regions that span the cells `low[i]` to `high[i]` - 1 of one attribute.

    `counts[j]` records of region i have the cell and the class of `keys[j]`, for j from `offsets[i]` to the next.
    """
    room = 0
    for index in range(len(low)):
        room += min(high[index] - low[index], offsets[index + 1] - offsets[index] + 4)
    blocks = np.empty((room, 4), np.int64)
    block_offsets = np.zeros(len(low) + 1, np.int64)
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    at = 0
    for index in range(len(low)):
        begin, end = int(low[index]), int(high[index])
        first, last = offsets[index], offsets[index + 1]
        left[:] = 0
        right[:] = 0
        for entry in range(first, last):
            right[keys[entry] % n_classes] += counts[entry]
        at, point = _add_blocks(blocks, at, keys[first:last], counts[first:last], begin, end, left, right, kind)
        at = _add_block(blocks, at, point, end - 1, begin, end, left, right, kind)
        block_offsets[index + 1] = at
    return block_offsets, blocks[:at]


@njit
def divide(
    records: GroupedRecords,
    chosen: Int64s,
    by: Int64s,
    fan: Int64s,
    spans: Spans,
    attributes: Attributes,
    target: GroupedRecords,
) -> Int64s:
    """Sort the records of the chosen regions into their children; returns where each child starts.

    Region chosen[i] is divided by attribute by[i] into fan[i] children. Writes to the rows and classes of `target`,
    which have room for all records: fresh memory at every level would cost more than the sorting.
    """
    children, largest = 0, np.int64(0)
    for index in range(len(chosen)):
        children += fan[index]
        largest = max(largest, records.starts[chosen[index] + 1] - records.starts[chosen[index]])
    new_starts = np.zeros(children + 1, np.int64)
    child_of = np.empty(largest, np.int32)
    written, child_base = 0, 0
    for index in range(len(chosen)):
        region, attribute = chosen[index], by[index]
        first, last = records.starts[region], records.starts[region + 1]
        if attributes.numeric[attribute]:  # the comparison is the number of the child: no branch to be mispredicted
            cut = np.int64(spans.split[region, attribute])
            for row in range(first, last):
                child_of[row - first] = records.rows[row, attribute] >= cut
        else:
            depth = attributes.depth[spans.node[region, attribute]]
            base = attributes.slot_base[attribute] + depth * attributes.width[attribute]
            for row in range(first, last):
                child_of[row - first] = attributes.slots[base + records.rows[row, attribute]]
        fill = np.zeros(fan[index] + 1, np.int64)  # where the next record of each child goes
        for row in range(first, last):
            fill[child_of[row - first] + 1] += 1
        fill[0] = written
        for child in range(fan[index]):
            fill[child + 1] += fill[child]
            new_starts[child_base + child + 1] = fill[child + 1]
        written = fill[fan[index]]
        for row in range(first, last):
            to = fill[child_of[row - first]]
            fill[child_of[row - first]] = to + 1
            for copied in range(records.rows.shape[1]):
                target.rows[to, copied] = records.rows[row, copied]
            target.classes[to] = records.classes[row]
        child_base += fan[index]
    return new_starts


@njit
def shares_of(noisy: Int64s, offsets: Int64s, left: Int64s) -> Int64s:
    """Divide `left[i]` among the children i in proportion to their noisy counts: floors, then largest remainders."""
    shares = np.zeros(len(noisy), np.int64)
    remainders = np.zeros(len(noisy), np.int64)
    for index in range(len(left)):
        first, last = offsets[index], offsets[index + 1]
        total = 0
        for child in range(first, last):
            total += max(noisy[child], 0)
        shift = 0
        while total >> shift >= 1 << 38:  # keeps products within 64 bits; the counts are noisy already
            shift += 1
        if shift:
            total = 0
            for child in range(first, last):
                total += max(noisy[child], 0) >> shift
        if total <= 0 or left[index] <= 0:
            continue
        rest = left[index]
        for child in range(first, last):
            product = (max(noisy[child], 0) >> shift) * left[index]
            shares[child] = product // total
            remainders[child] = product % total
            rest -= shares[child]
        while rest > 0:
            best = first
            for child in range(first, last):
                if remainders[child] > remainders[best]:
                    best = child
            shares[best] += 1
            remainders[best] = -1
            rest -= 1
    return shares
