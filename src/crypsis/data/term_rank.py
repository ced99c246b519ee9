"""The order of items by how frequent they are, and by how often they occur together.

Term rank: support descending, then label ascending by code point; rank 0 is the most frequent item.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int64s, take_records
from crypsis.data.transaction import Transactions


def term_rank(data: Transactions) -> Int64s:
    """The rank of each item's code; sensitive items have one too."""
    order = np.lexsort((data.vocabulary.label_rank, -data.supports))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def neighbours_by_cooccurrence(data: Transactions, rank: Int64s) -> Int64s:
    """Codes of the items that occur: first the one of lowest rank, then always the unplaced item with the highest
    Jaccard similarity of record sets to the one placed last; equal ones by rank."""
    occurring = np.flatnonzero(data.supports > 0)
    placed = np.zeros(len(data.vocabulary), np.bool_)
    records_of, starts = _records_of_items(data)
    order: list[int] = []
    item = int(occurring[np.argmin(rank[occurring])]) if len(occurring) else -1
    while item >= 0:
        order.append(item)
        placed[item] = True
        records = records_of[starts[item] : starts[item + 1]]
        _, positions = take_records(data.offsets, records)
        together = np.bincount(data.items[positions], minlength=len(data.vocabulary))
        item = _most_similar(together, data.supports + data.supports[item] - together, placed, rank, occurring)
    return np.array(order, np.int64)


def _most_similar(together: Int64s, either: Int64s, placed: Bools, rank: Int64s, occurring: Int64s) -> int:
    """The unplaced item with the largest exact fraction together / either."""
    waiting = occurring[~placed[occurring]]
    if not len(waiting):
        return -1
    share = together[waiting] / either[waiting]
    near = waiting[share >= share.max() * (1 - 1e-12)]  # the rest is settled exactly
    best = int(near[0])
    for other in near[1:].tolist():
        one, two = int(together[other]) * int(either[best]), int(together[best]) * int(either[other])
        if one > two or (one == two and rank[other] < rank[best]):
            best = other
    return best


def _records_of_items(data: Transactions) -> tuple[Int64s, Int64s]:
    """The records of each item laid end to end, and where those of each item start."""
    rows = np.repeat(np.arange(len(data)), data.lengths)
    order = np.argsort(data.items, kind="stable")
    starts = np.zeros(len(data.vocabulary) + 1, np.int64)
    np.cumsum(data.supports, out=starts[1:])
    return rows[order], starts
