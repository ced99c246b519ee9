"""The output of Brinkhoff's generator: state, object, [sequence,] class, time, x, y, speed, next x, next y.

Fields are separated by tabs and there is no header. Older files tell the state in words and have the sequence number.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from crypsis.data.formats.compression import readable_file
from crypsis.data.formats.format import TrackFormat
from crypsis.data.formats.lines import read_lines, without_blank_end
from crypsis.data.formats.source import Source, place
from crypsis.errors import BadRow

MEMORY_PER_BYTE = 6.0
_TIME = {9: 3, 10: 4}  # number of fields: which of them is the time


@dataclass(frozen=True, kw_only=True)
class Brinkhoff(TrackFormat):
    """Brinkhoff: moving objects of the generator."""

    name, label = "brinkhoff", "Brinkhoff: moving objects of the generator"
    suffixes = (".brinkhoff",)

    def read_points(self, file: Path) -> tuple[pl.DataFrame, Source]:
        """Columns track_id, t, x, y: one row per report of an object, in planar coordinates."""
        file = readable_file(file)
        lines, _ = read_lines(file, MEMORY_PER_BYTE)
        rows = without_blank_end(lines)
        source = Source(str(file), 1)
        fields = rows.str.split("\t")
        length = len(fields[0]) if len(fields) else 9
        wrong = (fields.list.len() != length) | (fields.list.len() < 9) | (fields.list.len() > 10)
        if wrong.any():
            row = int(wrong.arg_true()[0])
            raise BadRow(
                "A row of a moving object has 9 or 10 fields separated by tabs (state, object, class, time, x, y, "
                f"speed, next x, next y), the same number in every row; found {len(fields[row])}. Correct the row.",
                **place(source, row),
            )
        time = _TIME[length]
        columns = {"track_id": 1, "t": time, "x": time + 1, "y": time + 2}
        frame = pl.DataFrame({name: fields.list.get(field, null_on_oob=True) for name, field in columns.items()})
        return frame, source
