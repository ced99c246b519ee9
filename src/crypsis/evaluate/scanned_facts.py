"""What is known of data in parts before they are anonymized: records, columns, labels, distinct rows; never records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.declarations import Declarations
from crypsis.data.scanned import ScannedTable
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.methods import METHODS
from crypsis.methods.relational.weighted_rows import DRIVER_ROWS, add_rows, count_rows
from crypsis.run_context import RunContext
from crypsis.shards.gathered_rows import hash_ids
from crypsis.shards.mixed import EncodedMixed, encode_mixed
from crypsis.shards.private import scan_private
from crypsis.shards.records import EncodedRecords, encode_records
from crypsis.shards.table import EncodedTable, encode_table
from crypsis.shards.tracks import EncodedTracks, encode_tracks

MOST_ROWS = DRIVER_ROWS  # that methods search which look at distinct rows


@dataclass(frozen=True)
class ScannedColumn:
    """A column of data in parts."""

    name: str
    role: str
    type: str
    values: int
    missing: int


@dataclass(frozen=True)
class ScannedFacts:
    """Data in parts by their facts."""

    kind: str
    files: int
    shards: int
    records: int
    columns: tuple[ScannedColumn, ...] = ()
    distinct_rows: int | None = None  # of quasi-identifiers
    labels: int | None = None  # items or locations that occur
    values: int | None = None  # in all records together; of tracks the fixes
    longest: int | None = None
    empty: int | None = None

    @property
    def methods(self) -> dict[str, tuple[str, str]]:
        """Each method for such data: how it works on parts, and how the release of many records is put together."""
        fitting = [method for method in METHODS.values() if method.accepts.__name__.lower() == self.kind]
        return {method.__name__: method.describe_on_parts() for method in fitting}

    @property
    def has_too_many_rows(self) -> bool:
        """More distinct rows than methods search that look at distinct rows."""
        return self.distinct_rows is not None and self.distinct_rows > MOST_ROWS

    def to_dict(self) -> dict[str, object]:
        known = {name: value for name, value in asdict(self).items() if value not in (None, ())}
        methods = {name: {"on_parts": mode, "release": release} for name, (mode, release) in self.methods.items()}
        return known | {"methods": methods}


def facts_of(
    scanned: ScannedTable | ScannedMixed | ScannedRecords, executor: Executor, context: RunContext
) -> ScannedFacts:
    """Read every part once, in bounded memory, and count."""
    kind, files = scanned.stands_for.__name__.lower(), len(scanned.file.places)
    if isinstance(scanned, ScannedRecords) and scanned.stands_for is Events:
        with context.stage("count"):
            return _facts_of_events(scanned, files, executor)
    with context.stage("read"):
        encoded = _encoded(scanned, executor)
    facts = ScannedFacts(kind, files, len(encoded.shards), len(encoded))
    if isinstance(encoded, EncodedTracks):
        return replace(facts, values=encoded.n_fixes, longest=encoded.longest)
    if isinstance(encoded, EncodedRecords):
        return replace(facts, **_facts_of_records(encoded))
    with context.stage("count"):
        if isinstance(encoded, EncodedMixed):
            return replace(facts, **_facts_of_table(encoded.table, executor), **_facts_of_records(encoded.sets))
        return replace(facts, **_facts_of_table(encoded, executor))


def _encoded(
    scanned: ScannedTable | ScannedMixed | ScannedRecords, executor: Executor
) -> EncodedTable | EncodedMixed | EncodedTracks | EncodedRecords:
    if isinstance(scanned, ScannedTable):
        return encode_table(scanned, Declarations(), executor)
    if isinstance(scanned, ScannedMixed):
        return encode_mixed(scanned, Declarations(), executor)
    return encode_tracks(scanned, executor) if scanned.stands_for is Tracks else encode_records(scanned, executor)


def _facts_of_table(table: EncodedTable, executor: Executor) -> dict[str, Any]:
    columns = tuple(
        ScannedColumn(column.name, column.role, column.type, len(column.domain), int(counts[-1]))
        for column, counts in zip(table.columns, table.counts, strict=True)
    )
    quasi = [index for index, column in enumerate(table.columns) if column.role == "quasi"]
    rows: Any = executor.fold(count_rows, add_rows, table.shards, quasi) if quasi and table.shards else None
    return {"columns": columns, "distinct_rows": None if rows is None else len(rows)}


def _facts_of_records(records: EncodedRecords) -> dict[str, Any]:
    return {
        "labels": int(np.count_nonzero(records.supports)),
        "values": int((records.lengths * np.arange(len(records.lengths))).sum()),
        "longest": records.longest,
        "empty": len(records) - records.n_filled,
    }


def _facts_of_events(scanned: ScannedRecords, files: int, executor: Executor) -> ScannedFacts:
    """People, places and events; a person may have some in any part."""
    shards = scan_private(scanned, Declarations(), executor).encode_people(send_places, (), count_visits, ())
    counted = [load(shard.file) for shard in shards]
    return ScannedFacts(
        "events",
        files,
        len(shards),
        sum(shard.rows for shard in shards),
        labels=len(np.unique(np.concatenate([places for places, _ in counted]))),
        values=sum(int(visits.sum()) for _, visits in counted),
        longest=max(int(visits.max(initial=0)) for _, visits in counted),
        empty=0,
    )


def send_places(data: Events) -> tuple[pl.Series, tuple[np.ndarray[Any, np.dtype[np.uint64]]]]:
    """The person of each event, and a number for the place that is the same in every part."""
    places = hash_ids(data.locations.vocabulary.series)
    assert places is not None
    return data.people.decode(data.persons), (places.to_numpy()[data.location_codes],)


def count_visits(
    persons: Int64s, places: np.ndarray[Any, np.dtype[np.uint64]]
) -> tuple[int, tuple[np.ndarray[Any, np.dtype[np.uint64]], Int64s]]:
    """How many people there are, which places they were at, and how many events each has."""
    visits = np.bincount(persons)
    return len(visits), (np.unique(places), visits)
