"""Whole numbers and dates in bulk, compared with Python one by one."""

from __future__ import annotations

from datetime import date

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.plain_texts import digits_of, iso_dates

ODD_DATES = st.sampled_from(
    ["2020-02-30", "2021-02-29", "2020-00-10", "2020-13-01", "2020-01-00", "0000-01-01", "2020-1-001", "+202-01-01",
     "2020/01/01", "2020-01-1", " 2020-1-1", "20200101xx", "2020-01-3²", "2020-W01-1", "١٩٩٩-1", "", "2020-01-01T00:00"]
)  # fmt: skip


@given(st.lists(st.one_of(st.dates().map(date.isoformat), ODD_DATES), max_size=6))
def test_dates_are_those_that_python_reads(texts: list[str]) -> None:
    found = iso_dates(pl.Series("born", texts, dtype=pl.String))
    try:
        wanted = [date.fromisoformat(text) for text in texts]
    except ValueError:
        wanted = []
    wanted = wanted if [one.isoformat() for one in wanted] == texts else []
    assert (found is not None) == bool(wanted)
    if found is not None:
        assert found.to_list() == wanted
        assert found.name == "born"


def test_every_day_of_the_calendar() -> None:
    days = pl.Series("day", range(date.min.toordinal() - 719_163, date.max.toordinal() - 719_162), dtype=pl.Int32)
    dates = days.cast(pl.Date)
    found = iso_dates(dates.dt.to_string("%Y-%m-%d").str.zfill(10))
    assert found is not None
    assert found.equals(dates)


def test_a_gap_is_no_date() -> None:
    assert iso_dates(pl.Series(["2020-01-01", None])) is None


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-110, 110))))
def test_digits_are_those_of_the_texts(numbers: list[int]) -> None:
    assert digits_of(pl.Series(numbers, dtype=pl.Int64)) == sum(len(str(number)) for number in numbers)
