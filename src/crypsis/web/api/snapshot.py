"""A file as it is at one moment, sent whole: it may grow or be replaced while it is sent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fastapi.responses import StreamingResponse

_BLOCK = 1 << 18


def file_snapshot(path: Path, *, media_type: str, filename: str, lines: bool = False) -> StreamingResponse:
    """The bytes that the file has now; of `lines` the whole ones, because the last may be half written."""
    stream = path.open("rb")
    size = os.fstat(stream.fileno()).st_size
    if lines:
        size = _end_of_last_line(stream, size)
    headers = {"content-length": str(size), "content-disposition": f'attachment; filename="{filename}"'}
    return StreamingResponse(_blocks(stream, size), media_type=media_type, headers=headers)


def _blocks(stream: IO[bytes], left: int) -> Iterator[bytes]:
    with stream:
        stream.seek(0)
        while left > 0:
            block = stream.read(min(_BLOCK, left))
            if not block:
                raise ConnectionAbortedError  # it was cut; half an answer must not look whole
            left -= len(block)
            yield block


def _end_of_last_line(stream: IO[bytes], end: int) -> int:
    while end > 0:
        start = max(end - _BLOCK, 0)
        stream.seek(start)
        found = stream.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
