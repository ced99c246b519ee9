"""Distances inside symbols. Symbol s has the members members[offsets[s]:offsets[s + 1]], ascending codes.

Member m of all symbols together is slot m; code c lies at x[c], y[c].
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.arrays.ascending import first_not_below
from crypsis.compilation import njit


@njit
def distances_to_members(offsets: Int64s, members: Int32s, x: Float64s, y: Float64s) -> Float64s:
    """For each slot: the sum of the distances from its code to all members of its symbol."""
    total = np.zeros(len(members), np.float64)
    for symbol in range(len(offsets) - 1):
        for index in range(offsets[symbol], offsets[symbol + 1]):
            for other in range(index + 1, offsets[symbol + 1]):
                distance = np.hypot(x[members[index]] - x[members[other]], y[members[index]] - y[members[other]])
                total[index] += distance
                total[other] += distance
    return total


@njit
def member_slots(offsets: Int64s, members: Int32s, codes: Int32s, symbols: Int32s) -> Int64s:
    """The slot of each code in its symbol, -1 where the symbol does not hold the code."""
    slots = np.empty(len(codes), np.int64)
    for index in range(len(codes)):
        end = offsets[symbols[index] + 1]
        slot = first_not_below(members, offsets[symbols[index]], end, codes[index])
        slots[index] = slot if slot < end and members[slot] == codes[index] else -1
    return slots
