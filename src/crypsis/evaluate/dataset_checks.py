"""What is wrong with the tables that say what is read: [dataset], hierarchies, policies and queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from crypsis.data.formats import format_options
from crypsis.data.formats.compression import readable_file
from crypsis.data.relational import PERSON, ROLES
from crypsis.data.sources import SOURCES, every_key, option_named, value_of
from crypsis.data.sources.table import ITEMS_TYPE
from crypsis.data.steps import STEP, step_of
from crypsis.data.values import COLUMN_TYPES
from crypsis.errors import BadParameter, CrypsisError, OptionWithoutEffect, did_you_mean
from crypsis.evaluate.dataset import COLUMN_KEYS, SET_KEYS, keys_of_every_kind, resolved
from crypsis.evaluate.edits import edit_from_dict
from crypsis.evaluate.inputs import GENERATE_KEYS, QUERY_KEYS, SOURCE_KEYS
from crypsis.evaluate.problems import Findings, Problem
from crypsis.parameters import Parameter

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment

_FORMAT = Parameter("format", str, True, (), "Format of the file.", None)
_MOST_QUERIES = 1_000_000


def check_dataset(found: Findings, content: Mapping[str, Any]) -> None:
    if "dataset" not in content:
        found.add("dataset", "the experiment names no data; write [dataset] with a path")
        return
    kind = content["dataset"].get("kind") if isinstance(content["dataset"], Mapping) else None
    if kind is not None and str(kind) not in SOURCES:
        known_kinds = ", ".join(SOURCES)
        found.add(
            "dataset",
            f"there is no kind of data {kind!r}; the kinds are {known_kinds}.{did_you_mean(str(kind), SOURCES)}",
        )
        kind = None
    known = [*keys_of_every_kind(), *(every_key() if kind is None else SOURCES[str(kind)].names())]
    other = {*every_key()} - {*known}
    section = found.table(content["dataset"], "dataset", [*known, *other])
    for key in (key for key in section if key in other):
        names = ", ".join(SOURCES[str(kind)].names())
        words = f"{key} has no effect here: {kind} data are read with {names}. Leave it out."
        found.add("dataset", words, OptionWithoutEffect.code)
    if not isinstance(section.get("path"), str) or not section.get("path"):
        found.add("dataset", "path must name the file with the data")
    found.whole(section, "rows", 1, "dataset")
    for key in (key for key, value in section.items() if value is not None):
        option = _option(key, kind)
        if option is not None:
            found.attempt("dataset", partial(_check, option, key, section[key]))
    for name, column in found.table(section.get("columns"), "dataset.columns").items():
        where = f"dataset.columns.{name}"
        told = found.table(column, where, COLUMN_KEYS)
        types = (*COLUMN_TYPES, ITEMS_TYPE)
        if told.get("type") is not None and told["type"] not in types:
            found.add(where, f"type must be one of {', '.join(types)}, got {told['type']!r}")
        if told.get("role") is not None and told["role"] not in (*ROLES, PERSON):
            found.add(where, f"role must be one of {', '.join((*ROLES, PERSON))}, got {told['role']!r}")
        found.texts(told, "sensitive", where)
        found.text(told, "item_separator", where)
    for name, told in found.table(section.get("sets"), "dataset.sets").items():
        where = f"dataset.sets.{name}"
        told = found.table(told, where, SET_KEYS)
        for key in ("missing", "sensitive"):
            found.texts(told, key, where)
        found.text(told, "separator", where)
        for key in ("path", "id", "item"):
            if not isinstance(told.get(key), str):
                found.add(where, f"{key} must be given")
    steps = section.get(STEP) or []
    for number, step in enumerate(steps if isinstance(steps, list) else [steps], 1):
        found.attempt(f"dataset.step {number}", partial(step_of, step))
    edits = section.get("edits", [])
    if not isinstance(edits, list):
        found.add("dataset.edits", "edits are a list of tables, [[dataset.edits]]")
        return
    for number, edit in enumerate(edits, 1):
        found.attempt(f"dataset.edits {number}", partial(edit_from_dict, edit))


def _option(key: str, kind: str | None) -> Parameter | None:
    """The option that a key gives: one of reading, or one of a format."""
    if key in every_key():
        own = kind is not None and key in SOURCES[kind].names()
        return option_named(key, kind if own else None)
    return format_options().get(key, _FORMAT if key == "format" else None)


def _check(option: Parameter, key: str, value: Any) -> None:
    if value == "" and option.type is not tuple and key not in format_options():
        raise BadParameter(f"{key} must be {option.describe()}, got an empty text.", parameter=key)
    if option.type is not dict:  # tables are looked into below
        replace(option, name=key).check(value_of(option, value), "dataset")


def section_problems(section: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with the values of a table [dataset], whatever its kind of data and before anything is read."""
    found = Findings()
    told = {key: value for key, value in section.items() if key != "kind" and value is not None}
    check_dataset(found, {"dataset": {"path": "as-it-is", **told}})
    return found.problems


def check_source(found: Findings, told: Any, where: str) -> None:
    told = found.table(told, where, SOURCE_KEYS)
    if len([key for key in SOURCE_KEYS if isinstance(told.get(key), str)]) != 1:
        found.add(where, "give either path, a file, or auto, a recipe such as auto = 'equi_depth(8)'")


def check_file(found: Findings, experiment: Experiment, told: Any, where: str) -> None:
    """A file that is not there; a hierarchy or policy can also be built."""
    if not isinstance(told, Mapping) or not isinstance(told.get("path"), str):
        return
    try:
        readable_file(resolved(told["path"], experiment.folder))
    except CrypsisError as error:
        recipe = "auto = 'auto'" if where.startswith("hierarchy") else "auto with a recipe"
        found.add(where, f"{error.message} Or have it built from the data: {recipe} in place of path.", error.code)


def check_queries(found: Findings, content: Mapping[str, Any]) -> None:
    told = found.table(content.get("queries"), "queries", QUERY_KEYS)
    if len(told) > 1:
        found.add("queries", "give one of path, list and generate")
    generate = found.table(told.get("generate"), "queries.generate", GENERATE_KEYS)
    for key, lowest in (("count", 1), ("relational", 0), ("items", 0), ("seed", 0)):
        found.whole(generate, key, lowest, "queries.generate")
        if isinstance(generate.get(key), int) and generate[key] > _MOST_QUERIES and key != "seed":
            found.add("queries.generate", f"{key} must be at most {_MOST_QUERIES:,}, got {generate[key]:,}")
    found.texts(told, "list", "queries")
