"""A disk that can be filled: a small one in memory where we may mount it, else a limit that the kernel keeps."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MEGABYTES = 96


class SmallDisk:
    """A folder, and a way to leave no room in it. `largest_file` bounds files where there is no disk of our own."""

    def __init__(self, folder: Path, mounted: bool) -> None:
        self.folder, self.mounted = folder, mounted
        self.largest_file = 0

    def fill(self) -> None:
        """Write until the disk refuses."""
        if not self.mounted:
            self.largest_file = 1
            return
        written = 0
        with (self.folder / "filler").open("wb", buffering=0) as filler:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        written += filler.write(b"x" * size)
                        assert written < _MEGABYTES << 20, "the disk does not get full"
                except OSError as error:
                    assert error.errno == errno.ENOSPC

    def empty(self) -> None:
        (self.folder / "filler").unlink(missing_ok=True)
        self.largest_file = 0

    @property
    def words(self) -> str:
        """What the kernel says when it is full."""
        return "No space left on device" if self.mounted else "File too large"


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES - 1}m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.SubprocessError):
        mounted = False
    try:
        yield SmallDisk(folder, mounted)
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True, timeout=60)
