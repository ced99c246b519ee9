"""How data are read, as fields of a form: one per option, made from the annotations of the kind of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from crypsis.data.sources import SOURCES
from crypsis.data.sources.data_source import AlsoCalled, InFilesOnly, NamesColumn
from crypsis.errors import CrypsisError
from crypsis.evaluate.dataset import Dataset
from crypsis.parameters import Parameter, SideInput, marks_of
from crypsis.translation import _, marked, translated
from crypsis.web.parameter_labels import is_switch, reading_label
from crypsis.web.telling import note_words

AS_USUAL = marked("as usual")
Change = Callable[[Parameter, Any], Any]


def options_used(dataset: Dataset) -> list[Parameter]:
    """The options that the file of a dataset is read with, as a form asks for them; files beside it are uploaded."""
    source = SOURCES[dataset.kind]
    try:
        used = source.used_in(dataset.source.way(dataset.data_file))
    except CrypsisError:  # why it cannot be read is said elsewhere
        used = source.names()
    options = [source.options()[name] for name in used if name in source.options()]
    return [
        option for option in options if not marks_of(option, InFilesOnly) and not issubclass(option.type, SideInput)
    ]


def value_in(section: Mapping[str, Any], option: Parameter) -> Any:
    """What a table `[dataset]` says of an option, by whichever of its names; None where it says nothing."""
    return next((section[word] for word in words_of(option) if section.get(word) is not None), None)


def words_of(option: Parameter) -> tuple[str, ...]:
    """Return all names of an option."""
    return (option.name, *(other.word for other in marks_of(option, AlsoCalled)))


def names_column(option: Parameter) -> bool:
    """Return whether the value of an option is a column."""
    return bool(marks_of(option, NamesColumn))


def reading_field(option: Parameter, value: Any, columns: Sequence[str], change: Change, unsaid: str = AS_USUAL) -> Any:
    """The field of an option. `change` is called with the value that a table `[dataset]` takes, None for nothing."""
    label = reading_label(option)
    if is_switch(option):
        chosen = option.choices[0] if option.choices else True
        on = bool(option.default) if value is None else value not in (False, None)
        off = False if option.default is True else None
        field: Any = ui.switch(label, value=on).props("dense")
        field.on_value_change(lambda event: change(option, chosen if event.value else off))
        return field.tooltip(note_words(option.help))
    if names_column(option):
        known = {"": _(unsaid) if unsaid != AS_USUAL else "", **{name: name for name in columns}}
    elif option.choices:
        known = {"": _(unsaid), **{name: translated(words) for name, words in option.choice_labels.items()}}
    else:
        known = {}
    if known:
        field = ui.select(known, value=value if value in known else "", label=label)
    elif option.type in (int, float):
        field = ui.number(label, value=value).props("debounce=600")
    else:
        shown = ", ".join(value) if isinstance(value, (list, tuple)) else value
        field = ui.input(label, value=str(shown or "")).props("debounce=600")
    field.props("outlined dense options-dense").style("width: 100%").tooltip(note_words(option.help))
    field.on_value_change(lambda event: change(option, _value(option, event.value)))
    return field


def _value(option: Parameter, typed: Any) -> Any:
    """What was typed in the type of the option; a wrong type is reported where the whole is checked."""
    if typed in (None, ""):
        return None
    if option.type is tuple:
        return [part.strip() for part in str(typed).split(",") if part.strip()]
    return typed
