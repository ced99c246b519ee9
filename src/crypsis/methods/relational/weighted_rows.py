"""Methods that read a table only through its distinct rows, on shards: rows are counted, searched and looked up.

The distinct rows of quasi-identifiers, with the sensitive values and labels that count, go to the driver with their
numbers. The search of the table in memory runs on them, and every record becomes what its row became. Where people are
counted, rows of different people are different, and those of a person stand in the order of their first records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int64s
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.errors import TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.methods.relational.diversity import Diversity, diverse_promises
from crypsis.methods.relational.publishing import as_it_is
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers, quasi_codes_of, warn_of_empty_columns
from crypsis.methods.relational.whole_columns import shares_by_value
from crypsis.methods.scaling import RecodedBlocks
from crypsis.run_context import RunContext
from crypsis.shards.people import PersonShard
from crypsis.shards.table import EncodedTable, fact_column, table_of
from crypsis.shards.table_shard import TableShard

if TYPE_CHECKING:
    from crypsis.methods.relational.relational_method import SuppressingMethod

DRIVER_ROWS = 20_000_000
_N = "n"
_PERSON = "person"


def recode_by_rows(
    method: SuppressingMethod, data: EncodedTable, executor: Executor, context: RunContext
) -> RecodedBlocks:
    """Every shard recoded as the distinct rows of all shards were."""
    with context.stage("prepare"):
        ready, made, attributes, denominator, exact = method.facts_of(data)
        promised = method.promised_parts()
        roles = {"quasi", "label", *(["sensitive"] if diverse_promises(promised) else [])}
        places = [index for index, column in enumerate(data.columns) if column.role in roles]
        counted: list[RowsOfPeople] = []
        if data.person is not None:
            folder = str(executor.scratch.below("distinct").folder)
            counted = executor.map(count_rows_of_people, list(enumerate(data.person.shards)), folder, places)
            rows = pl.concat([load(count.file) for count in counted])
        else:
            rows = executor.fold(count_rows, add_rows, data.shards, places) if data.shards else no_rows(places)
        if len(rows) > DRIVER_ROWS:
            raise TooLarge(
                f"The table has {len(rows):,} different rows, {DRIVER_ROWS:,} can be searched at once. Use fewer "
                "quasi-identifiers, or another method (Mondrian).",
                rows=len(rows),
            )
        weights = rows[_N].to_numpy().astype(np.int64)
        codes = np.stack([rows[str(slot)].to_numpy() for slot in places], axis=1).astype(np.int32)
        table = _with_missing(table_of([data.columns[slot] for slot in places], codes), data, places)
        own = [replace(one, column=table.column(one.column.name)) for one in made]
        quasi = QuasiIdentifiers(
            table, tuple(own), quasi_codes_of(own, len(table)), attributes, denominator, exact, weights
        )
        diversity = Diversity.of(table, promised, type(method).__name__, weights)
        if data.person is not None:
            person = rows[_PERSON].to_numpy().astype(np.int64)
            whole = shares_by_value(data, data.places("sensitive") if diverse_promises(promised) else [], executor)
            diversity = diversity.counting(person, 1 / data.person.sizes[person], whole)
        warn_of_empty_columns(made, len(data), context)
    published = ready.generalized(quasi, diversity, context)
    context.private["exact_costs"] = exact
    recoded = tuple(column for column in published.columns if column.role == "quasi")
    if data.person is not None:
        return _recoded_people(counted, recoded, published.suppressed, data, executor)
    file = executor.scratch.below("rows").save("recoded", (rows.drop(_N), recoded, published.suppressed))
    return RecodedBlocks(data.shards, publish_shard, (file, data.columns, places))


def _recoded_people(
    counted: Sequence[RowsOfPeople],
    recoded: Sequence[PublishedColumn],
    suppressed: Bools,
    data: EncodedTable,
    executor: Executor,
) -> RecodedBlocks:
    """Records of people as their rows were recoded; each shard is told of its own rows."""
    assert data.person is not None
    scratch = executor.scratch.below("rows")
    blocks, first = [], 0
    for number, (shard, one) in enumerate(zip(data.person.shards, counted, strict=True)):
        own = slice(first, first + one.rows)
        columns = [replace(column, codes=column.codes[own]) for column in recoded]
        blocks.append((shard, one.row_of, scratch.save(f"recoded-{number:06d}", (columns, suppressed[own]))))
        first += one.rows
    return RecodedBlocks(blocks, publish_people, (data.columns,))


@dataclass(frozen=True)
class RowsOfPeople:
    """The distinct rows of the people of a shard: a file with them, and one with the row of every record."""

    file: str
    row_of: str
    rows: int


def count_rows_of_people(numbered: tuple[int, PersonShard], folder: str, places: Sequence[int]) -> RowsOfPeople:
    """The distinct rows of each person, in the order of their first records, and how many records have each."""
    number, shard = numbered
    own = _frame(shard, places).with_columns(pl.Series(_PERSON, shard.persons()))
    names = own.columns
    rows = own.group_by(names, maintain_order=True).agg(pl.len().cast(pl.Int64).alias(_N))
    scratch = Scratch.at(folder)
    return RowsOfPeople(
        scratch.save(f"rows-{number:06d}", rows), scratch.save(f"places-{number:06d}", _row_of(own, rows)), len(rows)
    )


def _row_of(records: pl.DataFrame, rows: pl.DataFrame) -> Int64s:
    """The place among the distinct rows of each record's."""
    names = [name for name in rows.columns if name != _N]
    numbered = rows.select(names).with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(_N))
    joined = records.join(numbered, on=names, how="left", maintain_order="left")
    return joined[_N].to_numpy().astype(np.int64)


def publish_people(
    block: tuple[PersonShard, str, str], columns: Sequence[Column]
) -> tuple[PublishedTable, Table, Int64s]:
    """The records of some people as their rows were recoded, as they were, and their numbers in the input."""
    shard, row_of, file = block
    recoded, suppressed_rows = load(file)
    return _published_rows(shard, load(row_of), recoded, suppressed_rows, columns)


def no_rows(places: Sequence[int]) -> pl.DataFrame:
    """Return counts of combinations without any."""
    return pl.DataFrame({**{str(place): [] for place in places}, _N: []}, schema_overrides={_N: pl.Int64})


def count_rows(shard: TableShard, places: Sequence[int]) -> pl.DataFrame:
    """The distinct rows of a shard and how many records have each."""
    return _added(_frame(shard, places).with_columns(pl.lit(1, pl.Int64).alias(_N)))


def add_rows(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The distinct rows of two shards."""
    return _added(pl.concat([one, other]))


def _added(rows: pl.DataFrame) -> pl.DataFrame:
    names = [name for name in rows.columns if name != _N]
    return rows.group_by(names).agg(pl.col(_N).sum()).sort(names)


def _frame(shard: TableShard, places: Sequence[int]) -> pl.DataFrame:
    codes = shard.codes()
    return pl.DataFrame({str(index): np.ascontiguousarray(codes[:, index]) for index in places})


def _with_missing(table: Table, data: EncodedTable, places: Sequence[int]) -> Table:
    """Columns that know how many of all records lack a value."""
    for column, index in zip(table.columns, places, strict=True):
        column.__dict__["missing"] = fact_column(column, data.counts[index]).missing
    return table


def publish_shard(
    shard: TableShard, file: str, columns: Sequence[Column], places: Sequence[int]
) -> tuple[PublishedTable, Table, Int64s]:
    """The records of a shard as their rows were recoded, as they were, and their numbers in the input."""
    rows, recoded, suppressed_rows = load(file)
    return _published_rows(shard, _row_of(_frame(shard, places), rows), recoded, suppressed_rows, columns)


def _published_rows(
    shard: TableShard,
    row_of: Int64s,
    recoded: Sequence[PublishedColumn],
    suppressed_rows: Bools,
    columns: Sequence[Column],
) -> tuple[PublishedTable, Table, Int64s]:
    original = table_of(columns, np.asarray(shard.codes()))
    suppressed: Bools = suppressed_rows[row_of] if len(row_of) else np.zeros(0, np.bool_)
    made: dict[str, PublishedColumn] = {
        column.name: replace(column, codes=column.codes[row_of] if len(row_of) else column.codes[:0])
        for column in recoded
    }
    published = PublishedTable(
        tuple(
            made[column.name] if column.role == "quasi" else as_it_is(column, suppressed) for column in original.columns
        )
    )
    return published, original, shard.numbers()
