"""A table of pandas, polars or arrow where data with roles are expected: the line that makes one of the other."""

from __future__ import annotations

from typing import Any

import polars as pl

from crypsis.data.formats.frames import as_frame, is_frame
from crypsis.data.relational import ROLES
from crypsis.data.usual_columns import (
    EVENT,
    ID_NAMES,
    ITEM_NAMES,
    LATITUDE_NAMES,
    LOCATION_NAMES,
    LONGITUDE_NAMES,
    POSITION_NAMES,
    TIME_NAMES,
    basket_column,
    event_columns,
    item_column,
    mover_column,
    time_column,
    usual_column,
)
from crypsis.errors import NotApplicable
from crypsis.parameters import Checked, Deferred, SideInput, parameters_of

_MISSING = "…"  # a column that nothing tells


def refuse_frame(data: Any, accepts: type, method: Checked) -> None:
    """`NotApplicable` with the line that works, where a method is given a bare table."""
    if not is_frame(data):
        return
    line = f"crypsis.anonymize({line_for(as_frame(data), accepts.__name__)}, {_call(method)})"
    raise NotApplicable(
        f"{type(method).__name__} anonymizes {accepts.__name__}, and a {type(data).__name__} does not say what its "
        f"columns are. Say it, for example: {line}",
        call=line,
    )


def _call(method: Checked) -> str:
    """`crypsis.Mondrian(k=5)`: the settings that are not the usual ones; side inputs by their names."""
    told = [
        f"{one.name}={one.name if isinstance(value, (SideInput, Deferred)) else repr(value)}"
        for one, value in zip(parameters_of(type(method)), method.parameters().values(), strict=True)
        if one.required or value != one.default
    ]
    return f"crypsis.{type(method).__name__}({', '.join(told)})"


def line_for(frame: pl.DataFrame, kind: str, variable: str = "df") -> str:
    """The call that makes data of a kind from a table; columns are told by their names and left open where not."""
    from crypsis.data.inspection import roles_of_frame  # which knows all formats

    names = frame.columns
    if kind == "Table":
        roles = roles_of_frame(frame)
        told = {role: [name for name in names if roles[name] == role] for role in ROLES}
        return f"crypsis.Table({variable}, {', '.join(f'{role}={told[role]!r}' for role in ROLES if told[role])})"
    if kind == "Mixed":
        sets = [name for name in names if isinstance(frame[name].dtype, pl.List)] or [_MISSING]
        roles = {name: role for name, role in roles_of_frame(frame).items() if name not in sets}
        return f"crypsis.Mixed.from_frame({variable}, {roles}, {dict.fromkeys(sets)})"
    found: dict[str, dict[str, str | None]] = {
        "Transactions": {"id": basket_column(names), "item": item_column(names, ITEM_NAMES)},
        "Trajectories": {
            "id": usual_column(names, ID_NAMES),
            "position": usual_column(names, (*POSITION_NAMES, *TIME_NAMES)),
            "location": usual_column(names, LOCATION_NAMES),
        },
        "Tracks": {
            "id": mover_column([name for name in names if not frame[name].dtype.is_float()]),
            "lat": usual_column(names, LATITUDE_NAMES),
            "lng": usual_column(names, LONGITUDE_NAMES),
            "t": time_column(names),
        },
        "Events": {option: event_columns(names).get(option) for option in EVENT},
    }
    options = ", ".join(f"{option}={name or _MISSING!r}" for option, name in found.get(kind, {}).items())
    return f"crypsis.{kind}.from_frame({variable}, {options})"
