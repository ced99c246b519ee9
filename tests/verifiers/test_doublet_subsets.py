"""The compiled count of sets of doublets against the obvious one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.verifiers.doublet_subsets import subset_supports
from crypsis.verifiers.itemset_supports import codes_of

rows = st.lists(st.tuples(st.sets(st.integers(0, 7), max_size=6), st.integers(1, 3), st.integers(0, 1)), max_size=8)


def counted(table: list[tuple[set[int], int, int]], size: int, lowest: int, highest: int, base: int) -> dict:
    held = np.array([[people, having] for _, people, having in table], np.int64).reshape(-1, 2)
    codes = np.array([code for row, _, _ in table for code in sorted(row)], np.int64)
    offsets = offsets_of(np.array([len(row) for row, _, _ in table], np.int64))
    numbers, sums = subset_supports(offsets, codes, held, size, lowest, highest, base)
    assert (np.diff(numbers) > 0).all(), "in canonical order, each once"
    return {
        codes_of(number, base, size): tuple(row) for number, row in zip(numbers.tolist(), sums.tolist(), strict=True)
    }


def obvious(table: list[tuple[set[int], int, int]], size: int, lowest: int, highest: int) -> dict:
    sums: dict[tuple[int, ...], tuple[int, int]] = {}
    for row, people, having in table:
        for chosen in combinations(sorted(row), size):
            if lowest <= chosen[0] < highest:
                before = sums.get(chosen, (0, 0))
                sums[chosen] = before[0] + people, before[1] + having
    return sums


@given(rows, st.integers(1, 5), st.integers(0, 8), st.integers(0, 8))
def test_sums_are_those_of_the_obvious_count(
    table: list[tuple[set[int], int, int]], size: int, lowest: int, highest: int
) -> None:
    assert counted(table, size, lowest, highest, 8) == obvious(table, size, lowest, highest)


def test_a_table_that_grows_loses_nothing() -> None:
    random = np.random.Generator(np.random.PCG64(1))
    table = [(set(random.integers(0, 400, 9).tolist()), int(random.integers(1, 9)), 1) for _ in range(150)]
    expected = obvious(table, 4, 0, 400)
    assert len(expected) > 10_000
    assert counted(table, 4, 0, 400, 400) == expected
