"""The pair of generalized items that most records share of those too few share, kept while items are merged.

For policies whose constraints have one or two items. Constraints with the same generalized items have the same support
from then on, so only the first of them counts: `first[a, b]` is the number of the first constraint that became the
items a and b, NOBODY where there is none; a single item stands on the diagonal. `pairs` holds supports in the same
places. `rarest` has three columns for each item: among its places with a support from 1 to k - 1 the largest support
(0 where there is none), the lowest constraint with it, and its column.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

NOBODY = np.iinfo(np.int64).max


@njit
def first_constraints(constraint_offsets: Int64s, constraint_items: Int32s, n_items: int) -> Int64s:
    """Where nothing is merged yet."""
    first = np.full((n_items, n_items), NOBODY, np.int64)
    for constraint in range(len(constraint_offsets) - 2, -1, -1):
        one = constraint_items[constraint_offsets[constraint]]
        other = constraint_items[constraint_offsets[constraint + 1] - 1]
        first[one, other] = constraint
        first[other, one] = constraint
    return first


@njit
def rarest_of_each(first: Int64s, pairs: Int32s, k: int) -> Int64s:
    """The rows of `rarest`."""
    rarest = np.zeros((len(first), 3), np.int64)
    for item in range(len(first)):
        _look_again(item, first, pairs, k, rarest)
    return rarest


@njit
def worst_constraint(rarest: Int64s) -> int:
    """The first of the constraints with the largest support below k; -1 if there is none."""
    best_support, best = 0, NOBODY
    for item in range(len(rarest)):
        support, constraint = rarest[item, 0], rarest[item, 1]
        if support > best_support or (support == best_support and support > 0 and constraint < best):
            best_support, best = support, constraint
    return int(best) if best_support else -1


@njit
def join_items(kept: int, gone: int, first: Int64s, pairs: Int32s, k: int, rarest: Int64s) -> None:
    """After two items became one, and the row of `pairs` was counted again."""
    alone = min(first[kept, kept], first[gone, gone], first[kept, gone])
    for other in range(len(first)):
        earlier = min(first[kept, other], first[gone, other])
        first[kept, other] = earlier
        first[other, kept] = earlier
    first[kept, kept] = alone
    leave_out(gone, first, pairs, k, rarest)
    _look_again(kept, first, pairs, k, rarest)
    for other in range(len(first)):
        if other == kept:
            continue
        if rarest[other, 0] > 0 and rarest[other, 2] == kept:
            _look_again(other, first, pairs, k, rarest)
        else:
            _look_at(other, kept, first, pairs, k, rarest)


@njit
def leave_out(gone: int, first: Int64s, pairs: Int32s, k: int, rarest: Int64s) -> None:
    """After an item was suppressed, or became part of another."""
    for other in range(len(first)):
        first[gone, other] = NOBODY
        first[other, gone] = NOBODY
    rarest[gone] = 0
    for other in range(len(first)):
        if rarest[other, 0] > 0 and rarest[other, 2] == gone:
            _look_again(other, first, pairs, k, rarest)


@njit
def _look_again(item: int, first: Int64s, pairs: Int32s, k: int, rarest: Int64s) -> None:
    """Find the rarest pair of an item among all others."""
    rarest[item] = 0
    for other in range(len(first)):
        _look_at(item, other, first, pairs, k, rarest)


@njit
def _look_at(item: int, other: int, first: Int64s, pairs: Int32s, k: int, rarest: Int64s) -> None:
    """Take a pair as the rarest of its item if it violates k less rarely than what was seen."""
    constraint, support = first[item, other], np.int64(pairs[item, other])
    if constraint == NOBODY or support == 0 or support >= k:
        return
    if support > rarest[item, 0] or (support == rarest[item, 0] and constraint < rarest[item, 1]):
        rarest[item, 0] = support
        rarest[item, 1] = constraint
        rarest[item, 2] = other
