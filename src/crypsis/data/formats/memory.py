"""How much memory reading a file may take: refuse before loading what would not fit, instead of swapping to death.

The limit is what the machine (or its container) has free now, less a reserve. The environment variable
CRYPSIS_MEMORY_LIMIT, a number of bytes, replaces it.
"""

from __future__ import annotations

import os
from pathlib import Path

from crypsis.errors import BadParameter, TooLarge

LIMIT_VARIABLE = "CRYPSIS_MEMORY_LIMIT"
SHARE_OF_FREE_MEMORY = 0.8  # the rest is left to the methods' own arrays and to everybody else


def memory_limit() -> int | None:
    """Bytes that reading one file may take; None where the system does not tell."""
    chosen = os.environ.get(LIMIT_VARIABLE)
    if chosen:
        if not chosen.isdecimal() or int(chosen) == 0:
            raise BadParameter(
                f"{LIMIT_VARIABLE} must be a positive number of bytes, got {chosen!r}.",
                parameter=LIMIT_VARIABLE,
            )
        return int(chosen)
    free = [amount for amount in (_free_on_machine(), _free_in_container()) if amount is not None]
    return int(min(free) * SHARE_OF_FREE_MEMORY) if free else None


def check_fits(needed: int, file: str) -> None:
    """Raise `TooLarge` when reading the file would take more than the limit."""
    limit = memory_limit()
    if limit is not None and needed > limit:
        raise too_large(file, f"about {in_words(needed)}", limit)


def too_large(file: str, needed: str, limit: int) -> TooLarge:
    """The refusal, with what would do."""
    return TooLarge(
        f"{file} needs {needed} of memory, {in_words(limit)} may be used. Have it worked on in parts "
        f"(executor `serial`), give a smaller part of it or a machine with more memory, or "
        f"set {LIMIT_VARIABLE} (bytes) if you know better.",
        where=file,
        limit=limit,
    )


def in_words(amount: int) -> str:
    """`3.2 GB`."""
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount} bytes"


def _free_on_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _free_in_container() -> int | None:
    """What a control group leaves; a container's limit does not show in /proc/meminfo."""
    for limit_file, usage_file in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            limit = Path(limit_file).read_text().strip()
            used = Path(usage_file).read_text().strip()
        except OSError:
            continue
        if limit.isdecimal():
            return max(int(limit) - int(used), 0)
    return None
