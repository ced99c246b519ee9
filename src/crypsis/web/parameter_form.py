"""A form made from the annotations of a method: a number and a slider bound together, choices, switches, texts."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from nicegui import ui

from crypsis.data.domains import PUBLIC_IN_DATA
from crypsis.errors import CrypsisError
from crypsis.evaluate.validation import domain_parameters
from crypsis.methods import METHODS
from crypsis.parameters import Above, AtLeast, Between, Companion, Parameter, parameters_of
from crypsis.web.theme import escaped

_FIRST = 5  # parameters that are shown at once; the others are behind "More settings"
_COMPANION_PAGES = {
    "Hierarchies": ("/hierarchies", "Hierarchies"),
    "ItemHierarchy": ("/hierarchies", "Hierarchies"),
    "Taxonomy": ("/hierarchies", "Hierarchies"),
    "PrivacyPolicy": ("/policies", "Policies"),
    "UtilityPolicy": ("/policies", "Policies"),
    "UtilityConstraints": ("/policies", "Policies"),
}


class ParameterForm:
    """The parameters of one method. `values` holds what differs from the defaults; `changed` is told after a change."""

    def __init__(self, method: str, values: dict[str, Any], changed: Callable[[], Any], dataset: str = "") -> None:
        self.method, self.values, self.changed, self.dataset = METHODS[method], values, changed, dataset
        self.fields: dict[str, Any] = {}
        shown = [one for one in parameters_of(self.method) if one.name != "seed"]
        self.domains = domain_parameters(method)
        plain = [one for one in shown if not issubclass(one.type, Companion) or one.name in self.domains]
        urgent = [one for one in plain if one.name in values or one.name in self.domains]
        first = urgent + [one for one in plain if one not in urgent]
        first = sorted(first[:_FIRST], key=plain.index)
        for parameter in first:
            self._field(parameter)
        rest = [one for one in shown if one not in first]
        if rest:
            with ui.expansion("More settings").props("dense").style("width: 100%"), ui.column().style("width: 100%"):
                for parameter in rest:
                    self._field(parameter)

    def show_problem(self, name: str, text: str) -> bool:
        """Words beside the field of a parameter; False where there is none."""
        field = self.fields.get(name)
        if field is None or not hasattr(field, "error"):
            return False
        field.error = text
        return True

    def _field(self, parameter: Parameter) -> None:
        value = self.values.get(parameter.name, None if parameter.required else parameter.default)
        with ui.element("div").classes("parameter"):
            if issubclass(parameter.type, Companion):
                self._companion(parameter)
            elif parameter.choices:
                self._choice(parameter, value)
            elif parameter.type is bool:
                ui.label(parameter.name).classes("name")
                field = ui.switch(value=bool(value)).props(f'dense aria-label="{parameter.name}"')
                field.on_value_change(lambda event: self._set(parameter, bool(event.value)))
                self.fields[parameter.name] = field
            elif parameter.type in (int, float):
                self._number(parameter, value)
            else:
                self._text(parameter, value)
            ui.label(parameter.help).classes("help")

    def _choice(self, parameter: Parameter, value: Any) -> None:
        options: dict[Any, str] = {choice: choice for choice in parameter.choices}
        if parameter.optional:
            options = {None: "–", **options}
        field = ui.select(options, value=value if value in options else None, label=parameter.name)
        field.props("outlined dense options-dense").style("grid-column: 1 / -1")
        field.on_value_change(lambda event: self._set(parameter, event.value))
        self.fields[parameter.name] = field

    def _number(self, parameter: Parameter, value: Any) -> None:
        low, high, step = slider_range(parameter)
        field = ui.number(parameter.name, value=value, step=step, precision=0 if parameter.type is int else None).props(
            "outlined dense hide-bottom-space"
        )
        slider = ui.slider(min=low, max=high, step=step, value=value if isinstance(value, (int, float)) else low)
        slider.props(f'label aria-label="{escaped(parameter.name)}, slider" color=primary')
        slider.move(target_index=0)
        busy = False

        def from_field(event: Any) -> None:
            nonlocal busy
            if busy:
                return
            busy = True
            if event.value is not None:
                slider.set_value(min(max(event.value, low), high))
            busy = False
            self._set(parameter, event.value)

        def from_slider(event: Any) -> None:
            nonlocal busy
            if busy:
                return
            busy = True
            chosen = int(event.value) if parameter.type is int else round(float(event.value), 6)
            field.set_value(chosen)
            busy = False
            self._set(parameter, chosen)

        field.on_value_change(from_field)
        slider.on_value_change(from_slider)
        self.fields[parameter.name] = field

    def _text(self, parameter: Parameter, value: Any) -> None:
        shown = "" if value is None else str(value)
        field = ui.input(parameter.name, value=shown).props("outlined dense hide-bottom-space debounce=400")
        field.style("grid-column: 1 / -1")
        field.on_value_change(lambda event: self._set(parameter, event.value))
        self.fields[parameter.name] = field

    def _companion(self, parameter: Parameter) -> None:
        path, page = _COMPANION_PAGES.get(parameter.type.__name__, ("", ""))
        value = self.values.get(parameter.name)
        field = ui.input(parameter.name, value="" if value is None else str(value))
        declared = parameter.name in self.domains
        hint = "a file, or public-in-data" if declared else "none" if not path else "made automatically"
        field.props(f'outlined dense hide-bottom-space debounce=500 placeholder="{hint}"')
        field.style("grid-column: 1 / -1")
        field.on_value_change(lambda event: self._set(parameter, event.value or None))
        self.fields[parameter.name] = field
        if declared:
            ui.button("Those in the data are public", on_click=lambda: field.set_value(PUBLIC_IN_DATA)).props(
                "flat dense no-caps size=sm"
            ).style("grid-column: 1 / -1; justify-self: start")
        if path:
            target = f"{path}?dataset={self.dataset}" if self.dataset else path
            ui.link(f"or set it on the page {page}", target).classes("small").style("grid-column: 1 / -1")

    def _set(self, parameter: Parameter, value: Any) -> None:
        field = self.fields.get(parameter.name)
        default = None if parameter.required else parameter.default
        if parameter.type is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        plain_default = str(default) if isinstance(default, Fraction) else default
        if value in (None, "") and (not parameter.required or parameter.optional):
            self.values.pop(parameter.name, None)
        elif value == plain_default and parameter.name not in self.values:
            pass
        else:
            self.values[parameter.name] = value
        if field is not None and hasattr(field, "error"):
            field.error = _problem(parameter, value, self.method.__name__)
        self.changed()


def _problem(parameter: Parameter, value: Any, owner: str) -> str | None:
    """What is wrong with a value, in words; companions are checked when the whole is."""
    if issubclass(parameter.type, Companion):
        return None
    if value in (None, ""):
        return "needed" if parameter.required else None
    try:
        parameter.parse(value, owner) if isinstance(value, str) else parameter.check(value, owner)
    except CrypsisError as error:
        return error.message.removeprefix(f"{owner}: ")
    return None


def slider_range(parameter: Parameter) -> tuple[float, float, float]:
    """Smallest and largest value of a slider, and its step. Where there is no upper bound, ten times the default."""
    low, high = 0.0, math.inf
    for bound in parameter.bounds:
        if isinstance(bound, Between):
            low, high = bound.lowest, bound.highest
        elif isinstance(bound, AtLeast):
            low = bound.lowest
        elif isinstance(bound, Above):
            low = bound.limit
    default = parameter.default if isinstance(parameter.default, (int, float)) else low
    if math.isinf(high):
        high = max(10 * default, low + 10)
    if parameter.type is int:
        return int(low), int(high), 1
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9) / 100))
    return low + (step if any(isinstance(bound, Above) for bound in parameter.bounds) else 0), high, step
