"""Mixed data in shards: the columns as those of a table, the sets as those of transactions, record by record.

Facts are those of data in memory: domains and counts of the columns, labels and supports of the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from crypsis.data.declarations import Declarations
from crypsis.data.mixed import Mixed
from crypsis.data.person_detection import PersonLike
from crypsis.data.relational import Table
from crypsis.data.scanned import Part
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.transaction import Transactions
from crypsis.executors.executor import Executor
from crypsis.shards.ragged import RaggedShard
from crypsis.shards.records import (
    EncodedTransactions,
    check_memory,
    encode_rows,
    is_many,
    save_rows,
    shard_records,
    vocabulary_of,
)
from crypsis.shards.table import (
    DescribedColumns,
    EncodedTable,
    encode_cells,
    note_cells,
    refuse_people,
    shard_table,
)
from crypsis.shards.table_shard import TableShard

BYTES_PER_CELL = 64  # of the columns, where a release is put together


@dataclass(frozen=True)
class MixedShard:
    """One part: the codes of its columns and of its sets, for the same records."""

    table: TableShard
    sets: RaggedShard


@dataclass(frozen=True)
class MixedFacts:
    """What is known of mixed data without their records: columns that each hold all values as often as they occur, and
    one record with all items, whose supports are those of all records."""

    table: Table
    transactions: Transactions


@dataclass(frozen=True, eq=False)
class EncodedMixed:
    """All that the driver knows of mixed data in shards."""

    table: EncodedTable
    sets: EncodedTransactions
    column: str
    parts: tuple[str, ...]
    in_memory: Mixed | None = field(default=None, repr=False)  # the same data, where they came from memory

    @property
    def shards(self) -> tuple[MixedShard, ...]:
        return tuple(map(MixedShard, self.table.shards, self.sets.shards))

    @property
    def person(self) -> None:
        """Records are counted."""
        return

    @property
    def person_like(self) -> PersonLike | None:
        return self.table.person_like

    @property
    def facts(self) -> MixedFacts:
        """What there is to know of the data without records."""
        return MixedFacts(self.table.marginals, self.sets.one_of_each)

    @property
    def is_large(self) -> bool:
        """Too many records for a release that is put together in memory."""
        return self.in_memory is None and is_many(len(self))

    def check_fits(self, executor: Executor) -> None:
        """The release is put together here: refuse what would not fit, before anything is done."""
        check_memory(len(self), int(self.sets.supports.sum()), BYTES_PER_CELL * len(self.table.columns), executor)

    @cached_property
    def whole(self) -> Mixed:
        """All records in memory, in input order."""
        if self.in_memory is not None:
            return self.in_memory
        return Mixed(self.table.whole, self.sets.whole, self.column, self.parts)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"EncodedMixed({len(self)} records in {len(self.table.shards)} shards)"


def shard_mixed(data: Mixed, executor: Executor, bounds: Sequence[int]) -> EncodedMixed:
    """Mixed data in memory in shards that end at the bounds."""
    refuse_people(data.person is not None)
    sets = shard_records(data.transactions, executor, bounds)
    assert isinstance(sets, EncodedTransactions)
    table = shard_table(data.table, executor, bounds)
    return EncodedMixed(table, sets, data.column, data.parts, data)


def encode_mixed(scanned: ScannedMixed, declared: Declarations, executor: Executor) -> EncodedMixed:
    """Read every part once, and encode all of them alike."""
    scanned.check_fits(executor.memory)
    roles, types = scanned.roles()
    types = declared.first(types, scanned.relational)
    described = DescribedColumns.of(scanned.source, scanned.relational, roles, types, scanned.file.places[0].name)
    refuse_people(described.person is not None)
    parts = list(scanned.parts(executor.memory, executor.scratch.folder))
    columns, rows = (str(executor.scratch.below(name).folder) for name in ("shards", "sets"))
    noted = executor.map(note_part, list(enumerate(parts)), columns, rows, scanned)
    table = encode_cells(described, parts, [one["cells"] for one in noted], executor, columns)
    listed = [one["sets"] for one in noted]
    vocabulary = vocabulary_of(listed)
    sets = EncodedTransactions(
        **encode_rows(listed, vocabulary, executor, rows),
        vocabulary=vocabulary,
        sensitive=scanned.sensitive_items(vocabulary),
        collapsed=sum(one["collapsed"] for one in noted),
    )
    return EncodedMixed(table, sets, scanned.column, scanned.sets)


def note_part(numbered: tuple[int, Part], columns: str, rows: str, scanned: ScannedMixed) -> dict[str, Any]:
    """The distinct cells of a part, and its sets in codes of its own."""
    number, part = numbered
    frame, sets = scanned.read_part(part)
    return {
        "cells": note_cells(frame, number, part, columns),
        "sets": save_rows(number, sets.offsets, sets.items, sets.vocabulary, rows),
        "collapsed": sets.collapsed,
    }
