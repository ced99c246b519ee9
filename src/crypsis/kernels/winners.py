"""Which doublets to suppress so that no critical violation is left: most violations removed per instance lost.

Violation v is members[starts[v]:starts[v + 1]]. Scores are compared as fractions; ties go to the larger gain, then to
the smaller doublet number, which is the canonical order.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit


@njit
def _is_better(one: int, other: int, gain: Int64s, loss: Int64s) -> bool:
    """Return whether a doublet has more gain for its loss; ties go to more gain, then to the first."""
    left, right = gain[one] * loss[other], gain[other] * loss[one]
    if left != right:
        return bool(left > right)
    if gain[one] != gain[other]:
        return bool(gain[one] > gain[other])
    return one < other


@njit
def _sift_down(heap: Int32s, length: int, place: int, gain: Int64s, loss: Int64s) -> None:
    """Restore the order of a heap below an entry that became worse."""
    while True:
        best, left = place, 2 * place + 1
        for child in (left, left + 1):
            if child < length and _is_better(heap[child], heap[best], gain, loss):
                best = child
        if best == place:
            return
        heap[place], heap[best] = heap[best], heap[place]
        place = best


@njit
def chosen_winners(starts: Int64s, members: Int32s, loss: Int64s, allowed: Bools, prune: bool) -> Int32s:
    """The doublets to suppress, in the order in which they are chosen; only allowed ones are.

    Each violation holds an allowed doublet. With `prune`, winners that the others make superfluous are dropped again,
    tried in the order in which they were chosen. Gains only fall, so a heap whose top is put right when it is looked at
    gives the true best.
    """
    n_doublets, n_violations = len(loss), len(starts) - 1
    gain = np.zeros(n_doublets, np.int64)
    for member in members:
        if allowed[member]:
            gain[member] += 1
    holder_start = np.zeros(n_doublets + 1, np.int64)
    for code in range(n_doublets):
        holder_start[code + 1] = holder_start[code] + gain[code]
    holders = np.empty(holder_start[-1], np.int64)
    filled = holder_start[:-1].copy()
    for violation in range(n_violations):
        for index in range(starts[violation], starts[violation + 1]):
            code = members[index]
            if allowed[code]:
                holders[filled[code]] = violation
                filled[code] += 1
    heap = np.empty(n_doublets, np.int32)
    length = 0
    for code in range(n_doublets):
        if gain[code] > 0:
            heap[length] = code
            length += 1
    keyed = gain.copy()  # the gain by which a doublet stands in the heap, not below the true one
    for place in range(length // 2 - 1, -1, -1):
        _sift_down(heap, length, place, keyed, loss)
    hits = np.zeros(n_violations, np.int64)
    winners = np.empty(length, np.int32)
    n_winners = 0
    while length > 0:
        best = heap[0]
        if keyed[best] != gain[best]:
            keyed[best] = gain[best]
            if gain[best] == 0:
                length -= 1
                heap[0] = heap[length]
            _sift_down(heap, length, 0, keyed, loss)
            continue
        winners[n_winners] = best
        n_winners += 1
        for at in range(holder_start[best], holder_start[best + 1]):
            violation = holders[at]
            if hits[violation] == 0:
                for index in range(starts[violation], starts[violation + 1]):
                    gain[members[index]] -= 1
            hits[violation] += 1
        length -= 1
        heap[0] = heap[length]
        _sift_down(heap, length, 0, keyed, loss)
    if not prune:
        return winners[:n_winners].copy()
    kept = np.empty(n_winners, np.int32)
    n_kept = 0
    for index in range(n_winners):
        winner = winners[index]
        superfluous = True
        for at in range(holder_start[winner], holder_start[winner + 1]):
            if hits[holders[at]] < 2:
                superfluous = False
                break
        if superfluous:
            for at in range(holder_start[winner], holder_start[winner + 1]):
                hits[holders[at]] -= 1
        else:
            kept[n_kept] = winner
            n_kept += 1
    return kept[:n_kept].copy()
