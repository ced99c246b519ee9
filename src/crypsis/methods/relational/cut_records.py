"""The records of a global cut: here, or in shards whose counts are added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from crypsis.arrays import Int32s, Int64s
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.methods.relational.global_cut import ColumnCounts, GlobalCut
from crypsis.methods.summed_counts import sum_keys
from crypsis.shards.private import PrivateShard


class CutRecords(Protocol):
    """What the records say of each attribute, and of the regions of a cut."""

    n_records: int

    def columns(self) -> list[ColumnCounts]:
        """How many records have each cell of each attribute, by class."""
        ...

    def class_counts(self, cut: GlobalCut) -> Int64s:
        """The records of each class in every region, region after region."""
        ...


class CutRecordsHere:
    """Records in this process."""

    def __init__(self, rows: Int32s, classes: Int32s, n_classes: int) -> None:
        self.rows, self.classes, self.n_classes, self.n_records = rows, classes, n_classes, len(rows)

    def columns(self) -> list[ColumnCounts]:
        return [ColumnCounts.of(cells, self.classes, self.n_classes) for cells in self.rows.T]

    def class_counts(self, cut: GlobalCut) -> Int64s:
        return cut.class_counts(self.rows, self.classes, self.n_classes)


class CutRecordsInShards:
    """Records in shards."""

    def __init__(self, shards: Sequence[PrivateShard], n_classes: int, executor: Executor) -> None:
        self.shards, self.n_classes, self.executor = shards, n_classes, executor
        self.n_records = sum(shard.rows for shard in shards)

    def columns(self) -> list[ColumnCounts]:
        columns: list[ColumnCounts] = self.executor.fold(count_columns, add_columns, self.shards, self.n_classes)
        return columns

    def class_counts(self, cut: GlobalCut) -> Int64s:
        counts: Int64s = self.executor.fold(count_regions, add_regions, self.shards, cut, self.n_classes)
        return counts


def count_columns(shard: PrivateShard, n_classes: int) -> list[ColumnCounts]:
    """What a shard says of each attribute."""
    return _read(shard, n_classes).columns()


def add_columns(some: Sequence[ColumnCounts], others: Sequence[ColumnCounts]) -> list[ColumnCounts]:
    """What two shards say together."""
    pairs = zip(some, others, strict=True)
    return [ColumnCounts(*sum_keys([(one.keys, one.counts), (other.keys, other.counts)])) for one, other in pairs]


def count_regions(shard: PrivateShard, cut: GlobalCut, n_classes: int) -> Int64s:
    """The records of each class in every region of a shard."""
    return _read(shard, n_classes).class_counts(cut)


def add_regions(some: Int64s, others: Int64s) -> Int64s:
    """The same of two shards together."""
    return some + others


def _read(shard: PrivateShard, n_classes: int) -> CutRecordsHere:
    rows, classes = load(shard.file)
    return CutRecordsHere(rows, classes, n_classes)
