"""Which records hold a code, as bits. Record r is codes[offsets[r]:offsets[r + 1]]; offsets int64, codes int32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def record_bits(offsets: Int64s, codes: Int32s, n_codes: int) -> NDArray[np.uint64]:
    """By code: the records that hold it, record r as bit r % 64 of word r // 64."""
    bits = np.zeros((n_codes, (len(offsets) + 62) // 64), np.uint64)
    for record in range(len(offsets) - 1):
        for index in range(offsets[record], offsets[record + 1]):
            bits[codes[index], record >> 6] |= np.uint64(1) << np.uint64(record & 63)
    return bits


@njit
def ones_in(word: np.uint64) -> int:
    """Count the bits that are set in a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
