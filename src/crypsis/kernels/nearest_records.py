"""Clusters of k records: a seed and the k - 1 unassigned records that are cheapest to generalize with it.

`codes` and `attributes` as in `attribute_costs`. Records with equal codes in the first attributes form a block. What a
block costs in these is paid by all its records, so most blocks are left after looking at them once.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.attribute_costs import NUMBERS, Attributes, pair_cost

_LARGEST = 1 << 62


@njit
def seeded_clusters(
    codes: Int32s, attributes: Attributes, k: int, block_of: Int64s, n_blocks: int, shared: int, order: Int64s
) -> Int64s:
    """The cluster of each record, -1 for the fewer than k that are left. Seeds are in `order`;
    where that is empty, each is the farthest from the one before.

    All records of a block have the same codes in the first `shared` attributes.
    """
    n_records, n_attributes = codes.shape
    cluster_of = np.full(n_records, -1, np.int64)
    starts = np.zeros(n_blocks + 1, np.int64)
    for record in range(n_records):
        starts[block_of[record] + 1] += 1
    for block in range(n_blocks):
        starts[block + 1] += starts[block]
    filled = starts[:-1].copy()  # the records of a block lie from its start to here
    members = np.empty(n_records, np.int64)
    table = np.empty((n_records, n_attributes), np.int64)  # codes + 1, block after block
    place_of = np.empty(n_records, np.int64)
    for record in range(n_records):
        index = filled[block_of[record]]
        filled[block_of[record]] += 1
        members[index] = record
        place_of[record] = index
        for attribute in range(n_attributes):
            table[index, attribute] = codes[record, attribute] + 1
    blocks = np.arange(n_blocks)
    heads = np.empty((n_blocks, shared), np.int64)
    for block in range(n_blocks):
        heads[block] = table[starts[block], :shared]
    n_alive = n_blocks

    row_start = np.zeros(n_attributes + 1, np.int64)
    for attribute in range(n_attributes):
        row_start[attribute + 1] = row_start[attribute] + codes[:, attribute].max() + 2
    price = np.empty(row_start[-1], np.int64)
    heap_cost = np.empty(k, np.int64)
    heap_record = np.empty(k, np.int64)
    common = np.empty(n_blocks, np.int64)  # what all records of a block cost in the shared attributes
    left, cluster, next_seed, likely = n_records, 0, 0, 0
    seed = 0
    while left >= k:
        if len(order):
            while cluster_of[order[next_seed]] >= 0:
                next_seed += 1
            seed = int(order[next_seed])
        for attribute in range(n_attributes):
            _set_prices(
                attributes,
                attribute,
                int(codes[seed, attribute]),
                price[row_start[attribute] : row_start[attribute + 1]],
            )
        _take(seed, block_of, members, place_of, table, filled)
        cluster_of[seed] = cluster
        n_found, worst = 0, _LARGEST
        for turn in range(n_alive):
            block, cost = blocks[turn], 0
            for attribute in range(shared):
                cost += price[row_start[attribute] + heads[block, attribute]]
            common[turn] = cost
        seen_below = -1
        for near in (likely // 3, _LARGEST):  # what is probably near first: then most of the rest is out of reach
            for turn in range(n_alive):
                if common[turn] > min(worst, near) or common[turn] <= seen_below:
                    continue
                block = blocks[turn]
                for index in range(starts[block], filled[block]):
                    cost = common[turn]
                    for attribute in range(shared, n_attributes):
                        cost += price[row_start[attribute] + table[index, attribute]]
                        if cost > worst:
                            break
                    if cost > worst:
                        continue
                    record = members[index]
                    if n_found < k - 1:
                        _push(heap_cost, heap_record, n_found, cost, record)
                        n_found += 1
                    elif k > 1 and (cost < heap_cost[0] or (cost == heap_cost[0] and record < heap_record[0])):
                        _replace(heap_cost, heap_record, n_found, cost, record)
                    if n_found == k - 1:
                        worst = heap_cost[0] if k > 1 else -1
            seen_below = near
        likely = max(worst, 0)
        for found in range(n_found):
            record = heap_record[found]
            _take(record, block_of, members, place_of, table, filled)
            cluster_of[record] = cluster
        left -= k
        cluster += 1
        if cluster % 64 == 0:
            kept = 0
            for turn in range(n_alive):
                if filled[blocks[turn]] > starts[blocks[turn]]:
                    blocks[kept] = blocks[turn]
                    kept += 1
            n_alive = kept
        if not len(order) and left >= k:
            seed = _farthest(price, row_start, starts, filled, blocks[:n_alive], members, table)
    return cluster_of


@njit
def _set_prices(attributes: Attributes, attribute: int, own: int, price: Int64s) -> None:
    """What each code of an attribute costs together with the seed's; the first place is for missing values."""
    if attributes.kind[attribute] != NUMBERS or own < 0:
        for code in range(len(price)):
            price[code] = pair_cost(attributes, attribute, own, code - 1)
        return
    start, unit = attributes.key_start[attribute], attributes.unit[attribute]
    keys = attributes.keys[start : start + len(price) - 1]
    middle = keys[own]
    price[0] = attributes.full[attribute]
    for code in range(len(keys)):
        price[code + 1] = unit * abs(keys[code] - middle)


@njit
def _take(record: int, block_of: Int64s, members: Int64s, place_of: Int64s, table: Int64s, filled: Int64s) -> None:
    """Remove a record: the last one of its block takes its place."""
    block = block_of[record]
    index, last = place_of[record], filled[block] - 1
    moved = members[last]
    members[index], place_of[moved] = moved, index
    table[index] = table[last]
    filled[block] = last


@njit
def _farthest(
    price: Int64s, row_start: Int64s, starts: Int64s, filled: Int64s, blocks: Int64s, members: Int64s, table: Int64s
) -> int:
    """The unassigned record that is dearest to generalize with the seed of `price`; of equal ones the first."""
    best, best_cost = -1, -1
    for block in blocks:
        for index in range(starts[block], filled[block]):
            cost = 0
            for attribute in range(table.shape[1]):
                cost += price[row_start[attribute] + table[index, attribute]]
            record = members[index]
            if cost > best_cost or (cost == best_cost and record < best):
                best, best_cost = record, cost
    return int(best)


@njit
def _worse(cost: Int64s, record: Int64s, one: int, other: int) -> bool:
    """Return whether an entry costs more than another; of equal costs the later record is worse."""
    return bool(cost[one] > cost[other] or (cost[one] == cost[other] and record[one] > record[other]))


@njit
def _push(cost: Int64s, record: Int64s, size: int, new_cost: int, new_record: int) -> None:
    """Add to a heap whose first entry is the worst."""
    cost[size], record[size] = new_cost, new_record
    index = size
    while index > 0 and _worse(cost, record, index, (index - 1) // 2):
        above = (index - 1) // 2
        cost[index], cost[above] = cost[above], cost[index]
        record[index], record[above] = record[above], record[index]
        index = above


@njit
def _replace(cost: Int64s, record: Int64s, size: int, new_cost: int, new_record: int) -> None:
    """Put a better entry in the place of the worst."""
    cost[0], record[0] = new_cost, new_record
    index = 0
    while True:
        worst = index
        for below in (2 * index + 1, 2 * index + 2):
            if below < size and _worse(cost, record, below, worst):
                worst = below
        if worst == index:
            return
        cost[index], cost[worst] = cost[worst], cost[index]
        record[index], record[worst] = record[worst], record[index]
        index = worst
