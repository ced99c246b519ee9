"""How large a file is once it is unpacked: a few kilobytes may hold gigabytes, and nobody else should pay for that.

The content is counted and thrown away, never held; of Parquet the footer tells. The limit is that of uploads: what may
not arrive as it is may not arrive packed either.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from crypsis.data.formats.compression import is_compressed, unpacked_chunks
from crypsis.data.formats.memory import in_words
from crypsis.data.formats.parquet import MAGIC, content_size
from crypsis.errors import TooLarge


def check_unpacked(path: Path, limit: int) -> None:
    """Raise `TooLarge` where a file unpacks to more than this many bytes. What is damaged is left to its reader."""
    try:
        size = _unpacked_size(path, limit)
    except Exception:  # every unpacker has its own errors
        return
    if size > limit:
        raise TooLarge(
            f"The file unpacks to more than {in_words(limit)}, which is the limit for uploads; send a part of it, or "
            "start the server with a larger --upload-limit.",
            limit=limit,
        )


def _unpacked_size(path: Path, limit: int) -> int:
    """In bytes; counting ends beyond the limit."""
    with path.open("rb") as stream:
        begins = stream.read(len(MAGIC))
    if begins == MAGIC:
        return content_size(path)
    if begins == b"PK\x03\x04":
        with zipfile.ZipFile(path) as archive:
            return sum(one.file_size for one in archive.infolist())
    if not is_compressed(path):
        return path.stat().st_size
    total = 0
    for chunk in unpacked_chunks(path):
        total += len(chunk)
        if total > limit:
            break
    return total
