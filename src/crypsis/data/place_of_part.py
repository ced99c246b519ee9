"""Where a part lies: a file on disk, or one in a store that is fetched each time it is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crypsis.data.address import Address
from crypsis.data.formats.compression import file_on_disk

Place = Path | Address


def stamp_of(place: Place) -> tuple[int, int]:
    """Size and time of change; of a file in a store a number that changes with its version."""
    if isinstance(place, Address):
        return place.stamp()
    status = file_on_disk(place).stat()
    return status.st_size, status.st_mtime_ns


@contextmanager
def on_disk(place: Place, folder: Path | None = None) -> Iterator[Path]:
    """The file as one that can be read. What is fetched lies below `folder`, and is deleted at once."""
    if isinstance(place, Path):
        yield place
        return
    with place.fetched(folder) as path:
        yield path
