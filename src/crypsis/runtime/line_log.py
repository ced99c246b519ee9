"""A file to which whole lines are added, synced one by one; a line that a crash tore is taken back."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from crypsis.errors import WriteFailed

_BLOCK = 1 << 16


class LineLog:
    """Lines of bytes. Opening removes a torn last line; `append` leaves a whole line or the file as it was."""

    def __init__(self, path: Path, *, mode: int = 0o644) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, mode)
            self._file: IO[bytes] = os.fdopen(handle, "r+b", buffering=0)
            self.size = self._whole()
            if self.size < os.fstat(self._file.fileno()).st_size:
                self._file.truncate(self.size)
                os.fsync(self._file.fileno())
            _sync_folder(path.parent)
        except OSError as error:
            raise WriteFailed(f"Could not open {path.name} for writing: {_reason(error)}.") from error

    def append(self, line: bytes) -> None:
        """Add a line (ending with a line break) and force it to disk."""
        try:
            self._file.seek(self.size)
            left = memoryview(line)
            while left:
                left = left[self._file.write(left) or 0 :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._take_back()
            raise WriteFailed(f"Could not write {self.path.name}: {_reason(error)}. The file is as it was.") from error
        self.size += len(line)

    def _take_back(self) -> None:
        try:
            self._file.truncate(self.size)
        except OSError:  # the next opening removes the torn line
            return

    def cut(self, size: int) -> None:
        """Take back what was added after this size."""
        if size < self.size:
            self._file.truncate(size)
            os.fsync(self._file.fileno())
            self.size = size

    def lines(self) -> list[bytes]:
        self._file.seek(0)
        return [line + b"\n" for line in self._file.read(self.size).split(b"\n")[:-1]]

    def each_line(self) -> Iterator[bytes]:
        """Line by line, for files that do not fit in memory."""
        left = self.size
        with self.path.open("rb") as stream:
            for line in stream:
                left -= len(line)
                if left < 0:
                    return
                yield line

    def last_line(self) -> bytes | None:
        """The last line, found from the end."""
        if self.size == 0:
            return None
        start = self._before(self.size - 1)
        self._file.seek(start)
        return self._file.read(self.size - start)

    def close(self) -> None:
        self._file.close()

    def _whole(self) -> int:
        """Where the last whole line ends."""
        return self._before(os.fstat(self._file.fileno()).st_size)

    def _before(self, end: int) -> int:
        """Just behind the last line break before `end`."""
        while end > 0:
            start = max(end - _BLOCK, 0)
            self._file.seek(start)
            block = self._file.read(end - start)
            end_of_line = block.rfind(b"\n")
            if end_of_line >= 0:
                return start + end_of_line + 1
            end = start
        return 0


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF):
            raise
    finally:
        os.close(handle)
