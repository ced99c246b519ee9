"""Regions of a table: scores of their specializations, blocks of split points, and dividing the records.

`rows[r, a]` is the cell of record r in attribute a, `classes[r]` its class, both in 16 bits where they fit; the records
of region p are the rows `starts[p]` to `starts[p + 1] - 1`. Region p spans the cells `low[p, a]` to `high[p, a] - 1`. A
numeric attribute is cut at `split[p, a]`: smaller cells go left. A category is in node `node[p, a]` of its taxonomy,
whose child that holds a cell is `slots[slot_base[a] + depth[node] * width[a] + cell]`. Scores are whole multiples of
1 / `unit`.
"""

from __future__ import annotations

import math

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int32s, Int64s

MAX, DISCERNIBILITY, NCP, NCP_GAIN = 0, 1, 2, 3
GRID = 1 << 20


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
def class_counts(classes: Int32s, starts: Int64s, chosen: Int64s, n_classes: int) -> Int64s:
    """The records of each class in the chosen regions."""
    counts = np.zeros((len(chosen), n_classes), np.int64)
    for number in range(len(chosen)):
        region = chosen[number]
        for row in range(starts[region], starts[region + 1]):
            counts[number, classes[row]] += 1
    return counts


@njit
def candidate_scores(
    rows: Int32s,
    classes: Int32s,
    starts: Int64s,
    chosen: Int64s,
    valid: Bools,
    low: Int32s,
    high: Int32s,
    split: Int32s,
    node: Int32s,
    numeric: Bools,
    width: Int64s,
    first_child: Int32s,
    n_children: Int32s,
    node_low: Int32s,
    node_high: Int32s,
    depth: Int32s,
    slot_base: Int64s,
    slots: Int32s,
    n_classes: int,
    kind: int,
    unit: int,
) -> Int64s:
    """The score of specializing each chosen region by each attribute where that is valid, 0 elsewhere."""
    n_attributes = rows.shape[1]
    widest = 2
    for number in range(len(n_children)):
        widest = max(widest, n_children[number])
    scores = np.zeros((len(chosen), n_attributes), np.int64)
    counts = np.zeros((n_attributes, widest, n_classes), np.int64)
    totals = np.zeros(n_classes, np.int64)
    right = np.zeros((n_classes, n_attributes), np.int64)
    numbers, categories = np.zeros(n_attributes, np.int64), np.zeros(n_attributes, np.int64)
    cuts, base = np.zeros(n_attributes, np.int64), np.zeros(n_attributes, np.int64)
    candidates = np.zeros(n_attributes, np.int64)
    for number in range(len(chosen)):
        region = chosen[number]
        n_candidates, n_numbers, n_categories = 0, 0, 0
        totals[:] = 0
        right[:, :] = 0
        for attribute in range(n_attributes):
            if valid[region, attribute]:
                candidates[n_candidates] = attribute
                n_candidates += 1
                counts[attribute, :, :] = 0
                if numeric[attribute]:
                    numbers[n_numbers] = attribute
                    cuts[n_numbers] = split[region, attribute]
                    n_numbers += 1
                else:
                    categories[n_categories] = attribute
                    base[n_categories] = slot_base[attribute] + depth[node[region, attribute]] * width[attribute]
                    n_categories += 1
        for row in range(starts[region], starts[region + 1]):
            label = classes[row]
            totals[label] += 1
            for place in range(
                n_numbers
            ):  # adding the comparison itself, for a branch would be guessed wrong too often
                right[label, place] += rows[row, numbers[place]] >= cuts[place]
            for place in range(n_categories):
                attribute = categories[place]
                counts[attribute, slots[base[place] + rows[row, attribute]], label] += 1
        for place in range(n_numbers):
            for label in range(n_classes):
                counts[numbers[place], 0, label] = totals[label] - right[label, place]
                counts[numbers[place], 1, label] = right[label, place]
        for place in range(n_candidates):
            attribute = candidates[place]
            children = 2 if numeric[attribute] else n_children[node[region, attribute]]
            total = 0
            for child in range(children):
                size, largest = 0, 0
                for label in range(n_classes):
                    size += counts[attribute, child, label]
                    largest = max(largest, counts[attribute, child, label])
                if kind == MAX:
                    total += largest
                elif kind == DISCERNIBILITY:
                    total += size * size
                else:
                    if not numeric[attribute]:
                        inner = first_child[node[region, attribute]] + child
                        cells = node_high[inner] - node_low[inner]
                    elif child == 0:
                        cells = split[region, attribute] - low[region, attribute]
                    else:
                        cells = high[region, attribute] - split[region, attribute]
                    whole = extent(high[region, attribute] - low[region, attribute]) if kind == NCP_GAIN else 0
                    total += size * (whole - extent(cells))
            if kind == MAX:
                scores[number, attribute] = total
            elif kind == DISCERNIBILITY:
                scores[number, attribute] = -root_in_grid(total)
            else:
                scores[number, attribute] = in_units(total, width[attribute], unit)
    return scores


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
    rows: Int32s,
    classes: Int32s,
    starts: Int64s,
    regions: Int64s,
    attributes: Int64s,
    low: Int32s,
    high: Int32s,
    n_classes: int,
    kind: int,
) -> tuple[Int64s, Int64s]:
    """The split points of an attribute in each region, those that divide the records alike in one block.

    Returns offsets, and per block its first and last point, the score of the first and what each further point adds.
    NCP scores are in cells of the attribute; gain and penalty differ by a constant here.
    """
    room = 0
    for number in range(len(regions)):
        region = regions[number]
        cells = int(high[region, attributes[number]]) - int(low[region, attributes[number]])
        room += min(cells, starts[region + 1] - starts[region] + 4)
    blocks = np.empty((room, 4), np.int64)
    offsets = np.zeros(len(regions) + 1, np.int64)
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    at = 0
    for number in range(len(regions)):
        region, attribute = regions[number], attributes[number]
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
            for place in range(len(keys)):
                cell, label = int(keys[place] // n_classes), keys[place] % n_classes
                if cell >= point:
                    at = _add_block(blocks, at, point, min(cell, end - 1), begin, end, left, right, kind)
                    point = cell + 1
                left[label] += 1
                right[label] -= 1
        at = _add_block(blocks, at, point, end - 1, begin, end, left, right, kind)
        offsets[number + 1] = at
    return offsets, blocks[:at]


@njit
def divide(
    rows: Int32s,
    classes: Int32s,
    starts: Int64s,
    chosen: Int64s,
    attributes: Int64s,
    fan: Int64s,
    split: Int32s,
    node: Int32s,
    numeric: Bools,
    width: Int64s,
    depth: Int32s,
    slot_base: Int64s,
    slots: Int32s,
    new_rows: Int32s,
    new_classes: Int32s,
) -> Int64s:
    """Sort the records of the chosen regions into their children; returns where each child starts.

    Writes to `new_rows` and `new_classes`, which have room for all records: fresh memory at every level would cost more
    than the sorting.
    """
    n_attributes = rows.shape[1]
    children, largest = 0, np.int64(0)
    for number in range(len(chosen)):
        children += fan[number]
        largest = max(largest, starts[chosen[number] + 1] - starts[chosen[number]])
    new_starts = np.zeros(children + 1, np.int64)
    child_of = np.empty(largest, np.int32)
    at, child_base = 0, 0
    for number in range(len(chosen)):
        region, attribute = chosen[number], attributes[number]
        base, cut = np.int64(0), np.int64(split[region, attribute])
        if not numeric[attribute]:
            base = slot_base[attribute] + depth[node[region, attribute]] * width[attribute]
        first, last = starts[region], starts[region + 1]
        if numeric[attribute]:  # the comparison is the number of the child: no branch to be mispredicted
            for row in range(first, last):
                child_of[row - first] = rows[row, attribute] >= cut
        else:
            for row in range(first, last):
                child_of[row - first] = slots[base + rows[row, attribute]]
        places = np.zeros(fan[number] + 1, np.int64)
        for row in range(first, last):
            places[child_of[row - first] + 1] += 1
        places[0] = at
        for child in range(fan[number]):
            places[child + 1] += places[child]
            new_starts[child_base + child + 1] = places[child + 1]
        at = places[fan[number]]
        for row in range(first, last):
            place = places[child_of[row - first]]
            places[child_of[row - first]] = place + 1
            for copied in range(n_attributes):
                new_rows[place, copied] = rows[row, copied]
            new_classes[place] = classes[row]
        child_base += fan[number]
    return new_starts


@njit
def shares_of(noisy: Int64s, offsets: Int64s, left: Int64s) -> Int64s:
    """Divide `left[i]` among the children i in proportion to their noisy counts: floors, then largest remainders."""
    shares = np.zeros(len(noisy), np.int64)
    remainders = np.zeros(len(noisy), np.int64)
    for number in range(len(left)):
        first, last = offsets[number], offsets[number + 1]
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
        if total <= 0 or left[number] <= 0:
            continue
        rest = left[number]
        for child in range(first, last):
            product = (max(noisy[child], 0) >> shift) * left[number]
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
