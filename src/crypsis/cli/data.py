"""`crypsis data`: look at a file before anything is done with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import show, show_table, shown_value
from crypsis.cli.risk import risk
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS

data_app = typer.Typer(help="Look at data.", no_args_is_help=True, rich_markup_mode=None)
data_app.command(epilog=EVERY_COMMAND)(risk)


@data_app.command(epilog=EVERY_COMMAND)
def inspect(
    input: Annotated[Path, typer.Argument(help="The file to look at.")],
    input_format: Annotated[
        str | None, typer.Option("--input-format", help="Format of the file where its name does not tell.")
    ] = None,
) -> None:
    """Show rows, columns, types, missing values, and what kind of data this seems to be."""
    from crypsis.data.inspection import inspect_file

    found = inspect_file(input, format=input_format)
    described = found.to_dict()
    if SETTINGS.get().json:
        show(described, "")
        return
    print(f"{input.name}: {shown_value(described['rows'])} rows; looks like {described['kind']}")
    columns = described["columns"]
    if columns:
        headings = [heading for heading in columns[0] if heading != "top"]
        show_table(headings, [[column[heading] for heading in headings] for column in columns])
