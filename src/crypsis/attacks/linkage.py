"""The linkage attack on tables: somebody who knows all quasi-identifiers of everybody looks for fitting records.

A published cell fits a value that it contains; a missing value is contained in `missing` and `any` only. Classes that
overlap, as those of CLUSTER may, leave more candidates than the class of the victim alone; full-domain recodings, cuts
and strict Mondrian divide the values, so that only the own class fits. Of mixed data a few items may be known as well.
Suppressed records fit nobody, and somebody who was suppressed may be taken for others. Where a person has several
records, candidates are people, and the one record of somebody that leaves fewest decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.attacks.attack import Attack, AttackResult
from crypsis.attacks.known_items import (
    NO_PERSONS,
    fewest_candidates,
    known_items,
    of_people,
    record_bits,
    refuse_too_much,
)
from crypsis.compilation import njit
from crypsis.data.cells import CellKind
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.errors import NotApplicable
from crypsis.parameters import AtLeast

LARGEST_INDEX = 50_000_000


@dataclass(frozen=True, kw_only=True)
class LinkageAttack(Attack):
    """Knows all quasi-identifiers of everybody, of mixed data also some items, and looks for the records that fit.

    Of the items that are not sensitive those are known that leave the fewest records. On data that keep
    (k,k^m)-anonymity nobody has fewer than k candidates with up to m items.
    """

    name: ClassVar[str] = "linkage"
    accepts: ClassVar[tuple[type, ...]] = (Table, Mixed)

    known_items: Annotated[int, AtLeast(0), "Of mixed data: items that the adversary knows as well."] = 0
    rarest: Annotated[int, AtLeast(1), "Of longer sets try so many of the rarest items only."] = 20

    def run(self, published: Any, original: Any) -> AttackResult:
        """Candidates of each original record; the knowledge is the number of quasi-identifiers, and of items."""
        self.check_applicable(published, original)
        table = original.table if isinstance(original, Mixed) else original
        released = published.table if isinstance(published, PublishedMixed) else published
        columns = released.with_role("quasi")
        if not columns:
            raise NotApplicable("The release has no quasi-identifiers to look for.")
        absent = [column.name for column in columns if column.name not in table.names]
        if absent:
            raise NotApplicable(f"The original lacks the published columns {', '.join(absent)}.")
        known = [table.column(column.name) for column in columns]
        if self.known_items and isinstance(published, PublishedMixed):
            candidates = self._with_items(known, published, original)
        elif table.person is not None:
            candidates = self._people(known, table, published)
        else:
            candidates = fitting_records(known, released)[:, None]
        return AttackResult(self.name, self.described_parameters(), candidates, first_size=len(columns))

    def _people(self, known: list[Column], table: Table, published: Any) -> Int64s:
        """Candidates of each person: the people with a fitting record, for the record that leaves fewest."""
        assert table.person is not None
        released = published.table if isinstance(published, PublishedMixed) else published
        whose = _whose(released, table)
        search = _Search.of(known, released)
        offsets, fitting = _fitting_classes(*search.arrays)
        shown = search.class_of >= 0
        pairs = np.unique(np.stack([search.class_of[shown], whose[shown]], axis=1), axis=0)
        starts = offsets_of(np.bincount(pairs[:, 0], minlength=len(search.sizes)))
        counts = _different_people(offsets, fitting, starts, np.ascontiguousarray(pairs[:, 1]), int(whose.max()) + 1)
        fewest = np.full((int(table.person.max()) + 1, 1), np.iinfo(np.int64).max)
        np.minimum.at(fewest[:, 0], table.person, counts[search.person_of])
        return fewest

    def _with_items(self, known: list[Column], published: PublishedMixed, original: Mixed) -> Int64s:
        """Candidates with no item known, with one, and so on; people where records tell whose they are."""
        whose, person = NO_PERSONS, original.table.person
        if person is not None:
            whose = _whose(published.table, original.table)
            published, whose = published.take(np.argsort(whose, kind="stable")), np.sort(whose)
        offsets, atoms, bits = known_items(published.transactions, original.transactions, self.rarest)
        refuse_too_much(offsets, self.known_items, len(published))
        search = _Search.of(known, published.table)
        fitting_offsets, fitting = _fitting_classes(*search.arrays)
        shown = np.flatnonzero(search.class_of >= 0)
        alone = offsets_of((search.class_of >= 0).astype(np.int64))
        by_class = record_bits(alone, search.class_of[shown].astype(np.int32), len(search.sizes))
        fewest = fewest_candidates(
            offsets, atoms, bits, self.known_items, fitting_offsets, fitting, search.person_of, by_class, whose
        )
        return fewest if person is None else of_people(fewest, person)

    def check_applicable(self, published: Any, original: Any) -> None:
        """Tables, or mixed data, against a release of the same kind."""
        pairs = ((Table, PublishedTable), (Mixed, PublishedMixed))
        if not any(isinstance(original, known) and isinstance(published, shown) for known, shown in pairs):
            raise NotApplicable(
                f"{type(self).__name__} knows a table or mixed data and looks at a release of the same kind, got "
                f"{type(original).__name__} and {type(published).__name__}."
            )
        if self.known_items and not isinstance(original, Mixed):
            raise NotApplicable(f"A table has no items to know; known_items must be 0, got {self.known_items}.")


def fitting_records(known: list[Column], released: PublishedTable) -> Int64s:
    """For each original record the number of published ones whose cells contain all its values."""
    search = _Search.of(known, released)
    found: Int64s = _fitting(search.sizes, *search.arrays)
    return found[search.person_of]


@dataclass(frozen=True, eq=False)
class _Search:
    """Distinct people and the classes of the published table: `person_of` numbers the people, `class_of` the records'
    classes, -1 where one is suppressed; `arrays` are what the kernels below look at."""

    sizes: Int64s
    person_of: Int64s
    class_of: Int64s
    arrays: tuple[Any, ...]

    @classmethod
    def of(cls, known: list[Column], released: PublishedTable) -> _Search:
        shown = pl.DataFrame({column.name: column.codes for column in released.with_role("quasi")})
        hidden = pl.Series(released.suppressed)
        classes = shown.filter(~hidden).unique(maintain_order=True)
        class_of = np.where(released.suppressed, -1, _places(shown, classes))
        sizes = np.bincount(class_of[class_of >= 0], minlength=len(classes)).astype(np.int64)
        class_cells = np.stack([classes[name].to_numpy().astype(np.int64) for name in shown.columns], axis=1)
        people = pl.DataFrame({str(place): column.codes for place, column in enumerate(known)})
        distinct = people.unique(maintain_order=True)
        values = np.stack([distinct[name].to_numpy().astype(np.int64) for name in distinct.columns], axis=1)
        spans = [_Spans.of(released.column(name), column) for name, column in zip(shown.columns, known, strict=True)]
        indexed, index_offsets, index = _index(spans, class_cells, [len(column.domain) for column in known])
        starts = offsets_of(np.array([len(span.offsets) for span in spans], np.int64))
        slots = offsets_of(np.array([len(span.low) for span in spans], np.int64))
        arrays = (
            np.ascontiguousarray(values),
            np.ascontiguousarray(class_cells),
            starts,
            np.concatenate([span.offsets + slots[place] for place, span in enumerate(spans)]),
            np.concatenate([span.low for span in spans]),
            np.concatenate([span.high for span in spans]),
            indexed,
            index_offsets,
            index,
        )
        return cls(sizes, _places(people, distinct), class_of, arrays)


def _places(rows: pl.DataFrame, distinct: pl.DataFrame) -> Int64s:
    """The place of each row among distinct ones, -1 where it is none of them."""
    numbered = distinct.with_row_index("place of the row")
    joined = rows.join(numbered, on=rows.columns, how="left", maintain_order="left")["place of the row"]
    return joined.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)


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


def _index(spans: list[_Spans], class_cells: Int64s, domains: list[int]) -> tuple[int, Int64s, Int64s]:
    """The column that tells classes apart best, and the classes that contain each of its values, -1 first."""
    best: tuple[float, int] | None = None
    for index, span in enumerate(spans):
        widths = np.append(0, np.cumsum(span.high - span.low + 1))
        of_cell = widths[span.offsets[1:]] - widths[span.offsets[:-1]]
        entries = int(of_cell[class_cells[:, index]].sum())
        if entries <= LARGEST_INDEX:
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
def _contains(
    person: int,
    one: int,
    values: Int64s,
    class_cells: Int64s,
    starts: Int64s,
    offsets: Int64s,
    low: Int64s,
    high: Int64s,
    indexed: int,
) -> bool:
    """Every cell of a class contains the person's value; the indexed column is known to."""
    for column in range(values.shape[1]):
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
            return False
    return True


@njit
def _fitting(
    sizes: Int64s,
    values: Int64s,
    class_cells: Int64s,
    starts: Int64s,
    offsets: Int64s,
    low: Int64s,
    high: Int64s,
    indexed: int,
    index_offsets: Int64s,
    index: Int64s,
) -> Int64s:
    """Records of all classes whose every cell contains the value; looked for where the indexed column fits."""
    found = np.zeros(len(values), np.int64)
    for person in range(len(values)):
        first, last = 0, len(class_cells)
        if indexed >= 0:
            first, last = index_offsets[values[person, indexed] + 1], index_offsets[values[person, indexed] + 2]
        for position in range(first, last):
            one = index[position] if indexed >= 0 else position
            if _contains(person, one, values, class_cells, starts, offsets, low, high, indexed):
                found[person] += sizes[one]
    return found


@njit
def _different_people(offsets: Int64s, fitting: Int64s, starts: Int64s, people: Int64s, n_people: int) -> Int64s:
    """For each row the people with a record in any of the classes fitting[offsets[row]:offsets[row + 1]].

    The people of a class are people[starts[class]:starts[class + 1]].
    """
    found = np.zeros(len(offsets) - 1, np.int64)
    last_seen = np.full(n_people, -1, np.int64)
    for row in range(len(found)):
        for position in range(offsets[row], offsets[row + 1]):
            for index in range(starts[fitting[position]], starts[fitting[position] + 1]):
                if last_seen[people[index]] != row:
                    last_seen[people[index]] = row
                    found[row] += 1
    return found


@njit
def _fitting_classes(
    values: Int64s,
    class_cells: Int64s,
    starts: Int64s,
    offsets: Int64s,
    low: Int64s,
    high: Int64s,
    indexed: int,
    index_offsets: Int64s,
    index: Int64s,
) -> tuple[Int64s, Int64s]:
    """The classes that fit each person: person p has classes[fitting_offsets[p]:fitting_offsets[p + 1]]."""
    fitting_offsets = np.zeros(len(values) + 1, np.int64)
    room, filled = 1024, 0
    classes = np.empty(room, np.int64)
    for person in range(len(values)):
        first, last = 0, len(class_cells)
        if indexed >= 0:
            first, last = index_offsets[values[person, indexed] + 1], index_offsets[values[person, indexed] + 2]
        for position in range(first, last):
            one = index[position] if indexed >= 0 else position
            if not _contains(person, one, values, class_cells, starts, offsets, low, high, indexed):
                continue
            if filled == room:
                room *= 2
                more = np.empty(room, np.int64)
                more[:filled] = classes
                classes = more
            classes[filled] = one
            filled += 1
        fitting_offsets[person + 1] = filled
    return fitting_offsets, classes[:filled]


def _whose(released: PublishedTable, table: Table) -> Int64s:
    """The person of every published record."""
    whose = released.person if released.person is not None else table.person
    if whose is None or len(whose) != len(released) or (released.person is None and not released.in_input_order):
        raise NotApplicable(
            "Published rows do not say whose they are; give the private report, which tells which input row each was "
            "made from (private_report='FILE')."
        )
    return whose
