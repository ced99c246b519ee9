"""What is wrong with the table [dataset], and with the files of hierarchies and policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from crypsis.data.formats import format_options
from crypsis.data.formats.compression import readable_file
from crypsis.data.sources import SOURCES, every_key, option_named, value_of
from crypsis.data.steps import STEP, step_of
from crypsis.errors import BadParameter, CrypsisError, OptionWithoutEffect, did_you_mean
from crypsis.evaluate.dataset_table import ColumnSection, SetSection, keys_of_every_kind
from crypsis.evaluate.edits import edit_from_dict
from crypsis.evaluate.inputs import Inputs
from crypsis.evaluate.problems import Findings, Problem
from crypsis.parameters import Parameter

_FORMAT = Parameter("format", str, True, (), "Format of the file.", None)


def check_dataset(found: Findings, content: Mapping[str, Any]) -> None:
    """Check the table `[dataset]` of an experiment before anything is read."""
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
        found.section(ColumnSection, column, f"dataset.columns.{name}")
    for name, told in found.table(section.get("sets"), "dataset.sets").items():
        found.section(SetSection, told, f"dataset.sets.{name}")
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
    findings = Findings()
    keys = {key: value for key, value in section.items() if key != "kind" and value is not None}
    check_dataset(findings, {"dataset": {"path": "as-it-is", **keys}})
    return findings.problems


def check_files(found: Findings, inputs: Inputs) -> None:
    """Files that are not there; a hierarchy or policy can also be built."""
    for section, sources in (("hierarchy", inputs.hierarchy), ("policy", inputs.policy)):
        for name, source in sources.items():
            try:
                file = inputs.file_of(source)
                if file is not None:
                    readable_file(file)
            except CrypsisError as error:
                recipe = "auto = 'auto'" if section == "hierarchy" else "auto with a recipe"
                message = f"{error.message} Or have it built from the data: {recipe} in place of path."
                found.add(f"{section}.{name}", message, error.code)
