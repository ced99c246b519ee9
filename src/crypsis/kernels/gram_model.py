"""A tree of n-grams as a model of sequences: contexts that back off to shorter ones, and sequences drawn from it.

Node 0 is the root (the empty context) and node 1 the beginning of a sequence. The children of a node are
`first[node]` to `last[node] - 1`, by rising token; the token `end` ends a sequence. `cumulative[child]` adds up the
weights of a family up to and with this child, `total[node]` is the weight of a context; what its children leave over of
it goes to the next shorter context that there is, `link[node]`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Float64s, Int32s, Int64s
from crypsis.arrays.ascending import first_not_below
from crypsis.compilation import njit

Words = NDArray[np.uint32]
ROOT, START = 0, 1


@njit
def fitted_families(first: Int64s, last: Int64s, noisy: Int64s, n_families: int) -> Float64s:
    """The counts of children, moved to the nearest ones that are not negative and add up to their parent at most.

    Parents come before their children; the root's children and the start keep their own counts.
    """
    value = np.maximum(noisy.astype(np.float64), 0.0)
    for node in range(1, n_families):
        begin, end = first[node], last[node]
        if begin == end:
            continue
        total = 0.0
        for child in range(begin, end):
            total += value[child]
        if total <= value[node]:
            continue
        falling = np.sort(value[begin:end])[::-1]
        running, share = 0.0, 0.0
        for index in range(len(falling)):
            running += falling[index]
            level = (running - value[node]) / (index + 1)
            if falling[index] <= level:
                break
            share = level
        for child in range(begin, end):
            value[child] = max(value[child] - share, 0.0) if value[node] > 0.0 else 0.0
    return value


@njit
def cumulative_weights(first: Int64s, last: Int64s, value: Float64s, n_families: int) -> Float64s:
    """Within each family, the weights up to and with each child."""
    cumulative = np.zeros(len(value), np.float64)
    for node in range(n_families):
        total = 0.0
        for child in range(first[node], last[node]):
            total += value[child]
            cumulative[child] = total
    return cumulative


@njit
def child_with(first: Int64s, last: Int64s, token: Int32s, node: int, wanted: int) -> int:
    """The child of a node with this token, -1 where there is none."""
    child = first_not_below(token, first[node], last[node], wanted)
    return child if child < last[node] and token[child] == wanted else -1


@njit
def next_context(
    first: Int64s, last: Int64s, token: Int32s, link: Int64s, is_context: Bools, node: int, drawn: int
) -> int:
    """The longest context that ends with what the node stands for and the token after it."""
    while True:
        child = child_with(first, last, token, node, drawn)
        if child >= 0 and is_context[child]:
            return child
        if node == ROOT:
            return ROOT
        node = link[node]


@njit
def context_links(first: Int64s, last: Int64s, token: Int32s, parent: Int64s, is_context: Bools) -> Int64s:
    """The next shorter context of every node; parents come before their children."""
    link = np.zeros(len(parent), np.int64)
    for node in range(2, len(parent)):
        if parent[node] != ROOT:
            above = link[parent[node]]
            link[node] = next_context(first, last, token, link, is_context, above, token[node])
    return link


@njit
def _uniform(words: Words, cursor: Int64s) -> float:
    """Draw a number from 0 to 1 from two words."""
    index = cursor[0]
    cursor[0] = index + 2
    return (np.float64(words[index]) * 4294967296.0 + np.float64(words[index + 1])) / 18446744073709551616.0


@njit
def _first_above(cumulative: Float64s, begin: int, end: int, weight: float) -> int:
    """The first of the children whose cumulative weight is above this one; the last where rounding leaves none."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > weight:
            high = middle
        else:
            low = middle + 1
    return min(low, end - 1)


@njit
def drawn_sequences(
    first: Int64s,
    last: Int64s,
    token: Int32s,
    cumulative: Float64s,
    total: Float64s,
    link: Int64s,
    is_context: Bools,
    end: int,
    rising: bool,
    words: Words,
    cursor: Int64s,
    words_each: int,
    sequences: Int32s,
    done: int,
) -> int:
    """Fill rows of `sequences` from row `done` on with tokens plus 1, as long as there are words; returns how far."""
    longest = sequences.shape[1]
    while done < len(sequences) and len(words) - cursor[0] >= words_each:
        context, previous = START, -1
        for length in range(longest):
            drawn = -1
            node = context
            while drawn < 0:
                begin, stop = first[node], last[node]
                if node == ROOT:
                    if rising:
                        begin = first_not_below(token, begin, stop, previous + 1)
                    if length == 0 and stop > begin and token[stop - 1] == end:
                        stop -= 1
                    before = cumulative[begin - 1] if begin > first[node] and stop > begin else 0.0
                    weight = cumulative[stop - 1] - before if stop > begin else 0.0
                    if weight <= 0.0:
                        drawn = end
                    else:
                        at = _first_above(cumulative, begin, stop, before + _uniform(words, cursor) * weight)
                        drawn = token[at]
                else:
                    held = cumulative[stop - 1] if stop > begin else 0.0
                    point = _uniform(words, cursor) * max(total[node], held)
                    if point < held:
                        drawn = token[_first_above(cumulative, begin, stop, point)]
                    else:
                        node = link[node]
            if drawn == end:
                break
            sequences[done, length] = drawn + 1
            previous = drawn
            context = next_context(first, last, token, link, is_context, context, drawn)
        done += 1
    return done
