"""Synthetic trajectories in a release: rows with copies, the declared domains, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.formats.private_rows import DOMAINS
from crypsis.data.formats.synthetic import read_synthetic, write_synthetic
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.errors import BadRelease
from crypsis.publication.private_kind import PrivateKind


class SyntheticKind(PrivateKind):
    """Made-up trajectories with times."""

    name: ClassVar[str] = "synthetic-trajectories"
    files: ClassVar[dict[str, str]] = {"jsonl": "synthetic.jsonl", "parquet": "synthetic.parquet"}
    report_place: ClassVar[str] = "synthetic_report.SYNTHETIC_REPORT"
    row_name: ClassVar[str] = "synthetic"
    row_meaning: ClassVar[str] = (
        "One made-up trajectory per row: how many copies of it there are, and its visits, each a location and a time."
    )
    domain_meaning: ClassVar[str] = "The locations and times that there are, as the publisher declared them."
    empty_note: ClassVar[str | None] = (
        "nothing passed its threshold, so the release is empty; lower the height or coarsen the domains"
    )

    def sorted_rows(self, published: SyntheticTrajectories) -> Int64s:
        keys = sorted(range(len(published)), key=_row_keys(published).__getitem__)
        return np.array(keys, np.int64)

    def write(self, folder: Path, published: SyntheticTrajectories, side_file: None, rows: Int64s, format: str) -> None:
        write_synthetic(published.take(rows), folder / self.files[format], format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[SyntheticTrajectories, None]:
        published = read_synthetic(folder, manifest["data"])
        for name, told in manifest["data"]["domains"].items():
            if told.get("digest") != getattr(published, name).digest:
                raise BadRelease(f"{DOMAINS} does not hold the {name} that the manifest names.", where=str(folder))
        return published, None

    def describe(self, published: SyntheticTrajectories) -> dict[str, Any]:
        return {
            "rows": len(published),
            "trajectories": published.trajectories,
            "visits": published.visits,
            "rule": published.order,
            "height": published.height,
            "domains": {
                name: {"size": len(domain), "digest": domain.digest, "declared": domain.declared, "file": DOMAINS}
                for name, domain in (("locations", published.locations), ("times", published.times))
            },
            "budget": dict(published.budget),
        }

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domains = described.get("domains") or {}
        return (
            super().is_sound(described)
            and isinstance(described.get("rule"), str)
            and isinstance(described.get("height"), int)
            and set(domains) == {"locations", "times"}
            and all(isinstance(told, dict) for told in domains.values())
        )


def _row_keys(published: SyntheticTrajectories) -> list[tuple[int, ...]]:
    """Rows in canonical order: by the times and locations of their visits."""
    pairs = published.time_codes.astype(np.int64) * len(published.locations) + published.location_codes
    listed, bounds = pairs.tolist(), published.offsets.tolist()
    return [tuple(listed[start:end]) for start, end in pairwise(bounds)]
