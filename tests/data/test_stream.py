"""Events: a log of who was where when, in the order of arrival."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import Events
from crypsis.errors import BadLabel, BadParameter, BadRow, BadTimestamps, InputError, UnknownColumn, UnknownLocation
from tests.data.drawn import labels

events = st.lists(st.tuples(labels, labels, st.integers(-(2**63), 2**63 - 1), st.none() | labels), max_size=8)
LOG = pl.DataFrame({"id": ["1", "2", "1"], "location": ["a", "b", "a"], "t": [3, 1, 2], "status": ["s", "", None]})


@given(events)
def test_events_give_their_table_back(drawn: list[tuple[str, str, int, str | None]]) -> None:
    data = Events.from_lists([event[:3] for event in drawn], {"status": [event[3] for event in drawn]})
    assert data.to_frame().rows() == drawn
    assert Events.from_frame(data.to_frame(), sensitive=["status"]) == data
    assert len(data) == len(drawn)


def test_the_order_of_arrival_is_kept_and_the_order_of_time_is_told() -> None:
    data = Events.from_frame(LOG, sensitive=["status"])
    assert data.t.tolist() == [3, 1, 2]
    assert (data.is_ordered, data.order.tolist()) == (False, [1, 2, 0])
    assert data.take(data.order).is_ordered
    assert data.attribute("status").codes.tolist() == [0, -1, -1]
    assert data.locations.labels == ("a", "b")


def test_several_sensitive_attributes_have_their_own_vocabularies() -> None:
    data = Events.from_frame(LOG.with_columns(job=pl.Series(["x", "y", "x"])), sensitive=["status", "job"])
    assert [part.name for part in data.sensitive] == ["status", "job"]
    assert data.attribute("job").vocabulary.labels == ("x", "y")
    with pytest.raises(UnknownColumn, match="Did you mean 'job'?"):
        data.attribute("jobs")
    with pytest.raises(UnknownColumn, match="its columns are id, location, t, status"):
        Events.from_frame(LOG, sensitive=["job"])


@pytest.mark.parametrize(("unit", "times"), [("s", [5400, 7200]), ("min", [90, 120]), ("h", [1, 2]), ("day", [0, 0])])
def test_timestamps_count_whole_units(unit: str, times: list[int]) -> None:
    frame = LOG.head(2).with_columns(t=pl.Series(["1970-01-01T01:30:00Z", "1970-01-01 02:00:00"]))
    assert Events.from_frame(frame, unit=unit).t.tolist() == times


@pytest.mark.parametrize("times", [[1.5, 2.0, 3.0], ["1", "1.5", "2"]])
def test_a_time_that_is_no_integer_is_a_bad_timestamp_with_its_place(times: list[object]) -> None:
    with pytest.raises(BadTimestamps, match="64-bit integers") as caught:
        Events.from_frame(LOG.with_columns(t=pl.Series(times)), source="log.csv")
    assert caught.value.where is not None
    assert caught.value.where.endswith("column 't'")


def test_bad_events_are_refused_with_their_place() -> None:
    with pytest.raises(BadRow) as caught:
        Events.from_frame(LOG.with_columns(t=pl.Series(["1", "x", "2"])))
    assert caught.value.where == "row 1, column 't'"
    with pytest.raises(BadLabel) as empty:
        Events.from_frame(LOG.with_columns(location=pl.Series(["a", "", "b"])))
    assert empty.value.where == "row 1, column 'location'"
    with pytest.raises(UnknownLocation) as unknown:
        Events.from_frame(LOG, locations={"a": (0, 0)})
    assert (unknown.value.code, unknown.value.where) == ("unknown-location", "row 1, column 'location'")
    with pytest.raises(BadParameter, match="s, min, h, day"):
        Events.from_frame(LOG, unit="week")


def test_events_cannot_be_written_and_must_fit_together() -> None:
    data = Events.from_frame(LOG, sensitive=["status"])
    for array in (data.persons, data.location_codes, data.t, data.attribute("status").codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(InputError, match="different lengths"):
        Events(data.persons, data.location_codes, np.zeros(1, np.int64), data.people, data.locations)
    with pytest.raises(InputError, match="person code"):
        Events(data.persons + 7, data.location_codes, data.t, data.people, data.locations)
    assert repr(data) == "Events(3 events, 2 people, 2 locations, 1 sensitive attributes)"
