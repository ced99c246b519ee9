"""Spreadsheets (.xlsx, .xls, .ods, .xlsb): one sheet is a table. Cells are texts as they would be in CSV.

Every cell is turned into text by itself, so that one cell never changes how others are read: a whole number has no
point, a day no time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from crypsis.data.formats.binary import BinaryFormat
from crypsis.data.formats.by_record import ByRecord, as_texts
from crypsis.data.formats.csv import names_groups, numbered_names, passed_over, unique_names
from crypsis.data.formats.format import Header, Skip
from crypsis.data.formats.header_row import LOOKED_AT, TOLD, names_columns
from crypsis.data.formats.source import Source, Understood
from crypsis.errors import BadParameter, UnreadableFile


@dataclass(frozen=True, kw_only=True)
class Excel(BinaryFormat):
    """A sheet of a workbook."""

    name, label = "excel", "Excel and OpenDocument: a sheet of a workbook"
    suffixes = (".xlsx", ".xls", ".ods", ".xlsb", ".xlsm")
    signatures = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
    may_be_text = True

    sheet: Annotated[str | None, "Sheet of a workbook, by name or number from 1; the first with a table if empty."] = (
        None
    )
    header: Header = None
    skip: Skip = None

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, Source]:
        cells, beside = self.decoded(file)
        above = rows_above(cells) if self.skip is None else 0
        above += names_groups(cells.slice(above, LOOKED_AT).rows()) if self.skip is None else 0
        cells = cells.slice(above)
        header = names_columns(cells.head(LOOKED_AT + 1).rows()) if self.header is None else self.header
        names, notes = unique_names(cells.row(0)) if header else (numbered_names(cells.width), [])
        frame = cells.slice(bool(header))
        frame.columns = names
        notes += [passed_over(above)] if above else []
        notes += [TOLD] if not header and self.header is None else []
        others = [sheet for sheet in beside["sheets"] if sheet != beside["sheet"]]
        notes += [f"other sheets are not read: {', '.join(others)}"] if others else []
        source = Source(str(file), (self.skip or above) + bool(header) + 1)
        items = {"format": "Excel", "sheet": repr(beside["sheet"])} | ({} if header else {"header": "none"})
        source.understood = Understood(items, tuple(notes))
        return self.wanted(frame, columns, source), source

    def names_by_record(self, file: Path) -> list[str]:
        return self._named(file).columns

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        return as_texts(self.wanted(self._named(file), columns, str(file)), lists), ByRecord()

    def _named(self, file: Path) -> pl.DataFrame:
        """Columns with a name: a record that is wider than the header makes none."""
        if self.header is False:
            raise BadParameter("A private method needs a header line: without one the records would tell the columns.")
        cells = self.decoded(file)[0]
        first = cells.row(0)
        frame = cells.slice(1)
        frame.columns = unique_names(first)[0]
        return frame.select(name for name, written in zip(frame.columns, first, strict=True) if written.strip())


def rows_above(cells: pl.DataFrame) -> int:
    """How many rows stand above a table, such as a title: with one text or none, and the next has several."""
    filled = cells.head(LOOKED_AT).select(pl.sum_horizontal(pl.all() != "")).to_series()
    first = next((row for row, count in enumerate(filled) if count > 1), 0)
    return first if cells.height > first + 1 else 0


def decode(
    source: Any, sheet: str | None, header: bool | None, skip: int | None
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The texts of a sheet, its header among them; run in the process with limits."""
    import fastexcel

    book = fastexcel.read_excel(source.read())
    names = book.sheet_names
    number = int(sheet) if sheet is not None and sheet.isdecimal() else 0
    wanted = sheet if sheet in names else names[number - 1] if 1 <= number <= len(names) else None
    if sheet is not None and wanted is None:
        raise BadParameter(f"There is no sheet {sheet!r}; the sheets are {', '.join(names)}.", parameter="sheet")
    for chosen in [wanted] if wanted else [*names, names[0]]:  # the first with several rows and columns, as tables have
        frame = book.load_sheet(chosen, dtypes="string", header_row=None, skip_rows=skip or 0).to_polars()
        if frame.height > 1 < frame.width:
            break
    if not frame.height:
        raise UnreadableFile(f"Sheet {chosen!r} is empty; a header row with column names is needed.")
    day = r"^(\d{4}-\d{2}-\d{2}) 00:00:00$"
    clock = r"^1899-12-3[01] (\d{2}:\d{2}:\d{2})"  # a time without a day
    texts = [pl.col(name).str.replace(day, "$1").str.replace(clock, "$1").fill_null("") for name in frame.columns]
    return frame.with_columns(texts), {"sheet": chosen, "sheets": names}
