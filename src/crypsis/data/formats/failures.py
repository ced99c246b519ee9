"""What polars and the system raise over a file that cannot be read or written, and what it is called then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from crypsis.errors import WriteFailed

POLARS_FAILURES: tuple[type[BaseException], ...] = (  # errors, and the panics of decoders on damaged files
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    OSError,
    ValueError,
)


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Within, what the system says against writing a file is `WriteFailed`."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:  # polars wraps what the system said
        reason = getattr(error, "strerror", None) or error
        raise WriteFailed(
            f"{file.name} cannot be written: {reason}. Free some space or choose another place.", where=str(file)
        ) from error
