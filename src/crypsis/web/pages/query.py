"""Query: ask a finished result how many, and see at least and at most as a bar with a gap."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import ui

from crypsis.errors import CrypsisError, NotApplicable
from crypsis.fuzzytime.array import MODES
from crypsis.fuzzytime.relations import RELATIONS
from crypsis.query.questions import KINDS, Answer, Question
from crypsis.web import theme
from crypsis.web.actions import in_thread, number
from crypsis.web.telling import error_words
from crypsis.web.workbench import Workbench

PATH = "/query"
LEAD = "Ask published data how many: at least, at most, with the truth between them."
LABELS = {
    "count": "How many records",
    "presence": "Who was in a region in a period",
    "dwell": "How long people were in a region",
    "relation": "Whose visit stands in a relation to a period",
    "od": "Who went from one region to another",
    "copresence": "Who met whom",
}
_OPTIONS = {"origin": "--from", "destination": "--to"}


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def query(request: Request, dataset: str | None = None) -> None:
        mode = request.cookies.get(theme.THEME_COOKIE)
        with theme.page_frame("Query", LEAD, theme=mode, dataset=dataset):
            results = finished_results(workbench)
            if results:
                QueryPage(workbench, results).show()
                return
            with theme.empty_state(
                "query_stats", "No result to ask yet", "Evaluate a method; its result is asked here."
            ):
                theme.primary("Evaluate", lambda: ui.navigate.to("/evaluate"), "science")


def finished_results(workbench: Workbench) -> dict[str, str]:
    """The results that can be asked, by experiment and cell, with what people call them."""
    return {
        f"{entry.number}/{row['cell']}": f"{entry.name} · {row['method']} · {row['cell'][:6]}"
        for entry in workbench.experiments.entries()
        for row in workbench.experiments.results(entry.number)
        if row["state"] == "done"
    }


def command(question: Question) -> str:
    """The same question as a command on a release folder."""
    needed, others, _ = KINDS[question.kind]
    words = ["crypsis", "query", question.kind, "release"]
    for name in (*needed, *others):
        value = getattr(question, name)
        if name == "conditions":
            words += value
        elif value:
            words += [_OPTIONS.get(name, f"--{name}"), ",".join(value) if isinstance(value, tuple) else value]
    return shlex.join(words)


class QueryPage:
    def __init__(self, workbench: Workbench, results: dict[str, str]) -> None:
        self.workbench, self.results = workbench, results
        self.fields: dict[str, Any] = {}
        self.places: list[str] = []

    def show(self) -> None:
        with ui.element("div").classes("split"):
            with theme.section("Question"):
                first = next(iter(self.results))
                self.result = _select("Result", self.results, first, self._chosen)
                self.kind = _select("What is asked", LABELS, "count", self._show_fields)
                self.form = ui.column().style("width: 100%; gap: 10px")
                theme.primary("Ask", self._ask, "query_stats")
            with ui.element("div").classes("stack"):
                self.answer = ui.element("div").classes("stack").props('aria-live="polite"')
        self._show_fields()
        ui.timer(0.05, self._chosen, once=True)

    async def _chosen(self) -> None:
        """Places are asked for where the result has some, columns elsewhere."""
        try:
            found = await in_thread(self._answer, Question(kind="places"))
            self.places = [row["place"] for row in found.content["places"]]
        except NotApplicable:
            self.places = []
        self.kind.set_value("presence" if self.places else "count")
        self._show_fields()
        self.answer.clear()

    def _show_fields(self) -> None:
        self.form.clear()
        self.fields = {}
        needed, others, _ = KINDS[self.kind.value]
        with self.form:
            for name in (*needed, *others):
                self.fields[name] = self._field(name)

    def _field(self, name: str) -> Any:
        field: Any
        if name in ("region", "origin", "destination"):
            label = {"region": "Places of the region", "origin": "From these places", "destination": "To these places"}
            field = ui.select(self.places, label=label[name], multiple=True, value=[])
            return field.props("outlined dense options-dense use-chips").style("width: 100%")
        if name == "mode":
            return _select("Sometime, throughout or within", {one: one for one in MODES}, MODES[0])
        if name == "relation":
            return _select("Relation", {one: one for one in RELATIONS}, RELATIONS[0])
        if name == "period":
            field = ui.input("Two or four instants, with / between them", placeholder="2024-03-01T08:00/10:00")
        else:
            field = ui.textarea("Conditions, one on each line", placeholder="age in [20:30]").props("autogrow")
        return field.props("outlined dense").style("width: 100%")

    def _question(self) -> Question:
        told: dict[str, Any] = {}
        for name, field in self.fields.items():
            value = field.value or ""
            if name == "conditions":
                value = tuple(line.strip() for line in value.splitlines() if line.strip())
            told[name] = tuple(value) if isinstance(value, list) else value
        return Question(kind=self.kind.value, **told)

    def _answer(self, question: Question) -> Answer:
        experiment, _, cell = str(self.result.value).partition("/")
        return self.workbench.experiments.ask(experiment, cell, question)

    async def _ask(self) -> None:
        self.answer.clear()
        try:
            question = self._question()
            found = await in_thread(self._answer, question)
        except CrypsisError as error:
            with self.answer:
                theme.message("bad", "This cannot be asked", error_words(error))
            return
        with self.answer:
            with theme.section("Answer"):
                ui.label(found.words[:1].upper() + found.words[1:]).classes("strong")
                _show_bar(found.content)
            with theme.section("The same as a command") as actions:
                text = command(question)
                with actions:
                    theme.quiet("content_copy", "Copy the command", partial(ui.clipboard.write, text))
                ui.html(f'<div class="code">{theme.escaped(text)}</div>', sanitize=False)


def _select(label: str, options: dict[str, str], value: str, changed: Any = None) -> Any:
    field = ui.select(options, value=value, label=label, on_change=changed)
    return field.props("outlined dense options-dense").style("width: 100%")


def _show_bar(content: dict[str, Any]) -> None:
    """What is certain, and beyond it what is possible; nothing where there are no bounds."""
    least = content.get("definite", content.get("least_seconds"))
    greatest = content.get("at_most", content.get("possible", content.get("greatest_seconds")))
    if least is None or greatest is None:
        return
    certain = 100 * least / greatest if greatest else 0
    words = f"Certain {number(least)}, possible {number(greatest)}"
    ui.html(
        f'<svg class="bounds" viewBox="0 0 100 8" preserveAspectRatio="none" width="100%" height="22" role="img" '
        f'aria-label="{theme.escaped(words)}"><rect x="0.5" y="0.5" width="99" height="7" fill="none" '
        f'stroke="var(--generalized)" stroke-dasharray="2 1" vector-effect="non-scaling-stroke"/>'
        f'<rect x="0.5" y="0.5" width="{certain * 0.99:.3f}" height="7" fill="var(--intact)"/></svg>',
        sanitize=False,
    ).style("width: 100%")
    with ui.element("div").classes("tiles"):
        theme.tile("At least", number(least), "certain")
        theme.tile("At most", number(greatest), "possible")
        if content.get("estimate") is not None:
            theme.tile("Expected", number(content["estimate"]), "an estimate")
