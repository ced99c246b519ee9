"""Reading options that several kinds of data understand: each is described here, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.errors import BadParameter

MEMORY_PER_BYTE = 8.0

Id = Annotated[str | None, typer.Option("--id", help="Column that names the trajectory, track, transaction or person.")]
Owner = Annotated[str | None, typer.Option("--owner", help="Trajectories and tracks: another word for --person.")]
Person = Annotated[
    str | None,
    typer.Option(
        "--person", help="Column that names the person, where one has several records; it is never published."
    ),
]
EachRowIsAPerson = Annotated[
    bool, typer.Option("--each-row-is-a-person", help="Confirm that no person has several records.")
]
TimeFormat = Annotated[
    str | None,
    typer.Option("--time-format", help="How times are written, such as '%d/%m/%Y %H:%M', or s, ms, us for epochs."),
]
Projection = Annotated[
    str | None,
    typer.Option("--crs", help="Tracks, or with --grid: EPSG code to project degrees to (default: the UTM zone)."),
]
Sort = Annotated[bool, typer.Option("--sort", help="Order the visits by position; otherwise disorder is an error.")]
Sensitive = Annotated[
    str | None,
    typer.Option("--sensitive", help="Sensitive locations, items or columns: a file with one label a line, or a,b,c."),
]
Locations = Annotated[
    Path | None, typer.Option("--locations", help="Location table: columns location, x, y, optionally sensitive.")
]
Location = Annotated[
    str | None, typer.Option("--location", help="Column with the visited location (default: location).")
]
Time = Annotated[str | None, typer.Option("--t", help="Tracks and events: column with the time.")]
Latitude = Annotated[
    str | None, typer.Option("--lat", help="Tracks, or with --grid: column with the latitude (default: lat).")
]
Longitude = Annotated[
    str | None, typer.Option("--lon", help="Tracks, or with --grid: column with the longitude (default: lon).")
]
Quasi = Annotated[
    str | None, typer.Option("--quasi", help="Tables: columns that others may know, a,b,c; they are generalized.")
]
Identifier = Annotated[
    str | None,
    typer.Option("--identifier", help="Tables: columns that name people, a,b,c, or 'rest'; they are dropped."),
]
Label = Annotated[str | None, typer.Option("--label", help="Tables: column that a classifier is to predict.")]
Other = Annotated[
    str | None,
    typer.Option("--other", help="Tables: columns published as they are, a,b,c, or 'rest' for all not named."),
]
Types = Annotated[
    str | None,
    typer.Option("--types", help="Tables: types where they are guessed wrongly, age=int,zip=category."),
]
Missing = Annotated[
    str | None, typer.Option("--missing", help="Tables: texts that mean a missing value, a,b,c (default: ?).")
]
AsMissing = Annotated[
    bool, typer.Option("--as-missing", help="Tables: a cell that is not of its column's type is missing, no error.")
]
Items = Annotated[
    str | None,
    typer.Option("--items", help="Mixed data: set-valued columns and what separates their items, e.g. 'diagnoses= '."),
]

SensitiveItems = Annotated[
    str | None,
    typer.Option("--sensitive-items", help="Mixed data: sensitive items, a,b,c, or a file with one a line."),
]


def listed(text: str | None) -> list[str]:
    """The labels of a,b,c, or of the lines of the file that is named."""
    if text is None:
        return []
    from crypsis.data.formats.compression import names_file

    lines = _lines(text) if names_file(text) else text.split(",")
    return [line.strip() for line in lines if line.strip()]


def _lines(file: str) -> list[str]:
    from crypsis.data.formats.lines import read_lines

    lines: list[str] = read_lines(file, MEMORY_PER_BYTE)[0].to_list()
    return lines


def pairs(text: str | None, option: str) -> dict[str, str]:
    """The names and values of `age=int,zip=category`."""
    found = {}
    for part in listed(text):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise BadParameter(f"{option} takes name=value, separated by commas, got {part!r}.")
        found[name.strip()] = value.strip()
    return found
