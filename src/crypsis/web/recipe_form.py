"""The wizard of a hierarchy: a way to build it, its few settings as fields, and the recipe that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from crypsis.translation import _, marked
from crypsis.web.theme import attribute

_FIELD = "outlined dense options-dense"


@dataclass(frozen=True)
class Setting:
    """One field of a way: a number, a choice, or cuts where it is neither."""

    label: str
    usual: Any
    choices: Mapping[str, str] | None = None

    def is_number(self) -> bool:
        return isinstance(self.usual, int)


@dataclass(frozen=True)
class Way:
    """A way to build a hierarchy, as people choose it, and for which types of columns."""

    label: str
    types: tuple[str, ...]
    settings: tuple[Setting, ...] = ()


_ORDERED, _TEXT = ("int", "float", "date", "timestamp"), ("category", "")
_RANGES = Setting(marked("How many ranges"), 16)
WAYS = {
    "equi_width": Way(marked("Ranges of equal width"), _ORDERED, (_RANGES,)),
    "equi_depth": Way(marked("Ranges with equally many records"), _ORDERED, (_RANGES,)),
    "cuts": Way(marked("Ranges between chosen cuts"), _ORDERED, (Setting(marked("Cuts"), ""),)),
    "adaptive": Way(marked("Ranges that fit the values"), _ORDERED, (Setting(marked("How many ranges"), 8),)),
    "dates": Way(
        marked("The calendar"),
        ("date", "timestamp"),
        (Setting(marked("Levels"), "months", {"months": marked("month, quarter, year, decade"), "weeks": "week"}),),
    ),
    "prefix": Way(marked("Mask codes from the right"), (*_TEXT, "int")),
    "balanced": Way(
        marked("Groups of equal size"),
        _TEXT,
        (
            Setting(marked("Values in a group"), 5),
            Setting(
                marked("Order"), "label", {"label": marked("by name"), "frequency": marked("by how often they occur")}
            ),
        ),
    ),
    "flat": Way(marked("Every value, then any value"), (*_TEXT, *_ORDERED)),
}


class RecipeForm:
    """Fields for a column of some type; `changed` is called with every recipe that is whole."""

    def __init__(self, type: str, recipe: str, of_table: bool, changed: Callable[[], Any]) -> None:
        self.changed = changed
        kind, *given = recipe.split(":")
        ways = {name: _(way.label) for name, way in WAYS.items() if type in way.types}
        if not of_table:
            ways = {name: _(WAYS[name].label) for name in _OF_SETS}
        self.way = ui.select(ways, value=kind if kind in ways else next(iter(ways)), label=_("Way to build it"))
        self.way.props(_FIELD).style("width: 100%").on_value_change(self._choose)
        self.place = ui.column().style("width: 100%; gap: 8px")
        self.of_table = of_table
        self.fields: list[Any] = []
        self._show(given if kind == self.way.value else [])

    @property
    def recipe(self) -> str:
        """As it is typed: `equi_width:16`, `cuts:18:30:65`."""
        given = [str(field.value if field.value is not None else "") for field in self.fields]
        if self.way.value == "cuts":
            given = [one for text in given for one in text.replace(",", " ").replace(";", " ").split()]
        elif self.fields and self._settings()[0].is_number() and given[0]:
            given[0] = str(int(float(given[0])))
        return ":".join([str(self.way.value), *(one for one in given if one)])

    @property
    def words(self) -> str:
        """The same for people: `Ranges of equal width: 16`."""
        told = []
        for setting, field in zip(self._settings(), self.fields, strict=True):
            value = field.value
            if value not in (None, ""):
                told.append(f"{value:g}" if setting.is_number() else _((setting.choices or {}).get(value, str(value))))
        return ": ".join([_(WAYS[str(self.way.value)].label), *([", ".join(told)] if told else [])])

    def problem(self, text: str | None) -> None:
        """What is wrong, beside the field that would mend it."""
        (self.fields[0] if self.fields else self.way).error = text

    def _settings(self) -> tuple[Setting, ...]:
        settings = WAYS[str(self.way.value)].settings
        return settings if self.of_table else settings[:1]

    def _choose(self) -> Any:
        self._show([])
        return self.changed()

    def _show(self, given: list[str]) -> None:
        self.place.clear()
        self.fields = []
        with self.place:
            for index, setting in enumerate(self._settings()):
                self.fields.append(self._field(setting, given[index:] if not setting.choices else given[index:][:1]))

    def _field(self, setting: Setting, given: list[str]) -> Any:
        if setting.choices:
            chosen = given[0] if given and given[0] in setting.choices else setting.usual
            field: Any = ui.select(
                {key: _(words) for key, words in setting.choices.items()}, value=chosen, label=_(setting.label)
            )
        elif setting.is_number():
            value = int(given[0]) if given and given[0].isdecimal() else setting.usual
            field = ui.number(_(setting.label), value=value, min=1, max=1000, step=1).props("debounce=300")
        else:
            field = ui.input(_(setting.label), value=" ".join(given)).props("debounce=400")
            field.props(f"{attribute('hint', _('Where ranges begin, such as 18 30 65'))}")
        field.props(_FIELD).style("width: 100%").on_value_change(lambda: self.changed())
        return field


_OF_SETS = ("balanced", "flat")
