"""What is known of data in parts before they are anonymized: records, columns, labels, distinct rows; never records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from crypsis.data.declarations import Declarations
from crypsis.data.scanned import ScannedTable
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.scanned_records import ScannedRecords
from crypsis.executors.executor import Executor
from crypsis.methods import METHODS
from crypsis.methods.relational.weighted_rows import DRIVER_ROWS, add_rows, count_rows
from crypsis.run_context import RunContext
from crypsis.shards.mixed import EncodedMixed, encode_mixed
from crypsis.shards.records import EncodedRecords, encode_records
from crypsis.shards.table import EncodedTable, encode_table

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
    values: int | None = None  # in all records together
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
    kind, files = scanned.stands_for.__name__.lower(), len(scanned.file.files)
    with context.stage("read"):
        encoded = _encoded(scanned, executor)
    facts = ScannedFacts(kind, files, len(encoded.shards), len(encoded))
    if isinstance(encoded, EncodedRecords):
        return replace(facts, **_facts_of_records(encoded))
    with context.stage("count"):
        if isinstance(encoded, EncodedMixed):
            return replace(facts, **_facts_of_table(encoded.table, executor), **_facts_of_records(encoded.sets))
        return replace(facts, **_facts_of_table(encoded, executor))


def _encoded(
    scanned: ScannedTable | ScannedMixed | ScannedRecords, executor: Executor
) -> EncodedTable | EncodedMixed | EncodedRecords:
    if isinstance(scanned, ScannedTable):
        return encode_table(scanned, Declarations(), executor)
    if isinstance(scanned, ScannedMixed):
        return encode_mixed(scanned, Declarations(), executor)
    return encode_records(scanned, executor)


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
