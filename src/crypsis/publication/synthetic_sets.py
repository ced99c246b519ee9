"""Synthetic transactions in a release: sets with copies, the declared items, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.formats.private_rows import DOMAINS
from crypsis.data.formats.synthetic_sets import read_synthetic_sets, write_synthetic_sets
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.errors import BadRelease
from crypsis.publication.private_kind import PrivateKind


class SyntheticSetsKind(PrivateKind):
    """Made-up sets of items."""

    name: ClassVar[str] = "synthetic-transactions"
    files: ClassVar[dict[str, str]] = {"jsonl": "synthetic.jsonl", "parquet": "synthetic.parquet"}
    report_place: ClassVar[str] = "synthetic_sets_report.SYNTHETIC_SETS_REPORT"
    row_name: ClassVar[str] = "synthetic"
    row_meaning: ClassVar[str] = "One made-up set of items per row, and how many copies of it there are."
    domain_meaning: ClassVar[str] = "The items that there are, as the publisher declared them."
    empty_note: ClassVar[str | None] = (
        "nothing passed its threshold, so the release is empty; raise epsilon or take fewer items"
    )

    def sorted_rows(self, published: SyntheticTransactions) -> Int64s:
        items, bounds = published.items.tolist(), published.offsets.tolist()
        keys = [items[start:end] for start, end in pairwise(bounds)]
        return np.array(sorted(range(len(published)), key=keys.__getitem__), np.int64)

    def write(self, folder: Path, published: SyntheticTransactions, side_file: None, rows: Int64s, format: str) -> None:
        write_synthetic_sets(published.take(rows), folder / self.files[format], format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[SyntheticTransactions, None]:
        published = read_synthetic_sets(folder, manifest["data"])
        if manifest["data"]["domains"]["items"].get("digest") != published.domain.digest:
            raise BadRelease(f"{DOMAINS} does not hold the items that the manifest names.", where=str(folder))
        return published, None

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

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domains = described.get("domains") or {}
        return super().is_sound(described) and isinstance(domains.get("items"), dict)
