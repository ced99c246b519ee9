"""Published sets in a release: records of names, and what the names of generalized items stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.formats.published_sets import (
    MEANINGS,
    read_published_sets,
    read_set_part,
    write_meanings,
    write_published_sets,
)
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee
from crypsis.guarantees.verdict import Verdict
from crypsis.kernels.row_order import sorted_rows
from crypsis.metrics.published_symbols import published_symbols
from crypsis.publication.kind import (
    SUPPRESSED_LABELS,
    PublishedKind,
    declared_labels,
    is_list_of_labels,
    rows_of_input,
    shown_labels,
    suppressed_labels,
)
from crypsis.publication.record_parts import write_parts
from crypsis.publication.table_parts import PARTS, data_paths
from crypsis.verifiers.counted_rows import count_rows
from crypsis.verifiers.published_sets import untruthful
from crypsis.verifiers.set_parts import verify_set_parts

_MEDIA = {"jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet", "csv": "text/csv"}


class TransactionKind(PublishedKind):
    """Sets of generalized items."""

    name = "transactions"
    files: ClassVar[dict[str, str]] = {
        "jsonl": "transactions.jsonl",
        "parquet": "transactions.parquet",
        "csv": "transactions.csv",
        PARTS: "transactions",
    }
    files_beside = frozenset([MEANINGS])
    report_place = "transaction_report.TRANSACTION_REPORT"

    def side_file(self, original: Transactions, published: PublishedTransactions) -> None:
        return None

    def sorted_rows(self, published: PublishedTransactions) -> Int64s:
        return sorted_rows(*self.ranked_rows(published))

    def ranked_rows(self, published: PublishedTransactions) -> tuple[Int64s, Int32s]:
        rank = published.symbols.rank[published.codes]
        rows = np.repeat(np.arange(len(published)), published.lengths)
        return published.offsets, rank[np.lexsort((rank, rows))]

    def write(self, folder: Path, published: PublishedTransactions, side_file: None, rows: Int64s, format: str) -> None:
        if format == PARTS:
            occurrences = np.bincount(published.codes, minlength=len(published.symbols))
            named = self.settled(published, occurrences)
            write_parts(self, named.take(rows), folder / self.files[format])
            self.write_beside_parts(folder, named)
        else:
            write_published_sets(published.take(rows), folder / self.files[format], format=format)

    def settled(self, symbols: PublishedTransactions, occurrences: Int64s) -> PublishedTransactions:
        return replace(symbols, abbreviated=symbols.abbreviates(occurrences))

    def write_part(self, published: PublishedTransactions, file: Path) -> None:
        write_published_sets(published, file, format="parquet", alone=True)

    def write_beside_parts(self, folder: Path, symbols: PublishedTransactions) -> None:
        write_meanings(symbols, folder)

    def problem_of_shard(self, published: PublishedTransactions, original: Transactions) -> str | None:
        return untruthful(published, original)[0]

    def verify_parts(
        self, files: Sequence[str], described: Mapping[str, Any], guarantee: Guarantee, executor: Executor
    ) -> tuple[int, Verdict]:
        counted = count_rows(files, read_set_part, executor)
        sensitive = declared_labels(described, counted.names, described["file"])
        return counted.n_records, verify_set_parts(counted, guarantee, sensitive)

    def read_file(self, path: Path) -> PublishedTransactions:
        return read_published_sets(path)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedTransactions, None]:
        described = manifest["data"]
        published = read_published_sets(folder / described["file"], described.get("format"))
        sensitive = declared_labels(described, published.symbols.label_lists, described["file"])
        return replace(published, suppressed=None, sensitive=sensitive), None

    def describe(self, published: PublishedTransactions) -> dict[str, Any]:
        return {
            "rows": len(published),
            "empty_records": int(np.count_nonzero(published.lengths == 0)),
            "occurrences": published.occurrences,
            "symbols": len(np.unique(published.codes)),
            "sensitive": shown_labels(published.sensitive, published),
        }

    def figures(self, published: PublishedTransactions) -> dict[str, Any]:
        return published_symbols(published)

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        format = "parquet" if described["format"] == PARTS else described["format"]
        records = {
            "name": "transactions",
            "type": "file",
            "path": data_paths(described),
            "format": format,
            "mediatype": _MEDIA[format],
            "description": "One set of items per record. The name of a generalized item stands for some of the items "
            f"that {MEANINGS} lists for it, at least one.",
        }
        return [records, meanings_resource()]

    def with_private_facts(self, published: PublishedTransactions, facts: Mapping[str, Any]) -> PublishedTransactions:
        """The records in the order of the input, so that each can be compared with its original."""
        restored = replace(published, suppressed=suppressed_labels(facts), domain=facts.get("domain"))
        return restored.take(rows_of_input(facts, len(published)))

    def private_facts(self, published: PublishedTransactions) -> dict[str, Any]:
        """Which items were suppressed, and out of how many."""
        return {SUPPRESSED_LABELS: list(published.suppressed or ()), "domain": published.domain}

    def notes(self, published: PublishedTransactions) -> list[str]:
        notes = []
        if published.suppressed:
            notes.append(f"{len(published.suppressed):,} items were left out; the private report says which")
        empty = int(np.count_nonzero(published.lengths == 0))
        if empty:
            notes.append(f"{empty:,} records without items are published as empty records")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        return (
            super().is_sound(described)
            and described.get("format") in self.files
            and is_list_of_labels(described.get("sensitive"))
        )


def meanings_resource() -> dict[str, Any]:
    """The file that tells what the names of generalized items stand for, as a data package lists it."""
    fields = [{"name": "name", "type": "string"}, {"name": "item", "type": "string"}]
    return {
        "name": "generalized-items",
        "type": "table",
        "path": MEANINGS,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": fields, "primaryKey": ["name", "item"]},
    }
