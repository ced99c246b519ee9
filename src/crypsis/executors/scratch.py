"""Scratch: the folder in which shards, runs and pieces lie while parts are worked on. It holds raw data.

Only its owner can open it, its name is random, and it is removed at the end in every case. One whose driver is gone is
removed by the next run that uses the same place: the lock names the driver's process and when that started. Its files
may be encrypted with a key that is in the memory of the driver and of the workers alone.
"""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from crypsis.encrypted_files import EncryptingStream, forget_key, keep_key, key_of, load, new_key
from crypsis.errors import WriteFailed

__all__ = ["PREFIX", "Scratch", "load", "remove_abandoned"]

PREFIX = "crypsis-scratch-"
_LOCK = "driver.lock"


@dataclass(frozen=True)
class Scratch:
    """A folder that the driver and every worker can read and write."""

    folder: Path

    @classmethod
    def new(cls, parent: str | Path | None = None, *, encrypted: bool = False) -> Scratch:
        """A new folder below `parent`, or below the system's folder for temporary files."""
        above, key = _place(parent), new_key() if encrypted else None
        try:
            remove_abandoned(above)
            folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above))  # mode 0700
            (folder / _LOCK).write_text(f"{os.getpid()} {_start_of(os.getpid())}", encoding="ascii")
        except OSError as error:
            raise WriteFailed(
                f"The scratch folder cannot be made: {os.strerror(error.errno or 0)}. Choose another place (`scratch`)."
            ) from error
        if key is not None:
            keep_key(str(folder), key)
        return cls(folder)

    @property
    def key(self) -> bytes | None:
        """What its files are encrypted with."""
        return key_of(str(self.folder / "any"))

    @classmethod
    def at(cls, folder: str) -> Scratch:
        """The same folder in another process."""
        return cls(Path(folder))

    def below(self, name: str) -> Scratch:
        """A folder of its own for one step."""
        folder = self.folder / f"{name}-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        return Scratch(folder)

    def write(self, name: str, content: bytes) -> str:
        """Write a file whole or not at all, and return its path. Written twice it is there once."""
        return self._written(name, lambda stream: stream.write(content))

    def save(self, name: str, content: Any) -> str:
        """Write an object that `load` reads; its arrays are not copied on the way."""
        return self._written(name, lambda stream: pickle.dump(content, stream, protocol=5))

    def _written(self, name: str, write: Callable[[BinaryIO], object]) -> str:
        target = self.folder / name
        partial = self.folder / f".{name}-{secrets.token_hex(8)}"
        try:
            with partial.open("wb") as stream:
                if (key := self.key) is None:
                    write(stream)
                else:
                    with EncryptingStream(stream, key) as sealed:
                        write(cast(BinaryIO, sealed))
            partial.rename(target)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise WriteFailed(
                f"Scratch cannot be written: {os.strerror(error.errno or 0)}. Free space or choose another place "
                "(`scratch`)."
            ) from None
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        return str(target)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        forget_key(str(self.folder))


def _place(parent: str | Path | None) -> Path:
    return Path(parent) if parent is not None else Path(tempfile.gettempdir())


def remove_abandoned(parent: str | Path | None = None) -> None:
    """Remove what drivers left behind there that no longer run."""
    for folder in _place(parent).glob(f"{PREFIX}*"):
        try:
            pid, started = (folder / _LOCK).read_text(encoding="ascii").split()
            if folder.stat().st_uid == os.getuid() and _start_of(int(pid)) != started:
                shutil.rmtree(folder, ignore_errors=True)
        except (OSError, ValueError):
            continue  # of somebody else, or not yet locked


def _start_of(pid: int) -> str:
    """When a process started, as the system tells it; `gone` where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[19]
    except OSError:
        if Path("/proc/self").exists():
            return "gone"
    try:  # a system without /proc
        os.kill(pid, 0)
    except ProcessLookupError:
        return "gone"
    except OSError:
        pass
    return "running"
