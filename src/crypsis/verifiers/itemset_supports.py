"""Supports of all itemsets of one size, recounted from the published records alone.

Record r is codes[offsets[r]:offsets[r + 1]], ascending and distinct. Pairs are counted in a matrix, larger sets are
written down as numbers, sorted, and runs are counted. Nothing is sampled, pruned or skipped; what would not fit into
memory is refused. Where records tell whose they are, the people of a set are counted in place of its records.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.arrays.record_bits import ones_in, record_bits
from crypsis.compilation import njit
from crypsis.errors import TooLarge

MOST_COMBINATIONS = 100_000_000
WIDEST_MATRIX = 8_000
WORDS_PER_PAIR = 4  # intersecting two words of bits takes about as long as counting this many pairs


@dataclass(frozen=True)
class RarestSet:
    """The least shared set of one size, the first among equals, and how many are shared by fewer than required."""

    support: int
    codes: tuple[int, ...]
    violations: int


def rarest_itemset(
    offsets: Int64s, codes: Int32s, n_codes: int, size: int, required: int, person: Int64s | None = None
) -> RarestSet | None:
    """The set of `size` codes with the lowest support; None where no record has so many."""
    keys, supports = itemset_supports(offsets, codes, n_codes, size, person)
    if not len(keys):
        return None
    least = int(np.argmin(supports))
    return RarestSet(int(supports[least]), codes_of(int(keys[least]), n_codes, size), int((supports < required).sum()))


def itemset_supports(
    offsets: Int64s, codes: Int32s, n_codes: int, size: int, person: Int64s | None = None
) -> tuple[Int64s, Int64s]:
    """All sets of one size that occur, as ascending numbers in base `n_codes`, and in how many records they do.

    With `person`, of how many people they are in a record.
    """
    if person is not None:
        return _people_of_itemsets(offsets, codes, n_codes, size, person)
    if size == 1:
        counts = np.bincount(codes, minlength=n_codes)
        present = np.flatnonzero(counts)
        return present, counts[present].astype(np.int64)
    if size == 2 and n_codes <= WIDEST_MATRIX:
        matrix = _pair_matrix(offsets, codes, n_codes).ravel()
        present = np.flatnonzero(matrix)
        return present, matrix[present].astype(np.int64)
    check_budget(np.diff(offsets), n_codes, size)
    keys = _combinations(offsets, codes, n_codes, size)
    keys.sort()
    new = np.ones(len(keys), np.bool_)
    new[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(new)
    return keys[starts], np.diff(starts, append=len(keys))


def _people_of_itemsets(
    offsets: Int64s, codes: Int32s, n_codes: int, size: int, person: Int64s
) -> tuple[Int64s, Int64s]:
    """Every set of every record beside whose record it is; equal pairs of set and person count once."""
    lengths = np.diff(offsets)
    if size == 1:
        keys, whose = codes.astype(np.int64), np.repeat(person, lengths)
    elif size == 2 and n_codes <= WIDEST_MATRIX:
        order = np.argsort(person, kind="stable")
        matrix = _pairs_by_person(offsets, codes, n_codes, order, person).ravel()
        present = np.flatnonzero(matrix)
        return present, matrix[present].astype(np.int64)
    else:
        check_budget(lengths, n_codes, size)
        keys = _combinations(offsets, codes, n_codes, size)
        whose = np.repeat(person, [comb(length, size) for length in lengths.tolist()])
    order = np.lexsort((whose, keys))
    keys, whose = keys[order], whose[order]
    new = np.ones(len(keys), np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (whose[1:] != whose[:-1])
    return np.unique(keys[new], return_counts=True)


def codes_of(key: int, n_codes: int, size: int) -> tuple[int, ...]:
    """The codes that a number stands for."""
    codes: list[int] = []
    for _ in range(size):
        key, code = divmod(key, n_codes)
        codes.append(code)
    return tuple(reversed(codes))


def check_budget(lengths: Int64s, n_codes: int, size: int) -> None:
    """`TooLarge` before memory is exhausted."""
    distinct, counts = np.unique(lengths, return_counts=True)
    wanted = sum(comb(length, size) * count for length, count in zip(distinct.tolist(), counts.tolist(), strict=True))
    if wanted > MOST_COMBINATIONS or n_codes**size >= 2**62:
        raise TooLarge(
            f"To verify sets of {size} items, {wanted:,} sets of {n_codes:,} published items would have to be counted; "
            f"{MOST_COMBINATIONS:,} are possible. Verify a lower m, or cut very long records.",
            size=size,
            combinations=wanted,
        )


def _pair_matrix(offsets: Int64s, codes: Int32s, n_codes: int) -> Int32s:
    lengths = np.diff(offsets)
    pairs = int((lengths * (lengths - 1) // 2).sum())
    words = (len(lengths) + 63) // 64 * n_codes * (n_codes - 1) // 2
    if pairs > WORDS_PER_PAIR * words:
        return _pairs_by_bits(offsets, codes, n_codes)
    return _pairs_by_record(offsets, codes, n_codes)


@njit
def _pairs_by_record(offsets: Int64s, codes: Int32s, n_codes: int) -> Int32s:
    """Count the records of each pair by walking the pairs of every record."""
    matrix = np.zeros((n_codes, n_codes), np.int32)
    for record in range(len(offsets) - 1):
        for index in range(offsets[record], offsets[record + 1]):
            for after in range(index + 1, offsets[record + 1]):
                matrix[codes[index], codes[after]] += 1
    return matrix


@njit
def _pairs_by_person(offsets: Int64s, codes: Int32s, n_codes: int, order: Int64s, person: Int64s) -> Int32s:
    """The people of each pair; `order` lists the records person by person."""
    matrix = np.zeros((n_codes, n_codes), np.int32)
    last = np.full((n_codes, n_codes), -1, np.int32)  # the last person counted for each pair
    for record in order:
        for index in range(offsets[record], offsets[record + 1]):
            for after in range(index + 1, offsets[record + 1]):
                if last[codes[index], codes[after]] != person[record]:
                    last[codes[index], codes[after]] = person[record]
                    matrix[codes[index], codes[after]] += 1
    return matrix


@njit
def _pairs_by_bits(offsets: Int64s, codes: Int32s, n_codes: int) -> Int32s:
    """Count the records of each pair as the common bits of its two items."""
    bits = record_bits(offsets, codes, n_codes)
    matrix = np.zeros((n_codes, n_codes), np.int32)
    for code in range(n_codes):
        for other in range(code + 1, n_codes):
            count = 0
            for word in range(bits.shape[1]):
                count += ones_in(bits[code, word] & bits[other, word])
            matrix[code, other] = count
    return matrix


@njit
def _combinations(offsets: Int64s, codes: Int32s, n_codes: int, size: int) -> Int64s:
    """Every set of one size of every record, as a number."""
    total = 0
    for record in range(len(offsets) - 1):
        chosen = 1
        for factor in range(size):
            chosen = chosen * (offsets[record + 1] - offsets[record] - factor) // (factor + 1)
        total += max(chosen, 0)
    keys = np.empty(total, np.int64)
    written = 0
    place = np.empty(size, np.int64)
    for record in range(len(offsets) - 1):
        start, length = offsets[record], offsets[record + 1] - offsets[record]
        if length < size:
            continue
        for element in range(size):
            place[element] = element
        while True:
            key = np.int64(0)
            for element in range(size):
                key = key * n_codes + np.int64(codes[start + place[element]])
            keys[written] = key
            written += 1
            element = size - 1
            while element >= 0 and place[element] == length - size + element:
                element -= 1
            if element < 0:
                break
            place[element] += 1
            for after in range(element + 1, size):
                place[after] = place[after - 1] + 1
    return keys
