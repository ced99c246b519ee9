"""A folder with one file per window, which appears when it is whole."""

from __future__ import annotations

import re
from pathlib import Path

from crypsis.atomic import write_file
from crypsis.runtime.sinks.sink import Sink

_WINDOW = re.compile(r"window-(\d{12})\.json")
_CERTIFICATE = re.compile(r"window-(\d{12})\.certificate\.json")


class FolderSink(Sink):
    """`window-000000000012.json` and `window-000000000012.certificate.json`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def last(self, decided: int) -> int:
        return max(self._numbers(_WINDOW), default=-1)

    def held(self, decided: int) -> int:
        """A window without its certificate is lost, too."""
        whole = self._numbers(_WINDOW) & self._numbers(_CERTIFICATE)
        return next(seq for seq in range(decided + 1) if seq not in whole) - 1

    def _numbers(self, name: re.Pattern[str]) -> set[int]:
        matches = (name.fullmatch(path.name) for path in self.folder.iterdir())
        return {int(match[1]) for match in matches if match}

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        name = self.folder / f"window-{seq:012d}"
        write_file(name.with_suffix(".certificate.json"), certificate)
        write_file(name.with_suffix(".json"), window)
