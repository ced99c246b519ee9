"""Published trajectories in a release: rows of symbols, and the coordinates of the locations they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.data.arrays import Int64s
from crypsis.data.formats.published import read_published_trajectories, write_published_trajectories
from crypsis.data.reading import read_locations
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.kernels.row_order import sorted_rows
from crypsis.publication.kind import PublishedKind
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures import PICTURES
from crypsis.reports.release_report import render_report
from crypsis.reports.svg import standalone

LOCATIONS = "locations.csv"


class TrajectoryKind(PublishedKind):
    """Trajectories of generalized locations."""

    name: ClassVar[str] = "trajectories"
    files: ClassVar[dict[str, str]] = {"jsonl": "trajectories.jsonl", "parquet": "trajectories.parquet"}

    def companion(self, original: Trajectories, published: PublishedTrajectories) -> Locations | None:
        """Coordinates of the locations that some published symbol names, and of no other."""
        if not original.locations.has_coordinates:
            return None
        symbols = published.symbols
        occurs = np.zeros(len(symbols), np.bool_)
        occurs[published.codes] = True
        named = symbols.vocabulary.decode(np.unique(symbols.members[np.repeat(occurs, symbols.sizes)]))
        shown = original.locations.to_frame().select("location", "x", "y")
        return Locations.from_frame(shown.filter(pl.col("location").is_in(named.to_list())))

    def sorted_rows(self, published: PublishedTrajectories) -> Int64s:
        return sorted_rows(published.offsets, published.symbols.rank[published.codes])

    def write(
        self, folder: Path, published: PublishedTrajectories, companion: Locations | None, rows: Int64s, format: str
    ) -> None:
        write_published_trajectories(published.take(rows), folder / self.files[format], format=format)
        if companion is not None:
            companion.to_frame().write_csv(folder / LOCATIONS)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedTrajectories, Locations | None]:
        described = manifest["data"]
        published = replace(read_published_trajectories(folder / described["file"]), longest=described["longest"])
        return published, read_locations(folder / LOCATIONS) if LOCATIONS in manifest["files"] else None

    def describe(self, published: PublishedTrajectories) -> dict[str, Any]:
        return {
            "rows": len(published),
            "visits": published.visits,
            "symbols": len(np.unique(published.codes)),
            "longest": published.longest,
        }

    def describe_input(self, original: Trajectories) -> dict[str, Any]:
        return {
            "trajectories": len(original),
            "visits": original.visits,
            "locations": int(original.occurring.sum()),
        }

    def resources(self, described: Mapping[str, Any], companion: Locations | None) -> list[dict[str, Any]]:
        # Symbols inside rows are JSON Lines or Parquet, not a flat table, so the data are described as a file.
        mediatype = "application/jsonl" if described["format"] == "jsonl" else "application/vnd.apache.parquet"
        rows = {
            "name": "trajectories",
            "type": "file",
            "path": described["file"],
            "format": described["format"],
            "mediatype": mediatype,
            "description": "One trajectory per row: a list of symbols, each a label or a sorted list of labels "
            "read as 'exactly one of these'.",
        }
        fields = [
            {"name": "location", "type": "string"},
            {"name": "x", "type": "number"},
            {"name": "y", "type": "number"},
        ]
        places = {
            "name": "locations",
            "type": "table",
            "path": LOCATIONS,
            "format": "csv",
            "mediatype": "text/csv",
            "encoding": "utf-8",
            "schema": {"fields": fields, "primaryKey": ["location"]},
        }
        return [rows] if companion is None else [rows, places]

    def report(self, manifest: Mapping[str, Any], published: PublishedTrajectories, companion: Locations | None) -> str:
        return render_report(manifest, published, companion)

    def pictures(
        self, manifest: Mapping[str, Any], published: PublishedTrajectories, companion: Locations | None
    ) -> dict[str, str]:
        facts = ReleaseFacts.of(manifest, published, companion)
        return {name: standalone(picture(facts)) for name, picture in PICTURES.items()}

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        longest = described.get("longest", 0)
        return super().is_sound(described) and (longest is None or (isinstance(longest, int) and longest >= 0))
