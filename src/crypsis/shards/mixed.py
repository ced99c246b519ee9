"""Mixed data in shards: the columns as those of a table, the sets as those of transactions, record by record.

Facts are those of data in memory: domains and counts of the columns, labels and supports of the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.data.declarations import Declarations
from crypsis.data.mixed import Mixed
from crypsis.data.person_detection import PersonLike
from crypsis.data.relational import Table
from crypsis.data.scanned import Part
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.transaction import Transactions
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.parts_of_input import parts_of
from crypsis.shards.people import PeopleInShards, PersonShard
from crypsis.shards.ragged import RaggedShard, joined_rows
from crypsis.shards.records import (
    EncodedTransactions,
    check_memory,
    encode_rows,
    is_many,
    save_rows,
    shard_records,
    vocabulary_of,
)
from crypsis.shards.table import DescribedColumns, EncodedTable, encode_cells, note_cells, shard_table
from crypsis.shards.table_shard import TableShard

BYTES_PER_CELL = 64  # of the columns, where a release is put together


@dataclass(frozen=True)
class MixedShard:
    """One part: the codes of its columns and of its sets, for the same records."""

    table: TableShard
    sets: RaggedShard

    def sets_of(self, numbers: Int64s) -> tuple[Int64s, Int32s]:
        """The sets of the records that have these numbers in the input."""
        offsets, items = self.sets.read()
        own = self.table.numbers()
        order = np.argsort(own, kind="stable")
        taken, positions = take_records(offsets, order[np.searchsorted(own[order], numbers)])
        return taken, items[positions]


@dataclass(frozen=True)
class MixedFacts:
    """What is known of mixed data without their records: columns that each hold all values as often as they occur, and
    one record with all items, whose supports are those of all records."""

    table: Table
    transactions: Transactions


@dataclass(frozen=True, eq=False)
class EncodedMixed:
    """All that the driver knows of mixed data in shards. Where people have several records, `of_people` are shards in
    which each person is whole."""

    table: EncodedTable
    sets: EncodedTransactions
    column: str
    parts: tuple[str, ...]
    in_memory: Mixed | None = field(default=None, repr=False)  # the same data, where they came from memory
    of_people: tuple[MixedShard, ...] = ()

    @property
    def shards(self) -> tuple[MixedShard, ...]:
        return tuple(map(MixedShard, self.table.shards, self.sets.shards))

    @property
    def whole_people(self) -> tuple[MixedShard, ...]:
        """Shards in which each person is whole."""
        return self.shards if self.person is None else self.of_people

    @property
    def person(self) -> PeopleInShards | None:
        """The people, where some have several records."""
        return self.table.person

    @property
    def n_people(self) -> int:
        """How many people there are; records, where each is one."""
        return len(self) if self.person is None else len(self.person)

    def holders(self, executor: Executor) -> Int64s:
        """By item: how many people have a record that holds it."""
        if self.person is None:
            return self.sets.supports
        n_items = len(self.sets.vocabulary)
        return np.asarray(executor.fold(holders_of_shard, np.add, self.of_people, n_items), np.int64)

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
        return self.in_memory is None and self.person is None and is_many(len(self))

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
    sets = shard_records(replace(data.transactions, person=None), executor, bounds)
    assert isinstance(sets, EncodedTransactions)
    table = shard_table(data.table, executor, bounds)
    return EncodedMixed(table, sets, data.column, data.parts, data, bring_sets_together(table, sets, executor))


def encode_mixed(scanned: ScannedMixed, declared: Declarations, executor: Executor) -> EncodedMixed:
    """Read every part once, and encode all of them alike."""
    scanned.check_fits(executor.memory)
    roles, types = scanned.roles()
    types = declared.first(types, scanned.relational)
    described = DescribedColumns.of(scanned.source, scanned.relational, roles, types, scanned.file.places[0].name)
    parts = parts_of(scanned, executor)
    columns, rows = (str(executor.scratch.below(name).folder) for name in ("shards", "sets"))
    noted = executor.map(note_part, list(enumerate(parts)), columns, rows, scanned)
    table = encode_cells(described, parts, [note["cells"] for note in noted], executor, columns)
    listed = [note["sets"] for note in noted]
    vocabulary = vocabulary_of(listed)
    sets = EncodedTransactions(
        **encode_rows(listed, vocabulary, executor, rows),
        vocabulary=vocabulary,
        sensitive=scanned.sensitive_items(vocabulary),
        collapsed=sum(note["collapsed"] for note in noted),
    )
    of_people = bring_sets_together(table, sets, executor)
    return EncodedMixed(table, sets, scanned.column, scanned.sets, of_people=of_people)


def bring_sets_together(table: EncodedTable, sets: EncodedTransactions, executor: Executor) -> tuple[MixedShard, ...]:
    """The sets of people with several records beside their columns, which lie person by person."""
    people = table.person
    if people is None:
        return ()
    folder = str(executor.scratch.below("sets").folder)
    last = np.array([int(shard.persons()[-1]) for shard in people.shards], np.int64)  # persons ascend over shards
    work = list(zip(sets.shards, people.persons, strict=True))
    pieces = executor.exchange(sets_by_person, work, len(last), last)
    files = executor.map(arrange_sets, list(enumerate(pieces)), folder)
    return tuple(
        MixedShard(shard, RaggedShard(file, shard.first, shard.rows, -1))
        for shard, file in zip(people.shards, files, strict=True)
    )


def sets_by_person(work: tuple[RaggedShard, str], last: Int64s) -> Iterator[tuple[int, Any]]:
    """The sets of a part by the shard that their persons are whole in."""
    shard, file = work
    (offsets, items), persons = shard.read(), load(file)
    targets = np.searchsorted(last, persons)
    for target in np.unique(targets).tolist():
        chosen = np.flatnonzero(targets == target)
        taken, positions = take_records(offsets, chosen)
        yield target, (taken, items[positions], persons[chosen])


def arrange_sets(numbered: tuple[int, Sequence[str]], folder: str) -> str:
    """The sets of some persons, one person after another, those of each as in the input."""
    number, files = numbered
    pieces = [load(file) for file in files]
    offsets, items = joined_rows([piece[:2] for piece in pieces])
    order = np.argsort(np.concatenate([piece[2] for piece in pieces]), kind="stable")
    taken, positions = take_records(offsets, order)
    return Scratch.at(folder).save(f"sets-{number:06d}", (taken, items[positions].astype(np.int32)))


def holders_of_shard(shard: MixedShard, n_items: int) -> Int64s:
    """How many people of a shard have a record with each item."""
    assert isinstance(shard.table, PersonShard)
    offsets, items = shard.sets.read()
    pairs = np.unique(np.repeat(shard.table.persons(), np.diff(offsets)) * max(n_items, 1) + items)
    return np.bincount(pairs % max(n_items, 1), minlength=n_items).astype(np.int64)


def note_part(numbered: tuple[int, Part], columns: str, rows: str, scanned: ScannedMixed) -> dict[str, Any]:
    """The distinct cells of a part, and its sets in codes of its own."""
    number, part = numbered
    frame, sets = scanned.read_part(part)
    return {
        "cells": note_cells(frame, number, part, columns),
        "sets": save_rows(number, sets.offsets, sets.items, sets.vocabulary, rows),
        "collapsed": sets.collapsed,
    }
