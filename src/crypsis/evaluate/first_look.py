"""A first look at a file: how it would be read, what is in it, and the experiment to begin with.

Everything here is a proposal from names and counts. The page Data and `crypsis data inspect` make the same one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from crypsis.data.formats.tabular import read_table_file
from crypsis.data.inspection import inspect_file
from crypsis.errors import CrypsisError, InputError
from crypsis.evaluate.dataset import KEYS, OF_RECORDS, Dataset
from crypsis.evaluate.suggestions import suggested_method, suggested_roles


def described(path: Path, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a file would be read, and what is in it. Values are not kept, only counts."""
    separator, format = settings.get("separator"), settings.get("format")
    found = inspect_file(path, format=format, separator=separator)
    found = replace(found, file=path.name)
    section: dict[str, Any] = {"kind": str(settings.get("kind") or found.kind)}
    if section["kind"] not in KEYS:
        raise InputError(
            f"This file looks like {found.kind} data ({found.reason}), which is verified, not anonymized again.",
            kind=found.kind,
        )
    if separator:
        section["separator"] = separator
    if format:
        section["format"] = format
    if section["kind"] in OF_RECORDS:
        frame = read_table_file(path, format=format, separator=separator)[0]
        roles = suggested_roles(found, frame)
        section["columns"] = {
            name: (
                {"type": "items", "item_separator": one.separator}
                if one.separator is not None
                else {"type": next(c.type for c in found.columns if c.name == name), "role": one.role}
            )
            for name, one in roles.items()
        }
        if any(one.separator is not None for one in roles.values()):
            section["kind"] = "mixed"
        inspection = found.to_dict()
        inspection["reasons"] = {name: one.reason for name, one in roles.items()}
        return section, inspection
    if section["kind"] in ("trajectories", "events", "transactions", "tracks"):
        section |= usual_columns(section["kind"], [column.name for column in found.columns])
    return section, found.to_dict()


def suggested_roles_of(path: Path) -> dict[str, str]:
    """The role that its name and counts suggest for each column of a table; of what is no table, none."""
    try:
        found = inspect_file(path)
    except CrypsisError:
        return {}
    return {name: one.role for name, one in suggested_roles(found).items()} if found.kind == "table" else {}


def usual_columns(kind: str, columns: list[str]) -> dict[str, str]:
    """The columns that a kind needs, where they have another of the usual names."""
    from crypsis.data.inspection import ID_NAMES, ITEM_NAMES, LOCATION_NAMES, POSITION_NAMES
    from crypsis.data.track import TIME_NAMES

    wanted: dict[str, dict[str, tuple[str, ...]]] = {
        "trajectories": {"id": ID_NAMES, "position": (*POSITION_NAMES, *TIME_NAMES), "location": LOCATION_NAMES},
        "events": {"id": ID_NAMES, "location": LOCATION_NAMES, "t": TIME_NAMES},
        "transactions": {"id": ID_NAMES, "item": ITEM_NAMES},
        "tracks": {},
    }
    lower = {column.lower(): column for column in columns}
    found = {}
    for option, names in wanted[kind].items():
        usual = {"id": "trajectory_id"}.get(option, option) if kind == "trajectories" else option
        match = next((lower[name] for name in (usual, *names) if name in lower), None)
        if match is not None and match != usual:
            found[option] = match
    return found


def checkin_columns(columns: list[str]) -> dict[str, str] | None:
    """Who was when at which coordinates, by the usual names of such columns; None where one of them is missing."""
    from crypsis.data.inspection import ID_NAMES
    from crypsis.data.track import LATITUDE_NAMES, LONGITUDE_NAMES, TIME_NAMES

    lower = {column.lower(): column for column in columns}
    usual = {"user": ("user", *ID_NAMES), "time": TIME_NAMES, "lat": LATITUDE_NAMES, "lon": LONGITUDE_NAMES}
    found = {option: next((lower[name] for name in names if name in lower), None) for option, names in usual.items()}
    told = {option: name for option, name in found.items() if name is not None}
    return told if len(told) == len(usual) else None


def question_in_file(path: Path, settings: Mapping[str, Any]) -> str:
    """Who a person is, asked as comments of an experiment file, with the two lines that answer; empty where told."""
    found = inspect_file(path, format=settings.get("format"), separator=settings.get("separator"))
    if found.person_like is None:
        return ""
    like = found.person_like
    return (
        f"# {like.question}\n# Answer with one of these lines in [dataset]:\n"
        f"#   person = {json.dumps(like.column, ensure_ascii=False)}\n#   each_row_is_a_person = true\n"
    )


def suggested_experiment(path: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The experiment to begin with: the file, a role for every column, and a method for data of its kind."""
    section, _ = described(path, settings)
    content: dict[str, Any] = {"name": path.stem, "dataset": {"path": str(path), **section}}
    method = suggested_method(section["kind"])
    if method is not None:
        content["run"] = [{"method": method[0], "params": dict(method[1]) | _unit(path, section)}]
    return content


def _unit(path: Path, section: Mapping[str, Any]) -> dict[str, str]:
    """People are counted where some have several trajectories or tracks; what cannot be read says so when it is run."""
    if section["kind"] not in ("trajectories", "tracks"):
        return {}
    try:
        data = Dataset({"path": str(path), **section}, path.parent).load()
    except CrypsisError:
        return {}
    return {} if data.person is None else {"unit": "owner"}
