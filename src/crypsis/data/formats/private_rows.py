"""Rows of a private release as files: JSON Lines or Parquet, and the declared domains beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.compression import readable_file
from crypsis.errors import BadRelease, InputError, MissingFile, UnreadableFile, WriteFailed
from crypsis.strict_json import parse_json

DOMAINS = "domains.json"
_DAMAGE = (
    ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError, pl.exceptions.PolarsError,
)  # fmt: skip


def write_rows(file: Path, rows: pl.DataFrame | Iterable[Mapping[str, Any]], domains: Mapping[str, Any]) -> None:
    """Write a frame as Parquet or rows as JSON Lines, and the domains."""
    try:
        if isinstance(rows, pl.DataFrame):
            rows.write_parquet(file, compression="zstd", statistics=False)
        else:
            with file.open("w", encoding="utf-8") as stream:
                stream.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        content = json.dumps(domains, ensure_ascii=False, indent=1)
        file.with_name(DOMAINS).write_text(content + "\n", encoding="utf-8")
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WriteFailed(
            f"{file.name} cannot be written: {reason}. Free some space or choose another place."
        ) from error


def read_json_rows(file: Path) -> list[Any]:
    """The rows of JSON Lines; blank lines are skipped."""
    return [parse_json(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


@contextmanager
def reading_rows(folder: Path, described: Mapping[str, Any], what: str) -> Iterator[Path]:
    """The file with the rows. What goes wrong with it says that it does not hold `what`."""
    file = readable_file(folder / described["file"])
    try:
        yield file
    except (BadRelease, MissingFile, UnreadableFile):
        raise
    except (InputError, *_DAMAGE) as error:
        raise BadRelease(f"{file.name} does not hold {what}: {error}.", where=str(file)) from error
