"""One door to numba: `njit` with an on-disk cache where one can be written, without one where not.

Numba raises at import when `cache=True` and no cache directory is writable (a read-only install, a home
that does not exist). The directory is therefore probed once: beside the package, then the user's cache,
and if neither can be written kernels are compiled anew in each process.

Numba looks only at a kernel's own file to decide whether its cached code is still good, though kernels call
each other across files. The directory is therefore named after the content of all of them: after any change
everything is compiled again, and no stale machine code can run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

_PACKAGE = Path(__file__).parent
_FOLDERS_WITH_KERNELS = ("attacks", "kernels", "metrics", "verifiers")
_SECONDS_KEPT = 7 * 24 * 3600

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(kernel: Kernel) -> Kernel:
    """Compile a kernel to machine code: without the interpreter lock, cached on disk where possible."""
    import numba
    import numpy as np

    if getattr(numba.config, "DISABLE_JIT", False):
        # Hashes wrap around on purpose: machine code does so in silence, the interpreter would warn.
        return np.errstate(over="ignore")(kernel)
    compiled: Any = numba.njit(cache=cache_directory() is not None, nogil=True)(kernel)
    return cast(Kernel, compiled)


@cache
def cache_directory() -> Path | None:
    """Where compiled kernels are kept, or None when no place can be written."""
    import numba

    chosen = os.environ.get("NUMBA_CACHE_DIR")
    for base in [Path(chosen)] if chosen else [_PACKAGE / "__pycache__", _user_cache()]:
        directory = base / f"kernels-{_digest_of_kernels()}"
        if _writable(directory):
            setattr(numba.config, "CACHE_DIR", str(directory))  # noqa: B010 (a dynamic module)
            _remove_outdated(directory)
            return directory
    warnings.warn(
        "No directory for compiled kernels can be written, so every process compiles them anew. "
        "Set NUMBA_CACHE_DIR to a writable directory.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def compiled_before() -> bool:
    """Kernels have been compiled and kept by an earlier run."""
    directory = cache_directory()
    return directory is not None and next(directory.rglob("*.nbi"), None) is not None


def _digest_of_kernels() -> str:
    digest = hashlib.sha256()
    for folder in _FOLDERS_WITH_KERNELS:
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _remove_outdated(directory: Path) -> None:
    """Delete what older versions of the kernels left, unless another process may still be using it."""
    for other in directory.parent.glob("kernels-*"):
        with suppress(FileNotFoundError):  # another process was faster
            if other != directory and time.time() - other.stat().st_mtime > _SECONDS_KEPT:
                shutil.rmtree(other, ignore_errors=True)


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    home = os.path.expanduser("~")  # noqa: PTH111 (without a home this stays "~", pathlib raises)
    return (Path(base) if base else Path(home) / ".cache") / "crypsis"


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False
