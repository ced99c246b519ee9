"""Spreadsheets and files of statistics packages, a record at a time: a cell concerns its own record and no other."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

from crypsis.data.formats.excel import Excel
from crypsis.data.formats.statistics import Spss
from crypsis.data.formats.tabular import header_of, read_rows
from crypsis.errors import BadParameter, UnknownColumn, UnreadableFile


def workbook(path: Path, rows: list[list[object]]) -> Path:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("s")
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                sheet.write(row, column, cell)
    return path


@pytest.mark.parametrize("odd", [["x", "y"], [1.5, 2], ["", ""], [3, 4, "wider"], ["2020-01-01"], [True, None]])
def test_one_more_row_of_a_sheet_changes_no_other_and_no_name(tmp_path: Path, odd: list[object]) -> None:
    rows: list[list[object]] = [["a", "b"], [1, "x"], [2.5, 7]]
    before, after = workbook(tmp_path / "a.xlsx", rows), workbook(tmp_path / "b.xlsx", [*rows, odd])
    assert header_of(before) == header_of(after) == ["a", "b"]
    assert read_rows(after)[0].head(2).equals(read_rows(before)[0])


def test_a_survey_declares_its_types_so_one_value_changes_no_other(tmp_path: Path) -> None:
    for name, ages in (("a.sav", [40.0, 51.0]), ("b.sav", [40.0, 51.0, 33.5])):
        pyreadstat.write_sav(pl.DataFrame({"age": ages}), str(tmp_path / name))
    assert header_of(tmp_path / "a.sav") == ["age"]
    assert read_rows(tmp_path / "a.sav")[0]["age"].to_list() == ["40", "51"]
    assert read_rows(tmp_path / "b.sav")[0]["age"].to_list() == ["40", "51", "33.5"]
    assert Spss().read_frame(tmp_path / "b.sav")[0]["age"].to_list() == [40.0, 51.0, 33.5]


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2]])
    with pytest.raises(UnknownColumn, match="its columns are a, b"):
        Excel().read_frame(path, ["c"])
    with pytest.raises(BadParameter, match="header line"):
        header_of(path, header=False)
    (tmp_path / "cut.xlsx").write_bytes(path.read_bytes()[:-200])
    with pytest.raises(UnreadableFile, match="cannot be read as Excel"):
        Excel().read_frame(tmp_path / "cut.xlsx")
