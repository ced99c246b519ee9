"""Published windows in a release: one JSON object a line, in the order in which they were published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.stream import Events
from crypsis.data.windows import PublishedWindows, read_windows, window_line, window_object
from crypsis.errors import BadRelease
from crypsis.metrics.published_windows import published_windows
from crypsis.publication.kind import PublishedKind

DROPPED = "dropped"


class WindowKind(PublishedKind):
    """Windows of a stream."""

    name = "windows"
    files: ClassVar[dict[str, str]] = {"jsonl": "windows.jsonl"}
    report_place = "windows_report.WINDOWS_REPORT"

    def side_file(self, original: Events, published: PublishedWindows) -> None:
        return None

    def sorted_rows(self, published: PublishedWindows) -> Int64s:
        """Windows stay in the order of time; records inside are sorted by pseudonym."""
        return np.arange(len(published), dtype=np.int64)

    def write(self, folder: Path, published: PublishedWindows, side_file: None, rows: Int64s, format: str) -> None:
        labels = published.locations.labels
        with (folder / self.files[format]).open("wb") as file:
            for index in rows.tolist():
                window = published.windows[index]
                file.write(window_line(window_object(window, labels, published.classes, {})))

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedWindows, None]:
        described = manifest["data"]
        with (folder / described["file"]).open("rb") as lines:
            read = read_windows(lines, linkable=described.get("pseudonyms") == "stable")
        return replace(read, drops_exits=described.get("exits") == DROPPED), None

    def with_private_facts(self, published: PublishedWindows, facts: Mapping[str, Any]) -> PublishedWindows:
        """With the key of the pseudonyms, so that together with the original it can be told who is who."""
        try:
            return replace(published, key=bytes.fromhex(facts["pseudonym_key"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadRelease("The private report does not hold the key of the pseudonyms.") from error

    def describe(self, published: PublishedWindows) -> dict[str, Any]:
        return {
            "rows": len(published),
            "records": published.records,
            "doublets": sum(len(window.times) for window in published),
            "pseudonyms": "stable" if published.linkable else "per-window",
            **({"exits": "told"} if published.tells_exits else {}),
            **({"exits": DROPPED} if published.drops_exits else {}),
        }

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        content = "doublets (place, timestamp)"
        if described.get("exits") == "told":
            content = "visits (place, and the bounds of beginning and end; the last is null while a visit is open)"
        return [
            {
                "name": "windows",
                "type": "file",
                "path": described["file"],
                "format": described["format"],
                "mediatype": "application/jsonl",
                "description": "One window per line: first and last timestamp (x, y), and records: pseudonym (p), "
                f"{content} and sensitive values (sa).",
            }
        ]

    def figures(self, published: PublishedWindows) -> dict[str, Any]:
        return published_windows(published)

    def notes(self, published: PublishedWindows) -> list[str]:
        """What the publisher should know before publishing."""
        if len(published) and published.records == 0:
            return ["everything was suppressed: K is larger than the number of people who share anything"]
        if published.drops_exits:
            return ["the data say when visits ended, and the release does not; exits=True publishes it"]
        return []
