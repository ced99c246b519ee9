"""Rows that are no events are left out one by one; what is left never depends on them."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis import Events, read_events
from crypsis.data.sound_events import sound_rows
from crypsis.errors import CrypsisError, UnknownColumn

NAMES = {"id": "id", "location": "location", "t": "t"}
cells = st.sampled_from(["", " ", "a", "b", None])
times = st.sampled_from(["", "3", " 4 ", "x", "2.5", "1e3", str(2**70), "-7", "nan", None])


@given(st.lists(st.tuples(cells, cells, times)))
def test_whole_numbers_are_kept_and_all_else_is_dropped(rows):
    frame = pl.DataFrame(rows, schema={"id": pl.String, "location": pl.String, "t": pl.String}, orient="row")
    kept = sound_rows(frame, **NAMES, timestamps=False)
    expected = [
        (who, where, int(when))
        for who, where, when in rows
        if who and who.strip() and where and where.strip() and when in ("3", " 4 ", "-7")
    ]
    assert kept.rows() == expected
    assert len(Events.from_frame(kept)) == len(expected)


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (pl.Series([1.0, 2.5, None, float("inf"), float("nan"), 7.0]), [1, 7]),
        (pl.Series([1, None, 3]), [1, 3]),
        (pl.Series([True, False]), []),
    ],
)
def test_columns_of_other_types(values, kept):
    frame = pl.DataFrame({"id": ["x"] * len(values), "location": ["a"] * len(values), "t": values})
    assert sound_rows(frame, **NAMES, timestamps=False)["t"].to_list() == kept


def test_timestamps_are_asked_for_by_giving_a_unit():
    frame = pl.DataFrame({"id": ["x", "y", "z"], "location": ["a", "b", "c"], "t": ["1970-01-02", "17", "later"]})
    kept = sound_rows(frame, **NAMES, timestamps=True)
    assert Events.from_frame(kept, unit="day").t.tolist() == [1]
    assert sound_rows(frame, **NAMES, timestamps=False)["t"].to_list() == [17]
    days = frame.with_columns(pl.Series("t", ["1970-01-02", None, "1970-01-03"]).str.to_date())
    assert len(sound_rows(days, **NAMES, timestamps=True)) == 2
    assert len(sound_rows(days, **NAMES, timestamps=False)) == 0
    assert len(sound_rows(frame.with_columns(pl.Series("t", [1, 2, 3])), **NAMES, timestamps=True)) == 0


def test_files_are_read_so_when_asked(tmp_path):
    (tmp_path / "log.csv").write_text("id,location,t\nx,a,1\n,a,2\ny,b,soon\nz,c,3\n")
    with pytest.raises(CrypsisError):
        read_events(tmp_path / "log.csv")
    assert read_events(tmp_path / "log.csv", malformed="drop").t.tolist() == [1, 3]
    with pytest.raises(UnknownColumn):
        read_events(tmp_path / "log.csv", t="when", malformed="drop")
    with pytest.raises(CrypsisError, match="malformed"):
        read_events(tmp_path / "log.csv", malformed="ignore")
