"""Formats that only a library can decode: the file goes to a process with limits, and a table comes back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from crypsis.data.formats import limited_reader
from crypsis.data.formats.by_record import ByRecord, as_texts
from crypsis.data.formats.columns import dates_in_calendar, unknown_column, with_plain_columns
from crypsis.data.formats.compression import is_compressed, read_bytes
from crypsis.data.formats.format import TABLE, Format
from crypsis.data.formats.memory import check_fits


@dataclass(frozen=True, kw_only=True)
class BinaryFormat(Format):
    """A format with a function `decode(source, **parameters)` in its module, which gives a table and what is beside."""

    holds = frozenset({TABLE})
    unpacks: ClassVar[float] = 10.0  # bytes in memory per byte of the file, at most as a rule

    def decoded(self, file: Path, **options: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
        """The table of a file."""
        content = read_bytes(file, self.unpacks) if is_compressed(file) else None
        size = file.stat().st_size if content is None else len(content)
        check_fits(int(size * self.unpacks), str(file))
        with file.open("rb") if content is None else limited_reader.unnamed_copy(content) as source:
            return limited_reader.read_limited(
                source,
                f"{type(self).__module__}:decode",
                {**self.parameters(), **options},
                file=str(file),
                label=self.label.partition(":")[0],
                declared=int(size * self.unpacks),
            )

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        frame, _ = self.decoded(file)
        return dates_in_calendar(self.wanted(with_plain_columns(frame), columns, str(file)), str(file)), str(file)

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        frame = self.wanted(self.decoded(file)[0], columns, str(file))
        return as_texts(dates_in_calendar(frame, str(file), by_record=True), lists), ByRecord()

    def wanted(self, frame: pl.DataFrame, columns: Sequence[str] | None, source: str) -> pl.DataFrame:
        for name in columns or ():
            if name not in frame.columns:
                raise unknown_column(name, frame.columns, source)
        return frame if columns is None else frame.select(list(dict.fromkeys(columns)))
