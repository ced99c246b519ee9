"""Sets of items sorted into partitions by a tree over the items.

Record r holds `items[offsets[r]:offsets[r + 1]]`, ascending. Node n of the tree holds the items `low[n]` to
`high[n] - 1`; its children are `first_child[n]` and the following, in that order. Partition p has the records
`rows[starts[p]:starts[p + 1]]` and the cut `cut[cut_offsets[p]:cut_offsets[p + 1]]`: the nodes that each of its records
has an item of, by rising items.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def widest_inner(
    cut_offsets: Int64s, cut: Int32s, low: Int32s, high: Int32s, inner: Int64s, height: Int32s
) -> tuple[Int64s, Int64s, Int64s]:
    """Per partition: the place of the widest inner node of its cut (-1 where all are items), how many inner nodes lie
    in the cut and below it, and the height of the cut."""
    n_partitions = len(cut_offsets) - 1
    place = np.full(n_partitions, -1, np.int64)
    left = np.zeros(n_partitions, np.int64)
    highest = np.zeros(n_partitions, np.int64)
    for partition in range(n_partitions):
        widest = 1
        for at in range(cut_offsets[partition], cut_offsets[partition + 1]):
            node = cut[at]
            left[partition] += inner[node]
            highest[partition] = max(highest[partition], height[node])
            if high[node] - low[node] > widest:
                widest = high[node] - low[node]
                place[partition] = at
    return place, left, highest


@njit
def child_masks(
    offsets: Int64s,
    items: Int32s,
    rows: Int64s,
    starts: Int64s,
    nodes: Int64s,
    low: Int32s,
    high: Int32s,
    first_child: Int32s,
) -> Int64s:
    """For each record of each partition: the children of the partition's node that it has an item of, as bits."""
    masks = np.zeros(len(rows), np.int64)
    for partition in range(len(starts) - 1):
        node = nodes[partition]
        if node < 0:
            continue
        begin, end = low[node], high[node]
        for position in range(starts[partition], starts[partition + 1]):
            record = rows[position]
            first, last = offsets[record], offsets[record + 1]
            while first < last:  # the first item of the node
                middle = (first + last) // 2
                if items[middle] < begin:
                    first = middle + 1
                else:
                    last = middle
            child, bit = first_child[node], np.int64(1)
            for at in range(first, offsets[record + 1]):
                item = items[at]
                if item >= end:
                    break
                while item >= high[child]:
                    child += 1
                    bit <<= 1
                masks[position] |= bit
    return masks


@njit
def expanded_cuts(
    cut_offsets: Int64s, cut: Int32s, place: Int64s, parents: Int64s, masks: Int64s, first_child: Int32s
) -> tuple[Int64s, Int32s]:
    """The cuts of new partitions: that of the parent, with the chosen node replaced by the children of a mask."""
    new_offsets = np.zeros(len(parents) + 1, np.int64)
    for index in range(len(parents)):
        size = cut_offsets[parents[index] + 1] - cut_offsets[parents[index]] - 1
        mask = masks[index]
        while mask > 0:
            size += mask & 1
            mask >>= 1
        new_offsets[index + 1] = new_offsets[index] + size
    new_cut = np.empty(new_offsets[-1], np.int32)
    for index in range(len(parents)):
        parent = parents[index]
        to = new_offsets[index]
        for at in range(cut_offsets[parent], cut_offsets[parent + 1]):
            if at != place[parent]:
                new_cut[to] = cut[at]
                to += 1
                continue
            child, mask = first_child[cut[at]], masks[index]
            while mask > 0:
                if mask & 1:
                    new_cut[to] = child
                    to += 1
                child += 1
                mask >>= 1
    return new_offsets, new_cut
