"""Does an individual have two symbols that share a location without being equal? Then counting them is not enough."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.data.symbols import Symbols


def overlap_within(offsets: Int64s, codes: Int32s, individuals: Int32s, symbols: Symbols) -> tuple[int, int] | None:
    """Two symbols that overlap in one individual's rows, None where any two are equal or disjoint."""
    if symbols.are_disjoint() or len(codes) == 0:
        return None
    order = np.argsort(individuals, kind="stable")
    one, other = _overlap(
        offsets, codes, order, individuals[order], symbols.offsets, symbols.members, len(symbols.vocabulary)
    )
    return None if one < 0 else (int(one), int(other))


@njit
def _overlap(
    offsets: Int64s,
    codes: Int32s,
    order: Int64s,
    whose: Int32s,
    symbol_offsets: Int64s,
    members: Int32s,
    n_members: int,
) -> tuple[int, int]:
    """Find two symbols of one individual that hold the same location; -1 and -1 if there are none."""
    seen_by = np.full(n_members, -1, np.int64)  # by location: the last individual with a symbol that holds it
    seen_in = np.full(n_members, -1, np.int64)  # and that symbol
    met_by = np.full(len(symbol_offsets) - 1, -1, np.int64)
    for index in range(len(order)):
        row, individual = order[index], whose[index]
        for position in range(offsets[row], offsets[row + 1]):
            symbol = codes[position]
            if met_by[symbol] == individual:
                continue
            met_by[symbol] = individual
            for entry in range(symbol_offsets[symbol], symbol_offsets[symbol + 1]):
                member = members[entry]
                if seen_by[member] == individual:
                    return seen_in[member], symbol
                seen_by[member] = individual
                seen_in[member] = symbol
    return -1, -1
