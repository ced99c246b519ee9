"""The command to begin with: how a file is read, a role for every column, and a method, as they are typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crypsis.data.formats import format_options
from crypsis.data.inspection import Inspection
from crypsis.data.person_detection import PersonLike
from crypsis.data.sources.table import COMMA
from crypsis.data.steps import STEP, steps_of
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_table import DatasetTable, keys_of_the_file
from crypsis.evaluate.first_look import first_look, refusal, suggested_run
from crypsis.evaluate.runs import Run
from crypsis.translation import marked
from crypsis.wording import counted

_WITH_HIERARCHIES = "mondrian"  # the suggested method for tables
_WORDS = {"format": "input_format"}  # keys of an experiment that have another name here
_NOT_TYPED = ("path", "kind", "columns", "edits", "rows")


def commands_to_begin(
    path: Path, section: Mapping[str, Any], like: PersonLike | None, inspection: Inspection, called: Path | None = None
) -> dict[str, str]:
    """What to type next, under words; two commands where it must first be said who a person is.

    `called` is the file as its owner knows it.
    """
    called = called or path
    if section["kind"] == "events":
        visits = {"id": section.get("id", "id"), "location": section.get("location", "location")}
        settings = {**visits, "position": section.get("t", "t"), **DatasetTable(section).only(keys_of_the_file())}
        section = first_look(path, {"kind": "trajectories", **settings}).section
    if like is None:
        dataset = Dataset({"path": str(path), **section}, Path())
        run = suggested_run(dataset)
        command = None if run is None else suggested_command(called, section, run, inspection)
        if run is None or command is None:
            return {}
        refused = refusal(dataset, run, inspection.rows)
        head = marked("To begin with") if refused is None else marked(f"This will be refused ({refused})")
        return {head: command}
    by_person, by_record = _commands_by_answer(path, section, like.column, inspection, called)
    empty = next((column.missing for column in inspection.columns if column.name == like.column), 0)
    if empty and by_record is not None:
        rows = marked(f"{like.column} is empty in {counted(empty, 'row')}; fill them to count people")
        return {marked(f"Where nobody has several records ({rows})"): by_record}
    answers = {
        marked(f"Where {like.column} names the person"): by_person,
        marked("Where nobody has several records"): by_record,
    }
    return {words: command for words, command in answers.items() if command is not None}


def suggested_command(path: Path, section: Mapping[str, Any], run: Run, inspection: Inspection) -> str | None:
    """`crypsis anonymize` with these settings; None where a name cannot be typed, or data are not anonymized so."""
    columns = _column_options(section, inspection)
    if columns is None or section["kind"] == "events":
        return None
    words = ["crypsis", "anonymize", str(path), *columns]
    for key, value in section.items():
        if key == STEP:
            words += [word for step in steps_of(value) for word in ("--step", str(step))]
        elif key not in _NOT_TYPED:
            words += _typed(_WORDS.get(key, key), value)
    words += ["--method", run.method]
    for name, value in run.params.items():
        words += [f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-"), str(value)]
    words += _hierarchies(section, inspection) if run.method == _WITH_HIERARCHIES else []
    return shlex.join([*words, "--out", f"{_stem(path) or _stem(path.parent) or 'data'}-release"])


def _stem(path: Path) -> str:
    """The name without suffixes, and without what makes it a pattern."""
    return re.sub(r"[*?]|\[.*?\]", "", path.name.split(".")[0]).strip("-_ ")


def _commands_by_answer(
    path: Path, section: Mapping[str, Any], column: str, inspection: Inspection, called: Path
) -> tuple[str | None, str | None]:
    """The command where a column names the person, and the one where every record is another person."""
    commands = []
    for answer in ({"person": column}, {"each_row_is_a_person": True}):
        answered = {**section, **answer}
        if "person" in answer and section["kind"] == "transactions":
            answered["unite"] = "person"  # the suggested method counts records
        run = suggested_run(Dataset({"path": str(path), **answered}, Path()))
        commands.append(None if run is None else suggested_command(called, answered, run, inspection))
    return commands[0], commands[1]


def _typed(option: str, value: Any) -> list[str]:
    named = "--" + option.replace("_", "-")
    if value is False and option in format_options():
        return ["--no-" + option.replace("_", "-")]
    if isinstance(value, bool):
        return [named] if value else []
    return [named, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]


def _column_options(section: Mapping[str, Any], inspection: Inspection) -> list[str] | None:
    """Roles as options; a name with a line break cannot be typed, and one with a comma stands in quotes."""
    columns: Mapping[str, Mapping[str, Any]] = section.get("columns") or {}
    if any(sign in name for name in columns for sign in "\n\r\0"):
        return None
    words: list[str] = []
    for role in ("quasi", "sensitive", "identifier", "label", "other"):
        named = [name for name, one in columns.items() if one.get("role") == role and name != section.get("person")]
        if named:
            words += ["--" + role, ",".join(map(_quoted, named))]
    read_as = {column.name: column.type for column in inspection.columns}
    typed = [
        f"{_quoted(name)}={one['type']}"
        for name, one in columns.items()
        if one.get("role") in ("quasi", "sensitive") and one.get("type") != read_as.get(name)
    ]
    words += ["--types", ",".join(typed)] if typed else []
    sets = [
        f"{_quoted(name)}={one['item_separator'].replace(',', COMMA)}"
        for name, one in columns.items()
        if one.get("type") == "items"
    ]
    return [*words, "--items", ",".join(sets)] if sets else words


def _quoted(name: str) -> str:
    """A name as one of a list with commas."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name


def _hierarchies(section: Mapping[str, Any], inspection: Inspection) -> list[str]:
    columns = section.get("columns") or {}
    recipes = [
        f"{column.name}={column.hierarchy}"
        for column in inspection.columns
        if column.hierarchy is not None
        and not {",", "="}.intersection(column.name)
        and columns.get(column.name, {}).get("role") == "quasi"
    ]
    return ["--hierarchy", ",".join(recipes)] if recipes else []
