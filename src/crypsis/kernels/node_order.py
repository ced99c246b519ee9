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
    known, at_most, hidden_len = leading.term, leading.at_most, nodes.hidden_len
    n_known = known.shape[1]
    n_fields = min(63 // bits, n_known)
    n_terms = len(place)
    place_of = np.full(n_terms + 1, _NO_PLACE, np.int32)  # the last for what is not known of nodes that hide few terms
    term_at = np.empty(n_terms, np.int64)
    for term in range(n_terms):
        place_of[term] = place[term]
        term_at[place[term]] = term
    places = np.empty(max(n_known, n_terms), np.int32)
    best = np.empty(n_known, np.int64)
    for index in range(len(listed)):
        node = listed[index]
        if hidden_len[node] == 0:
            keys[index] = _LARGEST_KEY
            continue
        for at in range(n_known):
            places[at] = place_of[known[node, at]]
        key, last = 0, np.int32(-1)
        for _ in range(n_fields):
            last = _least_after(last, places, n_known)
            key = (key << bits) | (0 if last == _NO_PLACE else int(last) + 1)
        # They are the first of all if more nodes hide each than any other term of the node.
        if at_most[node] >= 0 and (last == _NO_PLACE or shared_by[term_at[last]] <= at_most[node]):
            farthest = np.int32(-1)  # no other term is wanted from there on
            for at in range(n_known):
                farthest = max(farthest, places[at])
            n_best = _first_places(node, nodes, arena, place, -1, int(farthest), places, best)
            for at in range(n_known):
                known[node, at] = term_at[best[at]] if at < n_best else n_terms
            at_most[node] = shared_by[term_at[best[n_best - 1]]] if n_best < hidden_len[node] else -1
            key = _side_by_side(best[:n_fields], n_best, bits)
        keys[index] = key
    return keys


@njit
def _least_after(place: np.int32, places: Int32s, n: int) -> np.int32:
    """The least of the first n places that is after this one, looked for without a branch: nothing foretells it."""
    least = _NO_PLACE
    for at in range(n):
        least = min(least, places[at] if places[at] > place else _NO_PLACE)
    return least


@njit
def _first_places(
    node: int, nodes: Nodes, arena: Arena, place: Int32s, above: int, at_most: int, places: Int32s, best: Int64s
) -> int:
    """Write the smallest places after `above`, up to `at_most`, of a node's terms in order; how many there are.

    `places` is room for those of all its terms.
    """
    begin = nodes.hidden_at[node]
    n = 0
    for at in range(begin, begin + nodes.hidden_len[node]):
        here = np.int64(place[arena.term[at]])
        places[n] = here
        n += int((here > above) & (here <= at_most))
    last = np.int32(-1)
    for n_best in range(min(n, len(best))):
        last = _least_after(last, places, n)
        best[n_best] = last
    return min(n, len(best))


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
def _side_by_side(best: Int64s, n_best: int, bits: int) -> int:
    """Places in one number, one added; 0 where there are no more."""
    key = 0
    for field in range(len(best)):
        key = (key << bits) | (best[field] + 1 if field < n_best else 0)
    return key


@njit
def settle_ties(listed: Int64s, keys: Int64s, nodes: Nodes, arena: Arena, place: Int32s, bits: int) -> None:
    """Order nodes with equal keys by what they hide further on; equal ones stay as they are. Both are sorted by key."""
    places = np.empty(len(place), np.int32)
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
                    n_best = _first_places(listed[index], nodes, arena, place, last, int(_NO_PLACE), places, best)
                    keys[index] = _side_by_side(best, n_best, bits)
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
