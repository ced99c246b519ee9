"""How many records are expected to hold all queried items. Symbols stand for some non-empty subset of their members.

The records that show symbol s are records[record_offsets[s]:record_offsets[s + 1]]; the symbols that hold item v are
holders[holder_offsets[v]:holder_offsets[v + 1]], largest first. Record r counts `weights[r]`, the probability that
the rest of the query is true of it.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit


@njit
def symbol_probability(size: int, asked: int, uniform: bool) -> float:
    """That `asked` given members of a symbol of this size are present.

    By default each of the 2^size - 1 non-empty subsets is equally likely, of which 2^(size - asked) hold them; the
    quotient is written so that no power overflows. `uniform` draws each asked item as one of the members.
    """
    if size == 1:
        return 1.0
    if uniform:
        return float(size) ** -asked
    return 2.0**-asked / (1.0 - 2.0 ** -min(size, 1000))


@njit
def expected_records(
    weights: Float64s,
    record_offsets: Int64s,
    records: Int64s,
    holder_offsets: Int64s,
    holders: Int64s,
    sizes: Int64s,
    items: Int32s,
    uniform: bool,
) -> Float64s:
    """Return weight times probability of all items for each record; where symbols overlap, the smallest one counts."""
    n_items = len(items)
    shown = np.full((n_items, len(weights)), -1, np.int64)  # the symbol through which a record may hold an item
    for index in range(n_items):
        for position in range(holder_offsets[items[index]], holder_offsets[items[index] + 1]):
            symbol = holders[position]
            for row in range(record_offsets[symbol], record_offsets[symbol + 1]):
                shown[index, records[row]] = symbol
    found = np.zeros(len(weights))
    for record in range(len(weights)):
        expected = weights[record]
        for index in range(n_items):
            if expected == 0.0:
                break
            symbol = shown[index, record]
            if symbol < 0:
                expected = 0.0
                break
            asked, counted = 0, False
            for other in range(n_items):
                if shown[other, record] == symbol:
                    asked += 1
                    counted = counted or other < index
            if not counted:
                expected *= symbol_probability(sizes[symbol], asked, uniform)
        found[record] = expected
    return found
