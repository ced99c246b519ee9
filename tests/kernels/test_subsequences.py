"""Counting of shared subsequences against the obvious count, in dense and in hashed tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.subsequences import (
    ANY,
    Sequences,
    Tally,
    Wanted,
    add_to_counts,
    count_of,
    count_subsequences,
    distinct_subsequences,
    is_short,
    new_scratch,
    violating_subsequences,
    with_room,
)
from tests.reference import subsequences as reference

BASE = 6
records = st.lists(st.lists(st.integers(0, BASE - 1), max_size=7), min_size=1, max_size=6)
sizes = st.integers(1, 4)


def flatten(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([code for row in rows for code in row], np.int32)


def packed(found: tuple[int, ...], base: int = BASE) -> int:
    key = 0
    for symbol in found:
        key = key * base + symbol
    return key


def unpacked(key: int, size: int, base: int = BASE) -> tuple[int, ...]:
    return tuple(key // base ** (size - 1 - place) % base for place in range(size))


def new_tally(size: int, dense: bool, base: int = BASE, entries: int = 4) -> Tally:
    if dense:
        return Tally(np.empty(0, np.int64), np.zeros(base**size, np.int32), np.zeros(1, np.int64))
    return Tally(np.full(entries, -1, np.int64), np.zeros(entries, np.int32), np.zeros(1, np.int64))


def counted(rows: list[list[int]], whose: list[int], size: int, dense: bool, base: int = BASE) -> Tally:
    """Rows of one individual must stand together, so `whose` is ascending without gaps."""
    offsets, codes = flatten(rows)
    bounds = np.searchsorted(whose, range(max(whose) + 2)).astype(np.int64)
    scratch = new_scratch(size, max(map(len, rows)), base)
    sequences = Sequences(offsets, codes, bounds, np.zeros(len(offsets), np.int64), np.empty(0, np.int32), 0)
    tally, half = new_tally(size, dense, base), (len(bounds) - 1) // 2
    for first, last in ((0, half), (half, len(bounds) - 1)):  # counting goes on where it stopped
        tally = count_subsequences(sequences, first, last, scratch, tally)
    return tally


def enumerated(rows: list[list[int]], size: int, wanted: int, also: int, instead: int, room: int = 4096) -> np.ndarray:
    offsets, codes = flatten(rows)
    found = np.empty((2, room), np.int64)
    scratch = new_scratch(size, max(map(len, rows)), BASE)
    n_found = distinct_subsequences(offsets, codes, 0, len(rows), Wanted(wanted, also, instead), scratch, found)
    assert n_found >= 0
    assert (scratch.last_seen == -1).all(), "the working space must be left clean for the next call"
    return found[:, :n_found]


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "hashed"])
@given(records, sizes, st.data())
def test_counts_are_those_of_the_obvious_count(
    dense: bool, rows: list[list[int]], size: int, data: st.DataObject
) -> None:
    joined = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    whose = np.cumsum([0, *(not same for same in joined[1:])]).tolist()
    tally = counted(rows, whose, size, dense)
    expected = reference.supports(rows, size, whose)
    for found in expected:
        assert count_of(tally, packed(found)) == expected[found]
    assert int(tally.counts.sum()) == sum(expected.values())
    if not dense:
        assert tally.used[0] == len(expected) <= len(tally.keys) // 2
        assert count_of(tally, BASE**size + 1) == 0  # a key that is not there


@given(records, sizes)
def test_every_distinct_subsequence_is_found_once(rows: list[list[int]], size: int) -> None:
    found = enumerated(rows, size, ANY, ANY, ANY)[0].tolist()
    expected = {packed(one) for row in rows for one in reference.distinct_subsequences(row, size)}
    assert sorted(found) == sorted(expected)


@given(records, sizes, st.integers(0, BASE - 1), st.integers(0, BASE - 1), st.integers(0, BASE - 1))
def test_only_subsequences_with_a_wanted_symbol_are_found_and_renamed(
    rows: list[list[int]], size: int, wanted: int, also: int, instead: int
) -> None:
    found = enumerated(rows, size, wanted, also, instead)
    holding = {
        one for row in rows for one in reference.distinct_subsequences(row, size) if wanted in one or also in one
    }
    renamed = {packed(one): packed(tuple(instead if symbol == wanted else symbol for symbol in one)) for one in holding}
    assert sorted(found[0].tolist()) == sorted(renamed)
    assert found[1].tolist() == [renamed[key] for key in found[0].tolist()]


@given(records, sizes, st.integers(1, 12))
def test_too_narrow_a_buffer_asks_for_room_until_it_fits(rows: list[list[int]], size: int, room: int) -> None:
    offsets, codes = flatten(rows)
    scratch = new_scratch(size, max(map(len, rows)), BASE)
    answer, asked = -room, 0
    while answer < 0:
        found = np.empty((2, -answer), np.int64)
        answer = distinct_subsequences(offsets, codes, 0, len(rows), Wanted(ANY, ANY, ANY), scratch, found)
        assert answer >= 0 or -answer > found.shape[1], "the room asked for must grow"
        asked += 1
        assert asked < 40
    assert sorted(found[0, :answer].tolist()) == sorted(enumerated(rows, size, ANY, ANY, ANY)[0].tolist())


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "hashed"])
def test_a_record_with_more_subsequences_than_the_buffer_holds(dense: bool) -> None:
    base = 60
    row = [(7 * place) % base for place in range(base)]
    rows = [row, row[::-1], row]
    tally = counted(rows, [0, 1, 2], 2, dense, base)
    expected = reference.supports(rows, 2, range(3))
    assert len(reference.distinct_subsequences(row, 2)) == 1770 > 1024
    assert int(tally.counts.sum()) == sum(expected.values())
    for found in expected:
        assert count_of(tally, packed(found, base)) == expected[found]


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "hashed"])
@given(records, sizes, st.integers(1, 4))
def test_rare_subsequences_are_found_with_their_supports(dense: bool, rows: list[list[int]], size: int, k: int) -> None:
    tally = counted(rows, list(range(len(rows))), size, dense)
    expected = reference.supports(rows, size, range(len(rows)))
    rare = sorted((expected[found], found) for found in expected if expected[found] < k)
    keys, supports = violating_subsequences(tally, new_scratch(size, 0, BASE), 0, k, 1)
    found = sorted(zip(supports.tolist(), (unpacked(key, size) for key in keys.tolist()), strict=True))
    assert found == rare


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=30))
def test_a_hashed_table_grows_and_forgets_what_no_longer_occurs(added: list[int], removed: list[int]) -> None:
    tally = new_tally(1, dense=False, entries=2)
    kept: Counter[int] = Counter()
    taken = [key for key in removed if key in added]
    for key, change in [(key, 1) for key in added] + [(key, -1) for key in taken]:
        if is_short(tally, 1):
            tally = with_room(tally, 1)
        add_to_counts(tally, np.array([key], np.int64), 1, change)
        kept[key] += change
        assert 2 * tally.used[0] <= len(tally.keys)
    assert {key: count_of(tally, key) for key in range(41)} == {key: kept[key] for key in range(41)}
    tally = with_room(tally, 0)
    assert sorted(tally.keys[tally.keys >= 0].tolist()) == sorted(key for key in kept if kept[key] != 0)
    assert tally.used[0] == np.count_nonzero(tally.keys >= 0)


def test_a_dense_table_is_never_short() -> None:
    tally = new_tally(2, dense=True)
    assert not is_short(tally, 10**9)
