"""Order and text of the subrecords of disassociated data, laid out as bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

Bytes = NDArray[np.uint8]


class Labels(NamedTuple):
    """Quoted labels end to end: that of code c is text[offsets[c]:offsets[c + 1]]."""

    text: Bytes
    offsets: Int64s


@njit
def _follows(entry_offsets: Int64s, items: Int32s, one: int, other: int) -> bool:
    """Entry `one` comes after entry `other`."""
    first, second = entry_offsets[one], entry_offsets[other]
    first_end, second_end = entry_offsets[one + 1], entry_offsets[other + 1]
    while first < first_end and second < second_end:
        if items[first] != items[second]:
            return items[first] > items[second]  # type: ignore[no-any-return]
        first += 1
        second += 1
    return first < first_end  # type: ignore[no-any-return]


@njit
def order_entries(chunk_offsets: Int64s, entry_offsets: Int64s, items: Int32s) -> Int64s:
    """Entries, chunk by chunk, sorted by merging runs of growing length."""
    order = np.arange(len(entry_offsets) - 1)
    merged = order.copy()
    for chunk in range(len(chunk_offsets) - 1):
        start, end = chunk_offsets[chunk], chunk_offsets[chunk + 1]
        run = 1
        while run < end - start:
            for left in range(start, end, 2 * run):
                middle, stop = min(left + run, end), min(left + 2 * run, end)
                one, other = left, middle
                for at in range(left, stop):
                    if one < middle and (other >= stop or not _follows(entry_offsets, items, order[one], order[other])):
                        merged[at] = order[one]
                        one += 1
                    else:
                        merged[at] = order[other]
                        other += 1
            for at in range(start, end):
                order[at] = merged[at]
            run *= 2
    return order


@njit
def find_equal_entry(chunk_offsets: Int64s, entry_offsets: Int64s, items: Int32s, order: Int64s) -> int:
    """An entry that its chunk holds twice, or -1."""
    for chunk in range(len(chunk_offsets) - 1):
        for at in range(chunk_offsets[chunk] + 1, chunk_offsets[chunk + 1]):
            one, other = order[at], order[at - 1]
            if not _follows(entry_offsets, items, one, other):
                return one  # type: ignore[no-any-return]
    return -1


@njit
def _digits(number: int) -> int:
    """Count the digits of a whole number that is not negative."""
    digits = 1
    while number >= 10:
        number //= 10
        digits += 1
    return digits


@njit
def _put(target: Bytes, at: int, source: Bytes, start: int, end: int) -> int:
    """Copy a range of bytes and return where the next one goes."""
    for position in range(start, end):
        target[at] = source[position]
        at += 1
    return at


@njit
def write_chunks(
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    items: Int32s,
    labels: Labels,
) -> tuple[Bytes, Int64s]:
    """`[{"count":3,"items":["a","b"]},…]` of every chunk, end to end, and where each ends."""
    before = np.array([123, 34, 99, 111, 117, 110, 116, 34, 58], np.uint8)  # {"count":
    between = np.array([44, 34, 105, 116, 101, 109, 115, 34, 58, 91], np.uint8)  # ,"items":[
    total = 2 * (len(chunk_offsets) - 1)
    for entry in range(len(counts)):
        total += len(before) + _digits(counts[entry]) + len(between) + 3  # ]} and a comma or the chunk's ]
    for item in items:
        total += labels.offsets[item + 1] - labels.offsets[item] + 1
    laid = np.empty(total, np.uint8)
    ends = np.empty(len(chunk_offsets) - 1, np.int64)
    at = 0
    for chunk in range(len(chunk_offsets) - 1):
        laid[at] = 91  # [
        at += 1
        for entry in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            if entry > chunk_offsets[chunk]:
                laid[at] = 44  # ,
                at += 1
            at = _put(laid, at, before, 0, len(before))
            number = counts[entry]
            digits = _digits(number)
            for digit in range(digits):
                laid[at + digits - 1 - digit] = 48 + number % 10
                number //= 10
            at += digits
            at = _put(laid, at, between, 0, len(between))
            for position in range(entry_offsets[entry], entry_offsets[entry + 1]):
                if position > entry_offsets[entry]:
                    laid[at] = 44
                    at += 1
                item = items[position]
                at = _put(laid, at, labels.text, labels.offsets[item], labels.offsets[item + 1])
            laid[at] = 93  # ]
            laid[at + 1] = 125  # }
            at += 2
        laid[at] = 93
        at += 1
        ends[chunk] = at
    return laid[:at], ends


@njit
def write_lists(offsets: Int64s, codes: Int32s, labels: Labels) -> tuple[Bytes, Int64s]:
    """`["a","b"]` of every list, end to end, and where each ends."""
    total = 2 * (len(offsets) - 1)
    for code in codes:
        total += labels.offsets[code + 1] - labels.offsets[code] + 1
    laid = np.empty(total, np.uint8)
    ends = np.empty(len(offsets) - 1, np.int64)
    at = 0
    for row in range(len(offsets) - 1):
        laid[at] = 91
        at += 1
        for position in range(offsets[row], offsets[row + 1]):
            if position > offsets[row]:
                laid[at] = 44
                at += 1
            code = codes[position]
            at = _put(laid, at, labels.text, labels.offsets[code], labels.offsets[code + 1])
        laid[at] = 93
        at += 1
        ends[row] = at
    return laid[:at], ends
