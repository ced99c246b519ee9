"""A column that seems to name people beside the records of a long table: trajectories, tracks.

It is asked about where one of its values stands in several records. Ids of fixes and visits are none.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from crypsis.data.formats.long import Grouping
from crypsis.data.person_detection import PersonLike, first_person_like, identifies_by_name, words_of, written_as_ids

_LOOKED_AT = 1000
_OF_ROWS = frozenset(
    [
        "point",
        "fix",
        "row",
        "visit",
        "event",
        "position",
        "seq",
        "sequence",
        "order",
        "index",
        "step",
        "record",
        "segment",
        "leg",
        "obs",
    ]
)


def person_like_of_records(
    frame: pl.DataFrame, rows: Grouping, used: Collection[str | None], records: str
) -> PersonLike | None:
    """The column that seems to name people with several records; `used` columns say something else."""
    record = rows.record_of_index
    looked_at = []
    for name in frame.columns:
        cells = frame[name]
        if name in used or cells.dtype.is_nested() or not may_name_people(name, cells):
            continue
        pairs = pl.DataFrame({"record": record, "value": rows.arranged(cells)}).drop_nulls().unique()
        if pairs["value"].dtype == pl.String:
            pairs = pairs.filter(pl.col("value").str.strip_chars() != "")
        looked_at.append((name, pairs["value"].unique(), pairs.height, False))
    return first_person_like(looked_at, len(rows.offsets) - 1, records)


def several_values_within(frame: pl.DataFrame, name: str, rows: Grouping) -> bool:
    """Whether some record holds two values of a column."""
    cells = rows.arranged(frame[name])
    codes = cells.rank("dense").fill_null(0).to_numpy()
    return bool(np.any(codes != np.repeat(codes[rows.offsets[:-1]], np.diff(rows.offsets))))


def may_name_people(name: str, cells: pl.Series) -> bool:
    """Whether a column could name people beside the records, by its name or the form of its values."""
    words = words_of(name)
    if len(words) > 1 and words[-2] in _OF_ROWS:
        return False
    return identifies_by_name(name) or written_as_ids(cells.head(_LOOKED_AT).drop_nulls().unique())
