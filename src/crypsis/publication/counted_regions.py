"""Counted regions in a release: generalized records with noisy counts, the declared domains, and what was spent.

As with synthetic trajectories nothing that was counted in the original stands in the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.counted_regions import CountedRegions
from crypsis.data.formats.regions import DOMAINS, read_regions, write_regions
from crypsis.data.relational import Table
from crypsis.errors import BadRelease
from crypsis.publication.kind import PublishedKind
from crypsis.reports.regions_report import region_pictures, render_regions_report


class CountedRegionsKind(PublishedKind):
    """Generalized records with counts."""

    name: ClassVar[str] = "counted-regions"
    files: ClassVar[dict[str, str]] = {"jsonl": "regions.jsonl", "parquet": "regions.parquet"}
    private: ClassVar[bool] = True
    aligned: ClassVar[bool] = False

    def companion(self, original: Table, published: CountedRegions) -> None:
        """Nothing: the domains and trees belong to the regions."""

    def sorted_rows(self, published: CountedRegions) -> Int64s:
        keys = np.concatenate([published.low, published.high], axis=1)
        return np.lexsort(keys.T[::-1]).astype(np.int64) if keys.size else np.arange(len(published))

    def write(self, folder: Path, published: CountedRegions, companion: None, rows: Int64s, format: str) -> None:
        write_regions(published.take(rows), folder, self.files[format], format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[CountedRegions, None]:
        published = read_regions(folder, manifest["data"])
        if manifest["data"]["domains"].get("digest") != published.digest:
            raise BadRelease(f"{DOMAINS} does not hold the domains that the manifest names.", where=str(folder))
        return published, None

    def with_private_facts(self, published: CountedRegions, facts: Mapping[str, Any]) -> CountedRegions:
        """With the ledger of the run, which is then added up again."""
        ledger = facts.get("ledger")
        if not isinstance(ledger, Mapping):
            raise BadRelease("The private report does not hold the ledger of this release.")
        return replace(published, ledger=ledger)

    def describe(self, published: CountedRegions) -> dict[str, Any]:
        return {
            "rows": len(published),
            "records": published.records,
            "attributes": list(published.names),
            "class": published.class_name,
            "domains": {"digest": published.digest, "declared": published.declared, "file": DOMAINS},
            "budget": dict(published.budget),
        }

    def resources(self, described: Mapping[str, Any], companion: None) -> list[dict[str, Any]]:
        mediatype = "application/jsonl" if described["format"] == "jsonl" else "application/vnd.apache.parquet"
        return [
            {
                "name": "regions",
                "type": "file",
                "path": described["file"],
                "format": described["format"],
                "mediatype": mediatype,
                "description": "One region of the domain per row: a category or an interval for each attribute, and a "
                "noisy count for each class. An interval holds its lower end and not its upper one.",
            },
            {
                "name": "domains",
                "type": "file",
                "path": DOMAINS,
                "format": "json",
                "mediatype": "application/json",
                "description": "The numbers, categories and classes that there are, as the publisher declared them.",
            },
        ]

    def report(self, manifest: Mapping[str, Any], published: CountedRegions, companion: None) -> str:
        return render_regions_report(manifest, published)

    def pictures(self, manifest: Mapping[str, Any], published: CountedRegions, companion: None) -> dict[str, str]:
        return region_pictures(manifest, published)

    def notes(self, published: CountedRegions) -> list[str]:
        notes: list[str] = []
        if published.budget.get("dataset_ledger") == "none":
            notes.append("no ledger was given, so nothing adds up what is spent on these data (--ledger FILE)")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        return (
            super().is_sound(described)
            and isinstance(described.get("budget"), dict)
            and isinstance(described.get("domains"), dict)
        )
