"""Synthetic transactions as files: a set per line with its copies, and the declared items beside them.

{"copies":6,"items":["bread","milk"]}                JSON Lines
copies, items (list of text)                         Parquet
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.arrays import offsets_of
from crypsis.data.formats import parquet
from crypsis.data.formats.compression import existing_file
from crypsis.data.item_domain import ItemDomain
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.errors import BadRelease, CrypsisError, WriteFailed
from crypsis.strict_json import parse_json, read_json

DOMAINS = "domains.json"


def write_synthetic_sets(data: SyntheticTransactions, folder: Path, file: str, format: str) -> None:
    """Write the rows and the declared items."""
    try:
        if format == "parquet":
            data.to_frame().write_parquet(folder / file, compression="zstd", statistics=False)
        else:
            with (folder / file).open("w", encoding="utf-8") as stream:
                for copies, items in data.to_lists():
                    line = {"copies": copies, "items": items}
                    stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        content = {"items": data.domain.to_json()}
        (folder / DOMAINS).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WriteFailed(f"{file} cannot be written: {reason}. Free some space or choose another place.") from error


def read_synthetic_sets(folder: Path, described: Mapping[str, Any]) -> SyntheticTransactions:
    """The rows of a release folder, as its manifest describes them."""
    file = existing_file(folder / described["file"])
    try:
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
    except CrypsisError:
        raise
    except (ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise BadRelease(f"{file.name} does not hold synthetic transactions: {error}.", where=str(file)) from error


def _read_json_lines(file: Path) -> pl.DataFrame:
    rows = [parse_json(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
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
