"""Synthetic trajectories as files: a row per line with its copies, and the declared domains beside them.

{"copies":6,"visits":[["a",1],["b",2]]}              JSON Lines
copies, locations (list of text), times (list)       Parquet
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.formats import parquet
from crypsis.data.formats.private_rows import DOMAINS, read_json_rows, reading_rows, write_rows
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.strict_json import read_json


def write_synthetic(data: SyntheticTrajectories, file: Path, format: str) -> None:
    """Write the rows and the domains."""
    lines = ({"copies": copies, "visits": visits} for copies, visits in data.to_lists())
    domains = {"locations": data.locations.to_json(), "times": data.times.to_json()}
    write_rows(file, data.to_frame() if format == "parquet" else lines, domains)


def read_synthetic(folder: Path, described: Mapping[str, Any]) -> SyntheticTrajectories:
    """The rows of a release folder, as its manifest describes them."""
    with reading_rows(folder, described, "synthetic trajectories") as file:
        domains = read_json(folder / DOMAINS)
        locations, times = LocationDomain.from_json(domains["locations"]), TimeDomain.from_json(domains["times"])
        frame = _read_parquet(file) if described["format"] == "parquet" else _read_json_lines(file)
        lengths = [frame[name].list.len() for name in ("locations", "times")]
        places, moments = (frame[name].explode(empty_as_null=False) for name in ("locations", "times"))
        if any(column.null_count() for column in (frame["copies"], *lengths, places, moments)):
            raise ValueError("a cell is empty")
        if (lengths[0] != lengths[1]).any():
            raise ValueError("a row does not have one time for each place")
        return SyntheticTrajectories(
            offsets_of(lengths[0].to_numpy().astype(np.int64)),
            locations.vocabulary.encode(places),
            times.encode(moments.to_numpy().astype(np.int64)),
            frame["copies"].to_numpy().astype(np.int64),
            locations,
            times,
            described["rule"],
            described["height"],
            described["budget"],
        )


def _read_json_lines(file: Path) -> pl.DataFrame:
    rows = read_json_rows(file)
    if not all(type(row["copies"]) is int and all(type(time) is int for _, time in row["visits"]) for row in rows):
        raise ValueError("copies and times are whole numbers")
    return pl.DataFrame(
        {
            "copies": pl.Series([row["copies"] for row in rows], dtype=pl.Int64),
            "locations": pl.Series([[label for label, _ in row["visits"]] for row in rows], dtype=pl.List(pl.String)),
            "times": pl.Series([[time for _, time in row["visits"]] for row in rows], dtype=pl.List(pl.Int64)),
        }
    )


def _read_parquet(file: Path) -> pl.DataFrame:
    frame, _ = parquet.read_frame(file, columns=["copies", "locations", "times"])
    expected = {"copies": pl.Int64, "locations": pl.List(pl.String), "times": pl.List(pl.Int64)}
    if dict(frame.schema) != expected:
        raise ValueError(f"its columns are {dict(frame.schema)}")
    return frame
