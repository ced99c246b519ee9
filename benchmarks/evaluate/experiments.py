"""An experiment of 100 small cells: how much of its time is spent inside methods, verifiers and metrics.

The start of the workers and the loading of kernels come before the first cell and are not counted; moving data, writing
what was published, and waiting for the next cell are. The ratio is the share inside, and has to be at least 0.8.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.comparison import Row
from crypsis.evaluate import Experiment, run

RECORDS = 3_000
LEAST_SHARE = 0.8


def rows(quick: bool = False) -> Iterator[Row]:
    """The same experiment with one worker and with two."""
    settings = 12 if quick else 50
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _people().write_csv(folder / "people.csv")
        experiment = Experiment.parse(_content(settings), folder=folder)
        for workers in (1, 2):
            outcome = run(experiment, folder / f"out{workers}", workers=workers)
            yield Row(
                f"share inside methods and metrics, {workers} workers",
                f"{outcome.ran} cells of {RECORDS:,} records",
                outcome.occupied,
                "methods, verifiers and metrics alone",
                outcome.inside,
                required=LEAST_SHARE,
                note=f"{outcome.inside / outcome.occupied:.1%} inside; {outcome.seconds:.1f} s in all",
            )


def _people() -> pl.DataFrame:
    random = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": random.integers(18, 90, RECORDS),
            "zip": random.integers(10_000, 10_400, RECORDS),
            "work": random.choice(["office", "field", "home", "none"], RECORDS),
            "ill": random.choice(["flu", "cold", "burn"], RECORDS),
        }
    )


def _content(settings: int) -> dict[str, Any]:
    columns = {"age": {"role": "quasi"}, "zip": {"role": "quasi"}, "work": {"role": "quasi"}}
    return {
        "dataset": {"path": "people.csv", "columns": {**columns, "ill": {"role": "sensitive"}}},
        "run": [
            {"method": method, "sweep": {"param": "k", "start": 2, "end": settings + 1, "step": 1}}
            for method in ("mondrian", "cluster")
        ],
        "metrics": {"list": ["ncp", "are", "dm"]},
    }
