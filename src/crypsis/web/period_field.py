"""A period to ask for: two handles on a line of time, or four where its ends are not exact, with a field for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.errors import BadQuery
from crypsis.query.periods import read_period
from crypsis.translation import _, marked
from crypsis.web.asked_results import TimeSpan
from crypsis.web.telling import error_sentence

_TWO = (marked("Beginning"), marked("End"))
_FOUR = (
    marked("Beginning at the earliest"),
    marked("Beginning at the latest"),
    marked("End at the earliest"),
    marked("End at the latest"),
)


class PeriodField:
    """`value` is the period as a question has it; `changed` is called whenever it changes."""

    def __init__(self, span: TimeSpan, changed: Callable[[], Awaitable[None]]) -> None:
        self.span, self.changed = span, changed
        quarter = (span.last - span.first) / 4
        self.instants = [self._near(span.first + quarter), self._near(span.last - quarter)]
        with ui.element("div").classes("stack").style("gap: 8px; width: 100%"):
            self.four = ui.checkbox(_("Beginning and end are not exact (four handles)"), on_change=self._switch)
            self.line = ui.html("", sanitize=False).style("width: 100%")
            self.place = f"period-{self.line.id}"
            self.line.props(f'id="{self.place}"')
            self.fields = ui.element("div").classes("instants")
        ui.on(f"period-{self.place}", self._moved)
        self._show()

    @property
    def value(self) -> str:
        return "/".join(str(field.value or "").strip() for field in self.texts)

    def _near(self, second: float) -> int:
        """The position of a handle that is nearest."""
        span = self.span
        return min(span.last, span.first + round((second - span.first) / span.step) * span.step)

    def _show(self) -> None:
        labels = [_(label) for label in (_FOUR if len(self.instants) == 4 else _TWO)]
        span = self.span
        inputs = "".join(
            f'<input type="range" min="{span.first}" max="{span.last}" step="{span.step}" value="{instant}" '
            f'aria-label="{label}">'
            for label, instant in zip(labels, self.instants, strict=True)
        )
        four = " four" if len(labels) == 4 else ""
        self.line.set_content(
            f'<div class="handles{four}" role="group" aria-label="{_("Period")}"><div class="line" aria-hidden="true">'
            f'<div class="possible"></div><div class="certain"></div></div>{inputs}</div>'
        )
        self.fields.clear()
        self.texts = []
        with self.fields:
            for index, label in enumerate(labels):
                field = ui.input(f"{label}{', UTC' if span.form == 'date' else ''}")
                field.value = span.write(self.instants[index])
                field.props("outlined dense hide-bottom-space debounce=400")
                field.on_value_change(partial(self._typed, index))
                self.texts.append(field)
        ui.run_javascript(f"crypsis.handles('{self.place}', '{self.span.form}', {len(labels)})")

    async def _switch(self) -> None:
        """From two handles to four, a little apart, and back."""
        if self.four.value:
            start, end = self.instants
            apart = max(self.span.step, self._near(self.span.first + (end - start) / 8) - self.span.first)
            inner = min(start + apart, end)
            self.instants = [start, inner, max(end - apart, inner), end]
        else:
            self.instants = [self.instants[0], self.instants[-1]]
        self._show()
        await self.changed()

    async def _moved(self, event: Any) -> None:
        """A handle was moved: the field beside it says where it is."""
        moved = [float(value) for value in event.args]
        if len(moved) != len(self.texts):
            return
        for index, (field, instant) in enumerate(zip(self.texts, moved, strict=True)):
            if self.instants[index] != instant:
                self.instants[index] = int(instant)
                field.error = None
                field.set_value(self.span.write(instant))
        await self.changed()

    async def _typed(self, index: int) -> None:
        """A field was changed: the handle goes there, as near as it can."""
        text = str(self.texts[index].value or "").strip()
        try:
            instant = read_period(f"{text}/{text}", clock=self.span.clock, cycle=self.span.cycle).outer_start
        except BadQuery as error:
            self.texts[index].error = error_sentence(error)
            return
        self.texts[index].error = None
        if instant == self.instants[index]:
            return
        self.instants[index] = int(instant)
        ui.run_javascript(f"crypsis.moveHandles('{self.place}', '{self.span.form}', {self.instants})")
        await self.changed()
