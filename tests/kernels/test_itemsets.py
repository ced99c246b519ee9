"""Counting and ordering of itemsets, against the obvious."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.transaction import Transactions
from crypsis.kernels.gray_order import gray_order
from crypsis.kernels.itemsets import EACH_RECORD, NO_ITEMS, NO_OFFSETS, itemsets
from crypsis.kernels.policy_merging import _is_cheaper
from crypsis.kernels.record_bitmaps import add_record, has_record, members, shared
from tests.reference.generalization import gray_number
from tests.strategies import item_lists, transactions


def counted(data: Transactions, size: int) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    for start, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for codes in combinations(data.items[start:end].tolist(), size):
            found[codes] = found.get(codes, 0) + 1
    return found


@given(transactions(sensitive=False), st.integers(1, 4), st.integers(0, 6))
def test_rare_itemsets_are_found_in_order_with_their_supports(data: Transactions, size: int, below: int) -> None:
    width = len(data.vocabulary)
    found, supports = itemsets(data.offsets, data.items, width, size, below, NO_OFFSETS, NO_ITEMS, 0, 1, EACH_RECORD)
    expected = sorted((codes, support) for codes, support in counted(data, size).items() if support < below)
    assert [(tuple(row), support) for row, support in zip(found.tolist(), supports.tolist(), strict=True)] == expected


@given(item_lists(), st.lists(st.sets(st.integers(0, 2)), min_size=14, max_size=14), st.integers(1, 3))
def test_itemsets_that_betray_a_secret_are_found_too(rows: list[list[str]], secrets: list[set[int]], size: int) -> None:
    data = Transactions.from_lists(rows)
    l, below = 2, 2  # noqa: E741
    held = [sorted(secrets[row]) for row in range(len(data))]
    secret_offsets = np.cumsum([0, *map(len, held)])
    secret_items = np.array([secret for one in held for secret in one], np.int32)
    width = len(data.vocabulary)
    found, _ = itemsets(data.offsets, data.items, width, size, below, secret_offsets, secret_items, 3, l, EACH_RECORD)
    expected = []
    for codes, support in counted(data, size).items():
        labels = {data.vocabulary[code] for code in codes}
        fits = [row for row, record in enumerate(rows) if labels <= set(record)]
        shares = [sum(secret in secrets[row] for row in fits) for secret in range(3)]
        if support < below or max(shares) * l > support:
            expected.append(list(codes))
    assert found.tolist() == sorted(expected)


@given(item_lists(), st.lists(st.tuples(st.integers(0, 2), st.sets(st.integers(0, 2))), min_size=14, max_size=14))
def test_people_are_counted_in_place_of_records(rows: list[list[str]], owned: list[tuple[int, set[int]]]) -> None:
    data = Transactions.from_lists(rows)
    person = np.sort([owned[row][0] for row in range(len(data))]).astype(np.int64)
    held = [sorted(owned[row][1]) for row in range(len(data))]
    secret_offsets = np.cumsum([0, *map(len, held)])
    secret_items = np.array([secret for one in held for secret in one], np.int32)
    width, l, below = len(data.vocabulary), 2, 2  # noqa: E741
    for size in (1, 2, 3):
        found, supports = itemsets(
            data.offsets, data.items, width, size, below, secret_offsets, secret_items, 3, l, person
        )
        told = dict(zip(map(tuple, found.tolist()), supports.tolist(), strict=True))
        for codes in counted(data, size):
            labels = {data.vocabulary[code] for code in codes}
            fits = [row for row, record in enumerate(rows) if labels <= set(record)]
            people = {int(person[row]) for row in fits}
            most = max(len({int(person[row]) for row in fits if secret in held[row]}) for secret in range(3))
            assert (codes in told) is (len(people) < below or most * l > len(people))
            assert told.get(codes, len(people)) == len(people)


@given(item_lists())
def test_gray_order_sorts_by_the_number_whose_gray_code_is_the_record(rows: list[list[str]]) -> None:
    data = Transactions.from_lists(rows)
    order = gray_order(data.offsets, data.items).tolist()
    items = list(data.vocabulary.labels)
    assert order == sorted(range(len(rows)), key=lambda row: (gray_number(rows[row], items), row))


@given(st.lists(st.sets(st.integers(0, 199)), min_size=2, max_size=2))
def test_bits_hold_sets_of_records(sets: list[set[int]]) -> None:
    words = np.zeros((2, 4), np.uint64)
    for row, records in zip(words, sets, strict=True):
        for record in records:
            add_record(row, record)
    assert members(words[0]) == len(sets[0])
    assert shared(words[0], words[1]) == len(sets[0] & sets[1])
    assert [record for record in range(200) if has_record(words[0], record)] == sorted(sets[0])


sizes = st.integers(2, 80)
supports = st.integers(1, 2**31 - 1) | st.integers(1, 50)


@given(sizes, supports, sizes, supports)
def test_costs_of_merged_items_compare_exactly(size: int, support: int, other_size: int, other_support: int) -> None:
    cheaper = (2**size - 1) * support < (2**other_size - 1) * other_support
    assert bool(_is_cheaper(size, support, other_size, other_support)) is cheaper
