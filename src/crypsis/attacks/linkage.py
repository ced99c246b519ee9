"""The linkage attack on tables: somebody who knows all quasi-identifiers of everybody looks for fitting records.

A published cell fits a value that it contains; a missing value is contained in `missing` and `any` only. Classes that
overlap, as those of CLUSTER may, leave more candidates than the class of the victim alone; full-domain recodings, cuts
and strict Mondrian divide the values, so that only the own class fits. Of mixed data a few items may be known as well.
Suppressed records fit nobody, and somebody who was suppressed may be taken for others. Where a person has several
records, candidates are people, and the one record of somebody that leaves fewest decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.arrays.record_bits import record_bits
from crypsis.attacks.attack import Attack, AttackResult, PartsAttackResult
from crypsis.attacks.fitting_classes import (
    LARGEST_INDEX,
    FittingSearch,
    Spans,
    count_fitting,
    fitting_classes,
    prepare_search,
)
from crypsis.attacks.known_items import NO_PERSONS, fewest_candidates, known_items, of_people, refuse_too_much
from crypsis.attacks.tables_in_parts import TableFiles, link_tables
from crypsis.compilation import njit
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedTable, Table
from crypsis.data.workers import Workers
from crypsis.errors import NotApplicable
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class LinkageAttack(Attack):
    """Knows all quasi-identifiers of everybody, of mixed data also some items, and looks for the records that fit.

    Of the items that are not sensitive those are known that leave the fewest records. On data that keep
    (k,k^m)-anonymity nobody has fewer than k candidates with up to m items.
    """

    name = "linkage"
    accepts = (Table, Mixed)

    known_items: Annotated[int, AtLeast(0), "Items of mixed data that the adversary knows as well."] = 0
    rarest: Annotated[int, AtLeast(1), "Try only so many of the rarest items of longer sets."] = 20

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

    def run_on_parts(self, published: TableFiles, original: Any, workers: Workers) -> PartsAttackResult:
        if self.known_items:
            raise NotApplicable("Known items are not measured on parts; leave known_items or the executor out.")
        counted = link_tables(published, original, workers)
        return PartsAttackResult(self.name, self.described_parameters(), (counted,), first_size=len(published.quasi))

    def _people(self, known: list[Column], table: Table, published: Any) -> Int64s:
        """Candidates of each person: the people with a fitting record, for the record that leaves fewest."""
        assert table.person is not None
        released = published.table if isinstance(published, PublishedMixed) else published
        whose = _whose(released, table)
        search = _Search.of(known, released)
        offsets, fitting = fitting_classes(search.fitting)
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
        fitting_offsets, fitting = fitting_classes(search.fitting)
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
    found: Int64s = count_fitting(search.fitting, search.sizes)
    return found[search.person_of]


@dataclass(frozen=True, eq=False)
class _Search:
    """Distinct people and the classes of the published table: `person_of` numbers the people, `class_of` the records'
    classes, -1 where one is suppressed; `fitting` is what the kernels look at."""

    sizes: Int64s
    person_of: Int64s
    class_of: Int64s
    fitting: FittingSearch

    @classmethod
    def of(cls, known: list[Column], released: PublishedTable) -> _Search:
        shown = pl.DataFrame({column.name: column.codes for column in released.with_role("quasi")})
        hidden = pl.Series(released.suppressed)
        classes = shown.filter(~hidden).unique(maintain_order=True)
        class_of = np.where(released.suppressed, -1, _places(shown, classes))
        sizes = np.bincount(class_of[class_of >= 0], minlength=len(classes)).astype(np.int64)
        class_cells = np.stack([classes[name].to_numpy().astype(np.int64) for name in shown.columns], axis=1)
        people = pl.DataFrame({str(index): column.codes for index, column in enumerate(known)})
        distinct = people.unique(maintain_order=True)
        values = np.stack([distinct[name].to_numpy().astype(np.int64) for name in distinct.columns], axis=1)
        spans = [Spans.of(released.column(name), column) for name, column in zip(shown.columns, known, strict=True)]
        fitting = prepare_search(values, class_cells, spans, [len(column.domain) for column in known], LARGEST_INDEX)
        return cls(sizes, _places(people, distinct), class_of, fitting)


def _places(rows: pl.DataFrame, distinct: pl.DataFrame) -> Int64s:
    """The place of each row among distinct ones, -1 where it is none of them."""
    numbered = distinct.with_row_index("place of the row")
    joined = rows.join(numbered, on=rows.columns, how="left", maintain_order="left")["place of the row"]
    return joined.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)


@njit
def _different_people(offsets: Int64s, fitting: Int64s, starts: Int64s, people: Int64s, n_people: int) -> Int64s:
    """For each row the people with a record in any of the classes fitting[offsets[row]:offsets[row + 1]].

    The people of a class are people[starts[class]:starts[class + 1]].
    """
    counts = np.zeros(len(offsets) - 1, np.int64)
    last_seen = np.full(n_people, -1, np.int64)
    for row in range(len(counts)):
        for position in range(offsets[row], offsets[row + 1]):
            for index in range(starts[fitting[position]], starts[fitting[position] + 1]):
                if last_seen[people[index]] != row:
                    last_seen[people[index]] = row
                    counts[row] += 1
    return counts


def _whose(released: PublishedTable, table: Table) -> Int64s:
    """The person of every published record."""
    whose = released.person if released.person is not None else table.person
    if whose is None or len(whose) != len(released) or (released.person is None and not released.in_input_order):
        raise NotApplicable(
            "Published rows do not say whose they are; give the private report, which tells which input row each was "
            "made from (private_report='FILE')."
        )
    return whose
