"""Sets of records as bits: record r is bit r % 64 of word r // 64. Words are uint64."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int64s
from crypsis.compilation import njit

Words: TypeAlias = NDArray[np.uint64]

WORD_BITS = 64
ONE = np.uint64(1)
TWO = np.uint64(2)
FOUR = np.uint64(4)
TOP_BYTE = np.uint64(56)
ODD_BITS = np.uint64(0x5555555555555555)
ODD_PAIRS = np.uint64(0x3333333333333333)
ODD_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x0101010101010101)


@njit
def bits_of(word: np.uint64) -> int:
    """How many bits of a word are set."""
    word = word - ((word >> ONE) & ODD_BITS)
    word = (word & ODD_PAIRS) + ((word >> TWO) & ODD_PAIRS)
    word = (word + (word >> FOUR)) & ODD_NIBBLES
    return np.int64((word * BYTES) >> TOP_BYTE)  # type: ignore[return-value]


@njit
def members(words: Words) -> int:
    """How many records the set has."""
    count = 0
    for word in words:
        count += bits_of(word)
    return count


@njit
def people_of_word(word: np.uint64, place: int, person: Int64s, last: int) -> tuple[int, int]:
    """How many new people the records of one word of a set belong to, and whose the last of them is.

    `person` ascends with the records; `last` is whose the last record before the word is.
    """
    count = 0
    while word != 0:
        rest = word & (word - ONE)
        record = WORD_BITS * place + bits_of((word ^ rest) - ONE)
        word = rest
        if person[record] != last:
            last = person[record]
            count += 1
    return count, last


@njit
def people(words: Words, person: Int64s) -> int:
    """How many people the records of the set belong to; `person` ascends with the records."""
    count, last = 0, -1
    for index in range(len(words)):
        new, last = people_of_word(words[index], index, person, last)
        count += new
    return count


@njit
def shared(one: Words, other: Words) -> int:
    """How many records both sets have."""
    count = 0
    for index in range(len(one)):
        count += bits_of(one[index] & other[index])
    return count


@njit
def add_record(words: Words, record: int) -> None:
    """Put a record into the set."""
    words[record >> 6] |= ONE << np.uint64(record & 63)


@njit
def has_record(words: Words, record: int) -> bool:
    """The set has the record."""
    return bool((words[record >> 6] >> np.uint64(record & 63)) & ONE)
