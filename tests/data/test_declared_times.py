"""Dates and times of a table as somebody says that they are written."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.data.declared_times import as_iso_texts, formats_by_column, with_times
from crypsis.errors import BadParameter, BadTimestamps, UnknownColumn


def test_formats_with_commas_are_told_from_lists_of_columns() -> None:
    assert formats_by_column("%B %d, %Y", ["d"]) == {None: "%B %d, %Y"}
    assert formats_by_column("a=%d, %m, %Y,b=ms", ["a", "b"]) == {"a": "%d, %m, %Y", "b": "ms"}


@pytest.mark.parametrize("pattern", ["%d/%m/%Y", "%m/%d/%Y", "%Y%m%d", "%d %b %Y", "%d.%m.%y"])
def test_what_is_written_in_a_format_is_read_back(pattern: str) -> None:
    days = [dt.date(2001, 1, 1) + dt.timedelta(days=37 * step) for step in range(200)]
    frame = pl.DataFrame({"d": [day.strftime(pattern) for day in days], "n": ["1"] * len(days)})
    assert with_times(frame, f"d={pattern}", (), None)["d"].to_list() == days
    assert with_times(frame, pattern, (), None).schema["n"] == pl.String


def test_a_format_that_nothing_has_is_refused() -> None:
    frame = pl.DataFrame({"a": ["x"], "b": ["2008-06-08"]})
    with pytest.raises(BadTimestamps, match="No column holds times"):
        with_times(frame, "%d/%m/%Y", (), None)
    with pytest.raises(BadTimestamps, match="Column 'b' must hold times like '%d/%m/%Y', got '2008-06-08'"):
        with_times(frame, "b=%d/%m/%Y", (), None)
    with pytest.raises(UnknownColumn):
        with_times(frame, "c=%d/%m/%Y", (), None)
    with pytest.raises(BadParameter, match="time_format must be one of"):
        with_times(frame, "b=day", (), None)


def test_other_cells_are_missing_where_they_may_be() -> None:
    frame = pl.DataFrame({"d": ["08/06/2008", "soon", "k. A.", "-8"]})
    assert with_times(frame, "d=%d/%m/%Y", ("-8",), None, lenient=True)["d"].to_list() == [
        dt.date(2008, 6, 8),
        None,
        None,
        None,
    ]


def test_a_record_is_read_by_itself_whatever_the_others_are() -> None:
    frame = pl.DataFrame({"d": ["08/06/2008", "soon"], "e": ["08/06/2008", "09/06/2008"]})
    read = as_iso_texts(frame, "%d/%m/%Y", ["d"])
    assert read.rows() == [("2008-06-08", "08/06/2008"), (None, "09/06/2008")]
    for row in range(2):
        assert as_iso_texts(frame[row], "%d/%m/%Y", ["d"]).equals(read[row])


def test_events_are_read_in_a_declared_format(tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    file.write_text("id,location,t\na,home,08/06/2008 00:01\nb,work,soon\n")
    with pytest.raises(BadTimestamps, match="must hold times like"):
        crypsis.read_events(file, unit="min", time_format="%d/%m/%Y %H:%M")
    read = crypsis.read_events(file, unit="min", malformed="drop", time_format="%d/%m/%Y %H:%M")
    minutes = (dt.datetime(2008, 6, 8) - dt.datetime(1970, 1, 1)).total_seconds() / 60 + 1
    assert read.t.tolist() == [minutes]


def test_a_release_is_verified_against_an_original_with_declared_dates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from crypsis.cli.main import main

    file, out = tmp_path / "people.csv", tmp_path / "release"
    file.write_text("born,sex\n" + "".join(f"{1 + n % 12:02}/{1 + n % 11:02}/19{50 + n % 20},m\n" for n in range(40)))
    dates = ["--time-format", "%m/%d/%Y"]
    with pytest.raises(SystemExit) as ended:
        main(["anonymize", str(file), "--quasi", "born,sex", "--method", "mondrian", "-k", "4", "--out", str(out),
              "--each-row-is-a-person", *dates])  # fmt: skip
    assert ended.value.code in (0, None), capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(out), "--original", str(file), "--each-row-is-a-person", *dates])
    assert ended.value.code in (0, None), capsys.readouterr()
