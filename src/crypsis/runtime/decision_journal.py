"""The decision journal: what was decided for each window, on disk before the window is published.

One JSON object a line, each with a checksum; the first says for which configuration. After a crash the journal tells
which windows may be out already: they are computed again and must come out the same.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from crypsis.errors import ConfigurationChanged, DamagedCheckpoint, JournalMismatch
from crypsis.runtime.line_log import LineLog
from crypsis.strict_json import parse_json

_FORMAT = "crypsis stream journal 1"


class DecisionJournal:
    """Decisions by window number. `append` returns only when the decision is on disk."""

    def __init__(self, path: Path, configuration: str, key: str) -> None:
        self._log = LineLog(path, mode=0o600)
        self.digests: list[str] = []
        try:
            self._read(path, configuration, key)
        except BaseException:
            self._log.close()
            raise

    def _read(self, path: Path, configuration: str, key: str) -> None:
        lines = [self._parsed(line, number) for number, line in enumerate(self._log.lines(), 1)]
        if not lines:
            self._log.append(_line({"format": _FORMAT, "configuration": configuration, "key": key}))
            return
        first = lines[0]
        if first.get("format") != _FORMAT:
            raise DamagedCheckpoint("This is no journal of this version.", where=str(path))
        if first["configuration"] != configuration:
            raise ConfigurationChanged(
                "The stream was begun with other settings, and what was promised with them is out. Restore them, or "
                "begin a new stream with an empty state folder and an empty sink.",
                where=str(path),
            )
        if first["key"] != key:
            raise DamagedCheckpoint(
                "The key of the pseudonyms is not the one that the stream was begun with.", where=str(path)
            )
        for index, line in enumerate(lines[1:]):
            if line.get("seq") != index:
                raise DamagedCheckpoint(f"The decision about window {index} is missing.", where=str(path))
            self.digests.append(line["published_digest"])

    def __len__(self) -> int:
        return len(self.digests)

    def decided(self, seq: int, published_digest: str) -> bool:
        """Was this window decided before? It must then be the same."""
        if seq >= len(self.digests):
            return False
        if self.digests[seq] != published_digest:
            raise JournalMismatch(
                f"Window {seq} came out differently than before the restart, so nothing is published. The source does "
                "not repeat the events it gave, or the state was changed.",
                where=str(self._log.path),
                seq=seq,
            )
        return True

    def append(self, decision: dict[str, Any]) -> None:
        self._log.append(_line(decision))
        self.digests.append(decision["published_digest"])

    def close(self) -> None:
        self._log.close()

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            content: dict[str, Any] = parse_json(line)
            check = content.pop("check")
            whole = check == _check(content)
        except (ValueError, KeyError, AttributeError):
            whole = False
        if not whole:
            raise DamagedCheckpoint(
                f"Line {number} of the decision journal is damaged; restore the file, or begin a new stream with an "
                "empty state folder and an empty sink.",
                where=str(self._log.path),
            )
        return content


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps({**content, "check": _check(content)}, ensure_ascii=True).encode() + b"\n"


def _check(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, ensure_ascii=True).encode())
