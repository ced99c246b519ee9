"""What polars raises over a file that it cannot read: errors, and the panics of its decoders on damaged ones."""

from __future__ import annotations

import polars as pl

POLARS_FAILURES: tuple[type[BaseException], ...] = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    OSError,
    ValueError,
)
