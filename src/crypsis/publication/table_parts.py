"""A published table in parts: `table/part-00000.parquet` and so on, sorted over all of them.

Every part but the last has exactly `PART_ROWS` rows, so where the table is cut depends on nothing else. Rows stand in
the order of their texts, so position and part tell nothing about the input, its shards, blocks or workers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.failures import writing

PARTS = "parts"  # the format, in a manifest and on the command line
FOLDER = "table"
PART_ROWS = 1_000_000
ROW_GROUP = 100_000
MOST_PARTS = 100_000
_NAME = re.compile(r"part-\d{5}\.parquet")


def part_name(number: int) -> str:
    """The file of a part."""
    return f"part-{number:05d}.parquet"


def is_part_name(name: str) -> bool:
    """Return whether a file is named as parts of a release are."""
    return _NAME.fullmatch(name) is not None


def part_rows(rows: int) -> list[tuple[int, int]]:
    """First and end of the rows of each part; no rows are one empty part."""
    return [(first, min(first + PART_ROWS, rows)) for first in range(0, max(rows, 1), PART_ROWS)]


def part_files(described: Mapping[str, Any]) -> list[str]:
    """The files of the parts that a manifest describes."""
    return [f"{described['file']}/{part_name(index)}" for index in range(max(-(-described["rows"] // PART_ROWS), 1))]


def data_paths(described: Mapping[str, Any]) -> str | list[str]:
    """The file of the data, or those of all parts, as a data package lists them."""
    return part_files(described) if described["format"] == PARTS else str(described["file"])


def write_part(frame: pl.DataFrame, file: Path) -> None:
    """One part; equal rows give equal bytes."""
    with writing(file):
        frame.write_parquet(file, compression="zstd", compression_level=3, statistics=False, row_group_size=ROW_GROUP)


def write_table_parts(frame: pl.DataFrame, folder: Path, part_rows: int = PART_ROWS, *, name: str = FOLDER) -> None:
    """A sorted table of texts as parts in the folder `name` below `folder`; an empty table is one empty part."""
    target = folder / name
    target.mkdir(exist_ok=True)
    for index, first in enumerate(range(0, max(len(frame), 1), part_rows)):
        write_part(frame.slice(first, part_rows), target / part_name(index))
