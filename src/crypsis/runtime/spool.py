"""The spool: events of a source that cannot be read again, on disk before they are acknowledged.

Lines in segments named by where they begin; a position is a number of bytes since the beginning of the stream. Whoever
writes syncs many lines at once; the reader sees only what is synced. Segments before the last checkpoints are removed.
With a sealing each line is encrypted by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from crypsis.errors import DamagedCheckpoint
from crypsis.runtime.line_log import LineLog
from crypsis.runtime.sealing import Sealing

_SEGMENT = 64 << 20
_READ = 1 << 20
_WHAT = b"spool"


class Spool:
    """Written by one thread and read by another. `limit` bounds the bytes on disk."""

    def __init__(self, folder: Path, limit: int, sealing: Sealing | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder, self.limit, self.sealing = folder, limit, sealing
        self._segment = min(_SEGMENT, limit // 4)  # only whole segments are removed, so a full spool must have several
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._ended = False
        starts = self._starts()
        self._start = starts[-1] if starts else 0
        self._log = LineLog(self._path(self._start), mode=0o600)
        self.end = self._start + self._log.size
        self.begin = starts[0] if starts else 0
        self._given = 0  # how far the reader has got

    def append(self, lines: Iterable[bytes]) -> None:
        """Add lines and force them to disk; after that they may be acknowledged."""
        seal = self.sealing
        if seal is None:
            text = b"".join(line.replace(b"\n", b" ") + b"\n" for line in lines)
        else:
            text = b"".join(seal.sealed_line(line.replace(b"\n", b" "), _WHAT) + b"\n" for line in lines)
        if not text:
            return
        with self._writing:
            if self._log.size + len(text) > self._segment and self._log.size:
                self._begin_segment()
            self._log.append(text)
        with self._changed:
            self.end += len(text)
            self._changed.notify_all()

    def _begin_segment(self) -> None:
        full, start = self._log, self._start + self._log.size
        self._log = LineLog(self._path(start), mode=0o600)
        self._start = start
        full.close()

    @property
    def full(self) -> bool:
        return self.end - self.begin >= self.limit

    @property
    def starved(self) -> bool:
        """Full, and all of it was read: only a checkpoint makes room."""
        return self.full and self._given >= self.end

    def finish(self) -> None:
        """Nothing more will come."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def read(self, position: int, stopped: threading.Event) -> Iterator[tuple[list[bytes], list[int]]]:
        """Lines after a position and where each ends; waits for more until the spool is finished or we are stopped."""
        if position < self.begin:
            raise DamagedCheckpoint(
                f"The spool begins at {self.begin:,}, after the position {position:,} that must be read again.",
                where=str(self.folder),
            )
        self._given = position
        while not stopped.is_set():
            with self._changed:
                if position >= self.end:
                    if self._ended:
                        return
                    self._changed.wait(0.1)
                    continue
                end = self.end
            start = max(start for start in self._starts() if start <= position)
            with self._path(start).open("rb") as file:
                file.seek(position - start)
                block = file.read(min(_READ, end - position))
                if block and not block.endswith(b"\n") and b"\n" not in block:
                    block += file.readline()
            block = block[: block.rfind(b"\n") + 1]
            lines = block.splitlines(keepends=True) if b"\r" not in block else _split(block)
            positions = []
            for line in lines:
                position += len(line)
                positions.append(position)
            if lines:
                yield self._opened(lines), positions
                self._given = position

    def _opened(self, lines: list[bytes]) -> list[bytes]:
        if self.sealing is None:
            return lines
        try:
            return [self.sealing.opened_line(line.rstrip(b"\n"), _WHAT) + b"\n" for line in lines]
        except ValueError as error:
            raise DamagedCheckpoint(f"The spool cannot be read: {error}.", where=str(self.folder)) from error

    def forget_before(self, position: int) -> None:
        """Remove whole segments that will not be read again."""
        with self._writing:
            if self._log.size and self._start + self._log.size <= position:
                self._begin_segment()
        starts = self._starts()
        for start, after in pairwise(starts):
            if after <= position:
                self._path(start).unlink(missing_ok=True)
                self.begin = after

    def close(self) -> None:
        self._log.close()

    def _starts(self) -> list[int]:
        return sorted(int(path.stem.partition("-")[2]) for path in self.folder.glob("spool-*.lines"))

    def _path(self, start: int) -> Path:
        return self.folder / f"spool-{start:020d}.lines"


def _split(block: bytes) -> list[bytes]:
    return [line + b"\n" for line in block.split(b"\n")[:-1]]
