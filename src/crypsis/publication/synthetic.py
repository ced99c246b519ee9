"""Synthetic trajectories in a release: rows with copies, the declared domains, and what was spent.

Nothing that was counted in the original stands in the manifest: not its size, not the utility that the publisher
measured. Such figures would be a release without noise. They go to the private report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.formats.synthetic import DOMAINS, read_synthetic, write_synthetic
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.errors import BadRelease
from crypsis.publication.kind import PublishedKind
from crypsis.reports.synthetic_report import render_synthetic_report, synthetic_pictures


class SyntheticKind(PublishedKind):
    """Made-up trajectories with times."""

    name: ClassVar[str] = "synthetic-trajectories"
    files: ClassVar[dict[str, str]] = {"jsonl": "synthetic.jsonl", "parquet": "synthetic.parquet"}
    private: ClassVar[bool] = True
    aligned: ClassVar[bool] = False

    def companion(self, original: Events, published: SyntheticTrajectories) -> None:
        """Nothing: the domains, with the map where it is public, belong to the rows."""

    def sorted_rows(self, published: SyntheticTrajectories) -> Int64s:
        keys = sorted(range(len(published)), key=_row_keys(published).__getitem__)
        return np.array(keys, np.int64)

    def write(self, folder: Path, published: SyntheticTrajectories, companion: None, rows: Int64s, format: str) -> None:
        write_synthetic(published.take(rows), folder, self.files[format], format)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[SyntheticTrajectories, None]:
        published = read_synthetic(folder, manifest["data"])
        for name, told in manifest["data"]["domains"].items():
            if told.get("digest") != getattr(published, name).digest:
                raise BadRelease(f"{DOMAINS} does not hold the {name} that the manifest names.", where=str(folder))
        return published, None

    def with_private_facts(self, published: SyntheticTrajectories, facts: Mapping[str, Any]) -> SyntheticTrajectories:
        """With the ledger of the run, which is then added up again."""
        ledger = facts.get("ledger")
        if not isinstance(ledger, Mapping):
            raise BadRelease("The private report does not hold the ledger of this release.")
        return replace(published, ledger=ledger)

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

    def resources(self, described: Mapping[str, Any], companion: None) -> list[dict[str, Any]]:
        mediatype = "application/jsonl" if described["format"] == "jsonl" else "application/vnd.apache.parquet"
        return [
            {
                "name": "synthetic",
                "type": "file",
                "path": described["file"],
                "format": described["format"],
                "mediatype": mediatype,
                "description": "One made-up trajectory per row: how many copies of it there are, and its visits, each "
                "a location and a time.",
            },
            {
                "name": "domains",
                "type": "file",
                "path": DOMAINS,
                "format": "json",
                "mediatype": "application/json",
                "description": "The locations and times that there are, as the publisher declared them.",
            },
        ]

    def report(self, manifest: Mapping[str, Any], published: SyntheticTrajectories, companion: None) -> str:
        return render_synthetic_report(manifest, published)

    def pictures(
        self, manifest: Mapping[str, Any], published: SyntheticTrajectories, companion: None
    ) -> dict[str, str]:
        return synthetic_pictures(manifest, published)

    def notes(self, published: SyntheticTrajectories) -> list[str]:
        notes: list[str] = []
        if not len(published):
            notes.append(
                "nothing passed its threshold, so the release is empty; lower the height or coarsen the domains"
            )
        if published.budget.get("dataset_ledger") == "none":
            notes.append("no ledger was given, so nothing adds up what is spent on these data (--ledger FILE)")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domains = described.get("domains")
        return (
            super().is_sound(described)
            and isinstance(described.get("rule"), str)
            and isinstance(described.get("height"), int)
            and isinstance(described.get("budget"), dict)
            and isinstance(domains, dict)
            and set(domains) == {"locations", "times"}
            and all(isinstance(told, dict) for told in domains.values())
        )


def _row_keys(published: SyntheticTrajectories) -> list[tuple[int, ...]]:
    """Rows in canonical order: by the times and locations of their visits."""
    pairs = published.time_codes.astype(np.int64) * len(published.locations) + published.location_codes
    listed, bounds = pairs.tolist(), published.offsets.tolist()
    return [tuple(listed[start:end]) for start, end in pairwise(bounds)]
