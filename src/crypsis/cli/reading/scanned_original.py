"""The original parts that a release in parts was made of, as its manifest describes their columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypsis.errors import NotApplicable

if TYPE_CHECKING:
    from crypsis.cli.reading import Reader
    from crypsis.data.address import Address


def scan_original(read: Reader, release: Path, files: Path | Address) -> Any:
    """Nothing is read yet. Roles and types of a table are those of the release unless typed."""
    from crypsis.data.scanned import ScannedTable
    from crypsis.data.sources import SOURCES, TableSource
    from crypsis.parts_release import columns_of_release, open_parts

    kind = open_parts(release)[1]["kind"]
    if kind == "table" and not any(read.typed[option] is not None for option in TableSource.column_options):
        read.typed.refuse_steps()
        keys = {"columns": columns_of_release(release), "rest": "identifier"}
        source = TableSource.from_keys({**keys, **read.typed.keys_beside_columns(TableSource)})
        return ScannedTable.of(source, read.typed.file(files))
    if kind not in ("table", "mixed", "transactions", "trajectories"):
        raise NotApplicable(f"A release of {kind} is not compared with its original on parts; leave --executor out.")
    return read.typed.scan(files, SOURCES[kind])
