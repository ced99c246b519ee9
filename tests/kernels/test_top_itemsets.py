"""The most frequent itemsets are those of a plain count, in the order that is defined."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.kernels.top_itemsets import top_itemsets

records = st.lists(st.frozensets(st.integers(0, 6), max_size=5), max_size=14)


def flat(rows: list[frozenset[int]]) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    items = np.array([item for row in rows for item in sorted(row)], np.int32)
    return offsets_of(np.array([len(row) for row in rows], np.int64)), items


def counted(rows: list[frozenset[int]], apart: set[tuple[int, int]] = frozenset()) -> list[tuple[int, ...]]:  # type: ignore[assignment]
    support: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        subsets = chain.from_iterable(combinations(sorted(row), size) for size in range(1, len(row) + 1))
        support.update(subset for subset in subsets if not any(pair in apart for pair in combinations(subset, 2)))
    return sorted(support, key=lambda found: (-support[found], len(found), found))


@given(records, st.integers(1, 40))
def test_the_best_itemsets_are_those_of_a_plain_count(rows: list[frozenset[int]], most: int) -> None:
    found = top_itemsets(*flat(rows), 7, most)
    expected = counted(rows)
    assert found.as_tuples() == expected[:most]
    supports = [sum(set(itemset) <= row for row in rows) for itemset in found.as_tuples()]
    assert found.supports.tolist() == supports


@given(records, st.integers(1, 40))
def test_a_node_and_what_is_above_it_never_stand_together(rows: list[frozenset[int]], most: int) -> None:
    above = np.zeros((7, 7), np.bool_)
    above[0, 5] = above[1, 5] = above[0, 6] = above[5, 6] = above[1, 6] = above[4, 2] = True
    apart = {(int(min(a, b)), int(max(a, b))) for a, b in zip(*np.nonzero(above), strict=True)}
    found = top_itemsets(*flat(rows), 7, most, above)
    assert found.as_tuples() == counted(rows, apart)[:most]


def test_sets_that_are_as_frequent_as_the_last_one_but_cut_are_told() -> None:
    rows = [frozenset({0, 1}), frozenset({2}), frozenset({3})]
    assert top_itemsets(*flat(rows), 4, 2).cut == 3  # 2, 3 and both of the first record
    assert top_itemsets(*flat(rows), 4, 10).cut == 0


def test_a_long_record_that_occurs_once_is_no_reason_to_look_at_all_its_subsets() -> None:
    rows = [frozenset(range(60))]
    offsets, items = flat(rows)
    found = top_itemsets(offsets, items, 60, 100)
    assert found.as_tuples()[:60] == [(item,) for item in range(60)]
    assert found.as_tuples()[60:] == [(0, item) for item in range(1, 41)]
