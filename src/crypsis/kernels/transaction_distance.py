"""BTD of two transactions and of clusters of them, without forming fractions twice.

Record r is items[offsets[r]:offsets[r + 1]], ascending and distinct. Cluster c holds the records
rows[starts[c]:starts[c + 1]]. BTD(a, b) = (|a xor b| + 1) / (|a and b| + 1), `either` takes the union in place of the
exclusive or. As a float it is rounded once, so equal fractions are equal floats and different ones are not.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.record_bitmaps import ONE, WORD_BITS, bits_of


@njit
def pair_distance(offsets: Int64s, items: Int32s, one: int, other: int, either: bool) -> tuple[int, int]:
    """Numerator and denominator of BTD."""
    index, end = offsets[one], offsets[one + 1]
    place_other, end_other = offsets[other], offsets[other + 1]
    size = end - index + end_other - place_other
    common = 0
    while index < end and place_other < end_other:
        difference = np.int64(items[index]) - np.int64(items[place_other])
        common += difference == 0
        index += difference <= 0
        place_other += difference >= 0
    return size - (1 if either else 2) * common + 1, common + 1


@njit
def widest_pair(offsets: Int64s, items: Int32s, records: Int64s, either: bool) -> tuple[int, int]:
    """Find the widest pair of records; longest first, because no later pair can be wider than its two lengths."""
    if len(records) == 1:
        size = offsets[records[0] + 1] - offsets[records[0]]
        return (size + 1, size + 1) if either else (1, size + 1)
    ordered = longest_first(offsets, records)
    top, bottom = 0, 1
    for index in range(len(ordered)):
        size = offsets[ordered[index] + 1] - offsets[ordered[index]]
        for partner in range(index + 1, len(ordered)):
            both = size + offsets[ordered[partner] + 1] - offsets[ordered[partner]]
            if (both + 1) * bottom <= top:  # even without a common item it would not be wider
                break
            upper, lower = pair_distance(offsets, items, ordered[index], ordered[partner], either)
            if upper * bottom > top * lower:
                top, bottom = upper, lower
    return top, bottom


@njit
def widest_cross_pair(offsets: Int64s, items: Int32s, first: Int64s, second: Int64s, either: bool) -> tuple[int, int]:
    """Find the widest pair of a record here and a record there, in the same order of search."""
    here, there = longest_first(offsets, first), longest_first(offsets, second)
    top, bottom = 0, 1
    for one in here:
        size = offsets[one + 1] - offsets[one]
        for other in there:
            both = size + offsets[other + 1] - offsets[other]
            if (both + 1) * bottom <= top:
                break
            upper, lower = pair_distance(offsets, items, one, other, either)
            if upper * bottom > top * lower:
                top, bottom = upper, lower
    return top, bottom


@njit
def distance_matrix(offsets: Int64s, items: Int32s, starts: Int64s, rows: Int64s, either: bool) -> Float64s:
    """BTD across every two clusters; on the diagonal that of each cluster.

    Records are compared by two words of bits first. One says which of the 64 most frequent items a record has, the
    other shows each further item as one of 64 bits. Where the second words share no bit, the first ones tell how many
    items are common; else at least so many are, which mostly shows that the pair is not the widest.
    """
    n_clusters = len(starts) - 1
    ordered = np.empty(len(rows), np.int64)
    for cluster in range(n_clusters):
        ordered[starts[cluster] : starts[cluster + 1]] = longest_first(
            offsets, rows[starts[cluster] : starts[cluster + 1]]
        )
    rank = _rank_by_frequency(items)
    sizes = np.empty(len(rows), np.int64)
    frequent, further = np.zeros(len(rows), np.uint64), np.zeros(len(rows), np.uint64)
    for slot in range(len(rows)):
        record = ordered[slot]
        sizes[slot] = offsets[record + 1] - offsets[record]
        for index in range(offsets[record], offsets[record + 1]):
            if rank[items[index]] < WORD_BITS:
                frequent[slot] |= ONE << np.uint64(rank[items[index]])
            else:
                further[slot] |= ONE << np.uint64(rank[items[index]] % WORD_BITS)
    times = 1 if either else 2
    matrix = np.empty((n_clusters, n_clusters))
    for cluster in range(n_clusters):
        top, bottom = widest_pair(offsets, items, ordered[starts[cluster] : starts[cluster + 1]], either)
        matrix[cluster, cluster] = top / bottom
        for other in range(cluster):
            top, bottom = 0, 1
            for slot in range(starts[cluster], starts[cluster + 1]):
                for partner in range(starts[other], starts[other + 1]):
                    both = sizes[slot] + sizes[partner]
                    if (both + 1) * bottom <= top:  # even without a common item it would not be wider
                        break
                    common = bits_of(frequent[slot] & frequent[partner])
                    upper, lower = both - times * common + 1, common + 1
                    if upper * bottom <= top * lower:
                        continue
                    if further[slot] & further[partner]:
                        upper, lower = pair_distance(offsets, items, ordered[slot], ordered[partner], either)
                        if upper * bottom <= top * lower:
                            continue
                    top, bottom = upper, lower
            matrix[cluster, other] = top / bottom
            matrix[other, cluster] = top / bottom
    return matrix


@njit
def _rank_by_frequency(items: Int32s) -> Int64s:
    """The rank of each item, the most frequent first."""
    counts = np.zeros(items.max() + 1 if len(items) else 0, np.int64)
    for item in items:
        counts[item] -= 1
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(counts)] = np.arange(len(counts))
    return rank


@njit
def longest_first(offsets: Int64s, records: Int64s) -> Int64s:
    """The records by falling length."""
    lengths = np.empty(len(records), np.int64)
    for index in range(len(records)):
        lengths[index] = offsets[records[index]] - offsets[records[index] + 1]
    ordered: Int64s = records[np.argsort(lengths)]
    return ordered
