"""Which classes of a published table fit people: every cell contains the person's value.

Cell c of a column contains the value codes low[i] to high[i] for i in offsets[c]:offsets[c + 1]; -1 is a missing value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.compilation import njit
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn
from crypsis.data.values import write_value
from crypsis.errors import NotApplicable

LARGEST_INDEX = 50_000_000


class FittingSearch(NamedTuple):
    """What the kernels below look at.

    Person p has the values[p], class c the cells class_cells[c]; cell s of column k is starts[k] + s, and contains
    low[i] to high[i] for i in offsets[cell]:offsets[cell + 1]. Where a column is `indexed` (else -1), the classes that
    contain its value v are index_classes[index_offsets[v + 1]:index_offsets[v + 2]].
    """

    values: Int64s
    class_cells: Int64s
    starts: Int64s
    offsets: Int64s
    low: Int64s
    high: Int64s
    indexed: int
    index_offsets: Int64s
    index_classes: Int64s


def prepare_search(
    values: Int64s, class_cells: Int64s, spans: Sequence[Spans], domains: Sequence[int], largest_index: int
) -> FittingSearch:
    """Put people's values, the cells of classes and what these contain together, with an index where it is small."""
    indexed, index_offsets, index = _index(spans, class_cells, domains, largest_index)
    starts = offsets_of(np.array([len(span.offsets) for span in spans], np.int64))
    slots = offsets_of(np.array([len(span.low) for span in spans], np.int64))
    return FittingSearch(
        np.ascontiguousarray(values),
        np.ascontiguousarray(class_cells),
        starts,
        np.concatenate([span.offsets + slots[slot] for slot, span in enumerate(spans)]),
        np.concatenate([span.low for span in spans]),
        np.concatenate([span.high for span in spans]),
        indexed,
        index_offsets,
        index,
    )


@dataclass(frozen=True, eq=False)
class Spans:
    """Which value codes each cell contains: cell c the runs low[i] to high[i] for i in offsets[c]:offsets[c + 1]."""

    offsets: Int64s
    low: Int64s
    high: Int64s

    @classmethod
    def of(cls, column: PublishedColumn, original: Column) -> Spans:
        runs: list[tuple[int, int]] = []
        lengths = []
        last = len(original.domain) - 1
        code_of = {value: code for code, value in enumerate(original.domain.to_list())}
        code_of_text = {write_value(value): code for value, code in code_of.items()}
        ordered = original.domain
        for index in range(len(column.cells)):
            cell = column.cells[index]
            found: list[tuple[int, int]] = []
            if cell.kind == CellKind.ANY:
                found = [(-1, last)]
            elif cell.kind == CellKind.MISSING:
                found = [(-1, -1)]
            elif cell.kind == CellKind.RANGE:
                low = ordered.search_sorted(cell.members[0], "left")
                high = ordered.search_sorted(cell.members[1], "right") - 1
                found = [(int(low), int(high))]
            elif cell.kind == CellKind.NODE:
                leaves = () if column.hierarchy is None else column.hierarchy.leaves.get(str(cell.members[0]), ())
                if not leaves:
                    raise NotApplicable(
                        f"Column '{column.name}' says {cell.members[0]!r}, and the release does not tell which values "
                        "that stands for."
                    )
                found = _runs([code_of_text[leaf] for leaf in leaves if leaf in code_of_text])
            elif cell.kind != CellKind.SUPPRESSED:
                found = _runs([code_of[value] for value in cell.members if value in code_of])
            runs += found
            lengths.append(len(found))
        pairs = np.array(runs, np.int64).reshape(len(runs), 2)
        return cls(offsets_of(np.array(lengths, np.int64)), pairs[:, 0].copy(), pairs[:, 1].copy())


def _runs(codes: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


def _index(
    spans: Sequence[Spans], class_cells: Int64s, domains: Sequence[int], largest: int
) -> tuple[int, Int64s, Int64s]:
    """The column that tells classes apart best, and the classes that contain each of its values, -1 first; none where
    each would have more than so many entries."""
    best: tuple[float, int] | None = None
    for index, span in enumerate(spans):
        widths = np.append(0, np.cumsum(span.high - span.low + 1))
        of_cell = widths[span.offsets[1:]] - widths[span.offsets[:-1]]
        entries = int(of_cell[class_cells[:, index]].sum())
        if entries <= largest:
            best = min(best or (np.inf, -1), (entries / (domains[index] + 1), index))
    if best is None:
        return -1, np.zeros(1, np.int64), np.zeros(0, np.int64)
    index = best[1]
    span = spans[index]
    values, classes = _contained(span.offsets, span.low, span.high, class_cells[:, index].copy())
    order = np.argsort(values, kind="stable")
    return index, offsets_of(np.bincount(values + 1, minlength=domains[index] + 1)), classes[order]


@njit
def _contained(offsets: Int64s, low: Int64s, high: Int64s, cells: Int64s) -> tuple[Int64s, Int64s]:
    """Every pair of a class and a value that its cell contains."""
    count = 0
    for index in range(len(cells)):
        for run in range(offsets[cells[index]], offsets[cells[index] + 1]):
            count += high[run] - low[run] + 1
    values, classes = np.empty(count, np.int64), np.empty(count, np.int64)
    filled = 0
    for index in range(len(cells)):
        for run in range(offsets[cells[index]], offsets[cells[index] + 1]):
            for value in range(low[run], high[run] + 1):
                values[filled], classes[filled] = value, index
                filled += 1
    return values, classes


@njit
def _contains(search: FittingSearch, person: int, candidate: int) -> bool:
    """Every cell of a class contains the person's value; the indexed column is known to."""
    for column in range(search.values.shape[1]):
        if column == search.indexed:
            continue
        value = search.values[person, column]
        cell = search.starts[column] + search.class_cells[candidate, column]
        inside = False
        for run in range(search.offsets[cell], search.offsets[cell + 1]):
            if search.low[run] <= value <= search.high[run]:
                inside = True
                break
        if not inside:
            return False
    return True


@njit
def _candidates(search: FittingSearch, person: int) -> tuple[int, int]:
    """Where the classes that may fit a person begin and end: in the index, or else all classes."""
    if search.indexed < 0:
        return 0, len(search.class_cells)
    value = search.values[person, search.indexed]
    return search.index_offsets[value + 1], search.index_offsets[value + 2]


@njit
def count_fitting(search: FittingSearch, sizes: Int64s) -> Int64s:
    """Count the records of all classes whose every cell contains the value of each person."""
    counts = np.zeros(len(search.values), np.int64)
    for person in range(len(search.values)):
        first, last = _candidates(search, person)
        for position in range(first, last):
            candidate = search.index_classes[position] if search.indexed >= 0 else position
            if _contains(search, person, candidate):
                counts[person] += sizes[candidate]
    return counts


@njit
def fitting_classes(search: FittingSearch) -> tuple[Int64s, Int64s]:
    """The classes that fit each person: person p has classes[fitting_offsets[p]:fitting_offsets[p + 1]]."""
    fitting_offsets = np.zeros(len(search.values) + 1, np.int64)
    room, filled = 1024, 0
    classes = np.empty(room, np.int64)
    for person in range(len(search.values)):
        first, last = _candidates(search, person)
        for position in range(first, last):
            candidate = search.index_classes[position] if search.indexed >= 0 else position
            if not _contains(search, person, candidate):
                continue
            if filled == room:
                room *= 2
                more = np.empty(room, np.int64)
                more[:filled] = classes
                classes = more
            classes[filled] = candidate
            filled += 1
        fitting_offsets[person + 1] = filled
    return fitting_offsets, classes[:filled]
