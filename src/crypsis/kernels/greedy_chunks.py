"""Chunks of terms whose subrecords are k^m-anonymous, made greedily from bitmaps of the rows that hold each term."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int64s
from crypsis.compilation import njit
from crypsis.kernels.record_bitmaps import WORD_BITS, Words, bits_of, has_record


@njit
def greedy_chunks(
    bitmaps: NDArray[np.uint64],
    support: Int64s,
    k: int,
    m: int,
    group: NDArray[np.uint64],
    in_conflict: Bools,
    printed: bool,
    budget: int,
    chunk_of: Int64s,
) -> int:
    """Divide terms into chunks whose rows are k^m-anonymous, scanning them in order once per chunk.

    Term t has the rows bitmaps[t] and reaches k; chunk_of[t] is written. Terms of a chunk also have equal group words.
    `printed` replaces that by the paper's Property 1: a chunk with a term in conflict must be k-anonymous.
    Returns the number of chunks, or -1 when more than `budget` combinations would have to be counted.
    """
    n_terms = len(support)
    left = np.arange(n_terms)
    n_left = n_terms
    domain = np.empty(n_terms, np.int64)
    different = np.empty(n_terms, np.int64)  # of the domain: without terms that have the same rows as another one
    both = np.empty((max(m - 1, 1), bitmaps.shape[1]), np.uint64)
    chunk = 0
    counted = 0
    while n_left > 0:
        n_domain = 0
        n_different = 0
        n_kept = 0
        must_be_k_anonymous = False
        for index in range(n_left):
            term = left[index]
            admitted = True
            if not printed and n_domain > 0:
                first = domain[0]
                admitted = group[term, 0] == group[first, 0] and group[term, 1] == group[first, 1]
            is_new = True
            if admitted:
                verdict, steps = _combines(bitmaps, support, term, different, n_different, k, m, both, budget - counted)
                counted += steps
                if verdict < 0:
                    return -1
                admitted = verdict > 0
                is_new = verdict == 1
            if admitted and printed and (must_be_k_anonymous or in_conflict[term]):
                domain[n_domain] = term
                admitted = _is_k_anonymous(bitmaps, domain[: n_domain + 1], k)
                if admitted:
                    must_be_k_anonymous = True
            if admitted:
                domain[n_domain] = term
                n_domain += 1
                chunk_of[term] = chunk
                if is_new:
                    different[n_different] = term
                    n_different += 1
            else:
                left[n_kept] = term
                n_kept += 1
        n_left = n_kept
        chunk += 1
    return chunk


@njit
def _combines(
    bitmaps: NDArray[np.uint64],
    support: Int64s,
    term: int,
    domain: Int64s,
    n_domain: int,
    k: int,
    m: int,
    both: NDArray[np.uint64],
    budget: int,
) -> tuple[int, int]:
    """Whether each combination of the term with up to m - 1 of the domain is in no row or in k: 0 no, 1 yes.

    2: yes, for a term of the domain has the same rows. -1: over budget. Also the number of combinations counted.
    """
    counted = 0
    if m == 1:
        return 1, counted
    for index in range(n_domain):
        other = domain[index]
        together = 0
        for word in range(bitmaps.shape[1]):
            together += bits_of(bitmaps[term, word] & bitmaps[other, word])
        counted += 1
        if together == support[term] and together == support[other]:
            return 2, counted
        if 0 < together < k:
            return 0, counted
    if counted > budget:
        return -1, counted
    if m == 2:
        return 1, counted
    chosen = np.empty(m, np.int64)
    for first in range(n_domain):
        _and(bitmaps[term], bitmaps[domain[first]], both[0])
        depth = 1
        chosen[1] = first + 1
        if not both[0].any():
            continue
        while depth > 0:
            if chosen[depth] >= n_domain:
                depth -= 1
                if depth > 0:
                    chosen[depth] += 1
                continue
            together = _and(both[depth - 1], bitmaps[domain[chosen[depth]]], both[depth])
            counted += 1
            if 0 < together < k:
                return 0, counted
            if counted > budget:
                return -1, counted
            if together > 0 and depth + 1 < m - 1:
                chosen[depth + 1] = chosen[depth] + 1
                depth += 1
            else:
                chosen[depth] += 1
    return 1, counted


@njit
def _and(one: Words, other: Words, result: Words) -> int:
    """Write the common bits of two rows and return how many there are."""
    total = 0
    for word in range(len(one)):
        result[word] = one[word] & other[word]
        total += bits_of(result[word])
    return total


@njit
def _is_k_anonymous(bitmaps: NDArray[np.uint64], domain: Int64s, k: int) -> bool:
    """Every combination of the domain's terms that is a whole row's is k rows'."""
    n_rows = bitmaps.shape[1] * WORD_BITS
    label = np.zeros(n_rows, np.int64)
    n_labels = 1
    split = np.empty(n_rows * len(domain) + 1, np.int64)
    for index in range(len(domain)):
        split[:n_labels] = -1
        for row in range(n_rows):
            if has_record(bitmaps[domain[index]], row):
                if split[label[row]] < 0:
                    split[label[row]] = n_labels
                    n_labels += 1
                label[row] = split[label[row]]
    rows = np.zeros(n_labels, np.int64)
    for row in range(n_rows):
        rows[label[row]] += 1
    rare = 0
    for index in range(1, n_labels):
        rare += 0 < rows[index] < k
    return rare == 0
