"""A form made from the annotations of a method: a number and a slider bound together, choices, switches, texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from nicegui import ui

from crypsis.data.domains import PUBLIC_IN_DATA
from crypsis.data.projection import unit_in
from crypsis.errors import CrypsisError
from crypsis.evaluate.applicability import domain_parameters
from crypsis.methods import METHODS
from crypsis.parameters import Above, AtLeast, Between, Parameter, SideInput, parameters_of
from crypsis.reports.parameter_labels import CONDITION, called, label_of, named_label
from crypsis.translation import _, marked, translated
from crypsis.web.theme import attribute

# Beside what the promise is made of: what decides how much is lost. Everything else is behind "More settings".
_MATTER = frozenset(
    ("l", "delta", "relational", "transaction", "merge", "radius", "N", "max_suppressed", "grams", "longest", "height")
)
_SELDOM = frozenset(("unit", "strict", "H", "sensitive_values"))  # of a promise, but seldom changed
COMPANION_PAGES = {
    "Hierarchies": ("/hierarchies", marked("Hierarchies")),
    "ItemHierarchy": ("/hierarchies", marked("Hierarchies")),
    "Taxonomy": ("/hierarchies", marked("Hierarchies")),
    "PrivacyPolicy": ("/policies", marked("Policies")),
    "UtilityPolicy": ("/policies", marked("Policies")),
    "UtilityConstraints": ("/policies", marked("Policies")),
}


class ParameterForm:
    """The parameters of one method. `values` holds what differs from the defaults; `changed` is called after a change,
    `released` when somebody lets go of a slider; `crs` is the projection that distances are measured in.
    """

    def __init__(
        self,
        method: str,
        values: dict[str, Any],
        changed: Callable[[], Any],
        dataset: str = "",
        released: Callable[[], Any] | None = None,
        crs: str | None = None,
    ) -> None:
        self.method, self.values, self.changed, self.dataset = METHODS[method], values, changed, dataset
        self.released, self.crs = released, crs
        self.fields: dict[str, Any] = {}
        self.problems: dict[str, Any] = {}
        self.domains = domain_parameters(method)
        shown = [one for one in parameters_of(self.method) if one.name != "seed"]
        first = [one for one in shown if self._matters(one)]
        for parameter in first:
            self._field(parameter)
        rest = [one for one in shown if one not in first]
        self.folded = {one.name for one in rest}
        if rest:
            with ui.expansion(_("More settings ({rest})", rest=len(rest))).props("dense").classes("fold") as self.more:
                for parameter in rest:
                    self._field(parameter)

    def _matters(self, parameter: Parameter) -> bool:
        if parameter.name in self.values or parameter.name in self.domains or parameter.required:
            return True
        if issubclass(parameter.type, SideInput) or parameter.name in _SELDOM:
            return False
        if parameter.name in {one.name for one in parameters_of(self.method.promises)}:
            return True
        return parameter.name in _MATTER and not CONDITION.match(parameter.help)

    def place_problem(self, message: str) -> bool:
        """A problem that a check of the whole found, beside the parameter that it names; False where it names none."""
        named = re.match(r"\w+: (\w+) (.+)", message, re.DOTALL)
        return named is not None and self.show_problem(named.group(1), named.group(2))

    def show_problem(self, name: str, text: str | None) -> bool:
        """Words beside the field of a parameter; False where there is none."""
        if name not in self.problems:
            return False
        if text and name in self.folded:
            self.more.open()
        self.problems[name].set_text(_for_people(translated(text or "")))
        self.problems[name].set_visibility(bool(text))
        self.fields[name].classes("wrong" if text else "", remove="" if text else "wrong")
        self.fields[name].props(f"aria-invalid={'true' if text else 'false'}")
        return True

    def _field(self, parameter: Parameter) -> None:
        value = self.values.get(parameter.name, None if parameter.required else parameter.default)
        words, more = label_of(parameter)
        with ui.element("div").classes("parameter"):
            with ui.element("div").classes("parameter-name"):
                ui.label(words).classes("name")
                if parameter.symbol:
                    ui.label(parameter.symbol).classes("raw").props('aria-hidden="true" translate="no"')
            if issubclass(parameter.type, SideInput):
                field = self._side_input(parameter)
            elif parameter.choices:
                field = self._choice(parameter, value)
            elif parameter.type is bool:
                field = ui.switch(value=bool(value)).props("dense").classes("parameter-switch")
                field.on_value_change(lambda event: self._set(parameter, bool(event.value)))
            elif parameter.type in (int, float):
                field = self._number(parameter, value)
            else:
                field = self._text(parameter, value)
            field.props(attribute("aria-label", named_label(parameter)))
            self.fields[parameter.name] = field
            problem = ui.label().classes("field-error").props("role=alert")
            problem.set_visibility(False)
            self.problems[parameter.name] = problem
            if parameter.unit and parameter.unit not in parameter.help:
                unit = translated(unit_in(parameter.unit, self.crs))
                more = f"{_('In {unit}.', unit=unit)} {more}".rstrip()
            if more:
                ui.label(more).classes("help")

    def _choice(self, parameter: Parameter, value: Any) -> Any:
        options: dict[Any, str] = {name: translated(words) for name, words in parameter.choice_labels.items()}
        if parameter.optional:
            options = {None: _("not set"), **options}
        field = ui.select(options, value=value if value in options else None)
        field.props("outlined dense options-dense hide-bottom-space").classes("wide")
        field.on_value_change(lambda event: self._set(parameter, event.value))
        return field

    def _number(self, parameter: Parameter, value: Any) -> Any:
        low, high, step = slider_range(parameter)
        field = ui.number(value=value, step=step, precision=0 if parameter.type is int else None).props(
            f"outlined dense hide-bottom-space {attribute('placeholder', _('not set'))}"
        )
        slider = ui.slider(min=low, max=high, step=step, value=value if isinstance(value, (int, float)) else low)
        slider.props(f"label color=primary {attribute('aria-label', _('{name}, slider', name=called(parameter)))}")
        slider.classes("unset" if value is None else "")
        slider.move(target_index=1)  # before the number, below the name
        busy = False

        def from_field(event: Any) -> None:
            nonlocal busy
            if busy:
                return
            busy = True
            slider.classes("unset" if event.value is None else "", remove="unset" if event.value is not None else "")
            if event.value is not None:
                slider.set_value(min(max(event.value, low), high))
            busy = False
            self._set(parameter, event.value)

        def from_slider(event: Any) -> None:
            nonlocal busy
            if busy:
                return
            busy = True
            slider.classes(remove="unset")
            chosen = int(event.value) if parameter.type is int else round(float(event.value), 6)
            field.set_value(chosen)
            busy = False
            self._set(parameter, chosen)

        field.on_value_change(from_field)
        slider.on_value_change(from_slider)
        if self.released is not None:
            released = self.released

            async def let_go(event: Any) -> None:
                slider.set_value(event.args)  # it may come before the last change
                await released()

            slider.on("change", let_go)
        return field

    def _text(self, parameter: Parameter, value: Any) -> Any:
        shown = "" if value is None else str(value)
        field = ui.input(value=shown).props("outlined dense hide-bottom-space debounce=400").classes("wide")
        field.on_value_change(lambda event: self._set(parameter, event.value))
        return field

    def _side_input(self, parameter: Parameter) -> Any:
        path, page = COMPANION_PAGES.get(parameter.type.__name__, ("", ""))
        value = self.values.get(parameter.name)
        field = ui.input(value="" if value is None else str(value))
        declared = parameter.name in self.domains
        hint = (
            _("path of a file, or public-in-data")
            if declared
            else _("not set")
            if not path
            else _("made automatically")
        )
        field.props(f"outlined dense hide-bottom-space debounce=500 {attribute('placeholder', hint)}").classes("wide")
        field.on_value_change(lambda event: self._set(parameter, event.value or None))
        if declared:
            ui.button(_("What is in the data is public"), on_click=lambda: field.set_value(PUBLIC_IN_DATA)).props(
                "outline dense no-caps size=sm padding='2px 8px'"
            ).classes("wide").style("justify-self: start").tooltip(
                _(
                    "For instance the products of a shop, or all postcodes: nobody learns from the list "
                    "who is in the data"
                )
            )
        if path:
            target = f"{path}?dataset={self.dataset}" if self.dataset else path
            ui.link(_("Set it on the page {page}", page=_(page)), target).classes("small wide")
        return field

    def _set(self, parameter: Parameter, value: Any) -> None:
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
        self.show_problem(parameter.name, _problem(parameter, value, self.method.__name__))
        self.changed()


def _problem(parameter: Parameter, value: Any, owner: str) -> str | None:
    """What is wrong with a value, in words; side inputs are checked when the whole is."""
    if issubclass(parameter.type, SideInput):
        return None
    if value in (None, ""):
        return _("needed") if parameter.required else None
    try:
        parameter.parse(value, owner) if isinstance(value, str) else parameter.check(value, owner)
    except CrypsisError as error:
        return error.sentence.removeprefix(f"{owner}: ")
    return None


def _for_people(problem: str) -> str:
    """Types by their plain names."""
    return re.sub(r"\ban int\b", "a whole number", re.sub(r"\ba float\b", "a number", problem))


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
