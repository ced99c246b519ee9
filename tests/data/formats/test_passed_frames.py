"""A table that comes from another process is the table that was there, with its types and in its order."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import polars as pl

from crypsis.data.formats import parquet
from crypsis.data.formats.passed_frames import LONG


def every_type(rows: int) -> pl.DataFrame:
    numbers = np.arange(rows)
    gaps = pl.Series([None if number % 7 == 0 else number for number in range(rows)], dtype=pl.Int32)
    columns = {str(type): pl.Series(numbers % 100).cast(type) for type in (pl.Int8, pl.UInt16, pl.Int64, pl.Float32)}
    return pl.DataFrame(
        {
            **columns,
            "text": pl.Series(numbers).cast(pl.String),
            "float": numbers / 3,
            "gaps": gaps,
            "flag": numbers % 2 == 0,
            "day": pl.Series(numbers % 20_000).cast(pl.Int32).cast(pl.Date),
            "moment": pl.Series(numbers).cast(pl.Datetime("ms", "Europe/Berlin")),
            "level": pl.Series(["low", "high"]).gather(pl.Series(numbers % 2)).cast(pl.Enum(["low", "high", "none"])),
            "amount": pl.Series(numbers).cast(pl.Decimal(12, 2)),
            "list": pl.Series(numbers).reshape((rows, 1)).arr.to_list()
            if rows
            else pl.Series([], dtype=pl.List(pl.Int64)),
            "time": pl.Series([dt.time(1, 2)] * rows, dtype=pl.Time),
        }
    )


def test_all_types_arrive_as_they_were(tmp_path: Path) -> None:
    for rows in (0, 3, LONG, 3 * LONG + 1):
        frame = every_type(rows)
        frame.write_parquet(tmp_path / "all.parquet", row_group_size=LONG)
        read, _ = parquet.read_frame(tmp_path / "all.parquet")
        assert read.schema == frame.schema
        assert read.equals(frame)


def test_what_arrived_may_be_changed_and_stays_when_the_next_file_is_read(tmp_path: Path) -> None:
    frame = every_type(LONG).select("Int64", "float")
    frame.write_parquet(tmp_path / "one.parquet")
    frame.reverse().write_parquet(tmp_path / "two.parquet")
    one, _ = parquet.read_frame(tmp_path / "one.parquet")
    two, _ = parquet.read_frame(tmp_path / "two.parquet")
    changed = one["Int64"].set(one["Int64"] > 3, 0)
    assert int(changed.max()) == 3  # type: ignore[arg-type]
    assert one.equals(frame)
    assert two.equals(frame.reverse())
