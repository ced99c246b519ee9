"""Plot `before_after`: both distributions by hand, and that no record is lost between them."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import Transactions
from crypsis.errors import UnknownColumn
from crypsis.evaluate.plots import frame_of
from crypsis.reports.pictures.before_after import comparable_columns


def both(frame: pl.DataFrame) -> dict[str, list[float]]:
    return {name: frame.filter(pl.col("series") == name)["records"].to_list() for name in ("before", "after")}


def test_numbers_are_two_histograms_over_the_same_bins() -> None:
    ages = [1, 2, 3, 4, 5, 6, 7, 8]
    original = Table.from_frame(pl.DataFrame({"age": ages}), {"age": "quasi"})
    published = PublishedTable.from_frame(
        pl.DataFrame({"age": ["[1:8]"] * 4 + ["[5:8]"] * 4}), {"age": "quasi"}, {"age": "int"}
    )
    frame = frame_of("before_after", original=original, published=published, column="age")
    assert frame.data.filter(pl.col("series") == "before").select("from", "to").rows() == [(1, 5), (5, 9)]
    assert both(frame.data) == {"before": [4.0, 4.0], "after": [2.0, 6.0]}


def test_categories_are_pairs_of_bars_the_most_frequent_first() -> None:
    original = Table.from_frame(pl.DataFrame({"city": ["a", "b", "b", "c"]}), {"city": "quasi"})
    published = PublishedTable.from_frame(
        pl.DataFrame({"city": ["{a|b}", "{a|b}", "b", "~"]}), {"city": "quasi"}, {"city": "category"}
    )
    frame = frame_of("before_after", original=original, published=published, column="city")
    assert frame.data["value"].to_list() == ["b", "a", "c"] * 2
    assert both(frame.data) == {"before": [2.0, 1.0, 1.0], "after": [2.0, 1.0, 0.0]}


def test_items_are_the_most_frequent_ones() -> None:
    baskets = [[f"i{n}" for n in range(row % 30 + 1)] for row in range(60)]
    original = Transactions.from_lists(baskets)
    release = crypsis.anonymize(original, crypsis.Apriori(k=2, m=1))
    frame = frame_of("before_after", original=original, published=release.data)
    assert frame.data["value"].n_unique() == 20
    assert "the 20 most frequent are shown" in frame.note


@pytest.mark.parametrize("seed", range(4))
def test_no_record_is_lost_between_before_and_after(seed: int) -> None:
    ages = np.random.default_rng(seed).integers(0, 40, 60).tolist()
    days = [date(2020, 1, 1) + timedelta(days=age) for age in ages]
    frame = pl.DataFrame({"age": ages, "weight": [age / 7 for age in ages], "day": days})
    original = Table.from_frame(frame, dict.fromkeys(frame.columns, "quasi"))
    release = crypsis.anonymize(original, crypsis.Mondrian(k=seed + 2))
    columns = comparable_columns(original, release.data)
    assert columns == frame.columns
    for name in columns:
        drawn = both(frame_of("before_after", original=original, published=release.data, column=name).data)
        assert sum(drawn["before"]) == len(ages)
        assert sum(drawn["after"]) == pytest.approx(len(ages), abs=0.05 * len(drawn["after"]))  # rounded to a tenth


def test_quasi_identifiers_come_first_and_identifiers_are_not_shown() -> None:
    frame = pl.DataFrame({"name": ["a", "b"], "ill": ["x", "y"], "age": [1, 2]})
    original = Table.from_frame(frame, {"name": "identifier", "ill": "sensitive", "age": "quasi"})
    release = crypsis.anonymize(original, crypsis.Mondrian(k=2))
    assert comparable_columns(original, release.data) == ["age", "ill"]
    with pytest.raises(UnknownColumn):
        frame_of("before_after", original=original, published=release.data, column="town")
