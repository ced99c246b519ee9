"""RMERGE: unite clusters while the loss of all records stays within a bound.

Clusters are the rows of `cells` (see `class_cells`); `costs`, `sizes`, `lowest` and `filled` tell of each what one of
its records costs, its number of records, its lowest record and its number of records with items. Every union gets a new
number; `slot` is where a number's cells are. Numbers grow with time, so that a seed that found no partner needs to look
only at numbers above those it knew: pairs that failed stay failed, because the sum of all costs never falls.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.attribute_costs import NUMBERS, VALUES, Attributes
from crypsis.kernels.class_cells import ClassCells, absorb
from crypsis.kernels.plain_sorting import order_by

BY_CELLS, BY_ITEMS, BY_BOTH = 0, 1, 2

_ONE = np.uint64(1)


@njit
def merge_within_bound(
    attributes: Attributes,
    cells: ClassCells,
    costs: Int64s,
    sizes: Int64s,
    lowest: Int64s,
    filled: Int64s,
    distances: Float64s,
    heuristic: int,
    as_printed: bool,
    k: int,
    room: int,
) -> tuple[Int64s, Int64s]:
    """The slot that every cluster ended in, and for each merge how much it added to the cost of all records.

    `room` is how much may be added. `cells`, the arrays on clusters and `distances` (the BTD across clusters, of each
    cluster on the diagonal; not looked at by BY_CELLS) are overwritten.
    """
    n_clusters = len(costs)
    ended = np.arange(n_clusters)
    rises = np.empty(n_clusters, np.int64)
    n_merges = 0
    slot = np.empty(2 * n_clusters, np.int64)
    slot[:n_clusters] = np.arange(n_clusters)
    number = np.arange(n_clusters)  # of each slot, -1 where it is gone
    known = np.zeros(n_clusters, np.int64)  # a seed found no partner among the numbers below
    n_numbers = n_clusters
    order = np.arange(n_clusters)  # slots as seeds
    keys = costs.copy()
    for cluster in range(n_clusters):
        if not as_printed and _lacks_items(filled[cluster], k):
            keys[cluster] = -1 - (np.int64(1) << 61) + costs[cluster]
    order = order[order_by(lowest)]
    order = order[order_by(keys[order])]
    n_alive = n_clusters
    unions = np.empty(n_clusters, np.int64)
    scores = np.empty(n_clusters)
    candidates = np.empty(n_clusters, np.int64)
    while n_alive > 1:
        seed, partner = -1, -1
        for index in range(n_alive):
            seed = order[index]
            n_candidates = 0
            for other_number in range(known[seed], n_numbers):
                other = slot[other_number]
                if number[other] == other_number and other != seed and number[seed] >= known[other]:
                    candidates[n_candidates] = other
                    n_candidates += 1
            _set_unions(attributes, cells, seed, candidates[:n_candidates], unions)
            if not as_printed:
                fitting = 0
                for at in range(n_candidates):
                    other = candidates[at]
                    union = (sizes[seed] + sizes[other]) * unions[other]
                    if union - sizes[seed] * costs[seed] - sizes[other] * costs[other] <= room:
                        candidates[fitting] = other
                        fitting += 1
                n_candidates = fitting
            if n_candidates > 0:
                partner = _chosen(
                    seed, candidates[:n_candidates], unions, scores, attributes, cells, lowest, filled, distances,
                    heuristic, as_printed, k, room, costs, sizes, order[:n_alive],
                )  # fmt: skip
            if partner >= 0 or as_printed:
                break
            known[seed] = n_numbers
        if partner < 0:
            break
        rise = _rise(seed, partner, unions[partner], costs, sizes)
        room -= rise
        rises[n_merges] = rise
        n_merges += 1
        costs[seed] = unions[partner]
        absorb(cells, seed, cells, partner)
        sizes[seed] += sizes[partner]
        filled[seed] += filled[partner]
        lowest[seed] = min(lowest[seed], lowest[partner])
        if heuristic != BY_CELLS:
            widest = max(distances[seed, seed], distances[partner, partner], distances[seed, partner])
            for other in range(n_clusters):
                distances[seed, other] = max(distances[seed, other], distances[partner, other])
                distances[other, seed] = distances[seed, other]
            distances[seed, seed] = widest
        for cluster in range(n_clusters):
            if ended[cluster] == partner:
                ended[cluster] = seed
        number[partner] = -1
        number[seed] = n_numbers
        slot[n_numbers] = seed
        known[seed] = 0
        n_numbers += 1
        keys[seed] = costs[seed]
        if not as_printed and _lacks_items(filled[seed], k):
            keys[seed] = -1 - (np.int64(1) << 61) + costs[seed]
        n_alive = _reordered(order, n_alive, seed, partner, keys, lowest)
    return ended, rises[:n_merges]


@njit
def _set_unions(attributes: Attributes, cells: ClassCells, seed: int, others: Int64s, unions: Int64s) -> None:
    """What a record costs in the union of the seed with each of the others, written to their places.

    As `union_cost`; in one function, because handing all these arrays over once per pair takes longer than the work.
    """
    for other in others:
        unions[other] = 0
    low, high, absent, bits = cells.low, cells.high, cells.absent, cells.bits
    keys, parent, end, node_cost = attributes.keys, attributes.parent, attributes.end, attributes.node_cost
    for attribute in range(len(attributes.kind)):
        kind, unit, full = attributes.kind[attribute], attributes.unit[attribute], attributes.full[attribute]
        key_start, node_start = attributes.key_start[attribute], attributes.node_start[attribute]
        own_low, own_high, own_absent = low[seed, attribute], high[seed, attribute], absent[seed, attribute]
        for other in others:
            lowest = min(own_low, low[other, attribute])
            highest = max(own_high, high[other, attribute])
            if highest < 0:
                continue
            if own_absent or absent[other, attribute]:
                unions[other] += full
            elif kind == VALUES:
                distinct = 0
                for word in range(cells.bit_start[attribute], cells.bit_start[attribute + 1]):
                    left = bits[seed, word] | bits[other, word]
                    while left:
                        left &= left - _ONE
                        distinct += 1
                if distinct > 1:
                    unions[other] += unit * distinct
            elif lowest < highest and kind == NUMBERS:
                unions[other] += unit * (keys[key_start + highest] - keys[key_start + lowest])
            elif lowest < highest:
                node = lowest
                while end[node_start + node] <= highest:
                    node = parent[node_start + node]
                unions[other] += node_cost[node_start + node]


@njit
def _lacks_items(filled: int, k: int) -> bool:
    """Some records have items, and too few: no generalization of them helps."""
    return 0 < filled < k


@njit
def _rise(seed: int, partner: int, union: int, costs: Int64s, sizes: Int64s) -> int:
    """Return by how much uniting two clusters raises the costs of all their records."""
    return int((sizes[seed] + sizes[partner]) * union - sizes[seed] * costs[seed] - sizes[partner] * costs[partner])


@njit
def _reordered(order: Int64s, n_alive: int, seed: int, partner: int, keys: Int64s, lowest: Int64s) -> int:
    """The order of seeds without the partner and with the seed in its new place."""
    kept = 0
    for index in range(n_alive):
        one = order[index]
        if one not in (seed, partner):
            order[kept] = one
            kept += 1
    index = kept
    while index > 0:
        before = order[index - 1]
        if keys[before] < keys[seed] or (keys[before] == keys[seed] and lowest[before] < lowest[seed]):
            break
        order[index] = before
        index -= 1
    order[index] = seed
    return kept + 1


@njit
def _chosen(
    seed: int,
    candidates: Int64s,
    unions: Int64s,
    scores: Float64s,
    attributes: Attributes,
    cells: ClassCells,
    lowest: Int64s,
    filled: Int64s,
    distances: Float64s,
    heuristic: int,
    as_printed: bool,
    k: int,
    room: int,
    costs: Int64s,
    sizes: Int64s,
    alive: Int64s,
) -> int:
    """The first partner of a seed in the order of the heuristic that fits; -1 if none does.

    All candidates fit unless the algorithm goes `as_printed`, where they are all clusters that are left.
    """
    wanting = not as_printed and _lacks_items(filled[seed], k)
    places = len(lowest) if heuristic == BY_BOTH else 0
    first = np.zeros(places, np.int64)  # where positions count, their sum and then the position by cells
    second = np.zeros(places, np.int64)
    if heuristic != BY_CELLS:
        for other in alive:
            scores[other] = max(distances[seed, seed], distances[other, other], distances[seed, other])
    if heuristic == BY_BOTH and len(candidates) > 1:
        partners = alive[alive != seed]
        partners = partners[order_by(lowest[partners])]
        _set_unions(attributes, cells, seed, partners, unions)
        by_cells = partners[order_by(unions[partners])]
        by_items = partners[order_by(scores[partners])]
        for index in range(len(partners)):
            first[by_cells[index]] += index
            second[by_cells[index]] = index
            first[by_items[index]] += index
    best = -1
    best_lacks = False
    for other in candidates:
        if as_printed and heuristic != BY_CELLS and _rise(seed, other, unions[other], costs, sizes) > room:
            continue
        lacks = wanting and _lacks_items(filled[seed] + filled[other], k)
        if best >= 0:
            if lacks != best_lacks:
                if lacks:
                    continue
            elif not _comes_before(other, best, heuristic, unions, scores, first, second, lowest):
                continue
        best, best_lacks = other, lacks
    if as_printed and best >= 0 and _rise(seed, best, unions[best], costs, sizes) > room:
        return -1
    return int(best)


@njit
def _comes_before(
    one: int,
    other: int,
    heuristic: int,
    unions: Int64s,
    scores: Float64s,
    first: Int64s,
    second: Int64s,
    lowest: Int64s,
) -> bool:
    """Return whether a partner is better than another under the heuristic; ties go to the lowest record."""
    if heuristic == BY_CELLS and unions[one] != unions[other]:
        return bool(unions[one] < unions[other])
    if heuristic == BY_ITEMS and scores[one] != scores[other]:
        return bool(scores[one] < scores[other])
    if heuristic == BY_BOTH:
        if first[one] != first[other]:
            return bool(first[one] < first[other])
        if second[one] != second[other]:
            return bool(second[one] < second[other])
    return bool(lowest[one] < lowest[other])


@njit
def records_by_cluster(cluster_of: Int64s, n_clusters: int) -> tuple[Int64s, Int64s]:
    """Where the records of each cluster start, and the records cluster by cluster; cluster -1 is left out."""
    starts = np.zeros(n_clusters + 1, np.int64)
    for cluster in cluster_of:
        if cluster >= 0:
            starts[cluster + 1] += 1
    for cluster in range(n_clusters):
        starts[cluster + 1] += starts[cluster]
    rows = np.empty(starts[-1], np.int64)
    at = starts[:-1].copy()
    for record in range(len(cluster_of)):
        cluster = cluster_of[record]
        if cluster >= 0:
            rows[at[cluster]] = record
            at[cluster] += 1
    return starts, rows


@njit
def union_costs(attributes: Attributes, cells: ClassCells, seed: int, partners: Int64s) -> Int64s:
    """What a record costs in the union of the seed with each partner."""
    unions = np.zeros(len(cells.low), np.int64)
    _set_unions(attributes, cells, seed, partners, unions)
    costs: Int64s = unions[partners]
    return costs
