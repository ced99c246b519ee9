"""The linkage attack on tables: somebody who knows all quasi-identifiers of everybody looks for fitting records.

A published cell fits a value that it contains; a missing value is contained in `missing` and `any` only. Classes that
overlap, as those of CLUSTER may, leave more candidates than the class of the victim alone; full-domain recodings, cuts
and strict Mondrian divide the values, so that only the own class fits. Nothing but quasi-identifiers is looked at,
suppressed records fit nobody, and somebody who was suppressed may be taken for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.attacks.attack import Attack, AttackResult
from crypsis.compilation import njit
from crypsis.data.arrays import Int64s, offsets_of
from crypsis.data.cells import CellKind
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.errors import NotApplicable

LARGEST_INDEX = 50_000_000


@dataclass(frozen=True, kw_only=True)
class LinkageAttack(Attack):
    """Knows all quasi-identifiers of everybody and looks for the records that fit."""

    name: ClassVar[str] = "linkage"
    accepts: ClassVar[tuple[type, ...]] = (Table, Mixed)

    def run(self, published: Any, original: Any) -> AttackResult:
        """Candidates of each original record; the knowledge is the number of published quasi-identifiers."""
        self.check_applicable(published, original)
        table = original.table if isinstance(original, Mixed) else original
        released = published.table if isinstance(published, PublishedMixed) else published
        columns = released.with_role("quasi")
        if not columns:
            raise NotApplicable("The release has no quasi-identifiers to look for.")
        absent = [column.name for column in columns if column.name not in table.names]
        if absent:
            raise NotApplicable(f"The original lacks the published columns {', '.join(absent)}.")
        candidates = fitting_records([table.column(column.name) for column in columns], released)
        return AttackResult(self.name, self.described_parameters(), candidates[:, None], first_size=len(columns))

    def check_applicable(self, published: Any, original: Any) -> None:
        """Tables, or mixed data, against a release of the same kind."""
        pairs = ((Table, PublishedTable), (Mixed, PublishedMixed))
        if not any(isinstance(original, known) and isinstance(published, shown) for known, shown in pairs):
            raise NotApplicable(
                f"{type(self).__name__} knows a table or mixed data and looks at a release of the same kind, got "
                f"{type(original).__name__} and {type(published).__name__}."
            )


def fitting_records(known: list[Column], released: PublishedTable) -> Int64s:
    """For each original record the number of published ones whose cells contain all its values."""
    shown = pl.DataFrame({column.name: column.codes for column in released.with_role("quasi")})
    shown = shown.filter(pl.Series(~released.suppressed))
    classes = shown.group_by(shown.columns, maintain_order=True).len("records in class")
    sizes = classes["records in class"].to_numpy().astype(np.int64)
    class_cells = np.stack([classes[name].to_numpy().astype(np.int64) for name in shown.columns], axis=1)
    people = pl.DataFrame({str(place): column.codes for place, column in enumerate(known)})
    distinct = people.unique(maintain_order=True)
    values = np.stack([distinct[name].to_numpy().astype(np.int64) for name in distinct.columns], axis=1)
    spans = [_Spans.of(released.column(name), column) for name, column in zip(shown.columns, known, strict=True)]
    indexed, index_offsets, index = _index(spans, class_cells, [len(column.domain) for column in known])
    starts = offsets_of(np.array([len(span.offsets) for span in spans], np.int64))
    slots = offsets_of(np.array([len(span.low) for span in spans], np.int64))
    found = _fitting(
        np.ascontiguousarray(values),
        np.ascontiguousarray(class_cells),
        sizes,
        starts,
        np.concatenate([span.offsets + slots[place] for place, span in enumerate(spans)]),
        np.concatenate([span.low for span in spans]),
        np.concatenate([span.high for span in spans]),
        indexed,
        index_offsets,
        index,
    )
    joined = people.join(
        distinct.with_columns(pl.Series("found", found)), on=people.columns, how="left", maintain_order="left"
    )
    return np.asarray(joined["found"].to_numpy(), np.int64)


@dataclass(frozen=True, eq=False)
class _Spans:
    """Which value codes each cell contains: cell c the runs low[i] to high[i] for i in offsets[c]:offsets[c + 1]."""

    offsets: Int64s
    low: Int64s
    high: Int64s

    @classmethod
    def of(cls, column: PublishedColumn, original: Column) -> _Spans:
        runs: list[tuple[int, int]] = []
        lengths = []
        last = len(original.domain) - 1
        code_of = {value: code for code, value in enumerate(original.domain.to_list())}
        code_of_text = {write_value(value): code for value, code in code_of.items()}
        ordered = original.domain
        for place in range(len(column.cells)):
            cell = column.cells[place]
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


def _index(spans: list[_Spans], class_cells: Int64s, domains: list[int]) -> tuple[int, Int64s, Int64s]:
    """The column that tells classes apart best, and the classes that contain each of its values, -1 first."""
    best: tuple[float, int] | None = None
    for place, span in enumerate(spans):
        widths = np.append(0, np.cumsum(span.high - span.low + 1))
        of_cell = widths[span.offsets[1:]] - widths[span.offsets[:-1]]
        entries = int(of_cell[class_cells[:, place]].sum())
        if entries <= LARGEST_INDEX:
            best = min(best or (np.inf, -1), (entries / (domains[place] + 1), place))
    if best is None:
        return -1, np.zeros(1, np.int64), np.zeros(0, np.int64)
    place = best[1]
    span = spans[place]
    values, classes = _contained(span.offsets, span.low, span.high, class_cells[:, place].copy())
    order = np.argsort(values, kind="stable")
    return place, offsets_of(np.bincount(values + 1, minlength=domains[place] + 1)), classes[order]


@njit
def _contained(offsets: Int64s, low: Int64s, high: Int64s, cells: Int64s) -> tuple[Int64s, Int64s]:
    """Every pair of a class and a value that its cell contains."""
    count = 0
    for one in range(len(cells)):
        for run in range(offsets[cells[one]], offsets[cells[one] + 1]):
            count += high[run] - low[run] + 1
    values, classes = np.empty(count, np.int64), np.empty(count, np.int64)
    filled = 0
    for one in range(len(cells)):
        for run in range(offsets[cells[one]], offsets[cells[one] + 1]):
            for value in range(low[run], high[run] + 1):
                values[filled], classes[filled] = value, one
                filled += 1
    return values, classes


@njit
def _fitting(
    values: Int64s,
    class_cells: Int64s,
    sizes: Int64s,
    starts: Int64s,
    offsets: Int64s,
    low: Int64s,
    high: Int64s,
    indexed: int,
    index_offsets: Int64s,
    index: Int64s,
) -> Int64s:
    """Records of all classes whose every cell contains the value; looked for where the indexed column fits."""
    n_people, n_columns = values.shape
    found = np.zeros(n_people, np.int64)
    for person in range(n_people):
        first, last = 0, len(class_cells)
        if indexed >= 0:
            first, last = index_offsets[values[person, indexed] + 1], index_offsets[values[person, indexed] + 2]
        for position in range(first, last):
            one = index[position] if indexed >= 0 else position
            fits = True
            for column in range(n_columns):
                if column == indexed:
                    continue
                value = values[person, column]
                cell = starts[column] + class_cells[one, column]
                inside = False
                for run in range(offsets[cell], offsets[cell + 1]):
                    if low[run] <= value <= high[run]:
                        inside = True
                        break
                if not inside:
                    fits = False
                    break
            if fits:
                found[person] += sizes[one]
    return found
