"""A table in shards: facts about all records at the driver, and the codes of each part in a file of its own.

A part is read once. Its distinct cells go to the driver, which understands the distinct cells of all parts as the cells
of one column, by the code that reads a table in memory; so types, domains and codes are those of a table in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s
from crypsis.data.declarations import Declarations
from crypsis.data.declared_times import dated_columns
from crypsis.data.formats.columns import is_empty
from crypsis.data.formats.source import Understood, place
from crypsis.data.person_detection import PersonLike, first_person_like
from crypsis.data.relational import (
    Column,
    Role,
    Table,
    check_roles,
    check_types,
    column_of_cells,
    person_and_roles,
    refuse_nameless,
    refuse_trips,
)
from crypsis.data.scanned import Part, ScannedTable
from crypsis.data.values import ColumnType, encoded, is_convertible
from crypsis.data.vocabulary import distinct_texts
from crypsis.data.written_columns import WrittenColumn
from crypsis.errors import BadRow, BadTimestamps, NotApplicable, PartsDiffer, PersonNotSupported, TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.parts_of_input import parts_of
from crypsis.shards.people import PeopleInShards, bring_together
from crypsis.shards.table_shard import TableShard, save_shard

if TYPE_CHECKING:
    from crypsis.data.sources import TableSource

MOST_VALUES = 2**31 - 1
PartCodes = tuple[int, str, int, Mapping[str, Int32s]]  # number, file of cells, first record, code of each cell


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """All that the driver knows. `columns` have domains and no codes; `counts[c]` counts each value of column c, and
    as the last entry the records without one. Identifiers are left out. `person` tells people with several records
    apart; None where each record is a person."""

    columns: tuple[Column, ...]
    counts: tuple[Int64s, ...]
    n_records: int
    shards: tuple[TableShard, ...]
    person_like: PersonLike | None = None
    read_as: Understood | None = None
    person: PeopleInShards | None = None

    @property
    def whole_people(self) -> tuple[TableShard, ...]:
        """Shards in which each person is whole."""
        return self.shards if self.person is None else self.person.shards

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def places(self, role: str) -> list[int]:
        """The places of the columns of a role."""
        return [index for index, column in enumerate(self.columns) if column.role == role]

    def with_codes(self, codes: Int32s) -> Table:
        """Some records as a table with the domains of all."""
        return table_of(self.columns, codes)

    @cached_property
    def whole(self) -> Table:
        """All records in memory, in input order."""
        codes = [np.asarray(shard.codes()) for shard in self.shards]
        table = self.with_codes(np.concatenate(codes) if codes else np.zeros((0, len(self.columns)), np.int32))
        return table if self.person is None else table.change(person=self.person.of_records())

    @cached_property
    def marginals(self) -> Table:
        """A table whose columns, each by itself, hold the same values as often: for what is made from one column."""
        sorted_columns = [
            np.repeat(np.append(np.arange(len(counts) - 1), -1), counts).astype(np.int32) for counts in self.counts
        ]
        return table_of(self.columns, np.stack(sorted_columns, axis=1))

    def __len__(self) -> int:
        return self.n_records

    def __repr__(self) -> str:
        return f"EncodedTable({self.n_records} records in {len(self.shards)} shards)"


def table_of(columns: Sequence[Column], codes: Int32s) -> Table:
    """Records of these columns."""
    return Table.of(
        [replace(column, codes=np.ascontiguousarray(codes[:, index])) for index, column in enumerate(columns)]
    )


def shard_table(table: Table, executor: Executor, bounds: Sequence[int]) -> EncodedTable:
    """A table in memory in shards that end at the bounds."""
    columns = [column for column in table.columns if column.role != "identifier"]
    codes = np.stack([column.codes for column in columns], axis=1)
    scratch = executor.scratch.below("shards")
    shards = [
        save_shard(scratch, number, first, codes[first:last]) for number, (first, last) in enumerate(pairwise(bounds))
    ]
    counts = tuple(counts_of(codes[:, index], len(column.domain)) for index, column in enumerate(columns))
    facts = tuple(fact_column(column, count) for column, count in zip(columns, counts, strict=True))
    people = None
    if table.person is not None:
        names = [
            scratch.save(f"names-{number:06d}", table.person[first:last])
            for number, (first, last) in enumerate(pairwise(bounds))
        ]
        people = bring_together(shards, names, int(table.person.max()) + 1, executor)
    return EncodedTable(facts, counts, len(table), tuple(shards), table.person_like, table.read_as, people)


@dataclass(frozen=True)
class DescribedColumns:
    """The relational columns of parts as they are declared."""

    source: TableSource
    names: tuple[str, ...]
    roles: Mapping[str, str]
    types: Mapping[str, str]
    person: str | None = None  # the column that names the person, where one does

    @classmethod
    def of(
        cls,
        source: TableSource,
        names: Sequence[str],
        roles: Mapping[str, str],
        types: Mapping[str, str],
        file: str,
    ) -> DescribedColumns:
        """Refuses roles and types that these columns cannot have; `file` names them in messages."""
        person, known = person_and_roles(names, roles, source.person, source.each_row_is_a_person)
        check_roles(names, known, file)
        check_types(names, types, None)
        return cls(source, tuple(names), known, types, person)

    def dated(self, parts: Sequence[PartCells]) -> tuple[dict[str, pl.Series], list[str]]:
        """The distinct cells of those columns that hold dates and times as declared, and what there is to say of
        them."""
        if self.source.time_format is None:
            return {}, []
        wholes = {name: _united_cells([part.distinct(name) for part in parts], parts) for name in self.names}
        missing, lenient = self.source.missing, self.source.as_missing
        try:
            dated, notes = dated_columns([*wholes.values()], self.source.time_format, missing, None, lenient=lenient)
        except BadTimestamps as error:
            name = error.details.get("column")
            if name is None:
                raise
            wrong = str(wholes[str(name)].cast(pl.String)[cast(int, error.details["row"])])
            where = next(part.part.file for part in parts if _holds(part.distinct(str(name)), wrong))
            raise BadTimestamps(error.sentence, where=where, column=name) from None
        return {cells.name: cells for cells in dated}, notes


@dataclass(frozen=True)
class PartCells:
    """A part whose cells were noted: its rows, and files with the distinct cells and with each cell as a number."""

    part: Part
    rows: int
    file: str
    codes: str

    def distinct(self, name: str) -> pl.Series:
        """The distinct cells of a column."""
        cells: pl.Series = load(self.file)[name]
        return cells


def encode_table(scanned: ScannedTable, declared: Declarations, executor: Executor) -> EncodedTable:
    """Read every part once, and encode all of them alike."""
    roles, types = scanned.roles()
    types = declared.first(types, scanned.columns)
    described = DescribedColumns.of(scanned.source, scanned.columns, roles, types, scanned.file.places[0].name)
    parts = parts_of(scanned, executor)
    folder = str(executor.scratch.below("shards").folder)
    noted = executor.map(note_part, list(enumerate(parts)), folder, scanned.columns)
    return encode_cells(described, parts, noted, executor, folder)


def encode_cells(
    described: DescribedColumns,
    parts: Sequence[Part],
    noted: Sequence[Mapping[str, Any]],
    executor: Executor,
    folder: str,
) -> EncodedTable:
    """The columns of parts whose cells `note_cells` noted, encoded alike."""
    own = [PartCells(part, one["rows"], one["distinct"], one["codes"]) for part, one in zip(parts, noted, strict=True)]
    dated, notes = described.dated(own)
    told: list[WrittenColumn] = []
    columns: list[Column] = []
    lookups: dict[str, list[Int32s]] = {}
    for name in described.names:
        column, lookups[name] = _united(name, own, described, dated.get(name), told)
        columns.append(column)
    kept = [column for column in columns if column.role != "identifier"]
    firsts = np.concatenate([[0], np.cumsum([one.rows for one in own])]).astype(np.int64)
    work = [
        (index, one.codes, int(first), {name: lookups[name][index] for name in described.names})
        for index, (one, first) in enumerate(zip(own, firsts[:-1], strict=True))
    ]
    sizes = {column.name: len(column.domain) for column in columns}
    published = tuple(column.name for column in kept)
    encoded_parts = executor.map(encode_part, work, folder, published, sizes, described.person)
    n_records = int(firsts[-1])
    counts = {name: sum((encoded_part["counts"][name] for encoded_part in encoded_parts), np.zeros(size + 1, np.int64))
              for name, size in sizes.items()}  # fmt: skip
    people = None
    if described.person is not None and encoded_parts:
        facts = [fact_column(column, counts[column.name]) for column in columns]
        people = _people(described.person, facts, own, work, encoded_parts, executor)
    decided = described.source.each_row_is_a_person or described.person is not None
    like = None if decided else first_person_like(
        ((column.name, column.domain, n_records - int(counts[column.name][-1]), column.role == "identifier")
         for column in columns), n_records)  # fmt: skip
    notes += [note for column in told for note in column.notes]
    questions = [question for column in told for question in column.questions]
    return EncodedTable(
        tuple(fact_column(column, counts[column.name]) for column in kept),
        tuple(counts[name] for name in published),
        n_records,
        tuple(encoded_part["shard"] for encoded_part in encoded_parts),
        like,
        Understood().and_also(notes, questions) if notes or questions else None,
        people,
    )


def refuse_people(has_person: bool) -> None:
    """For what counts records alone on parts."""
    if has_person:
        raise PersonNotSupported(
            "On parts records are counted, and in these data a person may have several. Give each person one record, "
            "or read the data into memory."
        )


def _people(
    name: str,
    columns: Sequence[Column],
    parts: Sequence[PartCells],
    work: Sequence[PartCodes],
    encoded_parts: Sequence[Mapping[str, Any]],
    executor: Executor,
) -> PeopleInShards | None:
    """The people that a column names."""
    named = next(column for column in columns if column.name == name)

    def first_without_name() -> dict[str, Any]:
        lacking = next(index for index, one in enumerate(encoded_parts) if one["counts"][name][-1])
        _, cells, _, lookups = work[lacking]
        part, row = parts[lacking].part, int(np.argmin(lookups[name][load(cells)[name]]))
        return place(part.file, part.first + row, name)

    def count_pairs(other: Column) -> int:
        return len(executor.fold(pairs_of_part, unite_pairs, work, name, other.name))

    refuse_nameless(named, first_without_name)
    refuse_trips(named, columns, count_pairs)
    shards, names = ([one[key] for one in encoded_parts] for key in ("shard", "names"))
    return bring_together(shards, names, len(named.domain), executor)


def pairs_of_part(work: PartCodes, one: str, other: str) -> Int32s:
    """The different values of both columns together in a part."""
    _, file, _, lookups = work
    cells = load(file)
    return _distinct_rows(np.stack([lookups[name][cells[name]] for name in (one, other)], axis=1))


def unite_pairs(some: Int32s, others: Int32s) -> Int32s:
    """Those of two parts."""
    return _distinct_rows(np.concatenate([some, others]))


def _distinct_rows(rows: Int32s) -> Int32s:
    distinct: Int32s = np.unique(rows, axis=0)
    return distinct


def note_part(numbered: tuple[int, Part], folder: str, names: Sequence[str]) -> dict[str, Any]:
    """The cells of a part, as `note_cells` tells them."""
    number, part = numbered
    return note_cells(part.read_columns(names), number, part, folder)


def note_cells(frame: pl.DataFrame, number: int, part: Part, folder: str) -> dict[str, Any]:
    """The distinct cells of every column of a part in the order in which they come, and each cell as their number."""
    distinct, codes = {}, {}
    for cells in frame.iter_columns():
        distinct[cells.name], codes[cells.name] = _distinct_cells(cells, part)
    scratch = Scratch.at(folder)
    return {
        "rows": len(frame),
        "distinct": scratch.save(f"distinct-{number:06d}", distinct),
        "codes": scratch.save(f"cells-{number:06d}", codes),
    }


def encode_part(
    work: PartCodes, folder: str, published: Sequence[str], sizes: Mapping[str, int], person: str | None
) -> dict[str, Any]:
    """The codes of a part in the domains of all, and how often each occurs; of the person's column in a file."""
    number, file, first, lookups = work
    cells = load(file)
    codes = {name: (lookup[cells[name]] if len(lookup) else cells[name]) for name, lookup in lookups.items()}
    rows = len(next(iter(codes.values())))
    whole = np.empty((rows, len(published)), np.int32)
    for index, name in enumerate(published):
        whole[:, index] = codes[name]
    scratch = Scratch.at(folder)
    return {
        "shard": save_shard(scratch, number, first, whole),
        "names": None if person is None else scratch.save(f"names-{number:06d}", codes[person]),
        "counts": {name: counts_of(codes[name], size) for name, size in sizes.items()},
    }


def counts_of(codes: Int32s, n_values: int) -> Int64s:
    """Records of each value, and as the last entry of none."""
    return np.bincount(np.where(codes < 0, n_values, codes), minlength=n_values + 1).astype(np.int64)


def fact_column(column: Column, counts: Int64s) -> Column:
    """The column without its records; how many lack a value is known."""
    fact = replace(column, codes=np.zeros(0, np.int32))
    fact.__dict__["missing"] = int(counts[-1])  # what the cached property would count
    return fact


def _distinct_cells(cells: pl.Series, part: Part) -> tuple[pl.Series, Int32s]:
    """Distinct cells in the order in which they come, and each cell as their number."""
    if not is_convertible(cells.dtype):
        raise NotApplicable(
            f"Column '{cells.name}' holds {cells.dtype}, which no column of a table can.",
            where=part.file,
            column=cells.name,
        )
    known = cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum, pl.Null) else cells
    if known.dtype == pl.String:
        distinct, codes = distinct_texts(known)
        return distinct.alias(cells.name), codes
    wide = known.cast(pl.Int64) if known.dtype.is_integer() and known.dtype != pl.UInt64 else known
    codes, domain = encoded(wide.cast(pl.Float64) if wide.dtype == pl.Float32 else wide)
    if (codes < 0).any():
        codes = np.where(codes < 0, len(domain), codes).astype(np.int32)
        domain = domain.append(pl.Series([None], dtype=domain.dtype))
    return domain.cast(known.dtype).alias(cells.name), codes


def _united_cells(distinct: Sequence[pl.Series], parts: Sequence[PartCells]) -> pl.Series:
    """The distinct cells of a column in all parts, which must hold them in one type."""
    known = [series for series in distinct if series.null_count() < len(series)]
    dtype = known[0].dtype if known else pl.String()
    for series, one in zip(distinct, parts, strict=True):
        if series.dtype != dtype and series.null_count() < len(series):
            raise PartsDiffer(
                f"Column '{series.name}' holds {series.dtype} in this part and {dtype} in an earlier one; write them "
                "alike.",
                where=one.part.file,
                column=series.name,
            )
    whole = pl.concat([series.cast(dtype) for series in distinct]).unique(maintain_order=True)
    if len(whole) > MOST_VALUES:
        raise TooLarge(
            f"Column '{whole.name}' has {len(whole):,} different values; up to {MOST_VALUES:,} can be told apart."
        )
    return whole


def _united(
    name: str,
    parts: Sequence[PartCells],
    described: DescribedColumns,
    dated: pl.Series | None,
    told: list[WrittenColumn],
) -> tuple[Column, list[Int32s]]:
    """The column of all parts, and for each part the code of every distinct cell. `dated` are the distinct cells of all
    parts, where they are dates or times in a declared form."""
    distinct = [part.distinct(name) for part in parts]
    whole = _united_cells(distinct, parts)
    alike = [series.cast(whole.dtype) for series in distinct]
    cells = described.source.cells()
    try:
        column = column_of_cells(
            whole if dated is None else dated,
            cast(Role, described.roles[name]),
            cast("ColumnType | None", described.types.get(name)),
            cells["missing_tokens"],
            cells["unparsable"] == "missing",
            None,
            told,
        )
    except BadRow as error:
        holds = [one.part for series, one in zip(alike, parts, strict=True) if _holds(series, error.details.get("got"))]
        where = holds[0].file if holds else None
        raise BadRow(error.sentence, where=where, column=name, got=error.details.get("got")) from None
    numbers = whole.to_frame("cell").with_columns(pl.Series("code", column.codes, dtype=pl.Int32))
    lookups = [
        np.asarray(
            series.to_frame("cell")
            .join(numbers, on="cell", how="left", maintain_order="left", nulls_equal=True)["code"]
            .to_numpy(),
            np.int32,
        )
        for series in alike
    ]
    return replace(column, codes=np.zeros(0, np.int32)), lookups


def _holds(series: pl.Series, text: object) -> bool:
    return not is_empty(series).all() and bool((series.cast(pl.String) == str(text)).any())
