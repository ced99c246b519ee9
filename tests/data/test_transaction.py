"""Transactions: sets of items, as collected and as published."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import PublishedTransactions, Transactions, Vocabulary
from crypsis.errors import BadLabel, BadRow, InputError, UnknownColumn
from tests.data.drawn import sequences, trimmed_labels


@given(sequences(trimmed_labels))
def test_records_are_the_sets_of_their_items_and_collapsed_ones_are_counted(rows: list[list[str]]) -> None:
    data = Transactions.from_lists(rows)
    assert [set(record) for record in data.to_lists()] == [set(row) for row in rows]
    assert all(record == sorted(set(record)) for record in data.to_lists())
    assert data.collapsed == sum(len(row) - len(set(row)) for row in rows)
    assert Transactions.from_lists(data.to_lists()) == data
    assert data.supports.tolist() == [sum(label in row for row in rows) for label in data.vocabulary.labels]


@given(sequences(trimmed_labels, min_length=1), st.randoms(use_true_random=False))
def test_a_long_table_in_any_row_order_gives_the_same_records(rows: list[list[str]], random: object) -> None:
    data = Transactions.from_lists(rows)
    long = data.to_frame()
    assert Transactions.from_frame(long) == data
    order = list(range(long.height))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = Transactions.from_frame(long[order])
    assert shuffled.ids is not None
    assert dict(zip(shuffled.ids.to_list(), shuffled.to_lists(), strict=True)) == dict(enumerate(data.to_lists()))


def test_blanks_around_an_item_are_trimmed_and_inside_kept() -> None:
    data = Transactions.from_lists([[" whole milk", "whole milk ", "a,b"]])
    assert (data.to_lists(), data.collapsed) == ([["a,b", "whole milk"]], 1)


def test_sensitive_items_are_marked_and_must_occur() -> None:
    data = Transactions.from_lists([["flu", "hiv"]], sensitive={"hiv"})
    assert data.sensitive is not None
    assert data.sensitive.tolist() == [False, True]
    with pytest.raises(BadLabel, match="'hivv' does not occur in the data. Did you mean 'hiv'?"):
        Transactions.from_lists([["flu", "hiv"]], sensitive={"hivv"})


def test_empty_or_strange_items_are_bad_labels_with_their_place() -> None:
    with pytest.raises(BadLabel) as caught:
        Transactions.from_lists([["a"], ["b", " "]])
    assert caught.value.details["row"] == 1
    with pytest.raises(BadLabel, match="row 1"):
        Transactions.from_lists([["a"], "b"])
    with pytest.raises(BadLabel, match="strings"):
        Transactions.from_lists([[1]])  # type: ignore[list-item]
    frame = pl.DataFrame({"id": [1, 2], "item": ["a", None]})
    with pytest.raises(BadLabel) as caught:
        Transactions.from_frame(frame)
    assert (caught.value.details["row"], caught.value.details["column"]) == (1, "item")
    with pytest.raises(BadRow, match="Column 'id' is empty"):
        Transactions.from_frame(pl.DataFrame({"id": [1, None], "item": ["a", "b"]}))
    with pytest.raises(UnknownColumn, match="its columns are id, item"):
        Transactions.from_frame(frame, item="thing")


def test_equal_and_empty_records_stay_different_records() -> None:
    data = Transactions.from_lists([["a"], [], ["a"], []])
    assert (len(data), data.occurrences, data.lengths.tolist()) == (4, 2, [1, 0, 1, 0])
    assert data.take(np.array([3, 0])).to_lists() == [[], ["a"]]
    assert repr(data) == "Transactions(4 records, 2 occurrences of 1 items)"
    assert Transactions.from_lists([]).to_lists() == []


def test_arrays_that_are_no_sets_are_refused() -> None:
    words = Vocabulary(["a", "b"])
    for offsets, items in (([0, 2], [1, 0]), ([0, 2], [0, 0]), ([0, 1], [2]), ([0, 3], [0, 1])):
        with pytest.raises(InputError):
            Transactions(np.array(offsets, np.int64), np.array(items, np.int32), words)
    Transactions(np.array([0, 1, 1, 2], np.int64), np.array([1, 0], np.int32), words)


def test_transactions_cannot_be_written() -> None:
    data = Transactions.from_lists([["a", "b"]], sensitive={"a"})
    assert data.sensitive is not None
    for array in (data.offsets, data.items, data.sensitive):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


rows_of_symbols = sequences(trimmed_labels).map(
    lambda rows: [[sorted(set(row))[0] if len(set(row)) == 1 else sorted(set(row))] for row in rows if row] + [[]]
)


@given(rows_of_symbols)
def test_published_transactions_give_their_rows_back(rows: list[list[str | list[str]]]) -> None:
    published = PublishedTransactions.from_lists(rows)
    assert published.to_lists() == rows
    assert PublishedTransactions.from_lists(published.to_lists()) == published


def test_the_order_of_items_in_a_published_record_says_nothing() -> None:
    one = PublishedTransactions.from_lists([["d", ["a", "b"]]])
    other = PublishedTransactions.from_lists([[["b", "a"], "d"]])
    assert one == other
    assert one.to_lists() == [[["a", "b"], "d"]]
    assert one != PublishedTransactions.from_lists([["d", "a"]])
    assert one.take(np.array([0, 0])).lengths.tolist() == [2, 2]
    with pytest.raises(ValueError, match="read-only"):
        one.codes[0] = 1
