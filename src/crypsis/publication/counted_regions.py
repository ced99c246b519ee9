"""Counted regions in a release: generalized records with noisy counts, the declared domains, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.counted_regions import CountedRegions
from crypsis.data.formats.private_rows import DOMAINS
from crypsis.data.formats.regions import read_regions, write_regions
from crypsis.errors import BadRelease
from crypsis.publication.private_kind import PrivateKind


class CountedRegionsKind(PrivateKind):
    """Generalized records with counts."""

    name: ClassVar[str] = "counted-regions"
    files: ClassVar[dict[str, str]] = {"jsonl": "regions.jsonl", "parquet": "regions.parquet"}
    report_place: ClassVar[str] = "regions_report.REGIONS_REPORT"
    row_name: ClassVar[str] = "regions"
    row_meaning: ClassVar[str] = (
        "One region of the domain per row: a category or an interval for each attribute, and a noisy count for each "
        "class. An interval holds its lower end and not its upper one."
    )
    domain_meaning: ClassVar[str] = (
        "The numbers, categories and classes that there are, as the publisher declared them."
    )

    def sorted_rows(self, published: CountedRegions) -> Int64s:
        keys = np.concatenate([published.low, published.high], axis=1)
        return np.lexsort(keys.T[::-1]).astype(np.int64) if keys.size else np.arange(len(published))

    def write(self, folder: Path, published: CountedRegions, side_file: None, rows: Int64s, format: str) -> None:
        write_regions(published.take(rows), folder / self.files[format], format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[CountedRegions, None]:
        published = read_regions(folder, manifest["data"])
        if manifest["data"]["domains"].get("digest") != published.digest:
            raise BadRelease(f"{DOMAINS} does not hold the domains that the manifest names.", where=str(folder))
        return published, None

    def describe(self, published: CountedRegions) -> dict[str, Any]:
        return {
            "rows": len(published),
            "records": published.records,
            "attributes": list(published.names),
            "class": published.class_name,
            "domains": {"digest": published.digest, "declared": published.declared, "file": DOMAINS},
            "budget": dict(published.budget),
        }
