"""A folder with one file per window, which appears when it is whole."""

from __future__ import annotations

import re
from pathlib import Path

from crypsis.atomic import write_file
from crypsis.runtime.sinks.sink import Sink

_WINDOW = re.compile(r"window-(\d{12})\.json")


class FolderSink(Sink):
    """`window-000000000012.json` and `window-000000000012.certificate.json`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def last(self, decided: int) -> int:
        matches = (_WINDOW.fullmatch(path.name) for path in self.folder.iterdir())
        return max((int(match[1]) for match in matches if match), default=-1)

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        name = self.folder / f"window-{seq:012d}"
        write_file(name.with_suffix(".certificate.json"), certificate)
        write_file(name.with_suffix(".json"), window)
