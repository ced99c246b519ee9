"""VERPART: within each cluster, the terms whose subrecords can be published together, and those only named.

Record r is terms[offsets[r]:offsets[r + 1]]; offsets int64, terms int32 by falling support (0 = most frequent).
Cluster c has the records records[cluster_offsets[c]:cluster_offsets[c + 1]].

The result is a table of pairs (cluster, term), by cluster and term: pair p is in the records
postings[starts[p]:starts[p + 1]] and in the record chunk chunk[p] of its cluster, or in its term chunk (-1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.greedy_chunks import greedy_chunks
from crypsis.kernels.plain_sorting import sort_first
from crypsis.kernels.record_bitmaps import WORD_BITS, add_record, bits_of

TERM_CHUNK = -1


@njit
def vertical_partition(
    offsets: Int64s,
    terms: Int32s,
    records: Int64s,
    cluster_offsets: Int64s,
    first: int,
    last: int,
    sensitive: Bools,
    k: int,
    m: int,
    min_causes: int,
    budget: int,
) -> tuple[Int64s, Int32s, Int64s, Int32s, Int32s, int]:
    """Pairs of the clusters first to last - 1: how many each has, their terms, starts, chunks, and the postings.

    With `min_causes` above 0, terms are demoted until as many sets may have sent each later term to its chunk.
    The last result is the cluster that would take more than `budget` combinations, or -1.
    """
    occurrences = 0
    for at in range(cluster_offsets[first], cluster_offsets[last]):
        occurrences += offsets[records[at] + 1] - offsets[records[at]]
    n_pairs_of = np.zeros(last - first, np.int64)
    pair_term = np.empty(occurrences, np.int32)
    starts = np.empty(occurrences + 1, np.int64)
    chunk = np.empty(occurrences, np.int32)
    postings = np.empty(occurrences, np.int32)
    count = np.zeros(len(sensitive), np.int64)
    place = np.empty(len(sensitive), np.int64)
    bitmap_of = np.empty(len(sensitive), np.int64)
    touched = np.empty(len(sensitive), np.int64)
    # The records of the cluster at hand, side by side: they lie far apart in the data.
    longest = 0
    for cluster in range(first, last):
        together = 0
        for at in range(cluster_offsets[cluster], cluster_offsets[cluster + 1]):
            together += offsets[records[at] + 1] - offsets[records[at]]
        longest = max(longest, together)
    held = np.empty(longest, np.int32)
    too_large = -1
    n_pairs = 0
    posted = 0
    starts[0] = 0
    for cluster in range(first, last):
        begin = cluster_offsets[cluster]
        size = cluster_offsets[cluster + 1] - begin
        n_touched = 0
        n_held = 0
        for at in range(begin, begin + size):
            for position in range(offsets[records[at]], offsets[records[at] + 1]):
                term = terms[position]
                held[n_held] = term
                n_held += 1
                if count[term] == 0:
                    touched[n_touched] = term
                    n_touched += 1
                count[term] += 1
        sort_first(touched, n_touched)
        order = np.empty(n_touched, np.int64)
        n_frequent = 0
        for index in range(n_touched):
            term = touched[index]
            place[term] = posted
            posted += count[term]
            pair_term[n_pairs + index] = term
            chunk[n_pairs + index] = TERM_CHUNK
            starts[n_pairs + index + 1] = posted
            bitmap_of[term] = -1
            if count[term] >= k and not sensitive[term]:
                order[n_frequent] = (size - count[term]) * n_touched + index
                n_frequent += 1
        order = order[:n_frequent]
        sort_first(order, n_frequent)
        support = np.empty(n_frequent, np.int64)
        for index in range(n_frequent):
            order[index] %= n_touched
            term = touched[order[index]]
            bitmap_of[term] = index
            support[index] = count[term]
        bitmaps = np.zeros((n_frequent, (size + WORD_BITS - 1) // WORD_BITS), np.uint64)
        n_held = 0
        for row in range(size):
            record = records[begin + row]
            for _ in range(offsets[record], offsets[record + 1]):
                term = held[n_held]
                n_held += 1
                postings[place[term]] = record
                place[term] += 1
                if bitmap_of[term] >= 0:
                    add_record(bitmaps[bitmap_of[term]], row)
        for index in range(n_touched):
            count[touched[index]] = 0
        chunk_of = np.empty(n_frequent, np.int64)
        n_chunks = greedy_chunks(
            bitmaps, support, k, m, np.zeros((n_frequent, 2), np.uint64), np.zeros(n_frequent, np.bool_), False,
            budget, chunk_of,
        )  # fmt: skip
        if n_chunks < 0:
            too_large = cluster
            break
        if n_frequent == n_touched and _too_few_subrecords(bitmaps, chunk_of, n_chunks, size, k, m):
            chunk_of[n_frequent - 1] = TERM_CHUNK
        if min_causes > 0:
            _place_safely(bitmaps, support, size, k, m, min_causes, chunk_of, n_chunks)
        _number_anew(chunk_of, n_chunks)
        for index in range(n_frequent):
            chunk[n_pairs + order[index]] = chunk_of[index]
        n_pairs += n_touched
        n_pairs_of[cluster - first] = n_touched
    return (
        n_pairs_of,
        pair_term[:n_pairs].copy(),
        starts[: n_pairs + 1].copy(),
        chunk[:n_pairs].copy(),
        postings,
        too_large,
    )


@njit
def _too_few_subrecords(
    bitmaps: NDArray[np.uint64], chunk_of: Int64s, n_chunks: int, size: int, k: int, m: int
) -> bool:
    """Lemma 2 fails: the chunks hold too few subrecords to fill every record and k of any combination."""
    subrecords = 0
    for chunk in range(n_chunks):
        for word in range(bitmaps.shape[1]):
            rows = np.uint64(0)
            for term in range(len(chunk_of)):
                if chunk_of[term] == chunk:
                    rows |= bitmaps[term, word]
            subrecords += bits_of(rows)
    return subrecords < size + k * (max(1, min(m, n_chunks)) - 1)


@njit
def _number_anew(chunk_of: Int64s, n_chunks: int) -> None:
    """Close the gaps that chunks without terms leave."""
    number_of = np.zeros(n_chunks, np.int64)
    for term in range(len(chunk_of)):
        if chunk_of[term] >= 0:
            number_of[chunk_of[term]] = 1
    number = 0
    for chunk in range(n_chunks):
        used = number_of[chunk]
        number_of[chunk] = number
        number += used
    for term in range(len(chunk_of)):
        if chunk_of[term] >= 0:
            chunk_of[term] = number_of[chunk_of[term]]


@njit
def _place_safely(
    bitmaps: NDArray[np.uint64], support: Int64s, size: int, k: int, m: int, min_causes: int, chunk_of: Int64s,
    n_chunks: int,
) -> None:  # fmt: skip
    """Demote terms of later chunks that fewer than `min_causes` sets of an earlier chunk can have sent there."""
    terms_of = np.zeros(n_chunks, np.int64)
    for term in range(len(chunk_of)):
        if chunk_of[term] >= 0:
            terms_of[chunk_of[term]] += 1
    changed = True
    while changed:
        changed = False
        for later in range(n_chunks):
            for term in range(len(chunk_of)):
                if chunk_of[term] != later:
                    continue
                for earlier in range(later):
                    if terms_of[earlier] == 0:
                        continue
                    if not _has_causes(bitmaps, support, size, k, m, min_causes, chunk_of, earlier, term):
                        chunk_of[term] = TERM_CHUNK
                        terms_of[later] -= 1
                        changed = True
                        break


@njit
def _has_causes(
    bitmaps: NDArray[np.uint64],
    support: Int64s,
    size: int,
    k: int,
    m: int,
    min_causes: int,
    chunk_of: Int64s,
    earlier: int,
    term: int,
) -> bool:
    """At least `min_causes` sets of up to m - 1 terms of the earlier chunk, all before it, may be rare with it."""
    before = np.empty(term, np.int64)
    n_before = 0
    for other in range(term):
        if chunk_of[other] == earlier:
            before[n_before] = other
            n_before += 1
    causes = 0
    words = bitmaps.shape[1]
    rows = np.empty((m, words), np.uint64)
    chosen = np.zeros(m + 1, np.int64)
    depth = 0  # sets of depth + 1 terms: those chosen at the depths above, and one more
    while depth >= 0 and m > 1:
        if chosen[depth] >= n_before:
            depth -= 1
            if depth >= 0:
                chosen[depth] += 1
            continue
        together = 0
        for word in range(words):
            rows[depth, word] = bitmaps[before[chosen[depth]], word]
            if depth > 0:
                rows[depth, word] &= rows[depth - 1, word]
            together += bits_of(rows[depth, word])
        if together > 0 and together + support[term] - size < k:
            causes += 1
            if causes >= min_causes:
                return True
        if together > 0 and depth + 1 < m - 1:
            chosen[depth + 1] = chosen[depth] + 1
            depth += 1
        else:
            chosen[depth] += 1
    return causes >= min_causes
