"""A growing list of patterns: pattern p is codes[offsets[p]:offsets[p + 1]] with supports[p]; there is spare room."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


class FoundPatterns(NamedTuple):
    """Arrays with spare room; how much of them is in use the caller keeps."""

    offsets: Int64s
    supports: Int64s
    codes: Int32s


@njit
def no_patterns() -> FoundPatterns:
    """Room for the first patterns."""
    return FoundPatterns(np.zeros(65, np.int64), np.empty(64, np.int64), np.empty(256, np.int32))


@njit
def append_pattern(found: FoundPatterns, n_found: int, n_codes: int, pattern: Int32s, support: int) -> FoundPatterns:
    """The list of `n_found` patterns and `n_codes` codes with one more pattern at its end."""
    offsets, supports, codes = found.offsets, found.supports, found.codes
    if n_found == len(supports):
        offsets, supports = twice_as_long(offsets, n_found + 1), twice_as_long(supports, n_found)
    while n_codes + len(pattern) > len(codes):
        codes = twice_as_long(codes, n_codes)
    for position in range(len(pattern)):
        codes[n_codes + position] = pattern[position]
    offsets[n_found + 1] = n_codes + len(pattern)
    supports[n_found] = support
    return FoundPatterns(offsets, supports, codes)


@njit
def extend_pattern(pattern: Int32s, depth: int, code: int) -> Int32s:
    """The pattern with a code at its end, which makes it `depth` long."""
    if depth > len(pattern):
        pattern = twice_as_long(pattern, len(pattern))
    pattern[depth - 1] = code
    return pattern


@njit
def twice_as_long(array: NDArray[Any], used: int) -> Any:
    """An array of twice the length that begins with what is used of this one."""
    wider = np.empty(2 * len(array), array.dtype)
    wider[:used] = array[:used]
    return wider
