"""Answers that are files: as a file is at one moment, for it may grow, or an archive that was made for the answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fastapi.responses import FileResponse, StreamingResponse
from starlette.background import BackgroundTask

_BLOCK = 1 << 18


def file_snapshot(path: Path, *, media_type: str, filename: str, lines: bool = False) -> StreamingResponse:
    """The bytes that the file has now; of `lines` the whole ones, because the last may be half written."""
    stream = path.open("rb")
    size = os.fstat(stream.fileno()).st_size
    if lines:
        size = _end_of_last_line(stream, size)
    headers = {"content-length": str(size), "content-disposition": f'attachment; filename="{filename}"'}
    return StreamingResponse(_blocks(stream, size), media_type=media_type, headers=headers)


def release_archive(archive: Path) -> FileResponse:
    """The archive of a release, which is removed once it was sent."""
    removal = BackgroundTask(archive.unlink, missing_ok=True)
    return FileResponse(archive, media_type="application/zip", filename="release.zip", background=removal)


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
        end_of_line = stream.read(end - start).rfind(b"\n")
        if end_of_line >= 0:
            return start + end_of_line + 1
        end = start
    return 0
