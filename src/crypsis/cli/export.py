"""`crypsis export`: a disassociated release as a table to look at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import show
from crypsis.errors import OutputExists


def export(
    release: Annotated[Path, typer.Argument(help="A disassociated release, a folder, or its .json or .parquet file.")],
    out: Annotated[Path, typer.Option("--out", help="Table to write: .csv or .parquet.")],
) -> None:
    """Write a disassociated release as a table with a line per record slot.

    Every chunk is shuffled on its own with randomness of the operating system: what stands on one line belongs to
    nobody in particular.
    """
    from crypsis.cli.disassociated_input import disassociated_input
    from crypsis.data.formats.disassociated_table import write_disassociated_table

    if os.path.lexists(out):
        raise OutputExists(f"{out} exists already; choose another name or remove it.")
    write_disassociated_table(disassociated_input(release), out)
    show({"file": str(out)}, f"wrote {out}")
