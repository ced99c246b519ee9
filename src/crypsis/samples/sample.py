"""Sample: one entry of the table of samples, which can be made in memory or written to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.trajectory import Locations
from crypsis.errors import BadParameter, OutputExists, UnknownFormat, WriteFailed

_WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".csv": pl.DataFrame.write_csv,
    ".parquet": pl.DataFrame.write_parquet,
    ".jsonl": pl.DataFrame.write_ndjson,
}


@dataclass(frozen=True)
class Sample:
    """A kind of sample data. `make` and `frame` take a size and a seed and may do without either.

    `make` returns the data, `frame` the same as a table, `locations` the map where there is one.
    """

    kind: str
    description: str
    make: Callable[..., Any]
    frame: Callable[..., pl.DataFrame]
    locations: Callable[[], Locations] | None = None

    def write(
        self, out: str | Path, *, locations: str | Path | None = None, size: int | None = None, seed: int = 1
    ) -> list[Path]:
        """Write the table to `out` and the map to `locations`, as .csv, .parquet or .jsonl; returns both paths."""
        if locations is not None and self.locations is None:
            raise BadParameter(f"This sample ({self.kind}) has no location table; leave the file for it out.")
        targets = [Path(path) for path in (out, locations) if path is not None]
        for target in targets:
            _check(target)
        tables = [self.frame(seed=seed) if size is None else self.frame(size, seed)]
        if locations is not None and self.locations is not None:
            tables.append(self.locations().to_frame())
        for table, target in zip(tables, targets, strict=True):
            try:
                _WRITERS[target.suffix](table, target)
            except OSError as error:
                raise WriteFailed(f"The sample could not be written: {error}.", where=str(target)) from error
        return targets


def _check(target: Path) -> None:
    if target.suffix not in _WRITERS:
        raise UnknownFormat(
            f"A sample is written as {', '.join(_WRITERS)}, got a file name ending in {target.suffix!r}.",
            where=str(target),
        )
    if os.path.lexists(target):
        raise OutputExists(f"{target} exists already; choose another name or remove it.")
