"""From data to files: the counterpart of reading, for tables, long tables, sequences and tracks.

What is published goes through a release, which sorts, verifies and writes atomically; this writes data as they are.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import polars as pl

from crypsis.data.formats import format_of
from crypsis.data.formats.published import write_published_trajectories
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.projection import unproject
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadLabel, BadParameter, CrypsisError, UnknownFormat, WriteFailed

Data = (
    Table
    | Transactions
    | Mixed
    | Trajectories
    | Tracks
    | Events
    | Locations
    | PublishedTable
    | PublishedMixed
    | PublishedTrajectories
)


def write_data(data: Data, path: str | Path, *, format: str | None = None, item_separator: str = " ") -> None:
    """Write data in the format of the suffix, or the one named; what was written can be read as equal data.

    Trajectories and transactions: csv and parquet (long tables, without empty records), jsonl (arrays), fimi, spmf.
    Tracks: csv, parquet, jsonl, and gpx or geojson if their projection is known. Everything else: csv, parquet, jsonl.
    `item_separator` stands between the items of a set-valued column in CSV.
    """
    file = Path(path)
    chosen = format_of(file, format).name
    try:
        if isinstance(data, PublishedTrajectories):
            write_published_trajectories(data, file, chosen)
        elif isinstance(data, Tracks) and chosen in ("gpx", "geojson"):
            file.write_text(_gpx(data) if chosen == "gpx" else _geojson(data), encoding="utf-8")
        elif isinstance(data, (Trajectories, Transactions)) and chosen in ("jsonl", "fimi", "spmf"):
            file.write_text(_sequences(data, chosen), encoding="utf-8")
        else:
            _write_frame(data, file, chosen, item_separator)
    except CrypsisError:
        raise
    except OSError as error:
        raise WriteFailed(
            f"{file} cannot be written: {error.strerror or error}. Free some space or choose another place.",
            where=str(file),
        ) from error


def _write_frame(data: Any, file: Path, chosen: str, item_separator: str) -> None:
    frame = data.to_frame()
    if chosen == "csv":
        _joined_lists(frame, item_separator).write_csv(
            file,
            separator="\t" if file.suffix == ".tsv" else ",",
            # An empty cell alone on its line would be a blank line, which is no row.
            quote_style="always" if frame.width == 1 else "necessary",
        )
    elif chosen == "parquet":
        frame.write_parquet(file)
    elif chosen == "jsonl":
        frame.write_ndjson(file)
    else:
        raise UnknownFormat(
            f"{type(data).__name__} cannot be written as {chosen}; use csv, parquet or jsonl.", where=str(file)
        )


def _joined_lists(frame: pl.DataFrame, separator: str) -> pl.DataFrame:
    lists = [name for name, dtype in frame.schema.items() if dtype == pl.List(pl.String)]
    for name in lists:
        items = frame[name].explode(empty_as_null=False)
        split = items.str.contains(separator, literal=True)
        if split.any():
            raise BadLabel(
                f"Item {items[int(split.arg_true()[0])]!r} of column '{name}' holds the separator {separator!r}; "
                "choose another item_separator, or write Parquet."
            )
    return frame.with_columns(pl.col(name).list.join(separator) for name in lists)


def _sequences(data: Trajectories | Transactions, chosen: str) -> str:
    rows = data.to_lists()
    if chosen == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    reserved = {"-1", "-2"} if chosen == "spmf" else set()
    labels = data.locations.labels if isinstance(data, Trajectories) else data.vocabulary.labels
    for label in labels:
        if len(label.split()) != 1 or label != label.strip() or label in reserved or label[0] in "#%@":
            raise BadLabel(
                f"Label {label!r} cannot stand in {chosen} text, where blanks separate labels; "
                "write JSON Lines instead."
            )
    if chosen == "fimi":
        return "".join(" ".join(row) + "\n" for row in rows)
    return "".join("".join(f"{label} -1 " for label in row) + "-2\n" for row in rows)


def _degrees(data: Tracks) -> list[list[tuple[float, float, str]]]:
    """Longitude, latitude and ISO time of the points of each track."""
    if data.crs is None:
        raise BadParameter(
            "The projection of these tracks is not known, so they have no degrees; write csv or parquet.",
            parameter="crs",
        )
    longitude, latitude = unproject(data.x, data.y, data.crs)
    moments = [datetime.fromtimestamp(second, UTC).isoformat() for second in data.t.tolist()]
    points = list(zip(longitude.tolist(), latitude.tolist(), moments, strict=True))
    bounds = data.offsets.tolist()
    return [points[start:end] for start, end in pairwise(bounds)]


def _names(data: Tracks) -> list[str]:
    return [str(name) for name in (range(len(data)) if data.ids is None else data.ids)]


def _gpx(data: Tracks) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gpx version="1.1" creator="crypsis" xmlns="http://www.topografix.com/GPX/1/1">',
    ]
    for name, points in zip(_names(data), _degrees(data), strict=True):
        lines.append(f"<trk><name>{quoteattr(name)[1:-1]}</name><trkseg>")
        lines += [
            f'<trkpt lat="{latitude!r}" lon="{longitude!r}"><time>{moment}</time></trkpt>'
            for longitude, latitude, moment in points
        ]
        lines.append("</trkseg></trk>")
    return "\n".join([*lines, "</gpx>", ""])


def _geojson(data: Tracks) -> str:
    features = [
        {
            "type": "Feature",
            "id": name,
            "geometry": {
                "type": "LineString",
                "coordinates": [[longitude, latitude] for longitude, latitude, _ in points],
            },
            "properties": {"times": [moment for _, _, moment in points]},
        }
        for name, points in zip(_names(data), _degrees(data), strict=True)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False) + "\n"
