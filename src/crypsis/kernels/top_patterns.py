"""The most supported subsequences, by PrefixSpan with a rising threshold; and which records contain a list of them.

Record r is codes[offsets[r]:offsets[r + 1]] and counts for individual whose[r]; records of one individual stand
together, so that an individual is counted once where it is met again at once.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.found_patterns import FoundPatterns, append_pattern, extend_pattern, no_patterns, twice_as_long


@njit
def top_patterns(
    offsets: Int64s,
    codes: Int32s,
    whose: Int32s,
    n_codes: int,
    wanted: int,
    max_size: int,
    most_patterns: int,
    most_visits: int,
) -> tuple[Int64s, Int32s, Int64s, bool]:
    """Every pattern of up to `max_size` codes that could be among the `wanted` best supported ones.

    Pattern p is codes[offsets[p]:offsets[p + 1]] with its support; all patterns tied with the last one that is
    wanted are there, so the caller can settle ties. The last value is False when more than `most_patterns` patterns
    had to be kept or `most_visits` visits looked at.
    """
    best = np.zeros(wanted, np.int64)  # the largest supports so far, a heap with the smallest on top
    threshold = 1

    support = np.zeros(n_codes, np.int64)
    length = np.zeros(n_codes, np.int64)  # records of the projection that hold the code
    counted_for = np.full(n_codes, -1, np.int64)  # the last projected record that was counted for each code
    last_whose = np.full(n_codes, -1, np.int64)
    fill = np.zeros(n_codes, np.int64)
    met = np.empty(n_codes, np.int64)
    serial = 0
    visits = 0

    # Patterns still to be extended; the best supported sibling is on top, with its projection last in `places`.
    stack_code = np.empty(64, np.int64)
    stack_depth = np.empty(64, np.int64)
    stack_support = np.empty(64, np.int64)
    stack_start = np.empty(64, np.int64)
    stack_end = np.empty(64, np.int64)
    places = np.empty(max(2 * len(offsets), 64), np.int64)  # where to go on, by projected record
    records = np.empty(len(places), np.int32)

    patterns = no_patterns()
    n_found = 0
    n_found_codes = 0
    pattern = np.empty(64, np.int32)

    for record in range(len(offsets) - 1):
        places[record] = offsets[record]
        records[record] = record
    stack_depth[0] = 0
    stack_support[0] = len(offsets)
    stack_start[0] = 0
    stack_end[0] = len(offsets) - 1
    height = 1

    while height > 0:
        height -= 1
        depth = stack_depth[height]
        start, end = stack_start[height], stack_end[height]
        if depth > 0:
            if stack_support[height] < threshold:
                continue
            if n_found == most_patterns:
                n_found, n_found_codes = _without_weak(patterns, n_found, threshold)
                if 2 * n_found > most_patterns:
                    return patterns.offsets[:0], patterns.codes[:0], patterns.supports[:0], False
            pattern = extend_pattern(pattern, depth, stack_code[height])
            patterns = append_pattern(patterns, n_found, n_found_codes, pattern[:depth], stack_support[height])
            n_found_codes += depth
            n_found += 1
            if stack_support[height] > best[0]:
                _replace_top(best, stack_support[height])
                threshold = max(threshold, best[0])
        if depth == max_size:
            continue

        n_met = 0
        for index in range(start, end):
            record = records[index]
            individual = whose[record]
            serial += 1
            for slot in range(places[index], offsets[record + 1]):
                code = codes[slot]
                if counted_for[code] != serial:
                    counted_for[code] = serial
                    if length[code] == 0:
                        met[n_met] = code
                        n_met += 1
                    length[code] += 1
                    if last_whose[code] != individual:
                        last_whose[code] = individual
                        support[code] += 1
            visits += offsets[record + 1] - places[index]
        if visits > most_visits:
            return patterns.offsets[:0], patterns.codes[:0], patterns.supports[:0], False
        if depth == 0:  # single codes are patterns, so the threshold need not start lower than the last that counts
            singles = np.sort(support)[::-1]
            if len(singles) >= wanted:
                threshold = max(threshold, singles[wanted - 1])

        extensions = met[:n_met].copy()
        extensions.sort()
        by_support = extensions[np.argsort(support[extensions], kind="mergesort")]
        room = end
        for code in by_support:
            if support[code] < threshold:
                continue
            if height == len(stack_code):
                stack_code = twice_as_long(stack_code, height)
                stack_depth = twice_as_long(stack_depth, height)
                stack_support = twice_as_long(stack_support, height)
                stack_start = twice_as_long(stack_start, height)
                stack_end = twice_as_long(stack_end, height)
            stack_code[height] = code
            stack_depth[height] = depth + 1
            stack_support[height] = support[code]
            stack_start[height] = room
            fill[code] = room
            room += length[code]
            stack_end[height] = room
            height += 1
        if room > end:
            while room > len(places):
                places = twice_as_long(places, end)
                records = twice_as_long(records, end)
            for index in range(start, end):
                record = records[index]
                serial += 1
                for slot in range(places[index], offsets[record + 1]):
                    code = codes[slot]
                    if support[code] >= threshold and counted_for[code] != serial:
                        counted_for[code] = serial
                        places[fill[code]] = slot + 1
                        records[fill[code]] = record
                        fill[code] += 1
        for index in range(n_met):
            support[met[index]] = 0
            length[met[index]] = 0
            last_whose[met[index]] = -1

    n_found, n_found_codes = _without_weak(patterns, n_found, threshold)
    return patterns.offsets[: n_found + 1], patterns.codes[:n_found_codes], patterns.supports[:n_found], True


@njit
def containing_patterns(offsets: Int64s, codes: Int32s, pattern_offsets: Int64s, pattern_codes: Int32s) -> Bools:
    """holds[r, p]: record r contains pattern p."""
    n_patterns = len(pattern_offsets) - 1
    holds = np.zeros((len(offsets) - 1, n_patterns), np.bool_)
    for record in range(len(offsets) - 1):
        for pattern in range(n_patterns):
            step, end = pattern_offsets[pattern], pattern_offsets[pattern + 1]
            if end - step > offsets[record + 1] - offsets[record]:
                continue
            for index in range(offsets[record], offsets[record + 1]):
                if codes[index] == pattern_codes[step]:
                    step += 1
                    if step == end:
                        holds[record, pattern] = True
                        break
    return holds


@njit
def _without_weak(found: FoundPatterns, n_found: int, threshold: int) -> tuple[int, int]:
    """Drop the patterns below the threshold, in place; how many patterns and codes are left."""
    kept = 0
    n_codes = 0
    start = 0
    for index in range(n_found):
        end = found.offsets[index + 1]
        if found.supports[index] >= threshold:
            for position in range(start, end):
                found.codes[n_codes] = found.codes[position]
                n_codes += 1
            found.supports[kept] = found.supports[index]
            found.offsets[kept + 1] = n_codes
            kept += 1
        start = end
    return kept, n_codes


@njit
def _replace_top(heap: Int64s, value: int) -> None:
    """Put a value in place of the smallest one."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= len(heap):
            break
        if child + 1 < len(heap) and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = value
