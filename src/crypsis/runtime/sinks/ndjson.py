"""One file of windows, one object a line, and one of certificates beside it."""

from __future__ import annotations

import re
from pathlib import Path

from crypsis.errors import OutputExists
from crypsis.runtime.line_log import LineLog
from crypsis.runtime.sinks.sink import Sink
from crypsis.strict_json import parse_json

_BEGINS = re.compile(rb'\{"seq":\s?(\d{1,18})[,}]')  # as windows are written; anything else is parsed


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

    def held(self, decided: int) -> int:
        """Line n must be window n, in both files."""
        return min(_whole(self.windows)[0], _whole(self.certificates)[0]) - 1

    def make_room(self, seq: int) -> None:
        """Cut both files behind this window."""
        for log in (self.windows, self.certificates):
            log.cut(_whole(log, seq + 1)[1])
        self._last, self._last_certificate = _last_number(self.windows), _last_number(self.certificates)

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


def _whole(log: LineLog, limit: int | None = None) -> tuple[int, int]:
    """How many lines from the first on are windows without a gap, at most so many, and the bytes they take."""
    number = size = 0
    for line in log.each_line():
        if number == limit or _number(line, log) != number:
            break
        number, size = number + 1, size + len(line)
    return number, size


def _last_number(log: LineLog) -> int:
    line = log.last_line()
    return -1 if line is None else _number(line, log)


def _number(line: bytes, log: LineLog) -> int:
    begins = _BEGINS.match(line)
    if begins:
        return int(begins[1])
    try:
        return int(parse_json(line)["seq"])
    except (ValueError, KeyError, TypeError) as error:
        raise OutputExists(
            f"{log.path.name} holds something that is no window; it is not touched. Choose another file.",
            where=str(log.path),
        ) from error
