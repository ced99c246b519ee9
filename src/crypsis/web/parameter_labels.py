"""The label of a field in the reader's language, from what a way of reading says."""

from __future__ import annotations

from crypsis.data.sources.data_source import Label
from crypsis.parameters import Parameter, marks_of
from crypsis.translation import _, translated


def reading_label(option: Parameter) -> str:
    """`Side of a square, in metres`; one that is switched on is called by what it does."""
    label = translated(
        next((mark.text for mark in marks_of(option, Label)), option.name.replace("_", " ").capitalize())
    )
    if is_switch(option) and option.choice_labels:
        label = translated(next(iter(option.choice_labels.values())))
        label = label[0].upper() + label[1:]
    return _("{label}, in {unit}", label=label, unit=translated(option.unit)) if option.unit else label


def is_switch(option: Parameter) -> bool:
    """Return whether a parameter is shown as a switch."""
    return option.type is bool or (option.optional and len(option.choices) == 1)
