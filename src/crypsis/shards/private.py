"""Data of which a private method reads each record by itself, part by part.

What a method keeps of a record follows from the record and from declared domains alone, so parts need no common
numbering: each is read and encoded where a worker is, and the driver never sees a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.place_of_part import on_disk
from crypsis.data.relational import Column, Table
from crypsis.data.scanned import Part, ScannedTable
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.stream import Events
from crypsis.data.transaction import Transactions
from crypsis.data.values import encoded
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.gathered_rows import hash_ids
from crypsis.shards.parts_of_input import parts_of
from crypsis.shards.records import refuse_repeated_ids
from crypsis.shards.table import refuse_people


class PrivatePart(Protocol):
    """A part of the data; every record of it is read by itself."""

    @property
    def where(self) -> str: ...

    def read(self) -> Any: ...


@dataclass(frozen=True)
class SavedPart:
    """A part of data in memory, as a file in scratch."""

    file: str

    @property
    def where(self) -> str:
        return self.file

    def read(self) -> Any:
        return load(self.file)


@dataclass(frozen=True)
class ScannedPart:
    """A part of a file, or all of it."""

    part: Part
    source: Any
    declared: Declarations

    @property
    def where(self) -> str:
        return self.part.file

    def read(self) -> Any:
        return self.part.read_by_record(self.source, self.declared)


@dataclass(frozen=True)
class PrivateShard:
    """What a method keeps of a part, in a file; `rows` records of it are counted, `left_out` lines were none."""

    file: str
    rows: int
    left_out: int


@dataclass(eq=False)
class PrivateParts:
    """Data in parts as a private method sees them. `head` is data of their kind that say how all of them were read.

    `whole` are the data themselves, where they came from memory.
    """

    head: Any
    parts: tuple[PrivatePart, ...]
    executor: Executor = field(repr=False)
    whole: Any = field(default=None, repr=False)
    left_out: int = 0

    @property
    def by_record(self) -> ByRecord | None:
        """The mark of all parts."""
        mark: ByRecord | None = self.head.by_record
        return mark if mark is None else replace(mark, left_out=mark.left_out + self.left_out)

    def encode(self, work: Callable[..., tuple[int, Any]], *common: Any) -> tuple[PrivateShard, ...]:
        """Every part as `work(data, *common)` has it: how many records count, and what is kept of them."""
        folder = self.executor.scratch.below("private")
        numbered = list(enumerate(self.parts))
        encoded_parts: list[tuple[PrivateShard, pl.Series | None]] = self.executor.map(
            encode_part, numbered, str(folder.folder), work, common
        )
        shards = tuple(shard for shard, _ in encoded_parts)
        if self.whole is None:
            refuse_repeated_ids([hashes for _, hashes in encoded_parts], [part.where for part in self.parts])
            self.left_out = sum(shard.left_out for shard in shards)
        return shards

    def encode_people(
        self,
        send: Callable[..., tuple[pl.Series, tuple[Any, ...]]],
        domains: tuple[Any, ...],
        keep: Callable[..., tuple[int, Any]],
        facts: tuple[Any, ...],
    ) -> tuple[PrivateShard, ...]:
        """The same where the rows of a person may lie in any part: all of them come to one shard, in their order.

        `send(data, *domains)` gives the person of each row of a part and arrays with what is sent of the row.
        `keep(persons, *arrays, *facts)` makes a shard of them, with a number for each person.
        """
        numbers = list(range(len(self.parts)))
        numbered = list(enumerate(self.parts))
        pieces = self.executor.exchange(send_rows, numbered, len(numbers), send, domains, len(numbers))
        folder = str(self.executor.scratch.below("private").folder)
        work = list(zip(numbers, pieces, strict=True))
        shards: list[PrivateShard] = self.executor.map(keep_rows, work, folder, keep, facts)
        if self.whole is None:
            self.left_out = sum(shard.left_out for shard in shards)
        return tuple(shards)

    def known(self) -> Any:
        """Data of the same kind and with the same values as all parts, whoever has them: for recipes."""
        if self.whole is not None:
            return self.whole
        return _KNOWN[type(self.head)](self.head, self.executor.map(note_values, self.parts))

    def check_fits(self, shards: Sequence[PrivateShard], memory_per_file_byte: int) -> None:
        """Refuse, before anything is charged, what the workers could not hold while they count."""
        needed = memory_per_file_byte * sum(Path(shard.file).stat().st_size for shard in shards)
        if needed > self.executor.memory * self.executor.workers:
            raise TooLarge(
                f"Workers need about {needed >> 20:,} MiB to hold what is counted, and have "
                f"{self.executor.memory * self.executor.workers >> 20:,} MiB in all. Give more (`memory`, `workers`)."
            )


def head_of(data: Any) -> Any:
    """What says how the data were read: they themselves, or the head of their parts."""
    return data.head if isinstance(data, PrivateParts) else data


def cut_private(data: Any, executor: Executor, bounds: Sequence[int]) -> PrivateParts:
    """Data in memory in parts that end at the bounds."""
    scratch = executor.scratch.below("parts")
    parts = tuple(
        SavedPart(scratch.save(f"part-{number:06d}", data.take(np.arange(first, last))))
        for number, (first, last) in enumerate(pairwise(bounds))
    )
    return PrivateParts(data, parts, executor, whole=data)


def scan_private(scanned: ScannedTable | ScannedRecords, declared: Declarations, executor: Executor) -> PrivateParts:
    """Scanned data in parts; what would need a look at several records is refused."""
    source = scanned.source
    source.refuse_for_records()
    refuse_people(source.parameters().get("person") is not None)  # nobody bounds what a person adds to several parts
    options = {"whole_files": True} if source.kind == "transactions" else {}  # rows of a record are read together
    parts = tuple(ScannedPart(part, source, declared) for part in parts_of(scanned, executor, **options))
    return PrivateParts(_head(scanned, declared), parts, executor)


def encode_part(
    numbered: tuple[int, PrivatePart], folder: str, work: Callable[..., tuple[int, Any]], common: Sequence[Any]
) -> tuple[PrivateShard, pl.Series | None]:
    """One part as a method keeps it, and a number for each id, where records have some."""
    number, part = numbered
    data = part.read()
    rows, kept = work(data, *common)
    left_out = 0 if data.by_record is None else data.by_record.left_out
    shard = PrivateShard(Scratch.at(folder).save(f"shard-{number:06d}", kept), rows, left_out)
    ids = getattr(data, "ids", None)
    return shard, None if ids is None else hash_ids(ids)


def send_rows(
    numbered: tuple[int, PrivatePart],
    send: Callable[..., tuple[pl.Series, tuple[Any, ...]]],
    domains: Sequence[Any],
    targets: int,
) -> Iterator[tuple[int, Any]]:
    """To each shard the rows of its people; to that with the number of the part also how many lines were none."""
    number, part = numbered
    data = part.read()
    persons, arrays = send(data, *domains)
    hashes = hash_ids(persons)
    assert hashes is not None
    target_of = (hashes.to_numpy() % np.uint64(targets)).astype(np.int64)
    left_out = 0 if data.by_record is None else data.by_record.left_out
    for target in range(targets):
        rows = np.flatnonzero(target_of == target)
        if len(rows) or target == number:
            own = tuple(array[rows] for array in arrays)
            yield target, (persons.gather(rows), own, left_out if target == number else 0)


def keep_rows(
    numbered: tuple[int, Sequence[str]], folder: str, keep: Callable[..., tuple[int, Any]], facts: Sequence[Any]
) -> PrivateShard:
    """What was sent to a shard, in the order of the parts."""
    number, files = numbered
    pieces = [load(file) for file in files]
    persons = pl.concat([own for own, _, _ in pieces])
    codes = Vocabulary.of(persons).encode(persons).astype(np.int64)
    columns = zip(*(arrays for _, arrays, _ in pieces), strict=True)
    rows, kept = keep(codes, *(np.concatenate(column) for column in columns), *facts)
    file = Scratch.at(folder).save(f"shard-{number:06d}", kept)
    return PrivateShard(file, rows, sum(left_out for _, _, left_out in pieces))


def note_values(part: PrivatePart) -> Any:
    """The values of a part without its records."""
    data = part.read()
    return _VALUES[type(data)](data)


def _head(scanned: ScannedTable | ScannedRecords, declared: Declarations) -> Any:
    """Data without records, of the kind of what was scanned."""
    if isinstance(scanned, ScannedTable):
        source = scanned.source
        with on_disk(scanned.file.places[0]) as path:
            names = replace(scanned.file, path=path).header() or source.named_columns()
        empty = pl.DataFrame({name: pl.Series([], dtype=pl.String) for name in names})
        roles, types = source.roles(names)
        return Table.from_records(empty, roles, declared.first(types, names), ByRecord(), **source.whose())
    nothing = Events.from_lists([]) if scanned.stands_for is Events else Transactions.from_lists([])
    return replace(nothing, by_record=ByRecord())


def _known_table(head: Table, domains: Sequence[Sequence[pl.Series]]) -> Table:
    """A table in whose columns, each by itself, every value stands once."""
    columns: list[Column] = []
    for column, parts in zip(head.columns, zip(*domains, strict=True), strict=True):
        codes, domain = encoded(pl.concat(parts))
        columns.append(replace(column, domain=domain, codes=codes))
    longest = max(len(column.codes) for column in columns)
    padded = [
        replace(column, codes=np.pad(column.codes, (0, longest - len(column.codes)), constant_values=-1))
        for column in columns
    ]
    return head.change(columns=padded)


def _known_sets(head: Transactions, labels: Sequence[pl.Series]) -> Transactions:
    """One record of all items."""
    every = pl.concat(labels).unique()
    transactions = Transactions.from_columns(np.array([0, len(every)], np.int64), every)
    return replace(transactions, by_record=head.by_record)


def _known_events(head: Events, noted: Sequence[Events]) -> Events:
    """Events at all places and at the first and the last time, of nobody."""
    visited = pl.concat([events.locations.vocabulary.decode(events.location_codes) for events in noted])
    times = np.concatenate([events.t for events in noted])
    frame = pl.DataFrame({"id": ["nobody"] * len(times), "location": visited, "t": times})
    listed = noted[0].locations
    made = Events.from_frame(frame, locations=listed if listed.x is not None else None)
    return replace(made, by_record=head.by_record)


def _values_of_events(events: Events) -> Events:
    """An event at each place, and those at the first and at the last time."""
    places = np.unique(events.location_codes, return_index=True)[1]
    ends = [int(events.t.argmin()), int(events.t.argmax())] if len(events) else []
    return events.take(np.append(places, ends).astype(np.int64))


_VALUES: dict[type, Callable[[Any], Any]] = {
    Table: lambda table: [column.domain for column in table.columns],
    Transactions: lambda sets: sets.vocabulary.series,
    Events: _values_of_events,
}
_KNOWN: dict[type, Callable[[Any, Any], Any]] = {
    Table: _known_table,
    Transactions: _known_sets,
    Events: _known_events,
}
