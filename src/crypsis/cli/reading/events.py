"""A recorded stream from a file: one row per event."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.reading import options
from crypsis.cli.reading.options import listed

PLURAL = "events"


def read(
    path: Path,
    *,
    id: options.Id = None,
    location: options.Location = None,
    t: options.Time = None,
    sensitive: options.Sensitive = None,
    locations: options.Locations = None,
    time_unit: Annotated[
        str | None, typer.Option("--time-unit", help="Events: unit of a numeric time, such as s or ms (default: s).")
    ] = None,
    drop_malformed: Annotated[
        bool, typer.Option("--drop-malformed", help="Events: skip malformed rows; for private methods.")
    ] = False,
    for_method: Any = None,
    **how: Any,
) -> Any:
    """Events in the order of the file; `--sensitive` names the columns with sensitive values."""
    from crypsis.data.reading import read_events, read_locations

    return read_events(
        path,
        id=id or "id",
        location=location or "location",
        t=t or "t",
        sensitive=listed(sensitive),
        locations=None if locations is None else read_locations(locations),
        unit=time_unit,
        malformed="drop" if drop_malformed else "error",
        **how,
        for_method=for_method,
    )


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """Which column names the person, the place and the time, and in which unit times count."""
    names = {"person": chosen.get("id") or "id", "location": chosen.get("location") or "location"}
    told = {**names, "time": chosen.get("t") or "t", "unit": chosen.get("time_unit") or "s (numbers as written)"}
    sensitive = {"sensitive": ", ".join(attribute.name for attribute in data.sensitive)} if data.sensitive else {}
    left_out = {"rows that are no events": "left out"} if chosen.get("drop_malformed") else {}
    return told | sensitive | left_out


def words_on(data: Any) -> str:
    """What was read."""
    return f"{len(data):,} events"
