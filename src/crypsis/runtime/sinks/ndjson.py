"""One file of windows, one object a line, and one of certificates beside it."""

from __future__ import annotations

from pathlib import Path

from crypsis.errors import OutputExists
from crypsis.runtime.line_log import LineLog
from crypsis.runtime.sinks.sink import Sink
from crypsis.strict_json import parse_json


class NdjsonSink(Sink):
    """`windows.ndjson` has its certificates in `windows.certificates.ndjson`."""

    def __init__(self, path: Path) -> None:
        self.windows = LineLog(path)
        self.certificates = LineLog(path.with_name(f"{path.stem}.certificates{path.suffix}"))
        try:
            self._last = _last_number(self.windows)
            self._last_certificate = _last_number(self.certificates)
        except OutputExists:
            self.close()
            raise

    def last(self, decided: int) -> int:
        return self._last

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        if seq > self._last_certificate:
            self.certificates.append(certificate)
            self._last_certificate = seq
        if seq > self._last:
            self.windows.append(window)
            self._last = seq

    def close(self) -> None:
        self.windows.close()
        self.certificates.close()


def _last_number(log: LineLog) -> int:
    line = log.last_line()
    if line is None:
        return -1
    try:
        return int(parse_json(line)["seq"])
    except (ValueError, KeyError, TypeError) as error:
        raise OutputExists(
            f"{log.path.name} holds something that is no window; it is not touched. Choose another file.",
            where=str(log.path),
        ) from error
