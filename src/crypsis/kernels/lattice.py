"""The lattice of generalization levels: which nodes leave few enough records in bad classes.

A node is a vector of levels, one per attribute, numbered in mixed radix (the last attribute counts fastest). Row r, a
distinct record that stands for `weights[r]` records, has the code `level_codes[first_level[a] + level, r]` below
`radix[first_level[a] + level]` on a level of attribute a.

Coarser classes only unite, so the records in small classes only become fewer: everything above a good node is good and
everything below a bad one is bad; the same holds where people are counted. The search bisects chains of nodes that are
not decided yet.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int8s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.class_diversity import Constraints, People, bad_classes

UNKNOWN, BAD, GOOD = 0, 1, 2
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@njit
def node_levels(node: int, heights: Int64s) -> Int64s:
    """The level vector of a node."""
    levels = np.empty(len(heights), np.int64)
    for attribute in range(len(heights) - 1, -1, -1):
        levels[attribute] = node % (heights[attribute] + 1)
        node //= heights[attribute] + 1
    return levels


@njit
def classes_of_rows(
    levels: Int64s, first_level: Int64s, level_codes: Int32s, radix: Int64s, scratch: Int64s, class_of: Int64s
) -> int:
    """Number the classes of a node into `class_of`; `scratch` is all -1, a power of two of at least 2 x rows long.

    `scratch` is all -1 again afterwards.
    """
    n_rows = level_codes.shape[1]
    keys = np.zeros(n_rows, np.int64)
    product = 1
    for attribute in range(len(levels)):
        position = first_level[attribute] + levels[attribute]
        if radix[position] > 1:
            row = level_codes[position]
            for index in range(n_rows):
                keys[index] = keys[index] * radix[position] + row[index]
            product *= radix[position]
    n_classes = 0
    if product <= len(scratch):
        for index in range(n_rows):
            found = scratch[keys[index]]
            if found < 0:
                found = n_classes
                scratch[keys[index]] = found
                n_classes += 1
            class_of[index] = found
        for index in range(n_rows):
            scratch[keys[index]] = -1
        return n_classes
    mask = len(scratch) - 1
    shift = np.uint64(20)
    used = np.empty(n_rows, np.int64)
    class_keys = np.empty(n_rows, np.int64)
    for index in range(n_rows):
        slot = np.int64(((np.uint64(keys[index]) * _MULTIPLIER) >> shift) & np.uint64(mask))
        while True:
            found = scratch[slot]
            if found < 0:
                scratch[slot] = n_classes
                used[n_classes] = slot
                class_keys[n_classes] = keys[index]
                class_of[index] = n_classes
                n_classes += 1
                break
            if class_keys[found] == keys[index]:
                class_of[index] = found
                break
            slot = (slot + 1) & mask
    for one in range(n_classes):
        scratch[used[one]] = -1
    return n_classes


@njit
def bad_records(
    levels: Int64s, first_level: Int64s, level_codes: Int32s, radix: Int64s, weights: Int64s, sensitive: Int32s, k: int,
    constraints: Constraints, people: People, scratch: Int64s, class_of: Int64s, sizes: Int64s,
) -> int:  # fmt: skip
    """How many records are in bad classes at a node."""
    n_classes = classes_of_rows(levels, first_level, level_codes, radix, scratch, class_of)
    total = 0
    if len(constraints.kind) == 0 and len(people.person) == 0:
        sizes[:n_classes] = 0
        for row in range(len(weights)):
            sizes[class_of[row]] += weights[row]
        for index in range(n_classes):
            if sizes[index] < k:
                total += sizes[index]
        return total
    bad = bad_classes(class_of, n_classes, weights, sensitive, k, constraints, people)
    for row in range(len(weights)):
        if bad[class_of[row]]:
            total += weights[row]
    return total


@njit
def search(
    heights: Int64s, first_level: Int64s, level_codes: Int32s, radix: Int64s, weights: Int64s, sensitive: Int32s,
    k: int, limit: int, constraints: Constraints, people: People, scratch_size: int,
) -> tuple[Int8s, int]:  # fmt: skip
    """GOOD or BAD for every node of the lattice, and how many were counted; the predicate must be monotone."""
    n_attributes, n_nodes = len(heights), 1
    stride = np.empty(n_attributes, np.int64)
    for attribute in range(n_attributes - 1, -1, -1):
        stride[attribute] = n_nodes
        n_nodes *= heights[attribute] + 1
    status = np.zeros(n_nodes, np.int8)
    scratch = np.full(scratch_size, -1, np.int64)
    class_of, sizes = np.empty(len(weights), np.int64), np.empty(len(weights), np.int64)
    chain, waiting = np.empty(heights.sum() + 1, np.int64), np.empty(n_nodes + 1, np.int64)
    counted = 0
    for start in _by_height(heights, n_nodes):
        while status[start] == UNKNOWN:
            chain[0], length = start, 1
            levels = node_levels(start, heights)
            node, turn = start, 0
            while turn < n_attributes:  # climb through what is not decided, the attributes in turn
                climbed = False
                for step in range(n_attributes):
                    attribute = (turn + step) % n_attributes
                    if levels[attribute] < heights[attribute] and status[node + stride[attribute]] == UNKNOWN:
                        node += stride[attribute]
                        levels[attribute] += 1
                        chain[length] = node
                        length += 1
                        climbed = True
                        turn = (attribute + 1) % n_attributes
                        break
                if not climbed:
                    break
            low, high = 0, length
            while low < high:
                middle = (low + high) // 2
                node = chain[middle]
                counted += 1
                bad = bad_records(
                    node_levels(node, heights), first_level, level_codes, radix, weights, sensitive, k, constraints,
                    people, scratch, class_of, sizes,
                )  # fmt: skip
                if bad <= limit:
                    _mark(node, GOOD, 1, status, heights, stride, waiting)
                    high = middle
                else:
                    _mark(node, BAD, -1, status, heights, stride, waiting)
                    low = middle + 1
    return status, counted


@njit
def _by_height(heights: Int64s, n_nodes: int) -> Int64s:
    """All nodes, the lowest first."""
    height = np.empty(n_nodes, np.int64)
    for node in range(n_nodes):
        height[node] = node_levels(node, heights).sum()
    return np.argsort(height, kind="mergesort")


@njit
def _mark(
    node: int, mark: int, direction: int, status: Int8s, heights: Int64s, stride: Int64s, waiting: Int64s
) -> None:
    """Decide a node and all that are not decided above it (direction 1) or below it (-1)."""
    status[node] = mark
    waiting[0], n_waiting = node, 1
    while n_waiting > 0:
        n_waiting -= 1
        at = waiting[n_waiting]
        levels = node_levels(at, heights)
        for attribute in range(len(heights)):
            if (direction > 0 and levels[attribute] == heights[attribute]) or (
                direction < 0 and levels[attribute] == 0
            ):
                continue
            other = at + direction * stride[attribute]
            if status[other] == UNKNOWN:
                status[other] = mark
                waiting[n_waiting] = other
                n_waiting += 1


@njit
def minimal_nodes(good: Bools, heights: Int64s) -> Bools:
    """Good nodes below which no node is good, whether goodness is monotone or not."""
    n_attributes, n_nodes = len(heights), len(good)
    minimal = np.zeros(n_nodes, np.bool_)
    covered = np.zeros(n_nodes, np.bool_)  # some node below is good
    for node in range(n_nodes):  # a node below has a smaller number
        levels = node_levels(node, heights)
        stride = 1
        for attribute in range(n_attributes - 1, -1, -1):
            if levels[attribute] > 0:
                below = node - stride
                covered[node] |= covered[below] or good[below]
            stride *= heights[attribute] + 1
        minimal[node] = good[node] and not covered[node]
    return minimal


@njit
def node_loss(
    levels: Int64s, first_level: Int64s, level_codes: Int32s, radix: Int64s, level_costs: Int64s, weights: Int64s,
    sensitive: Int32s, k: int, constraints: Constraints, people: People, full: int, scratch: Int64s, class_of: Int64s,
) -> tuple[int, int, int]:  # fmt: skip
    """Cost of all records at a node (a suppressed one costs `full`), discernibility, and suppressed records.

    `level_costs` is like `level_codes`: what each row's cell costs on each level.
    """
    n_classes = classes_of_rows(levels, first_level, level_codes, radix, scratch, class_of)
    bad = bad_classes(class_of, n_classes, weights, sensitive, k, constraints, people)
    sizes = np.zeros(n_classes, np.int64)
    total, suppressed = 0, 0
    for row in range(len(weights)):
        sizes[class_of[row]] += weights[row]
        if bad[class_of[row]]:
            suppressed += weights[row]
            total += full * weights[row]
        else:
            for attribute in range(len(levels)):
                total += level_costs[first_level[attribute] + levels[attribute], row] * weights[row]
    discernibility = weights.sum() * suppressed
    for index in range(n_classes):
        if not bad[index]:
            discernibility += sizes[index] * sizes[index]
    return total, discernibility, suppressed
