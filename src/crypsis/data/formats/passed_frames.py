"""A table on its way from one process to another.

Long columns of fixed width and without gaps are sent as they lie in memory, which takes a tenth of the time of writing
and reading a file; all other columns, and the types of those, stand as Arrow in an open file that both processes have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

import numpy as np
import polars as pl

LONG = 10_000  # rows; fewer are not worth a message of their own
WIDE = 8  # bytes of a value
Array = np.ndarray[Any, Any]


def write_passed(frame: pl.DataFrame, target: IO[bytes]) -> tuple[dict[str, Any], list[Array]]:
    """What the receiver must know to put the table together, and what is sent to it; the rest is written."""
    plain = [cells for cells in frame.iter_columns() if _is_plain(cells)]
    parts = [[part.to_physical().to_numpy() for part in cells.get_chunks()] for cells in plain]
    named = frame.select(cells.name for cells in plain).clear()
    sizes = []
    for table in (named, frame.drop(named.columns)):
        start = target.tell()
        if table.width:
            table.write_ipc(target, compat_level=pl.CompatLevel.newest())
        sizes.append(target.tell() - start)
    target.flush()
    types = [arrays[0].dtype.str for arrays in parts]
    layout = {"rows": frame.height, "types": types, "sizes": sizes, "columns": frame.columns}
    return layout, [part for arrays in parts for part in arrays]


def receive_passed(layout: Mapping[str, Any], read_into: Callable[[memoryview], None]) -> list[Array]:
    """The columns that were sent."""
    types = [np.dtype(type) for type in layout["types"]]
    words = [-(-layout["rows"] * type.itemsize // WIDE) if type.itemsize < WIDE else 0 for type in types]
    narrow = np.split(np.empty(sum(words), np.int64), np.cumsum(words, dtype=int))  # memory comes in larger pages so
    arrays = [
        together.view(type)[: layout["rows"]] if type.itemsize < WIDE else np.empty(layout["rows"], type)
        for together, type in zip(narrow, types, strict=False)
    ]
    for array in arrays:
        read_into(array.data.cast("B"))
    return arrays


def read_passed(target: IO[bytes], layout: Mapping[str, Any], arrays: Sequence[Array]) -> pl.DataFrame:
    """The table of what was written and sent."""
    target.seek(0)
    types, rest = (pl.read_ipc(target.read(size)) if size else pl.DataFrame() for size in layout["sizes"])
    columns = {cells.name: cells for cells in rest.iter_columns()}
    for (name, type), array in zip(types.schema.items(), arrays, strict=True):
        numbers = pl.Series(name, array)
        columns[name] = numbers.cat.to(type) if type == pl.Enum else numbers.cast(type)
    return pl.DataFrame([columns[name] for name in layout["columns"]])


def _is_plain(cells: pl.Series) -> bool:
    type = cells.dtype
    fixed = type.is_integer() or type.is_float() or type in (pl.Date, pl.Datetime, pl.Enum)
    return fixed and type not in (pl.Int128, pl.UInt128, pl.Float16) and len(cells) >= LONG and not cells.has_nulls()
