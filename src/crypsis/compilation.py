"""One door to numba: `njit` with an on-disk cache where one can be written, without one where not.

Numba raises at import when `cache=True` and no cache directory is writable (a read-only install, a home
that does not exist). The directory is therefore probed once: beside the package, then the user's cache,
and if neither can be written kernels are compiled anew in each process.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(kernel: Kernel) -> Kernel:
    """Compile a kernel to machine code: without the interpreter lock, cached on disk where possible."""
    import numba

    compiled: Any = numba.njit(cache=cache_directory() is not None, nogil=True)(kernel)
    return cast(Kernel, compiled)


@cache
def cache_directory() -> Path | None:
    """Where compiled kernels are kept, or None when no place can be written."""
    import numba

    chosen = os.environ.get("NUMBA_CACHE_DIR")
    candidates = [Path(chosen)] if chosen else [Path(__file__).parent / "__pycache__", _user_cache()]
    for candidate in candidates:
        if _writable(candidate):
            if chosen or candidate != candidates[0]:
                setattr(numba.config, "CACHE_DIR", str(candidate))  # noqa: B010 (a dynamic module)
            return candidate
    warnings.warn(
        "No directory for compiled kernels can be written, so every process compiles them anew. "
        "Set NUMBA_CACHE_DIR to a writable directory.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def compiled_before() -> bool:
    """Kernels of this package have been compiled and kept by an earlier run."""
    places = {Path(__file__).parent / "kernels" / "__pycache__", cache_directory()}
    return any(next(place.rglob("*.nbi"), None) is not None for place in places if place is not None)


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "crypsis" / "kernels"


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False
