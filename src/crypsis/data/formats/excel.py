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
from crypsis.data.formats.csv import unique_names
from crypsis.data.formats.format import Header
from crypsis.data.formats.source import Source, Understood
from crypsis.errors import BadParameter
from crypsis.parameters import AtLeast

_UNNAMED = "__UNNAMED__"


@dataclass(frozen=True, kw_only=True)
class Excel(BinaryFormat):
    """A sheet of a workbook."""

    name, label = "excel", "Excel and OpenDocument: a sheet of a workbook"
    suffixes = (".xlsx", ".xls", ".ods", ".xlsb", ".xlsm")
    signatures = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")

    sheet: Annotated[str | None, "Sheet of a workbook, by name or number from 1; the first if empty."] = None
    header: Header = True
    skip: Annotated[int, AtLeast(0), "Lines above the header that are passed over."] = 0

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, Source]:
        frame, beside = self.decoded(file)
        names, notes = unique_names(["" if name.startswith(_UNNAMED) else name for name in frame.columns])
        if not self.header:
            names, notes = [f"column_{number}" for number in range(1, frame.width + 1)], []
        frame.columns = names
        others = [sheet for sheet in beside["sheets"] if sheet != beside["sheet"]]
        if others:
            notes.append(f"other sheets are not read: {', '.join(others)}")
        source = Source(str(file), self.skip + self.header + 1)
        source.understood = Understood({"format": "Excel", "sheet": repr(beside["sheet"])}, tuple(notes))
        return self.wanted(frame, columns, source), source

    def names_by_record(self, file: Path) -> list[str]:
        """Columns with a name: a record that is wider than the header makes none."""
        if not self.header:
            raise BadParameter("A private method needs a header line: without one the records would tell the columns.")
        return [name for name in self.decoded(file)[0].columns if not name.startswith(_UNNAMED)]

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        frame = self.decoded(file)[0]
        named = [name for name in frame.columns if not name.startswith(_UNNAMED)]
        return as_texts(self.wanted(frame.select(named), columns, str(file)), lists), ByRecord()


def decode(source: Any, sheet: str | None, header: bool, skip: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The texts of a sheet; run in the process with limits."""
    import fastexcel

    book = fastexcel.read_excel(source.read())
    names = book.sheet_names
    number = int(sheet) if sheet is not None and sheet.isdecimal() else 0
    wanted = sheet if sheet in names else names[number - 1] if 1 <= number <= len(names) else None
    if sheet is not None and wanted is None:
        raise BadParameter(f"There is no sheet {sheet!r}; the sheets are {', '.join(names)}.", parameter="sheet")
    chosen = wanted or names[0]
    rows: dict[str, Any] = {"header_row": skip} if header else {"header_row": None, "skip_rows": skip}
    frame = book.load_sheet(chosen, dtypes="string", **rows).to_polars()
    day = r"^(\d{4}-\d{2}-\d{2}) 00:00:00$"
    texts = [pl.col(name).str.replace(day, "$1").fill_null("") for name in frame.columns]
    return frame.with_columns(texts), {"sheet": chosen, "sheets": names}
