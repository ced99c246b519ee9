"""Times are recognised from the whole column, and what may be read in two ways is asked."""

from __future__ import annotations

from datetime import datetime

import polars as pl
import pytest

from crypsis.data.formats.columns import moments
from crypsis.errors import BadParameter, BadRow, BadTimestamps

JUNE = datetime(2008, 6, 8, 23, 40, 39)


def read(cells, **options):
    values, words = moments(pl.DataFrame({"t": cells}), "t", **options)
    return values.to_list(), words


@pytest.mark.parametrize(
    ("cells", "expected", "words"),
    [
        (["2008-06-08T23:40:39Z"], [JUNE], "ISO 8601"),
        (["2008/06/08 23:40:39"], [JUNE], "year, month, day"),
        (["08.06.2008 23:40"], [JUNE.replace(second=0)], "day, month, year"),
        (["8.6.2008"], [datetime(2008, 6, 8)], "day, month, year"),
        (["08/06/2008 23:40:39", "13/06/2008 00:00:00"], [JUNE, datetime(2008, 6, 13)], "day, month, year"),
        (["06/08/2008 11:40:39 PM", "06/13/2008 12:00 AM"], [JUNE, datetime(2008, 6, 13)], "month, day, year"),
        ([1212968439], [JUNE], "epoch seconds"),
        ([1212968439000], [JUNE], "epoch milliseconds"),
        (["1212968439000000"], [JUNE], "epoch microseconds"),
        ([1212968439.5], [JUNE.replace(microsecond=500_000)], "epoch seconds"),
        ([0, 1, 2], [0, 1, 2], "numbers, taken as seconds"),
        (["03/03/2008"], [datetime(2008, 3, 3)], "day, month, year"),
    ],
)
def test_a_column_tells_how_its_times_are_written(cells, expected, words) -> None:
    assert read(cells) == (expected, words)


def test_an_order_of_day_and_month_that_may_be_either_is_asked() -> None:
    with pytest.raises(BadTimestamps, match=r"day first or with the month first, as in '08/06/2008'.*time_format="):
        read(["03/03/2008", "08/06/2008"])
    assert read(["08/06/2008"], time_format="%m/%d/%Y") == ([datetime(2008, 8, 6)], "%m/%d/%Y")


def test_declared_epochs_are_taken_as_declared() -> None:
    assert read([1212968439], time_format="s") == ([JUNE], "epoch seconds")
    assert read(["5"], time_format="ms") == ([datetime(1970, 1, 1, 0, 0, 0, 5000)], "epoch milliseconds")


def test_numbers_of_different_magnitude_are_refused() -> None:
    with pytest.raises(BadTimestamps, match="different magnitudes"):
        read([1212968439, 1212968439000])


@pytest.mark.parametrize(
    ("cells", "options", "error"),
    [
        (["31/02/2008"], {}, BadRow),
        (["08/06/08"], {}, BadRow),
        (["2008-06-08", "08.06.2008"], {}, BadRow),
        (["yesterday"], {"time_format": "%Y"}, BadTimestamps),
        (["2008"], {"time_format": "year"}, BadParameter),
    ],
)
def test_what_is_no_time_is_refused(cells, options, error) -> None:
    with pytest.raises(error):
        read(cells, **options)
