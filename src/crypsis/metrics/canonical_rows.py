"""Records in an order that follows from what they hold, so that what is drawn from them does not tell the input's."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.arrays.row_ranks import order_rows
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.transaction import Transactions
from crypsis.kernels.row_order import sorted_rows


def canonical_rows(data: Table | Mixed | Transactions) -> Int64s:
    """Row numbers by value: of tables column by column, of sets by their labels. Equal records stay as they come."""
    if isinstance(data, Transactions):
        rank = data.vocabulary.label_rank[data.items]
        rows = np.repeat(np.arange(len(data)), data.lengths)
        return sorted_rows(data.offsets, rank[np.lexsort((rank, rows))])
    order = canonical_rows(data.transactions) if isinstance(data, Mixed) else np.arange(len(data))
    table = data.table if isinstance(data, Mixed) else data
    if not table.columns:
        return order
    by_column: Int64s = order[order_rows([column.codes[order] for column in table.columns], len(order))]
    return by_column
