"""Trajectories and their location table: what goes in comes out, and nothing can be changed on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import polars as pl
import pytest
from hypothesis import given

from crypsis.data import Locations, PublishedTrajectories, Symbols, Trajectories, Vocabulary
from crypsis.errors import (
    BadCoordinate,
    BadLabel,
    BadRow,
    DuplicateLocation,
    InputError,
    UnknownColumn,
    UnknownLocation,
)
from tests.data.drawn import labels, sequences


@given(sequences(labels, min_length=1))
def test_lists_become_a_long_table_and_back(rows: list[list[str]]) -> None:
    data = Trajectories.from_lists(rows)
    assert data.to_lists() == rows
    assert Trajectories.from_frame(data.to_frame()) == data
    assert Trajectories.from_frame(data.to_frame().to_pandas()).to_lists() == rows
    assert Trajectories.from_frame(data.to_frame().to_arrow()).to_lists() == rows


def test_a_location_table_may_be_a_mapping_a_frame_or_a_list_of_dicts() -> None:
    mapping = Locations.of({"a": (0, 1), "b": (2, 3)})
    rows = [{"location": "a", "x": 0, "y": 1}, {"location": "b", "x": 2, "y": 3}]
    assert Locations.of(rows) == mapping
    assert Locations.of(pl.DataFrame(rows)) == mapping
    assert Locations.of(pandas.DataFrame(rows)) == mapping
    assert Locations.of(mapping) is mapping
    assert len(Locations.of([])) == len(Locations.of({})) == 0
    assert Locations.of([{"location": "a", "x": 0, "y": 0, "sensitive": True}]).sensitive is not None


@pytest.mark.parametrize(
    ("rows", "error", "column"),
    [
        ([{"location": "a", "x": None, "y": 0}], BadCoordinate, "x"),
        ([{"location": "b", "x": 0, "y": 0}, {"location": "a", "x": 0}], BadCoordinate, "y"),
        ([{"location": "a", "x": "NaN", "y": 0}], BadCoordinate, "x"),
        ([{"location": "a", "x": 0, "y": float("inf")}], BadCoordinate, "y"),
        ([{"location": "", "x": 0, "y": 0}], BadLabel, "location"),
        ([{"location": None, "x": 0, "y": 0}], BadLabel, "location"),
        ([{"location": "a", "x": 0, "y": 0}, {"location": "a", "x": 1, "y": 1}], DuplicateLocation, "location"),
    ],
)
def test_a_bad_row_of_the_location_table_is_named(rows: list[dict[str, Any]], error: type, column: str) -> None:
    with pytest.raises(error) as caught:
        Locations.of(rows)
    assert caught.value.details["row"] == len(rows) - 1
    assert caught.value.details["column"] == column


def test_coordinates_come_in_pairs_and_labels_are_no_fractions() -> None:
    with pytest.raises(BadCoordinate, match="both columns x and y"):
        Locations.of([{"location": "a", "x": 0}])
    with pytest.raises(BadLabel, match="text or whole numbers"):
        Locations.of([{"location": 0.5, "x": 0, "y": 0}])
    with pytest.raises(UnknownColumn, match="Did you mean 'location'|its columns are"):
        Locations.of([{"locations": "a"}])


def test_an_unknown_location_is_named_with_its_place() -> None:
    with pytest.raises(UnknownLocation) as caught:
        Trajectories.from_lists([["a"], ["a", "z"]], locations={"a": (0, 0)})
    assert (caught.value.where, caught.value.details["location"]) == ("trajectory 1, position 1", "z")


def test_trajectories_with_different_owners_are_different() -> None:
    rows = [["a"], ["a"]]
    assert Trajectories.from_lists(rows, owners=["x", "y"]) == Trajectories.from_lists(rows, owners=["x", "y"])
    assert Trajectories.from_lists(rows, owners=["x", "x"]) != Trajectories.from_lists(rows, owners=["x", "y"])
    assert Trajectories.from_lists(rows, owners=["x", "x"]) != Trajectories.from_lists(rows)


def test_a_view_is_copied_so_that_nobody_can_write_the_data() -> None:
    codes = np.zeros(5, np.int32)
    offsets = np.array([0, 2, 9], np.int64)
    data = Trajectories(offsets[:2], codes[:2], Locations(Vocabulary(["a", "b"])))
    codes[0], offsets[1] = 1, 1
    assert data.to_lists() == [["a", "a"]]
    locations = Locations(Vocabulary(["a"]), np.zeros(2)[:1], np.zeros(2)[:1], np.zeros(2, np.bool_)[:1])
    symbols = Symbols(Vocabulary(["a"]), np.array([0, 1, 5])[:2], np.zeros(3, np.int32)[:1])
    published = PublishedTrajectories(np.array([0, 1, 7])[:2], np.zeros(3, np.int32)[:1], symbols)
    frozen = [data.offsets, data.codes, locations.x, locations.y, locations.sensitive, symbols.offsets]
    for array in [*frozen, symbols.members, published.offsets, published.codes]:
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_what_is_shown_of_data_is_short() -> None:
    data = Trajectories.from_lists([["a", "b"]] * 1000)
    assert repr(data) == "Trajectories(1000 trajectories, 2000 visits, 2 locations)"
    assert repr(data.locations) == "Locations(2 locations without coordinates)"
    published = PublishedTrajectories.from_lists([["a", ["b", "c"]]])
    assert repr(published) == "PublishedTrajectories(1 trajectories, 2 visits, 2 symbols)"


@given(sequences(labels))
def test_rows_can_be_chosen_cut_and_walked(rows: list[list[str]]) -> None:
    data = Trajectories.from_lists(rows, owners=[number // 2 for number in range(len(rows))])
    backwards = np.arange(len(rows))[::-1]
    assert data.take(backwards).to_lists() == rows[::-1]
    assert data.truncated(2).to_lists() == [row[:2] for row in rows]
    assert data.lengths.tolist() == [len(row) for row in rows]
    visited = {label for row in rows for label in row}
    assert set(data.locations.vocabulary.series.filter(pl.Series(data.occurring)).to_list()) == visited
    assert [len(path) for path in data.paths()] == [len(row) for row in rows]
    assert data.groups("trajectory").tolist() == list(range(len(rows)))
    assert data.groups("owner").tolist() == [number // 2 for number in range(len(rows))]
    assert data.owner_repeats == (len(rows) > 1)
    assert data.visits == sum(map(len, rows))


def test_lists_that_are_no_trajectories_are_refused() -> None:
    for rows in ([["a"], "bc"], [["a"], [1]], [["a"], [None]]):
        with pytest.raises(BadLabel, match="trajectory 1"):
            Trajectories.from_lists(rows)  # type: ignore[arg-type]
    with pytest.raises(BadLabel, match="name every location"):
        Trajectories.from_lists([["a"], ["a", ""]])
    with pytest.raises(BadCoordinate, match="needs a pair"):
        Trajectories.from_lists([["a"]], locations={"a": 5})
    with pytest.raises(BadLabel, match="must be a string"):
        Locations.of({1: (0, 0)})  # type: ignore[dict-item]
    with pytest.raises(BadRow, match="no owner"):
        Trajectories.from_lists([["a"]], owners=[None])
    with pytest.raises(InputError, match="2 owners for 1 trajectories"):
        Trajectories.from_lists([["a"]], owners=["x", "y"])
    table = Locations(Vocabulary(["a"]))
    with pytest.raises(UnknownLocation, match="outside the location table"):
        Trajectories(np.array([0, 1]), np.array([1], np.int32), table)
    with pytest.raises(InputError, match="do not end at the last code"):
        Trajectories(np.array([0, 2]), np.array([0], np.int32), table)
    with pytest.raises(BadCoordinate, match="SeqAnon needs coordinates"):
        table.coordinates("SeqAnon")
    with pytest.raises(BadCoordinate, match="both coordinates or none"):
        Locations(Vocabulary(["a"]), np.zeros(1))
