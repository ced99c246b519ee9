"""Synthetic transactions in a release: sets with copies, the declared items, and what was spent.

As with synthetic trajectories nothing that was counted in the original stands in the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.formats.synthetic_sets import DOMAINS, read_synthetic_sets, write_synthetic_sets
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import Transactions
from crypsis.errors import BadRelease
from crypsis.publication.kind import PublishedKind
from crypsis.reports.synthetic_sets_report import render_synthetic_sets_report, synthetic_set_pictures


class SyntheticSetsKind(PublishedKind):
    """Made-up sets of items."""

    name: ClassVar[str] = "synthetic-transactions"
    files: ClassVar[dict[str, str]] = {"jsonl": "synthetic.jsonl", "parquet": "synthetic.parquet"}
    private: ClassVar[bool] = True
    aligned: ClassVar[bool] = False

    def companion(self, original: Transactions, published: SyntheticTransactions) -> None:
        """Nothing: the domain belongs to the rows."""

    def sorted_rows(self, published: SyntheticTransactions) -> Int64s:
        items, bounds = published.items.tolist(), published.offsets.tolist()
        keys = [items[start:end] for start, end in pairwise(bounds)]
        return np.array(sorted(range(len(published)), key=keys.__getitem__), np.int64)

    def write(self, folder: Path, published: SyntheticTransactions, companion: None, rows: Int64s, format: str) -> None:
        write_synthetic_sets(published.take(rows), folder, self.files[format], format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[SyntheticTransactions, None]:
        published = read_synthetic_sets(folder, manifest["data"])
        if manifest["data"]["domains"]["items"].get("digest") != published.domain.digest:
            raise BadRelease(f"{DOMAINS} does not hold the items that the manifest names.", where=str(folder))
        return published, None

    def with_private_facts(self, published: SyntheticTransactions, facts: Mapping[str, Any]) -> SyntheticTransactions:
        """With the ledger of the run, which is then added up again."""
        ledger = facts.get("ledger")
        if not isinstance(ledger, Mapping):
            raise BadRelease("The private report does not hold the ledger of this release.")
        return replace(published, ledger=ledger)

    def describe(self, published: SyntheticTransactions) -> dict[str, Any]:
        domain = published.domain
        told = {"size": len(domain), "digest": domain.digest, "declared": domain.declared, "file": DOMAINS}
        return {
            "rows": len(published),
            "records": published.records,
            "occurrences": published.occurrences,
            "domains": {"items": told},
            "budget": dict(published.budget),
        }

    def resources(self, described: Mapping[str, Any], companion: None) -> list[dict[str, Any]]:
        mediatype = "application/jsonl" if described["format"] == "jsonl" else "application/vnd.apache.parquet"
        return [
            {
                "name": "synthetic",
                "type": "file",
                "path": described["file"],
                "format": described["format"],
                "mediatype": mediatype,
                "description": "One made-up set of items per row, and how many copies of it there are.",
            },
            {
                "name": "domains",
                "type": "file",
                "path": DOMAINS,
                "format": "json",
                "mediatype": "application/json",
                "description": "The items that there are, as the publisher declared them.",
            },
        ]

    def report(self, manifest: Mapping[str, Any], published: SyntheticTransactions, companion: None) -> str:
        return render_synthetic_sets_report(manifest, published)

    def pictures(
        self, manifest: Mapping[str, Any], published: SyntheticTransactions, companion: None
    ) -> dict[str, str]:
        return synthetic_set_pictures(manifest, published)

    def notes(self, published: SyntheticTransactions) -> list[str]:
        notes: list[str] = []
        if not len(published):
            notes.append("nothing passed its threshold, so the release is empty; raise epsilon or take fewer items")
        if published.budget.get("dataset_ledger") == "none":
            notes.append("no ledger was given, so nothing adds up what is spent on these data (--ledger FILE)")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domains = described.get("domains")
        return (
            super().is_sound(described)
            and isinstance(described.get("budget"), dict)
            and isinstance(domains, dict)
            and isinstance(domains.get("items"), dict)
        )
