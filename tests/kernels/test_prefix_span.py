"""PrefixSpan finds what counting finds, and what joining places finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.kernels.prefix_span import pattern_indices, prefix_span
from tests.reference.pattern_mining import counted_patterns, joined_patterns

N_CODES = 5
NO_LIMIT = 10**9
sequences_of_codes = st.lists(st.lists(st.integers(0, N_CODES - 1), max_size=8), max_size=8)


def flat(sequences: list[list[int]]) -> tuple[Int64s, Int32s]:
    lengths = np.array([len(sequence) for sequence in sequences], np.int64)
    return offsets_of(lengths), np.array([code for sequence in sequences for code in sequence], np.int32)


def mined(
    sequences: list[list[int]], min_support: int, max_length: int = NO_LIMIT, n_codes: int = N_CODES
) -> list[tuple[tuple[int, ...], int]]:
    offsets, codes, supports, complete = prefix_span(*flat(sequences), n_codes, min_support, max_length, NO_LIMIT)
    assert complete
    return [
        (tuple(codes[offsets[number] : offsets[number + 1]].tolist()), int(support))
        for number, support in enumerate(supports)
    ]


@given(sequences_of_codes, st.integers(1, 4), st.one_of(st.none(), st.integers(1, 4)))
def test_patterns_are_those_that_counting_finds(
    sequences: list[list[int]], min_support: int, max_length: int | None
) -> None:
    found = mined(sequences, min_support, NO_LIMIT if max_length is None else max_length)
    assert dict(found) == counted_patterns(sequences, min_support, max_length)
    assert [pattern for pattern, _ in found] == sorted(pattern for pattern, _ in found)
    assert len(dict(found)) == len(found)


@given(sequences_of_codes, st.integers(1, 4), st.one_of(st.none(), st.integers(1, 4)))
def test_the_two_references_agree(sequences: list[list[int]], min_support: int, max_length: int | None) -> None:
    assert joined_patterns(sequences, min_support, max_length) == counted_patterns(sequences, min_support, max_length)


@pytest.mark.parametrize(("min_support", "max_length"), [(15, NO_LIMIT), (10, 3)])
def test_hundreds_of_patterns_agree_with_the_join(min_support: int, max_length: int) -> None:
    random = np.random.default_rng(5)
    sequences = [random.zipf(1.6, random.integers(0, 14)).clip(max=30).tolist() for _ in range(300)]
    found = mined(sequences, min_support, max_length, n_codes=31)
    assert len(found) > 100
    assert dict(found) == joined_patterns(sequences, min_support, max_length)


def test_a_pattern_may_repeat_one_code_a_hundred_times() -> None:
    found = mined([[3] * 100, [3] * 90], 2)
    assert found == [((3,) * length, 2) for length in range(1, 91)]


def test_no_records_and_empty_records_hold_no_patterns() -> None:
    assert mined([], 1) == []
    assert mined([[], []], 1) == []


def test_a_record_counts_once_however_often_it_holds_the_pattern() -> None:
    assert mined([[0, 1, 0, 1]], 2) == []
    assert dict(mined([[0, 1, 0, 1], [1, 0]], 2)) == {(0,): 2, (1,): 2, (1, 0): 2}


def test_mining_stops_at_the_limit_and_says_so() -> None:
    offsets, codes, supports, complete = prefix_span(*flat([[0, 1, 2]]), 3, 1, NO_LIMIT, 4)
    assert not complete
    assert [codes[offsets[i] : offsets[i + 1]].tolist() for i in range(len(supports))] == [
        [0],
        [0, 1],
        [0, 1, 2],
        [0, 2],
    ]
    assert prefix_span(*flat([[0, 1, 2]]), 3, 1, NO_LIMIT, 7)[3]


def test_the_records_are_left_as_they_were() -> None:
    offsets, codes = flat([[0, 1, 2, 1], [1, 1], [2]])
    before = offsets.copy(), codes.copy()
    prefix_span(offsets, codes, 3, 2, NO_LIMIT, NO_LIMIT)
    assert np.array_equal(offsets, before[0])
    assert np.array_equal(codes, before[1])


pattern_sets = st.sets(st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple), max_size=12)


@given(pattern_sets, pattern_sets)
def test_a_pattern_is_found_in_the_other_list(one: set[tuple[int, ...]], other: set[tuple[int, ...]]) -> None:
    lists = [[list(pattern) for pattern in sorted(patterns)] for patterns in (one, other)]
    expected = [lists[1].index(pattern) if pattern in lists[1] else -1 for pattern in lists[0]]
    assert pattern_indices(*flat(lists[0]), *flat(lists[1])).tolist() == expected
