"""Subsequence keys list every subsequence of a record exactly once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.kernels.subsequence_keys import subsequence_keys
from tests.reference.utility import subsequences

BASE = 4


def packed(subsequence: tuple[int, ...]) -> int:
    key = 0
    for code in subsequence:
        key = key * BASE + code
    return key


@given(
    st.lists(st.lists(st.integers(0, BASE - 1), max_size=8), max_size=6),
    st.integers(1, 4),
    st.integers(1, 30),
)
def test_blocks_together_give_each_record_its_distinct_subsequences(
    records: list[list[int]], size: int, enough: int
) -> None:
    offsets = offsets_of(np.array([len(record) for record in records], np.int64))
    codes = np.array([code for record in records for code in record], np.int32)
    found: list[int] = []
    record = 0
    while record < len(records):
        keys, following = subsequence_keys(offsets, codes, BASE, size, record, enough)
        assert following > record
        expected = [packed(s) for path in records[record:following] for s in subsequences(path, size)]
        assert sorted(keys.tolist()) == sorted(expected)
        assert len(keys) >= enough or following == len(records)
        found += keys.tolist()
        record = following
    assert sorted(found) == sorted(packed(s) for path in records for s in subsequences(path, size))


def test_a_long_record_outgrows_the_first_buffers() -> None:
    codes = np.arange(200, dtype=np.int32)
    keys, following = subsequence_keys(np.array([0, 200]), codes, 200, 2, 0, 10)
    assert following == 1
    assert sorted(keys.tolist()) == [200 * one + other for one in range(200) for other in range(one + 1, 200)]
