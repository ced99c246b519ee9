"""Any file that holds a table, as one frame: picks the format and tells where its rows stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from crypsis.data.formats import csv, format_of, json_lines, parquet
from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.compression import existing_file

TABLE = frozenset({"table"})


def read_table_file(
    path: str | Path,
    *,
    format: str | None = None,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    header: bool = True,
) -> tuple[pl.DataFrame, str]:
    """The wanted columns (or all) of a CSV, Parquet or JSON Lines file, and its source for messages."""
    file = existing_file(path)
    chosen = format_of(file, format, holding=TABLE).name
    if chosen == "parquet":
        return parquet.read_frame(file, columns=columns)
    frame: pl.DataFrame
    source: str
    if chosen == "csv":
        separator = separator or ("\t" if ".tsv" in [suffix.lower() for suffix in file.suffixes] else None)
        frame, source = csv.read_frame(file, separator=separator, header=header)
    else:
        frame, source = json_lines.read_frame(file)
    if columns is None:
        return frame, source
    for name in columns:
        if name not in frame.columns:
            raise unknown_column(name, frame.columns, source)
    return frame.select(list(dict.fromkeys(columns))), source
