"""Query: ask a finished result how many, and see at least and at most as a bar with a gap."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.fuzzytime.array import MODES
from crypsis.fuzzytime.relations import RELATIONS
from crypsis.query.questions import KINDS, Answer, Question
from crypsis.translation import _, marked, translated
from crypsis.web import theme
from crypsis.web.actions import in_thread, number
from crypsis.web.asked_results import AskedResult
from crypsis.web.period_field import PeriodField
from crypsis.web.region_field import RegionField
from crypsis.web.telling import error_words
from crypsis.web.workbench import Workbench

PATH = "/query"
LEAD = marked("Ask published data how many: at least, at most, with the truth between them.")
COUNT = {"count": marked("How many records")}
LABELS = {
    "presence": marked("Who was in a region in a period"),
    "dwell": marked("How long people were in a region"),
    "relation": marked("Whose visit stands in a relation to a period"),
    "od": marked("Who went from one region to another"),
    "copresence": marked("Who met whom"),
}
REGIONS = {  # by parameter: its label, and its option on the command line
    "region": (marked("Region: places or areas"), "--region"),
    "origin": (marked("From these places or areas"), "--from"),
    "destination": (marked("To these"), "--to"),
}
_MODES = {
    "sometime": marked("sometime in the period"),
    "throughout": marked("throughout the period"),
    "within": marked("within the period only"),
}
TREE_FILE = "hierarchy.csv"


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def query(dataset: str | None = None) -> None:
        with theme.page_frame(_("Query"), LEAD, dataset=dataset):
            results = finished_results(workbench)
            if results:
                QueryPage(workbench, results).show()
                return
            with theme.empty_state(
                "query_stats", _("No result to ask yet"), _("Evaluate a method; its result is asked here.")
            ):
                theme.primary(_("Evaluate"), lambda: ui.navigate.to("/evaluate"), "science")


def finished_results(workbench: Workbench) -> dict[str, str]:
    """The results that can be asked, by experiment and cell, with what people call them."""
    return {
        f"{entry.number}/{row['cell']}": f"{entry.name} · {row['method']} · {str(row['cell'])[:6]}"
        for entry in workbench.experiments.entries()
        for row in workbench.experiments.results(entry.number)
        if row["state"] == "done"
    }


def command(question: Question, asked: AskedResult) -> str:
    """The same question as a command on the release folder of a result."""
    needed, others = KINDS[question.kind][:2]
    words = ["crypsis", "query", question.kind, "release"]
    for name in (*needed, *others):
        value = getattr(question, name)
        if name == "conditions":
            words += value
        elif value:
            option = REGIONS[name][1] if name in REGIONS else f"--{name}"
            words += [option, ",".join(value) if isinstance(value, tuple) else value]
    if question.names_nodes and not asked.publishes_tree:
        words += ["--taxonomy", TREE_FILE]
    return shlex.join(words)


_FACTS = (  # what an answer says in brief
    marked("definitely {definite}, possibly {possible} ({suppressed})"),
    marked("expected {expected}"),
    marked("fuzziness {loss}"),
    marked("truthful {truthful}"),
)


class QueryPage:
    """The page that asks a release."""

    def __init__(self, workbench: Workbench, results: dict[str, str]) -> None:
        self.workbench, self.results = workbench, results
        self.fields: dict[str, Any] = {}
        self.asked: AskedResult | None = None
        self.asking = 0  # the last question; answers to earlier ones come too late
        self.loading = 0  # the last choice of a result; earlier ones come too late

    def show(self) -> None:
        with ui.element("div").classes("halves"):
            with theme.section(_("Question")):
                first = next(iter(self.results))
                self.result = _select(_("Result"), self.results, first, self._chosen)
                self.kind = _select(_("What is asked"), _worded({**COUNT, **LABELS}), "count", self._show_fields)
                self.form = ui.column().style("width: 100%; gap: 10px; flex-wrap: nowrap")
                theme.primary(_("Ask"), self._ask, "query_stats")
            with ui.element("div").classes("stack"):
                self.answer = ui.element("div").classes("stack").props('aria-live="polite"')
        ui.timer(0.05, self._chosen, once=True)

    async def _chosen(self) -> None:
        """Places are asked for where the result has some, columns elsewhere."""
        self.loading += 1
        mine, self.asked = self.loading, None
        self._clear()
        experiment, cell = str(self.result.value).split("/", 1)
        try:
            asked = await in_thread(self._load, experiment, cell)
        except CrypsisError as error:
            if mine == self.loading:
                with self._fault(_("This result cannot be asked"), error):
                    theme.go_button(_("Run it again"), f"/results?experiment={experiment}", "leaderboard")
            return
        if mine != self.loading:
            return
        self.asked = asked
        kinds = LABELS if asked.has_visits else COUNT
        first = next(iter(kinds)) if asked.span is not None or not asked.has_visits else "od"
        same = self.kind.value == first
        self.kind.set_options(_worded(kinds), value=first)
        if same:  # otherwise the change shows them
            self._show_fields()

    def _clear(self) -> None:
        """Neither fields nor an answer; the answer to what was asked before comes too late."""
        self.asking += 1
        self.fields = {}
        self.form.clear()
        self.form.props(remove="data-asked")
        self.answer.clear()

    def _load(self, experiment: str, cell: str) -> AskedResult:
        """The result with all that its fields show, made before they are shown."""
        asked = self.workbench.experiments.asked(experiment, cell)
        for shown in ("places", "nodes", "coordinates", "span"):
            getattr(asked, shown)
        return asked

    def _show_fields(self) -> None:
        if self.asked is None or self.kind.value is None:
            return
        self._clear()
        needed, others = KINDS[self.kind.value][:2]
        with self.form:
            for name in (*needed, *others):
                field = self._field(name, self.asked)
                if field is not None:
                    self.fields[name] = field
        self.form.props(f'data-asked="{self.kind.value} {self.result.value}"')

    def _field(self, name: str, asked: AskedResult) -> Any:
        if name in REGIONS:
            return RegionField(_(REGIONS[name][0]), asked, self._changed)
        if name == "mode":
            return _select(_("When"), _worded({mode: _MODES[mode] for mode in MODES}), MODES[0], self._changed)
        if name == "relation":
            return _select(
                _("Relation"),
                {relation: translated(relation.replace("_", " ")) for relation in RELATIONS},
                RELATIONS[0],
                self._changed,
            )
        if name == "period":
            if asked.span is None:
                theme.message("info", _("No times are published"), _("The release tells the order of visits only."))
                return None
            return PeriodField(asked.span, self._changed)
        field = ui.textarea(_("Conditions, one on each line"), placeholder="age in [20:30]").props("autogrow")
        return field.props("outlined dense").style("width: 100%")

    def _question(self) -> Question:
        told: dict[str, Any] = {}
        for name, field in self.fields.items():
            value = field.value or ""
            if name == "conditions":
                value = tuple(line.strip() for line in value.splitlines() if line.strip())
            told[name] = value
        return Question(kind=self.kind.value, **told)

    async def _changed(self) -> None:
        """A question that is complete is asked again as soon as it changes."""
        if all(field.value for field in self.fields.values()):
            await self._ask()

    async def _ask(self) -> None:
        if self.asked is None:
            return
        self.asking += 1
        mine, asked = self.asking, self.asked
        question: Question | None = None
        try:
            question = self._question()
            answer = await in_thread(asked.answer, question)
        except CrypsisError as error:
            if mine == self.asking:
                with self._fault(_("This cannot be asked"), error):
                    theme.secondary(_("Ask the usual question"), self._show_fields, "restart_alt")
                    if question is not None and question.names_nodes:
                        theme.go_button(_("Build a hierarchy"), "/hierarchies", "account_tree")
            return
        if mine == self.asking:
            self._show_answer(asked, question, answer)

    @contextmanager
    def _fault(self, title: str, error: CrypsisError) -> Iterator[None]:
        self.answer.clear()
        with self.answer, theme.fault(title, error_words(error)):
            yield

    def _show_answer(self, asked: AskedResult, question: Question, found: Answer) -> None:
        self.answer.clear()
        with self.answer:
            with theme.section(_("Answer")):
                if found.content.get("why_no_bounds"):
                    reason = translated(str(found.content["why_no_bounds"]))
                    theme.message("caution", _("An estimate, without bounds"), f"{reason[:1].upper()}{reason[1:]}.")
                words = translated(found.words)
                ui.label(words[:1].upper() + words[1:]).classes("strong meaning")
                _show_bar(found.content)
                if found.facts:
                    ui.label(" · ".join(map(translated, found.facts.split("   ")))).classes("muted small")
            with theme.section(_("The same as a command")) as actions:
                text = command(question, asked)
                with actions:
                    theme.quiet("content_copy", _("Copy the command"), partial(ui.clipboard.write, text))
                ui.html(f'<div class="code">{theme.escaped(text)}</div>', sanitize=False)
                if TREE_FILE in text and asked.tree is not None:
                    address = f"/api/hierarchies/{asked.tree}/hierarchy.csv?form=edges"
                    ui.link(_("Download {file}, the tree of these places", file=TREE_FILE), address).props("download")


def _worded(labels: dict[str, str]) -> dict[str, str]:
    """Labels in the reader's language."""
    return {name: _(label) for name, label in labels.items()}


def _select(label: str, options: dict[str, str], value: str, changed: Any = None) -> Any:
    field = ui.select(options, value=value, label=label, on_change=changed)
    return field.props("outlined dense options-dense").style("width: 100%")


def _show_bar(content: dict[str, Any]) -> None:
    """What is certain, and beyond it what is possible; nothing where there are no bounds."""
    least = content.get("definite", content.get("least_seconds"))
    greatest = content.get("at_most", content.get("possible", content.get("greatest_seconds")))
    estimate = content.get("estimate")
    if least is None or greatest is None:
        if estimate is not None:
            with ui.element("div").classes("tiles"):
                theme.tile(_("Expected"), number(estimate), _("an estimate"))
        return
    scale, unit = (3600, _("hours")) if "least_seconds" in content else (1, "")
    certain, possible = (f"{number(value / scale)} {unit}".strip() for value in (least, greatest))
    share = 100 * least / greatest if greatest else 0.0
    tick = ""
    if estimate is not None and greatest:
        at = 0.5 + 99 * estimate / greatest
        tick = (
            f'<line x1="{at:.2f}" x2="{at:.2f}" y1="0" y2="8" stroke="var(--ink)" stroke-width="2" '
            'vector-effect="non-scaling-stroke"/>'
        )
    spoken = _("Certain {certain}, possible {possible}", certain=certain, possible=possible)
    ui.html(
        f'<svg class="bounds" viewBox="0 0 100 8" preserveAspectRatio="none" width="100%" height="26" role="img" '
        f'aria-label="{theme.escaped(spoken)}"><rect x="0.5" y="0.5" width="99" '
        f'height="7" fill="var(--generalized)" fill-opacity=".18" stroke="var(--generalized)" stroke-dasharray="4 3" '
        f'vector-effect="non-scaling-stroke"/>'
        f'<rect x="0.5" y="0.5" width="{share * 0.99:.3f}" height="7" fill="var(--intact)"/>{tick}</svg>',
        sanitize=False,
    ).style("width: 100%")
    marks = [
        f'<span><i style="background: var(--intact)"></i>{_("certain")}</span>',
        f'<span><i style="border: 1px dashed var(--generalized)"></i>{_("possible: the gap")}</span>',
    ]
    if tick:
        marks.append(f'<span><i style="width: 2px; background: var(--ink)"></i>{_("expected")}</span>')
    ui.html("".join(marks), sanitize=False).classes("legend")
    with ui.element("div").classes("tiles"):
        theme.tile(_("At least"), certain, _("certain"))
        theme.tile(_("At most"), possible, _("possible"))
        if estimate is not None:
            theme.tile(_("Expected"), number(estimate), _("an estimate"))
