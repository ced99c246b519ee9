"""Finished datasets as streams: sequences position by position, trips by their two ends."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import pytest

from crypsis import ITSA, Trajectories, anonymize
from crypsis.data.reading import read_trajectories
from crypsis.data.replay import events_from_trajectories, events_from_trips
from crypsis.errors import UnknownColumn
from tests.shared_data import dataset


def test_every_sequence_starts_at_one_and_visits_once_a_timestamp() -> None:
    data = Trajectories.from_lists([["x", "y", "x"], ["y"], [], ["z", "z"]])
    events = events_from_trajectories(data, longest=2)
    assert events.is_ordered
    assert events.to_frame().rows() == [
        ("1", "x", 1),
        ("2", "y", 1),
        ("4", "z", 1),
        ("1", "y", 2),
        ("4", "z", 2),
    ]


def test_a_trip_is_seen_at_its_start_and_at_its_end() -> None:
    trips = pl.DataFrame(
        {
            "bike": [7, 8],
            "from": ["a", "b"],
            "left": [datetime(2020, 3, 1, 10, 0), datetime(2020, 3, 1, 9, 30)],
            "to": ["b", "c"],
            "came": [datetime(2020, 3, 1, 10, 59), datetime(2020, 3, 1, 10, 1)],
            "rider": ["member", "guest"],
        }
    )
    events = events_from_trips(
        trips, id="bike", start="from", start_time="left", end="to", end_time="came", sensitive=["rider"], unit="h"
    )
    assert events.to_frame().select("id", "location", "rider").rows() == [
        ("8", "b", "guest"),
        ("7", "a", "member"),
        ("8", "c", "guest"),
        ("7", "b", "member"),
    ]
    assert (events.t - events.t[0]).tolist() == [0, 1, 1, 1]
    with pytest.raises(UnknownColumn):
        events_from_trips(trips, id="bike", start="nowhere", start_time="left", end="to", end_time="came")


@pytest.mark.real_data("citibike_jc")
def test_two_months_of_bikes_are_published_hour_by_hour() -> None:
    trips = pl.read_parquet(dataset("citibike_jc") / "citibike_jc_202003_202004.parquet")
    names = {
        "start": "start_station_name",
        "start_time": "starttime",
        "end": "end_station_name",
        "end_time": "stoptime",
    }
    events = events_from_trips(trips, id="bikeid", **names, unit="h")
    assert len(events) == 2 * 26_987
    for mode in ("itsa", "cumulative"):
        release = anonymize(events, ITSA(K=5, N=6, L=2, mode=mode, H=12 if mode == "cumulative" else None))
        assert release.verify().holds
        assert release.utility()["suppression_pooled_loss"] < 1


@pytest.mark.real_data("msnbc")
def test_page_views_are_published_position_by_position() -> None:
    data = read_trajectories(dataset("msnbc") / "msnbc990928.txt.xz")
    events = events_from_trajectories(data.take(range(0, len(data), 100)), longest=20)
    release = anonymize(events, ITSA(K=20, L=2, N=10))
    assert len(release.data) == 11
    assert release.verify().holds
