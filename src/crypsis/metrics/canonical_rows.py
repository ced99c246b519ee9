"""Records in an order that follows from what they hold, so that what is drawn from them does not tell the input's."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.arrays.row_ranks import order_rows
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.transaction import Transactions
from crypsis.kernels.row_order import sorted_rows

_KEY_BITS = 40  # beside them 22 bits for the number of the row


def canonical_rows(data: Table | Mixed | Transactions) -> Int64s:
    """Row numbers by value: of tables column by column, of sets by their labels. Equal records stay as they come."""
    if isinstance(data, Transactions):
        return _order_sets(data.offsets, data.label_ranks)
    if isinstance(data, Table):
        return order_rows((column.codes for column in data.columns), len(data))
    order = canonical_rows(data.transactions)
    by_column: Int64s = order[order_rows((column.codes[order] for column in data.table.columns), len(order))]
    return by_column


def _order_sets(offsets: Int64s, ranks: Int32s) -> Int64s:
    """Row numbers by first elements, as many as fit into one number; rows that have more of them are merged."""
    lengths = np.diff(offsets)
    width = int(ranks.max(initial=0)) + 2
    n_first = min(int(_KEY_BITS // np.log2(width)), int(lengths.max(initial=0)))
    keys = np.zeros(len(lengths), np.int64)
    for position in range(n_first):
        longer = np.flatnonzero(lengths > position)
        keys *= width
        keys[longer] += ranks[offsets[longer] + position] + 1
    order = order_rows([keys], len(keys))
    slots = np.flatnonzero(lengths[order] >= n_first)
    if n_first < int(lengths.max(initial=0)):
        starts, positions = take_records(offsets, order[slots])
        order[slots] = order[slots][sorted_rows(starts, ranks[positions])]
    return order
