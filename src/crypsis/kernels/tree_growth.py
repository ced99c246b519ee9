"""Records walking down a tree of value ranges. Record i is at node `nodes[i]` and has the value `values[i]`.

A node stands for a run of candidates: candidate `start[node] + step - base[node]`, where `step` is the value itself at
the leaves, and above them the number of the range that the value lies in on the next level (`range_of[value]`).
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def candidates(nodes: Int64s, values: Int32s, range_of: Int64s, base: Int64s, start: Int64s) -> Int64s:
    """The candidate that each record walks to; an empty `range_of` means the leaves."""
    reached = np.empty(len(nodes), np.int64)
    at_leaves = len(range_of) == 0
    for record in range(len(nodes)):
        node = nodes[record]
        value = np.int64(values[record])
        step = value if at_leaves else range_of[value]
        reached[record] = start[node] + step - base[node]
    return reached


@njit
def tally(found: Int64s, total: int) -> Int64s:
    """How many records walk to each candidate."""
    counts = np.zeros(total, np.int64)
    for record in range(len(found)):
        counts[found[record]] += 1
    return counts


@njit
def follow(found: Int64s, values: Int32s, records: Int64s, slot: Int64s) -> tuple[Int64s, Int32s, Int64s]:
    """The records whose candidate survived: its slot, the value, and the record's own number."""
    kept = 0
    for record in range(len(found)):
        if slot[found[record]] >= 0:
            kept += 1
    new_nodes = np.empty(kept, np.int64)
    new_values = np.empty(kept, np.int32)
    new_records = np.empty(kept, np.int64)
    index = 0
    for record in range(len(found)):
        to = slot[found[record]]
        if to >= 0:
            new_nodes[index] = to
            new_values[index] = values[record]
            new_records[index] = records[record]
            index += 1
    return new_nodes, new_values, new_records
