"""PrefixSpan: every subsequence that enough records contain. Record r is codes[offsets[r]:offsets[r + 1]].

A pattern's projection is the list of places just behind its leftmost embedding, one for each record that
holds it. Records are laid out with an end mark behind each, so that a place alone tells where one ends.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.found_patterns import append_pattern, extend_pattern, no_patterns, twice_as_long

_END = -1


@njit
def prefix_span(
    offsets: Int64s, codes: Int32s, n_codes: int, min_support: int, max_length: int, max_patterns: int
) -> tuple[Int64s, Int32s, Int64s, bool]:
    """Patterns of 1 to `max_length` codes that at least `min_support` records contain.

    Pattern p is codes[offsets[p]:offsets[p + 1]] with its support; patterns come in lexicographic order, a
    prefix before its extensions. The last value is False when `max_patterns` were found and there are more.
    """
    text = _frequent_text(offsets, codes, n_codes, min_support)

    # Per code, for the projection being extended; `met` lists the codes whose counters are in use.
    support = np.zeros(n_codes, np.int64)
    counted_for = np.full(n_codes, -1, np.int64)  # the last projected record that was counted for each code
    fill = np.zeros(n_codes, np.int64)
    met = np.empty(n_codes, np.int64)
    serial = 0  # numbers projected records over the whole run, so that counted_for needs no clearing

    # A stack of patterns still to be extended. Siblings lie in descending order, so that the smallest is on
    # top and its projection is the last one in `places`.
    stack_code = np.empty(64, np.int64)
    stack_depth = np.empty(64, np.int64)
    stack_start = np.empty(64, np.int64)
    stack_end = np.empty(64, np.int64)
    places = np.empty(max(len(offsets), 64), np.int64)

    patterns = no_patterns()
    n_found = 0
    n_found_codes = 0
    pattern = np.empty(64, np.int32)

    # The root: the empty pattern, whose projection is the beginning of every record.
    n_places = 0
    for slot in range(len(text)):
        if slot == 0 or text[slot - 1] == _END:
            if n_places == len(places):
                places = twice_as_long(places, n_places)
            places[n_places] = slot
            n_places += 1
    stack_code[0] = _END
    stack_depth[0] = 0
    stack_start[0] = 0
    stack_end[0] = n_places
    height = 1

    while height > 0:
        height -= 1
        depth = stack_depth[height]
        start, end = stack_start[height], stack_end[height]
        if depth > 0:
            if n_found == max_patterns:
                return (
                    patterns.offsets[: n_found + 1],
                    patterns.codes[:n_found_codes],
                    patterns.supports[:n_found],
                    False,
                )
            pattern = extend_pattern(pattern, depth, stack_code[height])
            patterns = append_pattern(patterns, n_found, n_found_codes, pattern[:depth], end - start)
            n_found_codes += depth
            n_found += 1
        if depth == max_length:
            continue

        n_met = 0
        for index in range(start, end):
            slot = places[index]
            serial += 1
            while text[slot] != _END:
                code = text[slot]
                if counted_for[code] != serial:
                    counted_for[code] = serial
                    if support[code] == 0:
                        met[n_met] = code
                        n_met += 1
                    support[code] += 1
                slot += 1
        extensions = np.sort(met[:n_met])

        room = end
        for index in range(n_met - 1, -1, -1):
            code = extensions[index]
            if support[code] < min_support:
                continue
            if height == len(stack_code):
                stack_code = twice_as_long(stack_code, height)
                stack_depth = twice_as_long(stack_depth, height)
                stack_start = twice_as_long(stack_start, height)
                stack_end = twice_as_long(stack_end, height)
            stack_code[height] = code
            stack_depth[height] = depth + 1
            stack_start[height] = room
            fill[code] = room
            room += support[code]
            stack_end[height] = room
            height += 1
        if room > end:
            while room > len(places):
                places = twice_as_long(places, end)
            for index in range(start, end):
                slot = places[index]
                serial += 1
                while text[slot] != _END:
                    code = text[slot]
                    if support[code] >= min_support and counted_for[code] != serial:
                        counted_for[code] = serial
                        places[fill[code]] = slot + 1
                        fill[code] += 1
                    slot += 1
        for index in range(n_met):
            support[met[index]] = 0

    return patterns.offsets[: n_found + 1], patterns.codes[:n_found_codes], patterns.supports[:n_found], True


@njit
def pattern_indices(offsets: Int64s, codes: Int32s, other_offsets: Int64s, other_codes: Int32s) -> Int64s:
    """The index of each pattern in the other list, -1 if it is not there; both are in the order of `prefix_span`."""
    indices = np.full(len(offsets) - 1, -1, np.int64)
    one, other = 0, 0
    while one < len(offsets) - 1 and other < len(other_offsets) - 1:
        here, there = offsets[one], other_offsets[other]
        here_end, there_end = offsets[one + 1], other_offsets[other + 1]
        while here < here_end and there < there_end and codes[here] == other_codes[there]:
            here += 1
            there += 1
        if here == here_end and there == there_end:
            indices[one] = other
            one += 1
            other += 1
        elif here == here_end or (there < there_end and codes[here] < other_codes[there]):
            one += 1
        else:
            other += 1
    return indices


@njit
def _frequent_text(offsets: Int64s, codes: Int32s, n_codes: int, min_support: int) -> Int32s:
    """The records one after another, an end mark behind each, without codes that too few records hold."""
    support = np.zeros(n_codes, np.int64)
    last_seen = np.full(n_codes, -1, np.int64)
    for record in range(len(offsets) - 1):
        for position in range(offsets[record], offsets[record + 1]):
            code = codes[position]
            if last_seen[code] != record:
                last_seen[code] = record
                support[code] += 1
    text = np.empty(len(codes) + len(offsets) - 1, np.int32)
    length = 0
    for record in range(len(offsets) - 1):
        for position in range(offsets[record], offsets[record + 1]):
            if support[codes[position]] >= min_support:
                text[length] = codes[position]
                length += 1
        text[length] = _END
        length += 1
    return text[:length]
