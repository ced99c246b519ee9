"""Writing so that a reader finds the old state or the whole new one, whatever happens in between.

Files and folders are first written to a hidden sibling, forced to disk, and then renamed. A sibling left by a
killed process is removed by the next write to the same place.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crypsis.errors import BadParameter, CrypsisError, OutputExists, WriteFailed

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_OF_THE_SYSTEM = ("/dev", "/proc", "/sys")
_ANYBODYS_MEMORY = "/dev/shm"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def check_place(target: Path) -> None:
    """Refuse what is no place for a file or a folder: no name, an address, a name that is no text, a device."""
    if not target.name:
        raise BadParameter(f"{str(target)!r} is no name to write to.", parameter="out")
    try:
        str(target).encode()
    except UnicodeEncodeError:
        raise BadParameter("A name to write to must be text in UTF-8.", parameter="out") from None
    if _SCHEME.fullmatch(target.parts[0]):
        raise BadParameter(
            f"{target.parts[0]}// is the beginning of an address; results are written on this machine. Choose a path.",
            parameter="out",
        )
    above = os.path.realpath(target.absolute().parent)
    if any(_lies_in(above, place) for place in _OF_THE_SYSTEM) and not _lies_in(above, _ANYBODYS_MEMORY):
        raise OutputExists(f"{target.name} is of the system, so it is not replaced; choose another place.")
    if target.exists() and not target.is_file() and not target.is_dir():
        raise OutputExists(f"{target.name} is no file, so it is not replaced; choose another name.")


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


@contextmanager
def new_folder(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """An empty folder to fill; it becomes `target` when the block ends well, and vanishes otherwise."""
    check_place(Path(target))
    target = Path(target).absolute()
    with _failures_named(target):
        if target.exists() and not overwrite:
            raise OutputExists(
                f"{target.name} exists already; choose another folder or allow overwriting (overwrite=True)."
            )
        if target.exists() and not target.is_dir():
            raise OutputExists(f"{target.name} is not a folder, so it is not replaced.")
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        partial = Path(tempfile.mkdtemp(prefix=_partial_prefix(target), dir=target.parent))
        try:
            yield partial
            for path in sorted(partial.rglob("*")):
                _force_to_disk(path)
            partial.chmod(0o777 & ~_umask())
            _force_to_disk(partial)
            if target.exists():
                _replace_folder(partial, target)
            else:
                partial.rename(target)
            _force_to_disk(target.parent)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def write_file(target: Path, content: bytes | Iterable[bytes], *, mode: int | None = None) -> None:
    """Write a whole file or none, also part by part; with a mode, nobody else can ever open it in between."""
    check_place(Path(target))
    target = Path(target).absolute()
    with _failures_named(target):
        if target.is_dir():
            raise OutputExists(f"{target.name} is a folder, so it is not replaced by a file; choose another name.")
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        handle, name = tempfile.mkstemp(prefix=_partial_prefix(target), dir=target.parent)  # mode 0600
        partial = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines([content] if isinstance(content, bytes) else content)
                stream.flush()
                os.fsync(stream.fileno())
            partial.chmod(0o666 & ~_umask() if mode is None else mode)
            partial.replace(target)
            _force_to_disk(target.parent)
        finally:
            with suppress(FileNotFoundError):
                partial.unlink()


def _partial_prefix(target: Path) -> str:
    return f".{target.name}.{os.getpid()}.partial-"


def _remove_leftovers(target: Path) -> None:
    """Remove what killed processes left behind; a living process keeps its own."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.(\d+)\.partial-")
    for sibling in target.parent.iterdir():
        match = pattern.match(sibling.name)
        if match and not _is_alive(int(match[1])):
            if sibling.is_dir():
                shutil.rmtree(sibling, ignore_errors=True)
            else:
                sibling.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    if pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _replace_folder(partial: Path, target: Path) -> None:
    """Swap both names in one step; `partial` then holds the old state and is removed by the caller."""
    if not _exchanged(partial, target):
        # No atomic swap on this system: for an instant there is no target, and the old state lies beside it.
        old = partial.with_name(partial.name + "-old")
        target.rename(old)
        partial.rename(target)
        shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    return bool(done == 0)


def _force_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF):  # some file systems cannot sync a folder
            raise
    finally:
        os.close(handle)


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


@contextmanager
def _failures_named(target: Path) -> Iterator[None]:
    try:
        yield
    except CrypsisError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise WriteFailed(
            f"Could not write {target.name}: {reason}. Nothing was left behind; free space or choose another place."
        ) from error
