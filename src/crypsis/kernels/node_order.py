"""The order of joint nodes: by the terms that most nodes hide, so that neighbours have much to share."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.joint_nodes import Arena, Leading, Nodes
from crypsis.kernels.plain_sorting import order_by

_NO_PLACE = np.int32(2**31 - 1)
_LARGEST_KEY = np.int64(2**63 - 1)
_SHORT_RUN = 24
_DIGIT_BITS = 11


@njit
def sort_keys(
    listed: Int64s, nodes: Nodes, arena: Arena, leading: Leading, shared_by: Int64s, place: Int32s, bits: int
) -> Int64s:
    """The first terms that each listed node hides, as one number that sorts like them; the largest if it hides none."""
    keys = np.empty(len(listed), np.int64)
    n_fields = min(63 // bits, leading.term.shape[1])
    term_at = np.empty(len(place), np.int64)
    for term in range(len(place)):
        term_at[place[term]] = term
    best = np.empty(leading.term.shape[1], np.int64)
    places = np.empty(leading.term.shape[1], np.int32)
    for index in range(len(listed)):
        node = listed[index]
        if nodes.hidden_len[node] == 0:
            keys[index] = _LARGEST_KEY
            continue
        n_best = leading.n_terms[node]
        known = False
        if n_best >= 0:
            _first_places(leading.term[node], n_best, place, places, best[:n_fields])
            known = leading.at_most[node] < 0 or (
                n_best >= n_fields and shared_by[term_at[best[n_fields - 1]]] > leading.at_most[node]
            )
        if not known:
            n_best = 0
            begin = nodes.hidden_at[node]
            for at in range(begin, begin + nodes.hidden_len[node]):
                n_best = _insert(place[arena.term[at]], best, n_best)
            for at in range(n_best):
                leading.term[node, at] = term_at[best[at]]
            leading.n_terms[node] = n_best
            leading.at_most[node] = shared_by[term_at[best[n_best - 1]]] if n_best < nodes.hidden_len[node] else -1
        keys[index] = _side_by_side(best[:n_fields], n_best, bits)
    return keys


@njit
def _first_places(terms: Int32s, n: int, place: Int32s, places: Int32s, best: Int64s) -> None:
    """Write the smallest places of the first n terms in order; `places` is room for all of them.

    The least is looked for again and again without a branch: which one it is cannot be foretold.
    """
    for at in range(len(terms)):
        places[at] = place[terms[at]] if at < n else _NO_PLACE
    last = np.int32(-1)
    for field in range(len(best)):
        least = _NO_PLACE
        for at in range(len(places)):
            least = min(least, places[at] if places[at] > last else _NO_PLACE)
        best[field] = least
        last = least


@njit
def sorted_by_key(listed: Int64s, keys: Int64s, n_bits: int) -> tuple[Int64s, Int64s]:
    """Nodes and keys by the last bits of the keys, equal ones as they are."""
    n = len(listed)
    n_digits = (n_bits + _DIGIT_BITS - 1) // _DIGIT_BITS
    mask = (1 << _DIGIT_BITS) - 1
    counts = np.zeros((n_digits, mask + 1), np.int64)
    for index in range(n):
        key = keys[index]
        for digit in range(n_digits):
            counts[digit, (key >> (digit * _DIGIT_BITS)) & mask] += 1
    nodes_now, keys_now = listed, keys
    nodes_next, keys_next = np.empty(n, np.int64), np.empty(n, np.int64)
    for digit in range(n_digits):
        begin = 0
        for value in range(mask + 1):
            count = counts[digit, value]
            counts[digit, value] = begin
            begin += count
        shift = digit * _DIGIT_BITS
        for index in range(n):
            key = keys_now[index]
            value = (key >> shift) & mask
            slot = counts[digit, value]
            counts[digit, value] = slot + 1
            nodes_next[slot] = nodes_now[index]
            keys_next[slot] = key
        if digit == 0:
            nodes_now, keys_now = np.empty(n, np.int64), np.empty(n, np.int64)
        nodes_now, nodes_next = nodes_next, nodes_now
        keys_now, keys_next = keys_next, keys_now
    return nodes_now, keys_now


@njit
def _insert(place: int, best: Int64s, n_best: int) -> int:
    """Keep the smallest places in order; how many there are now."""
    if n_best == len(best):
        if place >= best[n_best - 1]:
            return n_best
        n_best -= 1
    slot = n_best
    while slot > 0 and best[slot - 1] > place:
        best[slot] = best[slot - 1]
        slot -= 1
    best[slot] = place
    return n_best + 1


@njit
def _side_by_side(best: Int64s, n_best: int, bits: int) -> int:
    """Places in one number, one added; 0 where there are no more."""
    key = 0
    for field in range(len(best)):
        key = (key << bits) | (best[field] + 1 if field < n_best else 0)
    return key


@njit
def _key(node: int, nodes: Nodes, arena: Arena, place: Int32s, bits: int, above: int, best: Int64s) -> int:
    """The places of the first terms after place `above` as one number."""
    n_best = 0
    begin = nodes.hidden_at[node]
    for at in range(begin, begin + nodes.hidden_len[node]):
        if place[arena.term[at]] > above:
            n_best = _insert(place[arena.term[at]], best, n_best)
    return _side_by_side(best, n_best, bits)


@njit
def settle_ties(listed: Int64s, keys: Int64s, nodes: Nodes, arena: Arena, place: Int32s, bits: int) -> None:
    """Order nodes with equal keys by what they hide further on; equal ones stay as they are. Both are sorted by key."""
    best = np.empty(63 // bits, np.int64)
    mask = (1 << bits) - 1
    runs = np.empty((len(listed) // 2 + 1, 2), np.int64)  # still to be looked at: disjoint ones of two nodes or more
    runs[0, 0], runs[0, 1] = 0, len(listed)
    n_runs = 1
    while n_runs > 0:
        n_runs -= 1
        start, end = runs[n_runs, 0], runs[n_runs, 1]
        while start < end:
            stop = start + 1
            while stop < end and keys[stop] == keys[start]:
                stop += 1
            last = (keys[start] & mask) - 1
            if stop - start > 1 and last >= 0 and nodes.hidden_len[listed[start]] > 0:
                for index in range(start, stop):
                    keys[index] = _key(listed[index], nodes, arena, place, bits, last, best)
                _sort_run(listed, keys, start, stop)
                runs[n_runs, 0], runs[n_runs, 1] = start, stop
                n_runs += 1
            start = stop


@njit
def _sort_run(listed: Int64s, keys: Int64s, start: int, stop: int) -> None:
    """Sort a stretch by key, equal ones as they are."""
    if stop - start > _SHORT_RUN:
        order = order_by(keys[start:stop])
        nodes_before, keys_before = listed[start:stop].copy(), keys[start:stop].copy()
        for index in range(stop - start):
            listed[start + index], keys[start + index] = nodes_before[order[index]], keys_before[order[index]]
        return
    for index in range(start + 1, stop):
        key = keys[index]
        node = listed[index]
        slot = index
        while slot > start and keys[slot - 1] > key:
            keys[slot] = keys[slot - 1]
            listed[slot] = listed[slot - 1]
            slot -= 1
        keys[slot] = key
        listed[slot] = node
