"""A first look at a file: how it would be read, what is in it, and the experiment to begin with.

Everything here is a proposal from names and counts. The page Data and `crypsis data inspect` make the same one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crypsis.data.inspection import ColumnSummary, Inspection, inspect_file, inspected_as_table
from crypsis.data.person_detection import PersonLike
from crypsis.data.sources import OF_RECORDS, SOURCES, every_key
from crypsis.data.steps import STEP, Unite, shaping, steps_of
from crypsis.data.steps.keep_first import KeepFirst
from crypsis.data.usual_columns import (
    ID_NAMES,
    LATITUDE_NAMES,
    LOCATION_NAMES,
    LONGITUDE_NAMES,
    OWNER_NAMES,
    POSITION_NAMES,
    TIME_NAMES,
    TRACK_NAMES,
    basket_column,
    event_columns,
    item_column,
    mover_column,
    time_column,
    usual_column,
)
from crypsis.data.ways_of_reading import option_without_effect
from crypsis.errors import BadRow, BadTimestamps, CrypsisError, InputError
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_table import DatasetTable, keys_of_the_file
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.runs import Run
from crypsis.evaluate.suggestions import RUN_FOR_KIND, RUN_WITHOUT_COORDINATES, suggested_roles
from crypsis.places import reword
from crypsis.translation import marked

_SAYS_NOTHING: tuple[Any, ...] = (None, "", {}, [])


@dataclass(frozen=True)
class FirstLook:
    """How a file would be read, and what is in it: counts, no values."""

    section: DatasetTable
    inspection: Mapping[str, Any]


def look_at(path: Path, settings: Mapping[str, Any]) -> Inspection:
    """What is in a file that is read with these settings."""
    inspection = inspect_file(path, **DatasetTable(settings).only(keys_of_the_file()), **_of_cells(settings))
    sets = {step.to: step.separator for step in steps_of(settings.get(STEP)) if isinstance(step, Unite)}
    united = [column.name for column in inspection.columns if column.name in sets]
    if not united or inspection.kind not in OF_RECORDS:
        return inspection
    role: dict[str, Any] = {"role": "quasi", "why": "was united into a set", "confidence": "high"}
    columns = (
        replace(column, item_separator=sets[column.name], **role) if column.name in sets else column
        for column in inspection.columns
    )
    reason = f"one row per record, with sets of items in {', '.join(united)}"
    return replace(inspection, columns=tuple(columns), kind="mixed", reason=reason)


def _of_cells(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What settings say about the cells and the shape of a table."""
    missing = tuple(settings.get("missing") or ("?",))
    change = shaping(settings.get(STEP))
    return {"missing_tokens": missing, "time_format": settings.get("time_format") or None, "change": change}


def first_look(path: Path, settings: Mapping[str, Any], found: Inspection | None = None) -> FirstLook:
    """How a file would be read, and what is in it, unless it was `found` before. Values are not kept, only counts.

    Settings are keys of `[dataset]`: what they say holds, and the rest is suggested from names and counts.
    """
    how = DatasetTable(settings).only(keys_of_the_file())
    found = replace(found or look_at(path, settings), file=path.name)
    section: dict[str, Any] = {"kind": str(settings.get("kind") or found.kind)}
    if section["kind"] not in SOURCES:
        raise InputError(
            f"This file looks like {found.kind} data ({found.reason}), which is verified, not anonymized again.",
            kind=found.kind,
        )
    section |= {**how, **found.how}
    steps = [step.to_dict() for step in steps_of(settings.get(STEP))]
    if section["kind"] == found.kind:
        steps += found.steps
    section |= {STEP: steps} if steps else {}
    source = SOURCES[section["kind"]]
    chosen = {key: settings[key] for key in every_key() if settings.get(key) not in _SAYS_NOTHING}
    for key in (key for key in chosen if key not in source.names()):
        raise option_without_effect(key, f"{source.kind} data", source.names())
    if section["kind"] in OF_RECORDS:
        if found.kind not in OF_RECORDS:  # somebody says that it is a table
            found = inspected_as_table(path, found, **{**how, **found.how}, **_of_cells(settings))
        roles = suggested_roles(found)
        section["columns"] = {
            column.name: (
                {"type": "items", "item_separator": column.item_separator}
                if _is_set(column)
                else {"type": column.suggested_type or column.type, "role": column.role}
            )
            for column in found.columns
        }
        section["columns"] |= chosen.pop("columns", {})
        section |= chosen
        sets = any(column.get("type") == "items" for column in section["columns"].values())
        if sets or not settings.get("kind"):  # a set may be suggested to be left out
            section["kind"] = "mixed" if sets else "table"
        inspection = found.to_dict()
        inspection["reasons"] = {
            name: marked(f"{one.reason} ({one.confidence} confidence)") for name, one in roles.items()
        }
        return FirstLook(DatasetTable(section), inspection)
    if section["kind"] in ("trajectories", "events", "transactions", "tracks"):
        names = _names_of(section["kind"], found)
        section |= _of_squares(names) if chosen.get("grid") else usual_columns(section["kind"], names)
        section |= found.uses if section["kind"] == found.kind and not chosen.get("grid") else {}
    section |= chosen
    section |= _order(path, section)
    return FirstLook(DatasetTable(section | chosen), found.to_dict())


def _is_set(column: ColumnSummary) -> bool:
    """Whether a column is to be anonymized as a set; one of items that hardly recur is left out."""
    return column.item_separator is not None and column.role != "identifier"


def _names_of(kind: str, inspection: Inspection) -> list[str]:
    """The columns in which a kind looks for its own: decimal numbers name no track (`track` may be a heading)."""
    coordinates = (*LATITUDE_NAMES, *LONGITUDE_NAMES, *TIME_NAMES, "x", "y")
    return [
        column.name
        for column in inspection.columns
        if kind != "tracks" or column.type != "float" or column.name.lower() in coordinates
    ]


def _order(path: Path, section: Mapping[str, Any]) -> dict[str, Any]:
    """What has to be said so that visits or fixes follow each other in time: sort them, keep one of each instant."""
    ways: dict[str, list[dict[str, Any]]] = {
        "tracks": [{}, {"repeated": "first"}, {"sort": True}, {"sort": True, "repeated": "first"}],
        "trajectories": [{}, {"sort": True}, {"sort": True, STEP: _one_visit_an_instant(section)}],
    }
    for change in ways.get(section["kind"], ()):
        try:
            Dataset({"path": str(path), **section, **change}, Path()).load()
        except (BadTimestamps, BadRow):
            continue
        except CrypsisError:
            return {}
        return change
    return {}


def _one_visit_an_instant(section: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of a dataset, and then the first of the visits of one id at one time."""
    instant = (section.get("id", "trajectory_id"), section.get("position", "position"))
    return [*(section.get(STEP) or ()), KeepFirst(columns=instant).to_dict()]


def suggested_roles_of(path: Path) -> dict[str, str]:
    """The role that its name and counts suggest for each column of a table; of what is no table, none."""
    try:
        inspection = inspect_file(path)
    except CrypsisError:
        return {}
    return (
        {name: one.role for name, one in suggested_roles(inspection).items()} if inspection.kind in OF_RECORDS else {}
    )


def usual_columns(kind: str, columns: list[str]) -> dict[str, str]:
    """The columns that a kind needs, where its reader does not find them by itself."""
    named: dict[str, str | None]
    if kind == "tracks":
        unnamed = not {*columns} & {*TRACK_NAMES, *OWNER_NAMES, "id"}
        named = {
            "id": mover_column(columns) if unnamed else None,
            "t": None if {*columns} & {*TIME_NAMES} else time_column(columns),
        }
        for option, names in (("lat", LATITUDE_NAMES), ("lon", LONGITUDE_NAMES)):
            named[option] = None if {*columns} & {*names} else usual_column(columns, names)
    elif kind == "transactions":
        named = {"id": basket_column(columns), "item": item_column(columns)}
    elif kind == "trajectories":
        named = {
            "id": usual_column(columns, ("trajectory_id", *ID_NAMES)),
            "position": usual_column(columns, ("position", *POSITION_NAMES, *TIME_NAMES)),
            "location": usual_column(columns, LOCATION_NAMES),
        }
    else:
        named = {**event_columns(columns)}
    known = {"id": "trajectory_id"} if kind == "trajectories" else {}
    return {option: name for option, name in named.items() if name is not None and name != known.get(option, option)}


def checkin_columns(columns: list[str]) -> dict[str, str] | None:
    """Who was when at which coordinates, by the usual names of such columns; None where one of them is missing."""
    named = {
        "user": usual_column(columns, ("user", *ID_NAMES)) or mover_column(columns),
        "time": time_column(columns),
        "lat": usual_column(columns, LATITUDE_NAMES),
        "lon": usual_column(columns, LONGITUDE_NAMES),
    }
    known = {option: name for option, name in named.items() if name is not None}
    return known if len(known) == len(named) else None


def _of_squares(columns: list[str]) -> dict[str, str]:
    """When and where a check-in was, by the usual names; whose it is, is asked."""
    named = checkin_columns(columns) or {}
    return {option: name for option, name in named.items() if option != "user" and option != name}


def person_question(dataset: Dataset) -> PersonLike | None:
    """The column that seems to name people with several records, as reading the file this way asks about it."""
    if "person" not in SOURCES[dataset.kind].names():
        return None
    try:
        data = dataset.load()
    except CrypsisError:  # said by whoever reads it
        return None
    like: PersonLike | None = getattr(data, "person_like", None)
    return like


def question_in_file(path: Path, settings: Mapping[str, Any]) -> str:
    """Who a person is, asked as comments of an experiment file, with the two lines that answer; empty where told."""
    dataset = suggested_dataset(path, settings)
    like = person_question(dataset)
    if like is None:
        return ""
    beside = {"transactions": ', and unite = "person"'}.get(dataset.kind, "")
    beside = ', and unit = "owner" in params' if dataset.kind in _OF_MOVEMENT else beside
    return (
        f"# {like.question}\n# Answer with one of these lines in [dataset]:\n"
        f"#   person = {json.dumps(like.column, ensure_ascii=False)}{beside}\n#   each_row_is_a_person = true\n"
    )


def suggested_dataset(path: Path, settings: Mapping[str, Any]) -> Dataset:
    """The file as it would be read."""
    return Dataset(first_look(path, settings).section.of_file(str(path)), Path())


def suggested_experiment(path: Path, settings: Mapping[str, Any]) -> Experiment:
    """The experiment to begin with: the file, a role for every column, and a method for data of its kind."""
    dataset = suggested_dataset(path, settings)
    run = suggested_run(dataset)
    runs = {} if run is None else {"run": [run.to_dict()]}
    return Experiment({"name": path.stem, "dataset": dict(dataset.section), **runs}, Path())


def suggested_run(dataset: Dataset) -> Run | None:
    """A method for a dataset with settings to begin with; people are counted where some have several tracks."""
    run = RUN_FOR_KIND.get(dataset.kind)
    if run is None or dataset.kind not in _OF_MOVEMENT:
        return run
    try:
        data = dataset.load()
    except CrypsisError:  # what cannot be read says so when it is run
        return run
    if dataset.kind == "trajectories" and not data.locations.has_coordinates:
        run = RUN_WITHOUT_COORDINATES
    return run if data.person is None else replace(run, params={**run.params, "unit": "owner"})


_OF_MOVEMENT = ("trajectories", "tracks")


def refusal(dataset: Dataset, run: Run, rows: int) -> str | None:
    """Why the suggested method will refuse the data, unreadable or too few; None where it will not."""
    number, words = rows, "records"
    if dataset.kind in _OF_MOVEMENT:
        try:
            data = dataset.load()
        except CrypsisError as error:
            return reword(error.sentence)
        number, words = len(data), dataset.kind
        if "unit" in run.params and data.person is not None:
            number, words = int(data.person.max()) + 1, "people"
    columns = (dataset.section.get("columns") or {}).values() if dataset.kind == "table" else ()
    if columns and not any(column.get("role") == "quasi" for column in columns):
        return "no column is a quasi-identifier, so nothing would be generalized"
    needed = int(run.params.get("k") or run.params.get("K") or 0)
    return f"too few {words}: {number}, and {needed} must look alike" if number < needed else None
