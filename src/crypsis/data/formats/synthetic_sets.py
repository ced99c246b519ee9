"""Synthetic transactions as files: a set per line with its copies, and the declared items beside them.

{"copies":6,"items":["bread","milk"]}                JSON Lines
copies, items (list of text)                         Parquet
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.formats import parquet
from crypsis.data.formats.private_rows import DOMAINS, read_json_rows, reading_rows, write_rows
from crypsis.data.item_domain import ItemDomain
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.errors import BadRelease
from crypsis.strict_json import read_json


def write_synthetic_sets(data: SyntheticTransactions, file: Path, format: str) -> None:
    """Write the rows and the declared items."""
    lines = ({"copies": copies, "items": items} for copies, items in data.to_lists())
    write_rows(file, data.to_frame() if format == "parquet" else lines, {"items": data.domain.to_json()})


def read_synthetic_sets(folder: Path, described: Mapping[str, Any]) -> SyntheticTransactions:
    """The rows of a release folder, as its manifest describes them."""
    with reading_rows(folder, described, "synthetic transactions") as file:
        domain = ItemDomain.from_json(read_json(folder / DOMAINS)["items"])
        frame = _read_parquet(file) if described["format"] == "parquet" else _read_json_lines(file)
        if frame["items"].null_count() or frame["copies"].null_count():
            raise BadRelease("A row lacks its items or its number of copies.", where=str(file))
        return SyntheticTransactions(
            offsets_of(frame["items"].list.len().to_numpy().astype(np.int64)),
            domain.vocabulary.encode(frame["items"].explode(empty_as_null=False)),
            frame["copies"].to_numpy().astype(np.int64),
            domain,
            described["budget"],
        )


def _read_json_lines(file: Path) -> pl.DataFrame:
    rows = read_json_rows(file)
    if not all(type(row["copies"]) is int and all(type(item) is str for item in row["items"]) for row in rows):
        raise ValueError("copies are whole numbers and items are labels")
    return pl.DataFrame(
        {
            "copies": pl.Series([row["copies"] for row in rows], dtype=pl.Int64),
            "items": pl.Series([row["items"] for row in rows], dtype=pl.List(pl.String)),
        }
    )


def _read_parquet(file: Path) -> pl.DataFrame:
    frame, _ = parquet.read_frame(file, columns=["copies", "items"])
    if dict(frame.schema) != {"copies": pl.Int64, "items": pl.List(pl.String)}:
        raise ValueError(f"its columns are {dict(frame.schema)}")
    return frame
