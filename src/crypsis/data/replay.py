"""Recorded movements as streams: sequences of visits replayed position by position, trips by their two ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.frames import as_frame
from crypsis.data.stream import Events
from crypsis.data.trajectory import Trajectories
from crypsis.data.vocabulary import Vocabulary


def events_from_trajectories(data: Trajectories, *, longest: int | None = None) -> Events:
    """Every trajectory starts at t = 1 and makes one visit per timestamp; `longest` cuts the long ones.

    This is how logs without times, such as page views, become a stream.
    """
    kept = data if longest is None else data.truncated(longest)
    person = np.repeat(np.arange(len(kept), dtype=np.int32), kept.lengths)
    t = np.arange(kept.visits) - kept.offsets[:-1][person] + 1
    order = np.argsort(t, kind="stable")
    names = Vocabulary(pl.Series(range(1, len(kept) + 1)).cast(pl.String)) if data.ids is None else _distinct(data)
    return Events(person[order], kept.codes[order], t[order].astype(np.int64), names, kept.locations)


def events_from_trips(
    frame: Any,
    *,
    id: str,
    start: str,
    start_time: str,
    end: str,
    end_time: str,
    sensitive: Sequence[str] = (),
    unit: str = "min",
) -> Events:
    """Each trip is two events: at its start and at its end, in order of time. `unit` is the length of a timestamp."""
    table = as_frame(frame)
    for name in (id, start, start_time, end, end_time, *sensitive):
        if name not in table.columns:
            raise unknown_column(name, table.columns, None)
    kept = [pl.col(id).cast(pl.String).alias("id"), *(pl.col(name) for name in sensitive)]
    ends = [
        table.select(*kept, pl.col(place).cast(pl.String).alias("location"), pl.col(time).alias("t"))
        for place, time in ((start, start_time), (end, end_time))
    ]
    return Events.from_frame(pl.concat(ends).sort("t", maintain_order=True), sensitive=sensitive, unit=unit)


def _distinct(data: Trajectories) -> Vocabulary:
    """The identifiers of the trajectories; a repeated one is another person and gets its number."""
    assert data.ids is not None
    ids = data.ids.cast(pl.String)
    repeated = ids.is_duplicated()
    numbered = ids + pl.Series([f" ({number})" for number in range(1, len(ids) + 1)], dtype=pl.String)
    return Vocabulary(pl.select(pl.when(repeated).then(numbered).otherwise(ids)).to_series())
