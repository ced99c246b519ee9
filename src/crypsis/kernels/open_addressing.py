"""A table of open addressing: keys[s] is the key in slot s, -1 where it is free; their number is a power of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

MIX = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio


@njit
def key_slot(keys: Int64s, key: Any) -> np.int64:
    """The slot that holds a key, or the free one where it belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(MIX)
    slot = (mixed ^ (mixed >> np.uint64(32))) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@njit
def enlarge(keys: Int64s, values: Int32s) -> tuple[Int64s, Int32s]:
    """The table with four times the slots; a free one has the value -1."""
    more_keys = np.full(4 * len(keys), -1, np.int64)
    more_values = np.full(4 * len(keys), -1, np.int32)
    for index in range(len(keys)):
        if keys[index] != -1:
            slot = key_slot(more_keys, keys[index])
            more_keys[slot] = keys[index]
            more_values[slot] = values[index]
    return more_keys, more_values
