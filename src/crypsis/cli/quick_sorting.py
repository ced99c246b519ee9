"""numpy sorts with the instructions that are quick on this processor.

With AVX-512 numpy writes out what it compared in a way that Zen 4 processors take five times as long for as for AVX2:
50 ms instead of 10 for a million whole numbers. A command on many records sorts dozens of times.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LEFT_OUT = "NPY_DISABLE_CPU_FEATURES"
_AVX_512 = "X86_V4 AVX512_ICL"
_ABOUT_PROCESSORS = Path("/proc/cpuinfo")
_ABOUT_ONE = 8192  # characters; what is told of one processor is shorter
_FAMILY = "25"  # of the processors of this family only Zen 4 has AVX-512


def sort_without_slow_instructions() -> None:
    """Before numpy is imported, here and in processes that are started from here; what the user has set is kept."""
    if _LEFT_OUT not in os.environ and _is_zen_4():
        os.environ[_LEFT_OUT] = _AVX_512


def _is_zen_4() -> bool:
    """Whether Linux tells of such a processor; elsewhere nothing is known of it."""
    facts: dict[str, str] = {}
    with suppress(OSError, UnicodeDecodeError), _ABOUT_PROCESSORS.open(encoding="ascii") as lines:
        for line in lines.read(_ABOUT_ONE).splitlines():
            name, _, value = line.partition(":")
            facts.setdefault(name.strip(), value.strip())
    return (
        facts.get("vendor_id") == "AuthenticAMD"
        and facts.get("cpu family") == _FAMILY
        and "avx512vl" in facts.get("flags", "").split()
    )
