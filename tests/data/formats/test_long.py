"""Long tables of visits: rows in any order of ids, positions that rise."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import Locations, Trajectories
from crypsis.data.formats.source import Source
from crypsis.errors import BadLabel, BadRow, UnknownColumn, UnknownLocation
from tests.data.drawn import labels, sequences


def visits(ids: list[Any], positions: list[Any], places: list[Any], **more: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"trajectory_id": ids, "position": positions, "location": places, **more}, strict=False)


@given(sequences(labels, min_length=1), st.randoms(use_true_random=False), st.sampled_from([1, 2.5]))
def test_sorting_puts_any_shuffled_table_in_order(rows: list[list[str]], random: Any, step: float) -> None:
    data = Trajectories.from_lists(rows)
    frame = data.to_frame().with_columns(pl.col("position") * step)
    order = list(range(frame.height))
    random.shuffle(order)
    shuffled = Trajectories.from_frame(frame[order], sort=True)
    assert shuffled.ids is not None
    assert dict(zip(shuffled.ids.to_list(), shuffled.to_lists(), strict=True)) == dict(enumerate(rows))
    assert shuffled.ids.to_list() == frame[order]["trajectory_id"].unique(maintain_order=True).to_list()


@given(sequences(labels, min_length=1), st.randoms(use_true_random=False))
def test_rows_of_an_id_need_not_be_adjacent(rows: list[list[str]], random: Any) -> None:
    frame = Trajectories.from_lists(rows).to_frame()
    waiting = {number: frame.filter(pl.col("trajectory_id") == number).rows() for number in range(len(rows))}
    mixed = []
    while any(waiting.values()):
        number = random.choice([number for number, left in waiting.items() if left])
        mixed.append(waiting[number].pop(0))
    shuffled = pl.DataFrame(mixed, schema=frame.schema, orient="row")
    data = Trajectories.from_frame(shuffled)
    assert data.ids is not None
    assert dict(zip(data.ids.to_list(), data.to_lists(), strict=True)) == dict(enumerate(rows))


@pytest.mark.parametrize(
    "positions",
    [
        [1, 2],
        [-5, 10**18],
        [0.5, 0.75],
        ["9", "10"],
        ["1.5", "1e1"],
        ["2020-01-01T09:00:00Z", "2020-01-01 10:00:00"],
        ["2020-01-01T23:30:00-02:00", "2020-01-02T02:00:00Z"],
        [datetime(2020, 1, 1), datetime(2020, 1, 2)],
        [datetime(2020, 1, 1).date(), datetime(2020, 1, 2).date()],
    ],
)
def test_positions_may_be_numbers_or_timestamps(positions: list[Any]) -> None:
    assert Trajectories.from_frame(visits([1, 1], positions, ["a", "b"])).to_lists() == [["a", "b"]]
    back = visits([1, 1], positions[::-1], ["b", "a"])
    assert Trajectories.from_frame(back, sort=True).to_lists() == [["a", "b"]]
    with pytest.raises(BadRow, match="order the rows or read with sort=True"):
        Trajectories.from_frame(back)


def test_without_positions_the_file_order_is_the_order() -> None:
    frame = pl.DataFrame({"trajectory_id": [1, 2, 1], "location": ["b", "c", "a"]})
    assert Trajectories.from_frame(frame, position=None).to_lists() == [["b", "a"], ["c"]]


@pytest.mark.parametrize(
    ("frame", "sort", "error", "line", "column", "advice"),
    [
        (visits([1, 2, 1], [1, 1, 1], ["a", "b", "c"]), False, BadRow, 4, "position", "occurs twice"),
        (visits([1, 2, 1], [1, 1, 1], ["a", "b", "c"]), True, BadRow, 4, "position", "occurs twice"),
        (visits([1, 1, 1], [1, 3, 2], ["a", "b", "c"]), False, BadRow, 4, "position", "2 follows 3"),
        (visits([1, 1], ["1", "x"], ["a", "b"]), False, BadRow, 3, "position", "number or an ISO timestamp"),
        (visits([1, 1], [1, None], ["a", "b"]), False, BadRow, 3, "position", "fill in every row"),
        (visits([1, 1], [1, float("nan")], ["a", "b"]), False, BadRow, 3, "position", "finite"),
        (visits([1, None], [1, 2], ["a", "b"]), False, BadRow, 3, "trajectory_id", "fill in every row"),
        (visits(["1", " "], [1, 2], ["a", "b"]), False, BadRow, 3, "trajectory_id", "fill in every row"),
        (visits([1, 1], [1, 2], ["a", ""]), False, BadLabel, 3, "location", "give every row a label"),
        (visits([1, 1], [1, 2], ["a", None]), False, BadLabel, 3, "location", "give every row a label"),
    ],
)
def test_a_bad_row_is_named_with_line_and_column(
    frame: pl.DataFrame, sort: bool, error: type, line: int, column: str, advice: str
) -> None:
    with pytest.raises(error) as caught:
        Trajectories.from_frame(frame, sort=sort, source=Source("visits.csv", 2))
    assert caught.value.where == f"visits.csv, line {line}, column '{column}'"
    assert advice in caught.value.message


def test_the_first_bad_row_of_the_file_is_named_not_of_the_first_id() -> None:
    frame = visits([1, 2, 2, 1], [5, 2, 1, 3], ["a"] * 4)
    with pytest.raises(BadRow) as caught:
        Trajectories.from_frame(frame)
    assert caught.value.details["row"] == 2


def test_an_unknown_location_is_named_with_its_row() -> None:
    table = Locations.of({"a": (0, 0)})
    with pytest.raises(UnknownLocation) as caught:
        Trajectories.from_frame(visits([1, 1], [1, 2], ["a", "z"]), locations=table, source=Source("visits.csv", 2))
    assert caught.value.where == "visits.csv, line 3, column 'location'"
    assert caught.value.details["location"] == "z"
    with pytest.raises(UnknownColumn, match="its columns are trajectory_id, position, location"):
        Trajectories.from_frame(visits([1], [1], ["a"]), id="trip")


def test_owners_are_one_per_trajectory() -> None:
    frame = visits([1, 2, 1], [1, 1, 2], ["a", "b", "c"], owner=["ann", "bob", "ann"])
    data = Trajectories.from_frame(frame, owner="owner")
    assert data.owners is not None
    assert data.owners.tolist() == [0, 1]
    wrong = frame.with_columns(owner=pl.Series(["ann", "bob", "bob"]))
    with pytest.raises(BadRow, match="two owners") as caught:
        Trajectories.from_frame(wrong, owner="owner")
    assert caught.value.where == "row 2, column 'owner'"


def test_an_empty_table_has_no_trajectories() -> None:
    data = Trajectories.from_frame(visits([], [], []))
    assert (len(data), data.to_lists()) == (0, [])


def test_a_million_visits_are_read_without_an_object_per_row() -> None:
    rows = 1_000_000
    frame = pl.DataFrame(
        {
            "trajectory_id": np.arange(rows) // 5,
            "position": np.arange(rows) % 5,
            "location": pl.Series([f"p{number}" for number in range(100)]).gather(np.arange(rows) * 7 % 100),
        }
    )
    data = Trajectories.from_frame(frame)
    assert (len(data), data.visits, len(data.locations)) == (200_000, rows, 100)
    assert data.lengths.min() == data.lengths.max() == 5


def test_times_of_one_day_put_visits_in_order_and_count_as_times() -> None:
    data = Trajectories.from_frame(visits([1, 1, 1], ["10:05", "7:30", "07:45:30"], ["c", "a", "b"]), sort=True)
    assert data.to_lists() == [["a", "b", "c"]]
    assert data.drops_times
    with pytest.raises(BadRow):
        Trajectories.from_frame(visits([1, 1], ["7:30", "24:10"], ["a", "b"]))


def test_the_first_day_of_dates_that_are_not_iso_counts_as_a_time() -> None:
    assert Trajectories.from_frame(visits([1, 1], ["08.06.2008", "09.06.2008"], ["a", "b"])).drops_times
    assert not Trajectories.from_frame(visits([1, 1], ["1", "2"], ["a", "b"])).drops_times
