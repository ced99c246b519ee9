"""Tables cut into shards at given places, empty ones too, and random tables with missing values and ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

import crypsis
from crypsis._api import release_shards
from crypsis.data.relational import Table
from crypsis.executors.executor import Executor
from crypsis.methods.scaling import BlockSize
from crypsis.parts_release import PartsRelease
from crypsis.run_context import RunContext
from crypsis.shards.table import shard_table

ROLES = {"age": "quasi", "pay": "quasi", "town": "quasi", "ill": "sensitive", "note": "other"}


def random_table(rng: np.random.Generator, n: int, roles: dict[str, str] = ROLES, spread: int = 12) -> Table:
    """Numbers, decimals and categories, with ties and missing values."""
    columns: dict[str, list[Any]] = {
        "age": rng.integers(0, spread, n).tolist(),
        "pay": (rng.integers(0, 4 * spread, n) / 4).tolist(),
        "town": [f"t{one}" for one in rng.integers(0, max(spread // 2, 1), n)],
        "ill": [f"i{one}" for one in rng.integers(0, 4, n)],
        "note": rng.integers(0, 3, n).tolist(),
    }
    for name in ("age", "town", "ill"):
        for row in np.flatnonzero(rng.random(n) < 0.06).tolist():
            columns[name][row] = None
    types = {"age": pl.Int64, "pay": pl.Float64, "town": pl.String, "ill": pl.String, "note": pl.Int64}
    frame = pl.DataFrame({name: pl.Series(columns[name], dtype=types[name]) for name in roles})
    return Table.from_frame(frame, roles, each_row_is_a_person=True)


def with_people(rng: np.random.Generator, table: Table) -> Table:
    """The same records of people of whom one owns a fifth and the others about three each, anywhere in the table."""
    people = rng.integers(0, max(len(table) // 3, 1), len(table))
    people[rng.random(len(table)) < 0.2] = 0
    return table.change(person=people)


def release_cut(
    table: Table, method: crypsis.Method, cuts: Sequence[int], block_rows: int, executor: Executor
) -> PartsRelease:
    encoded = shard_table(table, executor, [0, *sorted(cuts), len(table)])
    return release_shards(encoded, method, executor, BlockSize(block_rows), RunContext())  # type: ignore[arg-type]


def sorted_frame(release: crypsis.Release) -> pl.DataFrame:
    """The rows of a release in memory as they would be written."""
    form = release.kind.as_written(release.data)
    return form.take(release.kind.sorted_rows(form)).to_frame()
