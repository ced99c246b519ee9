"""Columns as labels, numbers, flags and times: what cannot be read is named."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.formats.columns import column, flags, in_utc, labels, numbers, parse_timestamps, times
from crypsis.data.formats.source import Source
from crypsis.errors import BadLabel, BadRow, CrypsisError, UnknownColumn

SOURCE = Source("data.csv", 2)


def one(values: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"c": values}, strict=False)


def test_an_unknown_column_is_named_with_those_there_are() -> None:
    frame = pl.DataFrame({"age": [1], "zip": [2]})
    with pytest.raises(UnknownColumn) as caught:
        column(frame, "agee", SOURCE)
    assert str(caught.value) == (
        "Column 'agee' is not in this table; its columns are age, zip. Did you mean 'age'? (data.csv)"
    )
    assert caught.value.details["known"] == ["age", "zip"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [(["1", " 2.5 ", "-3e2"], [1, 2.5, -300]), ([1, 2, 3], [1, 2, 3]), ([1.5, 2.5], [1.5, 2.5])],
)
def test_numbers_are_read_from_text_and_numbers(values: list[Any], expected: list[float]) -> None:
    assert numbers(one(values), "c").tolist() == expected


def test_missing_numbers_become_what_is_asked_for() -> None:
    assert numbers(one(["1", "", None]), "c", missing=-1.0).tolist() == [1, -1, -1]
    assert np.isnan(numbers(one([None, None]), "c", missing=np.nan)).all()
    assert np.isnan(numbers(one(["NaN"]), "c", missing=0.0)).all()


@pytest.mark.parametrize(
    ("read", "values", "row", "part"),
    [
        (numbers, ["1", "x"], 1, "must hold a number, got 'x'"),
        (numbers, ["1", ""], 1, "is empty; give a number"),
        (numbers, [True, False], 0, "must hold numbers, it holds Boolean"),
        (numbers, [["a"]], 0, "must hold numbers"),
        (flags, ["true", "maybe"], 1, "true or false (1 or 0), got 'maybe'"),
        (flags, [1, 2], 1, "got 2"),
        (times, ["2020-01-01", "2020-13-01"], 1, "got '2020-13-01'"),
        (times, ["1", "2", "x"], 2, "a number or an ISO timestamp"),
        (times, ["1", ""], 1, "is empty"),
        (times, [1.0, float("nan")], 1, "finite"),
        (times, ["1.5", "inf"], 1, "finite"),
        (times, [True], 0, "it holds Boolean"),
        (times, ["20-01-01"], 0, "got '20-01-01'"),
    ],
)
def test_what_cannot_be_read_is_a_bad_row_with_line_and_column(
    read: Any, values: list[Any], row: int, part: str
) -> None:
    with pytest.raises(BadRow) as caught:
        read(one(values), "c", SOURCE)
    assert caught.value.where == f"data.csv, line {row + 2}, column 'c'"
    assert part in caught.value.message


@pytest.mark.parametrize(("values", "row"), [(["a", ""], 1), (["a", None], 1), ([" "], 0)])
def test_an_empty_label_is_a_bad_label(values: list[Any], row: int) -> None:
    with pytest.raises(BadLabel) as caught:
        labels(one(values), "c", SOURCE)
    assert caught.value.where == f"data.csv, line {row + 2}, column 'c'"


def test_labels_are_texts_or_whole_numbers() -> None:
    assert labels(one([7, 8]), "c").to_list() == ["7", "8"]
    assert labels(one([" a ", "007"]), "c").to_list() == [" a ", "007"]
    for values in ([1.5], [["a"]]):
        with pytest.raises(BadLabel, match="text or whole numbers"):
            labels(one(values), "c")


def test_flags_are_read_from_words_and_numbers() -> None:
    assert flags(one(["true", "NO", "1", "", None]), "c").tolist() == [True, False, True, False, False]
    assert flags(one([1, 0, None]), "c").tolist() == [True, False, False]
    assert flags(one([1.0, 0.0]), "c").tolist() == [True, False]
    assert flags(one([True, None]), "c").tolist() == [True, False]


@given(st.lists(st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1)), min_size=1, max_size=6), st.data())
def test_timestamps_of_every_iso_form_are_utc(moments: list[datetime], data: st.DataObject) -> None:
    texts, expected = [], []
    for moment in moments:
        form = data.draw(st.sampled_from(["T", "space", "Z", "offset", "minute", "day"]))
        known = moment
        if form == "offset":
            zone = timezone(timedelta(minutes=data.draw(st.integers(-14 * 60, 14 * 60))))
            texts.append(moment.replace(tzinfo=zone).isoformat())
            known = moment.replace(tzinfo=zone).astimezone(UTC).replace(tzinfo=None)
        elif form == "minute":
            known = moment.replace(second=0, microsecond=0)
            texts.append(known.isoformat(timespec="minutes"))
        elif form == "day":
            known = datetime(moment.year, moment.month, moment.day)
            texts.append(known.date().isoformat())
        else:
            texts.append(moment.isoformat(" " if form == "space" else "T") + ("Z" if form == "Z" else ""))
        expected.append(known)
    assert parse_timestamps(pl.Series(texts)).to_list() == expected


@pytest.mark.parametrize(
    "text", ["", "x", "2020", "2020-1-1", "20-01-01", "2020-02-30", "2020-01-01T25:00", "01/02/2020"]
)
def test_what_is_no_iso_timestamp_is_none(text: str) -> None:
    assert parse_timestamps(pl.Series([text, "2020-01-01"])).to_list() == [None, datetime(2020, 1, 1)]


def test_dates_and_zones_become_utc() -> None:
    assert in_utc(pl.Series([date(2020, 1, 1)])).to_list() == [datetime(2020, 1, 1)]
    zoned = pl.Series([datetime(2020, 1, 1, 12)]).dt.replace_time_zone("Europe/Athens")
    assert in_utc(zoned).to_list() == [datetime(2020, 1, 1, 10)]


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("us", "UTC")])
def test_moments_beyond_the_calendar_are_none(dtype: pl.DataType) -> None:
    per_day = 1 if dtype == pl.Date else 86_400 * {"ms": 10**3, "us": 10**6}[dtype.time_unit]  # type: ignore[attr-defined]
    days = [-719_163, -719_162, 0, 2_932_896, 2_932_897, 22_000_000, -(2**31) if per_day == 1 else -100_000_000]
    moments = pl.Series([day * per_day for day in days], dtype=pl.Int32 if dtype == pl.Date else pl.Int64).cast(dtype)
    first, epoch, last = datetime(1, 1, 1), datetime(1970, 1, 1), datetime(9999, 12, 31)
    assert in_utc(moments).to_list() == [None, first, epoch, last, None, None, None]


def test_an_offset_does_not_lead_beyond_the_calendar() -> None:
    told = parse_timestamps(pl.Series(["9999-12-31T23:30:00-01:00", "0001-01-01T00:30:00+01:00", "0000-01-01"]))
    assert told.to_list() == [None, None, None]
    assert times(one([datetime(2020, 1, 1)]), "c").dtype == pl.Datetime("us")


@given(st.lists(st.one_of(st.none(), st.text(max_size=5), st.integers(), st.floats(), st.booleans()), max_size=4))
def test_any_column_is_read_or_an_error_of_ours(values: list[Any]) -> None:
    frame = pl.DataFrame({"c": [None if value is None else str(value) for value in values]}, schema={"c": pl.String})
    for read in (labels, numbers, flags, times):
        try:
            read(frame, "c")
        except CrypsisError as error:
            assert "column 'c'" in str(error)


@pytest.mark.parametrize("cell", ["52°31'12\"N", "52.52N", "N 52,52", "52° 31.2' N", "52.52°N"])
def test_degrees_with_minutes_and_directions_are_numbers(cell: str) -> None:
    assert numbers(one([cell, "0.5S"]), "c", largest=90).tolist() == pytest.approx([52.52, -0.5])
    with pytest.raises(BadRow, match="must hold a number"):
        numbers(one([cell, "north"]), "c", largest=90)
    with pytest.raises(BadRow, match="must hold a number"):
        numbers(one([cell]), "c")


def test_a_degree_that_mixes_kinds_of_digits_is_refused() -> None:
    with pytest.raises(BadRow, match="must hold a number"):
        numbers(one(["52.5N", "\N{ARABIC-INDIC DIGIT THREE}x"]), "c", largest=90)
    with pytest.raises(BadRow, match="must hold a number"):
        numbers(one(["52.5", "\N{ARABIC-INDIC DIGIT THREE}N,"]), "c", largest=90)
