"""How many records are expected to have each original value, read from a published column.

A published cell is spread evenly over the original values that it covers: the values of the column inside a range, the
members of a set, the leaves of a node, all values for `*`. Missing and suppressed cells stand for no value.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn
from crypsis.data.values import write_value
from crypsis.errors import NotApplicable


def expected_values(before: Column, after: PublishedColumn) -> Float64s:
    """Expected number of records with each value of the original domain."""
    size = len(before.domain)
    counts = np.bincount(after.codes, minlength=len(after.cells)).astype(np.float64)
    steps = np.zeros(size + 1)  # its running sum is what ranges contribute
    found = np.zeros(size)
    place = {write_value(value): code for code, value in enumerate(before.domain.to_list())}
    for number in np.flatnonzero(counts):
        cell, weight = after.cells[int(number)], counts[number]
        if cell.kind == CellKind.RANGE:
            low = int(before.domain.search_sorted(cell.members[0], side="left"))
            high = int(before.domain.search_sorted(cell.members[1], side="right"))
            if high > low:
                steps[low] += weight / (high - low)
                steps[high] -= weight / (high - low)
        elif cell.kind == CellKind.ANY:
            total = size if after.hierarchy is None else after.hierarchy.total
            found += weight / max(total, 1)
        elif cell.kind in (CellKind.VALUE, CellKind.SET, CellKind.NODE):
            texts = [write_value(member) for member in cell.members]
            if cell.kind == CellKind.NODE:
                if after.hierarchy is None:
                    raise NotApplicable(
                        f"The release does not say what the nodes of column '{after.name}' stand for, so their "
                        "frequency cannot be spread over values."
                    )
                texts = list(after.hierarchy.leaves[str(cell.members[0])])
            held = [place[text] for text in texts if text in place]
            found[held] += weight / len(texts)
    spread: Float64s = found + np.cumsum(steps)[:size]
    return spread
