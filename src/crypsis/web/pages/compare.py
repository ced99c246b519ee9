"""Compare: several configurations, each over a range; results appear as cells finish, and the trade-off is drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.evaluate.runs import RunTable
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.reports.parameter_labels import called, called_in, named_label, value_in_words
from crypsis.review import Remedy
from crypsis.translation import _, marked
from crypsis.web import theme
from crypsis.web.actions import done, in_thread, notify_errors
from crypsis.web.experiment_page import ExperimentPage, show_experiment_page
from crypsis.web.pages.evaluate import reasons_against
from crypsis.web.parameter_form import ParameterForm, slider_range
from crypsis.web.results_view import ResultsView
from crypsis.web.telling import note_words
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/compare"
LEAD = marked("Put configurations side by side, vary a parameter, and see what protection costs.")


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def compare(dataset: str | None = None, experiment: str | None = None) -> None:
        await show_experiment_page(workbench, (_("Compare"), LEAD), ComparePage, dataset, experiment)


class ComparePage(ExperimentPage):
    """The page that compares methods."""

    path = PATH

    @property
    def address(self) -> str:
        return f"{super().address}&experiment={self.entry.number}"

    async def prepare(self, choice: str | None) -> None:
        try:
            data = await in_thread(self.workbench.datasets.load, self.dataset.number)
            self.reasons = reasons_against(data)
        except CrypsisError as error:
            self.problem = error
            return
        existing = self.experiments.entries("compare", self.dataset.number)
        chosen = next((entry for entry in existing if entry.number == choice), None)
        if chosen is None and existing:
            chosen = existing[0]
        self.entry = chosen or self._begin()

    def _begin(self) -> Entry:
        suggested = self.workbench.datasets.suggested_run(self.dataset.number)
        runs = [] if suggested is None else [_run(suggested.method, suggested.params)]
        return self.experiments.create(
            self.dataset.number, "compare", {"run": runs}, _("{name} comparison", name=self.dataset.name)
        )

    @property
    def runs(self) -> list[RunTable]:
        return [run.copy() for run in self.entry.content["tables"].get("run") or []]

    def show_experiment(self) -> None:
        with theme.section(
            _("Configurations"), _("Each is a method with its settings, run at every value of its range")
        ) as head:
            with head:
                self.add = theme.secondary(_("Add a configuration"), self._add, "add")
                self.start = theme.primary(_("Run all"), notify_errors(self._start), "play_arrow")
                self.stop = theme.secondary(_("Cancel"), notify_errors(self._cancel), "stop")
            self.cards = (
                ui.element("div").classes("cards").style("grid-template-columns: repeat(auto-fill, minmax(330px, 1fr))")
            )
            self.faults = ui.column().style("width: 100%")
        self._show_cards()
        self.view = ResultsView(self.workbench, self.entry.number, self._apply)
        self.view.show()
        self._refresh()
        ui.timer(0.6, self._refresh)

    def _refresh(self) -> None:
        running = self.view.refresh()
        self.start.set_enabled(not running and bool(self.runs))
        self.stop.set_enabled(running)

    # Cards

    def _show_cards(self, focus: int | None = None) -> None:
        """Draw the cards again; the keyboard goes on at the one that was made or moved."""
        self.cards.clear()
        self.forms: list[ParameterForm | None] = []
        self.names: list[Any] = []
        self.problems: list[Any] = []
        self.more: list[Any] = []
        with self.cards:
            for index, run in enumerate(self.runs):
                self._card(index, run)
            if not self.runs:
                ui.label(_("Add a configuration to begin.")).classes("muted")
        if focus is not None and self.names:
            name = self.names[min(focus, len(self.names) - 1)]
            ui.timer(0.1, lambda: name.run_method("focus"), once=True)

    def _card(self, index: int, run: RunTable) -> None:
        label = str(run.get("label") or run.get("method") or "run")
        with (
            ui.element("div")
            .classes("card")
            .props(f"role=group {theme.attribute('aria-label', _('Configuration {label}', label=label))}")
        ):
            with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: center; gap: 4px"):
                name = ui.input(_("Label"), value=label).props("outlined dense debounce=500").style("flex: 1")
                name.on_value_change(lambda event: self._set(index, label=str(event.value or "")))
                self.names.append(name)
                theme.quiet("content_copy", _("Duplicate {label}", label=label), lambda: self._duplicate(index))
                theme.quiet(
                    "arrow_back", _("Move {label} to the front", label=label), lambda: self._move(index, -1)
                ).set_enabled(index > 0)
                theme.quiet(
                    "arrow_forward", _("Move {label} back", label=label), lambda: self._move(index, 1)
                ).set_enabled(index < len(self.runs) - 1)
                theme.quiet("close", _("Remove {label}", label=label), lambda: self._remove(index))
            self.problems.append(ui.element("div").classes("stack").style("gap: 6px"))
            if "method" not in run or run["method"] not in METHODS:
                ui.label(_("Written in a file; change it with Show as file.")).classes("muted small")
                self.forms.append(None)
                self.more.append(None)
                return
            possible = {name: METHODS[name].__name__ for name, reason in self.reasons.items() if reason is None}
            method = ui.select(possible, value=run["method"] if run["method"] in possible else None, label=_("Method"))
            method.props("outlined dense options-dense").style("width: 100%")
            method.on_value_change(lambda event: self._set_method(index, event.value))
            self._sweep(index, run)
            values = dict(run.get("params") or {})
            swept = (run.get("sweep") or {}).get("param")
            with (
                ui.expansion(_in_short(run["method"], values, swept)).props("dense").classes("fold") as more,
                ui.column().style("width: 100%"),
            ):
                form = ParameterForm(
                    run["method"], values, lambda: self._set_params(index, values, more, swept), self.dataset.number
                )
            self.forms.append(form)
            self.more.append(more)

    def _sweep(self, index: int, run: RunTable) -> None:
        sweepable = [
            one for one in parameters_of(METHODS[run["method"]]) if one.type in (int, float) and one.name != "seed"
        ]
        sweep = dict(run.get("sweep") or {})
        names = {one.name: called(one) for one in sweepable}
        options = {"": _("nothing"), **{one.name: named_label(one) for one in sweepable}}
        with ui.row().classes("sweep").style("width: 100%; flex-wrap: nowrap; gap: 6px"):
            param = ui.select(options, value=sweep.get("param", ""), label=_("Vary")).props(
                "outlined dense options-dense"
            )
            param.props(theme.attribute("display-value", names.get(str(sweep.get("param")), _("nothing")))).style(
                "flex: 1.4; min-width: 116px"
            )
            fields = []
            for key, words in (("start", _("From")), ("end", _("to")), ("step", _("step"))):
                field = (
                    ui.number(words, value=sweep.get(key))
                    .props("outlined dense debounce=500")
                    .style("flex: 1; min-width: 0")
                )
                field.set_visibility(bool(sweep))
                fields.append(field)

        def changed() -> None:
            if not param.value:
                self._set(index, sweep=None)
            else:
                told_values = [field.value for field in fields]
                if any(value is None for value in told_values):
                    return
                kind = next(parameter.type for parameter in sweepable if parameter.name == param.value)
                start, end, step = (
                    int(value) if kind is int and float(value).is_integer() else value for value in told_values
                )
                self._set(index, sweep={"param": param.value, "start": start, "end": end, "step": step})

        def chosen() -> None:
            param.props(theme.attribute("display-value", names.get(param.value, _("nothing"))))
            for field in fields:
                field.set_visibility(bool(param.value))
            if param.value:
                parameter = next(one for one in sweepable if one.name == param.value)
                low, high, _step = slider_range(parameter)
                default = parameter.default if isinstance(parameter.default, (int, float)) else low
                around = (max(low, default), min(high, 5 * default or high)) if parameter.type is int else (low, high)
                stride = (
                    max(1, round((around[1] - around[0]) / 4))
                    if parameter.type is int
                    else round((around[1] - around[0]) / 4, 4)
                )
                for field, value in zip(fields, (around[0], around[1], stride), strict=True):
                    field.set_value(value)
            changed()

        param.on_value_change(chosen)
        for field in fields:
            field.on_value_change(changed)

    def _set(self, index: int, **change: Any) -> None:
        runs = self.runs
        kept = {key: value for key, value in {**runs[index], **change}.items() if value not in (None, "")}
        runs[index] = cast(RunTable, kept)
        self.keep_runs(runs)
        self.faults.clear()
        self.problems[index].clear()

    def _apply(self, label: str, remedy: Remedy) -> None:
        """Set what would mend a finding in the configuration of this label; the person presses Run all."""
        for index, run in enumerate(self.runs):
            if _label(run) == label and (run.get("sweep") or {}).get("param") != remedy.parameter:
                params = {**(run.get("params") or {}), str(remedy.parameter): remedy.value}
                self._set(index, params=params)
                self._show_cards(focus=index)
                done(
                    _(
                        "{label}: {parameter} is {value} now. Press Run all.",
                        label=label,
                        parameter=called_in(run["method"], str(remedy.parameter)),
                        value=remedy.value,
                    )
                )
                return
        method = next(run["method"] for run in self.runs if _label(run) == label)
        varied = called_in(method, str(remedy.parameter))
        done(_("{parameter} is varied in this configuration; change its range.", parameter=varied))

    def _set_params(self, index: int, values: dict[str, Any], more: Any, swept: str | None) -> None:
        self._set(index, params=dict(values))
        more.set_text(_in_short(self.runs[index]["method"], values, swept))

    def _set_method(self, index: int, name: str | None) -> None:
        if name:
            runs = self.runs
            known = {parameter.name for parameter in parameters_of(METHODS[name])}
            params = {key: value for key, value in (runs[index].get("params") or {}).items() if key in known}
            sweep = runs[index].get("sweep")
            runs[index] = {"label": self._free_label(METHODS[name].__name__), "method": name, "params": params}
            if sweep and sweep["param"] in known:
                runs[index]["sweep"] = sweep
            self.keep_runs(runs)
            self._show_cards(focus=index)

    def _free_label(self, wanted: str) -> str:
        taken = {str(run.get("label") or run.get("method")) for run in self.runs}
        label, count = wanted, 2
        while label in taken:
            label, count = f"{wanted} {count}", count + 1
        return label

    def _add(self) -> None:
        used = {run.get("method") for run in self.runs}
        possible = [name for name, reason in self.reasons.items() if reason is None]
        name = next((one for one in possible if one not in used), possible[0] if possible else None)
        if name is None:
            return
        known = {parameter.name for parameter in parameters_of(METHODS[name])}
        params = {
            key: value
            for key, value in ((self.runs[0].get("params") if self.runs else None) or {"k": 5}).items()
            if key in known
        }
        made: RunTable = {"label": self._free_label(METHODS[name].__name__), "method": name, "params": params}
        sweep = self.runs[0].get("sweep") if self.runs else None
        if sweep and sweep.get("param") in known:
            made["sweep"] = sweep
        self.keep_runs([*self.runs, made])
        self._show_cards(focus=len(self.runs) - 1)

    def _duplicate(self, index: int) -> None:
        runs = self.runs
        copy = runs[index].copy()
        copy["label"] = self._free_label(str(copy.get("label") or copy.get("method")))
        self.keep_runs([*runs[: index + 1], copy, *runs[index + 1 :]])
        self._show_cards(focus=index + 1)

    def _move(self, index: int, by: int) -> None:
        runs = self.runs
        runs[index], runs[index + by] = runs[index + by], runs[index]
        self.keep_runs(runs)
        self._show_cards(focus=index + by)

    def _remove(self, index: int) -> None:
        runs = self.runs
        del runs[index]
        self.keep_runs(runs)
        self._show_cards(focus=index)

    # Running

    async def _start(self) -> None:
        for told in (self.faults, *self.problems):
            told.clear()
        problems = await in_thread(self.experiments.problems, self.entry.number)
        if problems:
            for problem in problems:
                self._show_problem(problem.where, problem.message)
            return
        await in_thread(self.experiments.start, self.entry.number)
        self._refresh()
        theme.keep_focus(self.stop, self.start)

    def _show_problem(self, where: str, words: str) -> None:
        """Beside the field, in the card, or, where it is about all of them, below the cards."""
        match = re.match(r"run (\d+)", where)
        index = int(match.group(1)) - 1 if match else -1
        if not 0 <= index < len(self.problems):
            with self.faults, theme.fault(where or _("Problem"), note_words(words)):
                self._offer_columns()
            return
        form = self.forms[index]
        if form is not None and form.place_problem(words):
            self.more[index].open()
        else:
            title = _("This configuration cannot be run")
            with self.problems[index], theme.fault(title, note_words(words)):
                theme.secondary(_("Remove this configuration"), lambda: self._remove(index), "close")
                self._offer_columns()

    def _offer_columns(self) -> None:
        columns = _("Look at the columns on the page Data")
        theme.go_button(columns, f"/data?dataset={self.dataset.number}", "table_chart")

    async def _cancel(self) -> None:
        await in_thread(self.experiments.cancel, self.entry.number)
        self._refresh()
        theme.keep_focus(self.start, self.stop)


def _run(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    run: dict[str, Any] = {"label": METHODS[method].__name__, "method": method, "params": dict(params)}
    varied = next((name for name in ("k", "K") if name in params), None)
    if varied is not None:
        del run["params"][varied]
        run["sweep"] = {"param": varied, "start": 5, "end": 25, "step": 5}
    return run


def _label(run: RunTable) -> str:
    return str(run.get("label") or run.get("method"))


def _in_short(method: str, values: dict[str, Any], swept: str | None) -> str:
    known = {parameter.name: parameter for parameter in parameters_of(METHODS[method])}
    told_values = ", ".join(
        f"{called(known[name])} = {value_in_words(known[name], value)}" if name in known else f"{name} = {value}"
        for name, value in values.items()
        if name != swept
    )
    return _("Settings · {told_values}", told_values=told_values) if told_values else _("Settings · as suggested")
