"""PLT, the format of the GeoLife GPS collection: six header lines, then lat,lng,0,altitude,days,date,time.

A file is one track. Its name is the file's; its owner is the person's folder in `000/Trajectory/2008….plt`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from crypsis.data.formats.compression import readable_file, without_compression
from crypsis.data.formats.format import TrackFormat
from crypsis.data.formats.lines import read_lines, without_blank_end
from crypsis.data.formats.source import Source, place
from crypsis.errors import BadRow

MEMORY_PER_BYTE = 6.0
HEADER_LINES = 6
FIELDS = 7


@dataclass(frozen=True, kw_only=True)
class Plt(TrackFormat):
    """PLT: tracks of GeoLife."""

    name, label = "plt", "PLT: tracks of GeoLife"
    suffixes = (".plt",)

    def read_points(self, file: Path) -> tuple[pl.DataFrame, Source]:
        """Columns uid, tid, lat, lng, datetime: one row per point."""
        file = readable_file(file)
        lines, _ = read_lines(file, MEMORY_PER_BYTE)
        rows = without_blank_end(lines.slice(HEADER_LINES))
        source = Source(str(file), HEADER_LINES + 1)
        fields = rows.str.split(",")
        wrong = fields.list.len() != FIELDS
        if wrong.any():
            row = int(wrong.arg_true()[0])
            raise BadRow(
                f"A PLT row has {FIELDS} fields (lat,lng,0,altitude,days,date,time), found {len(fields[row])}; "
                "correct the row.",
                **place(source, row),
            )
        track = without_compression(file).stem
        folder = file.absolute().parent
        owner = folder.parent.name if folder.name == "Trajectory" else track
        frame = pl.DataFrame(
            {
                "uid": pl.repeat(owner, len(rows), dtype=pl.String, eager=True),
                "tid": pl.repeat(f"{owner}/{track}", len(rows), dtype=pl.String, eager=True),
                "lat": fields.list.get(0, null_on_oob=True),
                "lng": fields.list.get(1, null_on_oob=True),
                "datetime": fields.list.get(5, null_on_oob=True)
                + pl.Series([" "])
                + fields.list.get(6, null_on_oob=True),
            }
        )
        return frame, source
