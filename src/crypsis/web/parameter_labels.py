"""The label of a field in the reader's language, from the help of its parameter or from what a way of reading says."""

from __future__ import annotations

import re

from crypsis.data.sources.data_source import Label
from crypsis.parameters import Parameter, marks_of
from crypsis.translation import _, translated

CONDITION = re.compile(r"(For|With|Without) ")
_BREAK = re.compile(r"(?<=[^.])(: |; |\. )")


def label_of(parameter: Parameter) -> tuple[str, str]:
    """The help of a parameter as a label and what is left of it; a condition alone (`For cluster:`) is no label."""
    parts = _BREAK.split(parameter.help)
    taken = 3 if len(parts) > 1 and (len(parts[0].split()) < 3 or CONDITION.match(parts[0])) else 1
    parts = _BREAK.split(translated(parameter.help).removesuffix("."))  # a translation has the same breaks
    label, rest = "".join(parts[:taken]), "".join(parts[taken + 1 :])
    return label[:1].upper() + label[1:], f"{rest[:1].upper()}{rest[1:]}." if rest else ""


def reading_label(option: Parameter) -> str:
    """`Side of a square, in metres (grid)`; one that is switched on is called by what it does."""
    label = translated(
        next((mark.text for mark in marks_of(option, Label)), option.name.replace("_", " ").capitalize())
    )
    if is_switch(option) and option.choice_labels:
        label = translated(next(iter(option.choice_labels.values())))
        label = label[0].upper() + label[1:]
    if option.unit:
        return _("{label}, in {unit} ({name})", label=label, unit=translated(option.unit), name=option.name)
    return f"{label} ({option.name})"


def is_switch(option: Parameter) -> bool:
    return option.type is bool or (option.optional and len(option.choices) == 1)
