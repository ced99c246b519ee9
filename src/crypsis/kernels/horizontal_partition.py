"""HORPART: split records by their most frequent term until clusters are small; what is too small is pooled.

Record r is terms[offsets[r]:offsets[r + 1]]; offsets int64, terms int32 by falling support (0 = most frequent).

The definition splits off the records with the most frequent term, then those of the rest with its most frequent term,
and so on. Such a chain is laid out in one go: postings name the records of each term, and counts only fall. Each record
is thus read three times per term that it was split by, however long the chain is. Records that will be split again
are laid side by side without the term they share, so that memory is read in order at every depth.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit

TRIES_OF_GUARDED = 8


@njit
def horizontal_partition(
    offsets: Int64s, terms: Int32s, sensitive: Bools, k: int, diversity: int, max_size: int, guarded: bool
) -> tuple[Int64s, Int64s, Int64s]:
    """Records by cluster, the clusters' offsets, and the leftover records that no cluster took."""
    n = len(offsets) - 1
    longest = 0
    for record in range(n):
        longest = max(longest, offsets[record + 1] - offsets[record])
    order = np.arange(n)
    clustered = np.empty(n, np.int64)
    cluster_ends = np.zeros(n + 1, np.int64)
    n_clusters = 0
    filled = 0
    remnants = np.empty(n, np.int64)  # a stack: those of an open part lie above those of the parts around it
    top = 0
    any_sensitive = bool(sensitive.any())
    seen = np.zeros(len(sensitive), np.int64)  # all zero between two uses

    # The record at place p of the order holds flat[begin_of[p]:end_of[p]], less what its part shares.
    flat = np.empty(len(terms), np.int32)
    begin_of = np.empty(n, np.int64)
    end_of = np.empty(n, np.int64)
    length = 0
    for record in range(n):
        begin_of[record] = length
        for position in range(offsets[record], offsets[record + 1]):
            if not sensitive[terms[position]]:
                flat[length] = terms[position]
                length += 1
        end_of[record] = length
    spare = np.empty(len(terms), np.int32)

    # Chains lie on one stack of parts: the end of a part's records, and where its remnants begin.
    # The last part of a chain is the rest. Chains nest no deeper than a record has terms.
    part_end = np.empty(n + longest + 2, np.int64)
    part_remnants = np.empty(n + longest + 2, np.int64)
    chain_first = np.empty(longest + 2, np.int64)
    chain_next = np.empty(longest + 2, np.int64)
    chain_end = np.empty(longest + 2, np.int64)
    count = np.zeros(len(sensitive), np.int64)
    place = np.zeros(len(sensitive), np.int64)
    postings = np.empty(len(terms), np.int32)

    chain_first[0] = 0
    chain_next[0] = 0
    chain_end[0] = _split_chain(
        flat, begin_of, end_of, spare, order, 0, n, k, max_size, guarded, part_end, 0, count, place, postings
    )
    depth = 0
    start = 0
    while True:
        if chain_next[depth] == chain_end[depth]:
            counted = top  # sensitive terms of remnants[counted:top] are in `seen`
            most = 0
            for part in range(chain_end[depth] - 2, chain_first[depth] - 1, -1):
                begin = part_remnants[part]
                if any_sensitive:
                    most = max(most, _see(offsets, terms, sensitive, seen, remnants, begin, counted))
                    counted = begin
                if top - begin >= k and most * diversity <= top - begin:
                    filled = _append(remnants, begin, top, clustered, filled)
                    n_clusters += 1
                    cluster_ends[n_clusters] = filled
                    if any_sensitive:
                        _forget(offsets, terms, seen, remnants, begin, top)
                    counted = begin
                    most = 0
                    top = begin
            if any_sensitive:
                _forget(offsets, terms, seen, remnants, counted, top)
            depth -= 1
            if depth < 0:
                break
            continue
        part = chain_next[depth]
        chain_next[depth] += 1
        part_remnants[part] = top
        end = part_end[part]
        if end - start > max_size and part < chain_end[depth] - 1:
            first = chain_end[depth]
            n_parts = _split_chain(
                flat, begin_of, end_of, spare, order, start, end, k, max_size, guarded, part_end, first,
                count, place, postings,
            )  # fmt: skip
            depth += 1
            chain_first[depth] = first
            chain_next[depth] = first
            chain_end[depth] = first + n_parts
            continue
        if end > start:
            if _acceptable(offsets, terms, sensitive, any_sensitive, seen, k, diversity, order, start, end):
                filled = _append(order, start, end, clustered, filled)
                n_clusters += 1
                cluster_ends[n_clusters] = filled
            else:
                top = _append(order, start, end, remnants, top)
        start = end
    return clustered[:filled].copy(), cluster_ends[: n_clusters + 1].copy(), remnants[:top].copy()


@njit
def _append(source: Int64s | Int32s, begin: int, end: int, target: Int64s | Int32s, filled: int) -> int:
    """Copy a stretch behind what is filled; how much is then."""
    for at in range(begin, end):
        target[filled] = source[at]
        filled += 1
    return filled


@njit
def _split_chain(
    flat: Int32s,
    begin_of: Int64s,
    end_of: Int64s,
    spare: Int32s,
    order: Int64s,
    start: int,
    end: int,
    k: int,
    max_size: int,
    guarded: bool,
    part_end: Int64s,
    first: int,
    count: Int64s,
    place: Int64s,
    postings: Int32s,
) -> int:
    """Arrange order[start:end] by chain: the records with a term, those of the rest with the next, …, the rest.

    Writes the parts from `first` on and returns how many there are. `count` is all zero before and after.
    """
    size = end - start
    touched = np.empty(min(end_of[end - 1] - begin_of[start], len(count)) if size else 0, np.int64)
    n_touched = 0
    for at in range(start, end):
        for position in range(begin_of[at], end_of[at]):
            term = flat[position]
            if count[term] == 0:
                touched[n_touched] = term
                n_touched += 1
            count[term] += 1
    fill = 0
    n_terms = len(count)
    heap = np.empty(n_touched, np.int64)  # of count and rank as one number; counts fall behind and are corrected on top
    for index in range(n_touched):
        term = touched[index]
        place[term] = fill
        fill += count[term]
        heap[index] = count[term] * n_terms + (n_terms - 1 - term)
    for at in range(start, end):
        for position in range(begin_of[at], end_of[at]):
            term = flat[position]
            postings[place[term]] = at - start
            place[term] += 1
    for index in range(n_touched - 1, -1, -1):
        place[touched[index]] -= count[touched[index]]

    for root in range(n_touched // 2 - 1, -1, -1):
        _sift_down(heap, root, n_touched)
    n_heap = n_touched
    alive = size
    gone = np.zeros(size, np.bool_)
    arranged = np.empty(size, np.int64)
    bounds = np.zeros((size, 2), np.int64)  # of the arranged records in the spare memory
    copied = 0
    filled = 0
    n_parts = 0
    tried = np.empty(TRIES_OF_GUARDED, np.int64)
    while alive > max_size:
        n_tried = 0
        chosen = -1
        while n_tried < (TRIES_OF_GUARDED if guarded else 1):
            n_heap, top = _pop_largest(heap, n_heap, count, n_terms)
            if top < 0:
                break
            tried[n_tried] = top
            n_tried += 1
            if not guarded or (count[top] >= k and (alive == count[top] or alive - count[top] >= k)):
                chosen = n_tried - 1
                break
        if n_tried == 0:
            break
        chosen = max(chosen, 0)
        for other in range(n_tried):
            if other != chosen:
                n_heap = _push(heap, n_heap, count[tried[other]] * n_terms + (n_terms - 1 - tried[other]))
        term = tried[chosen]
        left = count[term]
        kept = left > max_size  # it will be split again
        position = place[term]
        while left > 0:
            local = postings[position]
            position += 1
            if gone[local]:
                continue
            gone[local] = True
            left -= 1
            at = start + local
            arranged[filled] = order[at]
            bounds[filled, 0] = copied
            for item in range(begin_of[at], end_of[at]):
                held = flat[item]
                count[held] -= 1
                if kept and held != term:
                    spare[copied] = held
                    copied += 1
            bounds[filled, 1] = copied
            filled += 1
            alive -= 1
        part_end[first + n_parts] = start + filled
        n_parts += 1
    for local in range(size):
        if not gone[local]:
            at = start + local
            arranged[filled] = order[at]
            bounds[filled, 0] = copied
            bounds[filled, 1] = copied
            filled += 1
            for item in range(begin_of[at], end_of[at]):
                count[flat[item]] -= 1
    if size:
        base = begin_of[start]
        _append(arranged, 0, size, order, start)
        _append(spare, 0, copied, flat, base)
        for local in range(size):
            begin_of[start + local] = base + bounds[local, 0]
            end_of[start + local] = base + bounds[local, 1]
    part_end[first + n_parts] = end
    return n_parts + 1


@njit
def _pop_largest(heap: Int64s, n_heap: int, count: Int64s, n_terms: int) -> tuple[int, int]:
    """Take the term with the largest count off the heap, the most frequent overall among equals; -1 if none is left."""
    while n_heap > 0:
        term = n_terms - 1 - heap[0] % n_terms
        if count[term] == 0:
            n_heap -= 1
            heap[0] = heap[n_heap]
            _sift_down(heap, 0, n_heap)
        elif count[term] * n_terms + (n_terms - 1 - term) != heap[0]:
            heap[0] = count[term] * n_terms + (n_terms - 1 - term)
            _sift_down(heap, 0, n_heap)
        else:
            n_heap -= 1
            heap[0] = heap[n_heap]
            _sift_down(heap, 0, n_heap)
            return n_heap, term
    return 0, -1


@njit
def _push(heap: Int64s, n_heap: int, key: int) -> int:
    """Add a key to a heap whose first entry is the largest, and return its length."""
    at = n_heap
    while at > 0 and heap[(at - 1) // 2] < key:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = key
    return n_heap + 1


@njit
def _sift_down(heap: Int64s, root: int, n_heap: int) -> None:
    """Restore the order of a heap below an entry that became smaller."""
    key = heap[root]
    at = root
    while 2 * at + 1 < n_heap:
        child = 2 * at + 1
        if child + 1 < n_heap and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key


@njit
def _acceptable(
    offsets: Int64s,
    terms: Int32s,
    sensitive: Bools,
    any_sensitive: bool,
    seen: Int64s,
    k: int,
    diversity: int,
    records: Int64s,
    begin: int,
    end: int,
) -> bool:
    """There are k records, and no sensitive term is in more than one in `diversity` of them."""
    if end - begin < k:
        return False
    if not any_sensitive:
        return True
    most = _see(offsets, terms, sensitive, seen, records, begin, end)
    _forget(offsets, terms, seen, records, begin, end)
    return most * diversity <= end - begin


@njit
def _see(offsets: Int64s, terms: Int32s, sensitive: Bools, seen: Int64s, records: Int64s, begin: int, end: int) -> int:
    """Count the sensitive terms of these records; the largest count that was changed."""
    most = 0
    for at in range(begin, end):
        for position in range(offsets[records[at]], offsets[records[at] + 1]):
            term = terms[position]
            if sensitive[term]:
                seen[term] += 1
                most = max(most, seen[term])
    return most


@njit
def _forget(offsets: Int64s, terms: Int32s, seen: Int64s, records: Int64s, begin: int, end: int) -> None:
    """Clear the counts of all terms of a run of records."""
    for at in range(begin, end):
        for position in range(offsets[records[at]], offsets[records[at] + 1]):
            seen[terms[position]] = 0
