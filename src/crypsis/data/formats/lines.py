"""Lines of a text file as one column; shared by the formats that keep one record per line."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from crypsis.data.formats.compression import read_bytes, readable_file
from crypsis.data.formats.source import Source, line_place
from crypsis.errors import BadRow

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(path: str | Path, memory_per_byte: float) -> tuple[pl.Series, Source]:
    """Every line without its end; the last one may lack the line break. `BadRow` where the text is not UTF-8."""
    file = readable_file(path)
    content = read_bytes(file, memory_per_byte).removeprefix(BYTE_ORDER_MARK)
    if b"\r" in content and b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    try:
        lines = pl.read_lines(content)["line"] if content else pl.Series(dtype=pl.String)
    except pl.exceptions.PolarsError:
        try:
            content.decode("utf-8")
            raise
        except UnicodeDecodeError as error:
            raise BadRow(
                f"The text is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}. "
                "Save the file as UTF-8.",
                **line_place(str(file), content.count(b"\n", 0, error.start) + 1),
                offset=error.start,
            ) from error
    return lines, Source(str(file), 1)


def without_blank_end(lines: pl.Series) -> pl.Series:
    """The lines without the blank ones after the last that says something."""
    said = (lines.str.strip_chars() != "").arg_true()
    return lines.head(int(said[-1]) + 1 if len(said) else 0)
