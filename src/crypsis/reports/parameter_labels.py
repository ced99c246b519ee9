"""The label of a parameter in the reader's language, from its help, and what the parameters of a method were set to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crypsis.data.projection import unit_in
from crypsis.hierarchy.hierarchies import Hierarchies, recipe_words
from crypsis.methods import METHODS
from crypsis.parameters import Parameter, parameters_of
from crypsis.reports.page import settings
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import shown

_RECIPES = {  # what usual recipes of side inputs mean; others stand as they were typed
    re.compile(r"\w+=public-in-data"): marked("those of the data, declared public"),
    re.compile(r"utility=single"): marked("all items"),
    re.compile(r"constraints=auto:(?P<size>\d+)"): marked("groups of up to {size} places near each other"),
    re.compile(r"(\w*hierarchy|taxonomy)=auto:(?P<fan_out>\d+)"): marked(
        "a tree made from the data, up to {fan_out} below each node"
    ),
    re.compile(r"(\w*hierarchy|taxonomy)=auto:(?P<fan_out>\d+):frequency"): marked(
        "a tree made from the data, up to {fan_out} of like frequency below each node"
    ),
    re.compile(r"(\w*hierarchy|taxonomy)=auto:(?P<fan_out>\d+):cooccurrence"): marked(
        "a tree made from the data, up to {fan_out} that occur together below each node"
    ),
}
_OF_COLUMN = re.compile(r"(?<=: )[a-z_]+(:[^\s,:]+)*(?=, |$)")  # `age: equi_width:8, zip: prefix`
CONDITION = re.compile(r"(For|With|Without) ")
_BREAK = re.compile(r"(?<=[^.])(: |; |\. )")


def label_of(parameter: Parameter) -> tuple[str, str]:
    """The help of a parameter as a label and what is left of it; a condition alone (`For cluster:`) is no label."""
    parts = _BREAK.split(parameter.help)
    taken = 3 if len(parts) > 1 and (len(parts[0].split()) < 3 or CONDITION.match(parts[0])) else 1
    parts = _BREAK.split(translated(parameter.help).removesuffix("."))  # a translation has the same breaks
    label, rest = "".join(parts[:taken]).replace("`", ""), "".join(parts[taken + 1 :])
    return label[:1].upper() + label[1:], f"{rest[:1].upper()}{rest[1:]}." if rest else ""


def named_label(parameter: Parameter) -> str:
    """The label, and in brackets the letter that promises are written with; names for programs are never shown."""
    label = label_of(parameter)[0]
    return f"{label} ({parameter.symbol})" if parameter.symbol else label


def called(parameter: Parameter) -> str:
    """What a sentence calls it: its letter, else its label."""
    return parameter.symbol or label_of(parameter)[0]


def called_in(method: str, name: str) -> str:
    """What a sentence calls the parameter of a method; its name where there is no such method or parameter."""
    known = parameters_of(METHODS[method]) if method in METHODS else ()
    return next((called(parameter) for parameter in known if parameter.name == name), name)


def value_in_words(parameter: Parameter, value: Any) -> str:
    """A value as people read it: the label of a choice, `yes`, `not set`."""
    labels = parameter.choice_labels
    if value is None:
        return _("not set")
    return translated(labels[value]) if isinstance(value, str) and value in labels else shown(value)


def parameter_entries(method: Mapping[str, Any], crs: str | None = None) -> list[tuple[str, str]]:
    """Each that was set, by its label and, in brackets, its letter; by its name where the method is not known.

    `crs` is the projection that distances are measured in.
    """
    known = METHODS.get(str(method.get("name")))
    declared = {parameter.name: parameter for parameter in parameters_of(known)} if known else {}
    entries = []
    for name, value in (method.get("parameters") or {}).items():
        if value is None:
            continue
        one = declared.get(name)
        words = settings({name: value}).partition("=")[2].strip()
        if one is not None and isinstance(value, str):
            if one.type is Hierarchies:
                words = _OF_COLUMN.sub(lambda recipe: recipe_words(recipe[0]), words)
            elif value in one.choice_labels:
                words = translated(one.choice_labels[value])
            else:
                words = _recipe_words(name, words)
        elif one is not None and one.unit and one.unit not in one.help:
            words = f"{words} {translated(unit_in(one.unit, crs))}"
        entries.append((str(name) if one is None else named_label(one), words))
    return entries


def _recipe_words(name: str, recipe: str) -> str:
    """What the recipe of a parameter makes, in words."""
    for pattern, words in _RECIPES.items():
        if matched := pattern.fullmatch(f"{name}={recipe}"):
            return _(words, **matched.groupdict())
    return translated(recipe)
