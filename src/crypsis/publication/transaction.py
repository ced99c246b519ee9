"""Published sets in a release: records of names, and what the names of generalized items stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.formats.published_sets import MEANINGS, read_published_sets, write_published_sets
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.kernels.row_order import sorted_rows
from crypsis.publication.kind import PublishedKind, rows_of_input
from crypsis.reports.transaction_report import render_transaction_report, transaction_pictures

_MEDIA = {"jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet", "csv": "text/csv"}


class TransactionKind(PublishedKind):
    """Sets of generalized items."""

    name: ClassVar[str] = "transactions"
    files: ClassVar[dict[str, str]] = {
        "jsonl": "transactions.jsonl",
        "parquet": "transactions.parquet",
        "csv": "transactions.csv",
    }

    def companion(self, original: Transactions, published: PublishedTransactions) -> None:
        return None

    def sorted_rows(self, published: PublishedTransactions) -> Int64s:
        rank = published.symbols.rank[published.codes]
        rows = np.repeat(np.arange(len(published)), published.lengths)
        return sorted_rows(published.offsets, rank[np.lexsort((rank, rows))])

    def write(self, folder: Path, published: PublishedTransactions, companion: None, rows: Int64s, format: str) -> None:
        write_published_sets(published.take(rows), folder / self.files[format], format=format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedTransactions, None]:
        described = manifest["data"]
        published = replace(
            read_published_sets(folder / described["file"], described.get("format")),
            suppressed=tuple(described.get("suppressed", ())),
            sensitive=tuple(described.get("sensitive", ())),
            domain=described.get("domain"),
        )
        return published, None

    def describe(self, published: PublishedTransactions) -> dict[str, Any]:
        return {
            "rows": len(published),
            "empty_records": int(np.count_nonzero(published.lengths == 0)),
            "occurrences": published.occurrences,
            "symbols": len(np.unique(published.codes)),
            "domain": published.domain,
            "suppressed": list(published.suppressed),
            "sensitive": list(published.sensitive),
        }

    def describe_input(self, original: Transactions) -> dict[str, Any]:
        return {
            "records": len(original),
            "occurrences": original.occurrences,
            "items": int(np.count_nonzero(original.supports)),
        }

    def resources(self, described: Mapping[str, Any], companion: None) -> list[dict[str, Any]]:
        records = {
            "name": "transactions",
            "type": "file",
            "path": described["file"],
            "format": described["format"],
            "mediatype": _MEDIA[described["format"]],
            "description": "One set of items per record. The name of a generalized item stands for some of the items "
            f"that {MEANINGS} lists for it, at least one.",
        }
        return [records, meanings_resource()]

    def report(self, manifest: Mapping[str, Any], published: PublishedTransactions, companion: None) -> str:
        return render_transaction_report(manifest, published)

    def pictures(
        self, manifest: Mapping[str, Any], published: PublishedTransactions, companion: None
    ) -> dict[str, str]:
        return transaction_pictures(manifest, published)

    def with_private_facts(self, published: PublishedTransactions, facts: Mapping[str, Any]) -> PublishedTransactions:
        """The records in the order of the input, so that each can be compared with its original."""
        return published.take(rows_of_input(facts, len(published)))

    def notes(self, published: PublishedTransactions) -> list[str]:
        notes = []
        if published.suppressed:
            notes.append(f"{len(published.suppressed):,} items were left out; the release declares which")
        empty = int(np.count_nonzero(published.lengths == 0))
        if empty:
            notes.append(f"{empty:,} records without items are published as empty records")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domain = described.get("domain")
        return (
            super().is_sound(described)
            and described.get("format") in self.files
            and (domain is None or isinstance(domain, int))
            and all(_is_list_of_labels(described.get(name, [])) for name in ("suppressed", "sensitive"))
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


def _is_list_of_labels(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(label, str) for label in value)
