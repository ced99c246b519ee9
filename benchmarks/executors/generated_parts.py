"""Data in parts, made from a seed: as many records as are asked for, of which only one part is in memory at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import workloads
from crypsis.data.trajectory import Locations

PART = 1_000_000
QUASI = {"age": 90, "zip": 2_000, "job": 60, "pay": 400, "size": 12, "children": 8}
ROLES = {**dict.fromkeys(QUASI, "quasi"), "ill": "sensitive"}


def write_table(folder: Path, rows: int) -> None:
    """Rows of six quasi-identifiers, in parts of a million."""
    folder.mkdir(parents=True)
    for number, first in enumerate(range(0, rows, PART)):
        rng = np.random.default_rng(number)
        n = min(PART, rows - first)
        columns: dict[str, Any] = {name: rng.integers(0, values, n) for name, values in QUASI.items()}
        columns["ill"] = pl.Series([f"i{code:02d}" for code in range(20)]).gather(pl.Series(rng.integers(0, 20, n)))
        pl.DataFrame(columns).write_parquet(folder / f"{number:05d}.parquet")


def write_walks(folder: Path, records: int) -> Locations:
    """Check-ins at 10,000 locations, a trajectory per line, in parts of a million; the map is returned."""
    folder.mkdir(parents=True)
    for number, first in enumerate(range(0, records, PART)):
        walks = workloads.million(min(PART, records - first), walkers_seed=number)
        visits = pl.Series(walks.codes).cast(pl.String)
        lines = pl.DataFrame({"walk": np.repeat(np.arange(len(walks)), walks.lengths), "visit": visits})
        texts = lines.group_by("walk", maintain_order=True).agg(pl.col("visit").str.join(" "))
        (folder / f"{number:05d}.txt").write_text("\n".join(texts["visit"].to_list()) + "\n")
    return walks.locations
