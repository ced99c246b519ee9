"""Times of visits: read from columns and check-ins, refused where they contradict themselves, bound to places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.checkins import trajectories_from_checkins
from crypsis.data.timed_places import NO_TIME, TimedPlaces, bind_times, suggest_time_weight
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import BadParameter, BadRow, BadTimestamps, CrypsisError, NotApplicable, OptionWithoutEffect

VISITS = pl.DataFrame(
    {
        "trajectory_id": ["a", "b", "a", "b"],
        "location": ["x", "x", "y", "y"],
        "enter": ["2024-03-01T08:00:30", "2024-03-01T08:16:00", "2024-03-01T09:05:00", "2024-03-02T00:10:00"],
        "exit": ["2024-03-01T08:59:59", "2024-03-01T23:50:00", "2024-03-01T10:00:00", "2024-03-02T00:10:00"],
    }
)
EIGHT = 1_709_280_000


def read(frame: pl.DataFrame = VISITS, **options: Any) -> Trajectories:
    return Trajectories.from_frame(frame, **{"enter": "enter", "exit": "exit", **options})


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_times_are_read_from_columns_of_every_format(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"visits.{suffix}"
    {"csv": VISITS.write_csv, "parquet": VISITS.write_parquet, "jsonl": VISITS.write_ndjson}[suffix](path)
    data = crypsis.read_trajectories(path, enter="enter", exit="exit")
    assert data.times is not None
    assert data.times.enter[:2].tolist() == [EIGHT + 30, EIGHT + 3900]  # of a, whose rows are gathered
    assert data.times.exit is not None
    assert (data.times.exit >= data.times.enter).all()
    assert data.times.clock
    merged = crypsis.read_trajectories(path, enter="enter", exit="exit", times="merge", time_width=60)
    assert merged.to_lists()[0] == ["x@2024-03-01T08:00/2024-03-01T08:00", "y@2024-03-01T09:00/2024-03-01T10:00"]
    assert merged.times is None


def test_beginnings_order_the_visits_where_there_are_no_positions() -> None:
    with pytest.raises(BadRow, match="rise strictly"):
        read(VISITS.reverse())
    assert read(VISITS.reverse(), sort=True).to_lists() == [["x", "y"], ["x", "y"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"exit": ["2024-03-01T07:00:00", *VISITS["exit"][1:]]}, "ends before it begins"),
        ({"position": [1, 1, 2, 2], "enter": VISITS["enter"][::-1], "exit": VISITS["exit"][::-1]}, "must not fall"),
        ({"exit": ["", *VISITS["exit"][1:]]}, "empty"),
        ({"exit": [1, 2, 3, 4]}, "both hold timestamps"),
    ],
)
def test_times_that_contradict_themselves_are_refused(change: dict[str, list[Any]], words: str) -> None:
    with pytest.raises(CrypsisError, match=words):
        read(VISITS.with_columns(**{name: pl.Series(values) for name, values in change.items()}))


def test_an_end_needs_a_beginning() -> None:
    with pytest.raises(BadParameter, match="when they began"):
        Trajectories.from_frame(VISITS, exit="exit", position=None)


def test_a_width_without_times_has_no_effect(tmp_path: Path) -> None:
    VISITS.write_csv(tmp_path / "visits.csv")
    with pytest.raises(OptionWithoutEffect, match="times='merge'"):
        crypsis.read_trajectories(tmp_path / "visits.csv", enter="enter", time_width=60)


def test_times_cannot_be_kept_where_there_are_none(tmp_path: Path) -> None:
    frame = VISITS.select("trajectory_id", "location", position=pl.Series([1, 1, 2, 2]))
    frame.write_csv(tmp_path / "visits.csv")
    with pytest.raises(NotApplicable, match="enter='COLUMN'"):
        crypsis.read_trajectories(tmp_path / "visits.csv", times="merge")


def test_a_position_that_is_a_time_is_dropped_and_that_is_told() -> None:
    plain = VISITS.rename({"enter": "position"})
    assert Trajectories.from_frame(plain).drops_times
    assert not Trajectories.from_frame(plain.with_columns(position=pl.Series([1, 1, 2, 2]))).drops_times


def test_check_ins_in_one_square_are_one_stay_from_the_first_to_the_last() -> None:
    checkins = pl.DataFrame(
        {
            "user": ["u"] * 4,
            "time": [f"2024-03-01T08:{minute:02d}:00Z" for minute in (0, 20, 40, 50)],
            "lat": [40.0, 40.0, 40.1, 40.0],
            "lon": [-74.0] * 4,
        }
    )
    data = trajectories_from_checkins(checkins, cell=1000.0)
    assert data.times is not None
    assert data.times.exit is not None
    stays = list(zip((data.times.enter - EIGHT).tolist(), (data.times.exit - EIGHT).tolist(), strict=True))
    assert stays == [(0, 1200), (2400, 2400), (3000, 3000)]
    apart = trajectories_from_checkins(checkins, cell=1000.0, collapse=False)
    assert apart.times is not None
    assert len(apart.times) == 4


@pytest.mark.parametrize("cycle", ["none", "day", "week"])
@pytest.mark.parametrize("width", [15, 60, 1440])
def test_true_times_lie_in_the_bins_of_their_place(cycle: str, width: int) -> None:
    data = read()
    bound = data.bind_times(width=width, cycle=cycle)
    timed, times = bound.locations.times, data.times
    assert timed is not None
    assert times is not None
    assert timed.exit is not None
    assert times.exit is not None
    for visit, code in enumerate(bound.codes.tolist()):
        enter, exit = int(times.enter[visit]), int(times.exit[visit])
        if cycle != "none":  # 2024-03-01 is a Friday
            midnight = enter // 86_400 * 86_400
            base = midnight if cycle == "day" else EIGHT - 8 * 3600 - 4 * 86_400
            enter, exit = enter - base, exit - base
        assert timed.enter[code] <= enter < timed.enter[code] + timed.width
        assert timed.exit[code] <= exit < timed.exit[code] + timed.width
        assert timed.places[code] == data.locations.labels[data.codes[visit]]


def test_a_visit_past_midnight_ends_after_the_day() -> None:
    frame = VISITS.with_columns(exit=pl.Series([*VISITS["exit"][:1], "2024-03-02T00:05:00", *VISITS["exit"][2:]]))
    assert read(frame).bind_times(width=60, cycle="day").to_lists()[1] == ["x@08:00/00:00+1", "y@00:00/00:00"]


def test_periods_of_symbols_are_the_hull_of_their_bins() -> None:
    data = read()
    release = crypsis.anonymize(data.bind_times(width=1440, cycle="day"), crypsis.KAMCut(k=1))
    timed = release.data.timed
    assert timed is not None
    periods = timed.periods(release.data.symbols)
    assert set(zip(*(column.tolist() for column in periods.columns), strict=True)) == {(0, 86_400, 0, 86_400)}


def test_a_table_of_times_comes_back_as_it_was_written() -> None:
    for cycle in ("none", "day"):
        for exits in ("exit", None):
            timed = read(exit=exits).bind_times(width=15, cycle=cycle).locations.times
            assert timed is not None
            back = TimedPlaces.from_frame(timed.to_frame(), timed.describe())
            assert back.labels == timed.labels
            assert back.places == timed.places
            assert np.array_equal(back.enter, timed.enter)
            assert (back.exit is None) == (timed.exit is None)
            assert timed.exit is None or np.array_equal(back.exit, timed.exit)  # type: ignore[arg-type]


def test_sensitive_places_keep_no_time() -> None:
    data = read(locations=Locations.of({"x": (0, 0), "y": (1, 1)}).marked(["y"]))
    bound = data.bind_times(width=15)
    assert [path[1] for path in bound.to_lists()] == ["y", "y"]
    assert bound.locations.times is not None
    assert (bound.locations.times.enter == NO_TIME).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"width": 0}, BadParameter),
        ({"width": True}, BadParameter),
        ({"width": 7, "cycle": "day"}, BadParameter),
        ({"cycle": "month"}, BadParameter),
        ({"weight": -1.0}, BadParameter),
        ({"weight": float("nan")}, BadParameter),
    ],
)
def test_bad_choices_of_time_are_refused(options: dict[str, Any], error: type[CrypsisError]) -> None:
    with pytest.raises(error):
        read().bind_times(**options)


def test_a_cycle_needs_timestamps() -> None:
    numbered = VISITS.with_columns(enter=pl.Series([1, 2, 3, 4]), exit=pl.Series([2, 3, 4, 5]))
    assert read(numbered).bind_times(width=1).to_lists()[0] == ["x@0/0", "y@0/0"]
    with pytest.raises(BadTimestamps, match="needs timestamps"):
        read(numbered).bind_times(cycle="day")


def test_times_are_bound_once() -> None:
    with pytest.raises(NotApplicable, match="already"):
        bind_times(read().bind_times())


def test_an_hour_is_worth_the_distance_between_neighbours() -> None:
    places = Locations.of({"a": (0, 0), "b": (0, 300), "c": (0, 1000)})
    assert suggest_time_weight(places) == pytest.approx(300 / 3600)
    assert suggest_time_weight(Locations.of({"a": (0, 0)})) == 0
