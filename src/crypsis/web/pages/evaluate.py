"""Evaluate: one method with one setting. Form, progress, verdict, losses, output beside the original, release."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.evaluate.applicability import why_not
from crypsis.evaluate.runs import Run, RunTable
from crypsis.evaluate.stored_cell import Times
from crypsis.evaluate.suggestions import RUN_FOR_KIND
from crypsis.methods import METHODS
from crypsis.reports.parameter_labels import called_in
from crypsis.review import Remedy, Review
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import duration
from crypsis.web import theme
from crypsis.web.actions import done, in_thread, notify_errors, number, percent
from crypsis.web.attack_card import AttackCard
from crypsis.web.comparison_view import ComparisonView
from crypsis.web.experiment_page import ExperimentPage, show_experiment_page
from crypsis.web.figures import figure_label, loss_tiles, rough_duration, time_bars
from crypsis.web.lights_view import of_former_run, show_lights
from crypsis.web.pace import Pace
from crypsis.web.parameter_form import ParameterForm
from crypsis.web.remedies import Mending
from crypsis.web.report_card import ReportCard, report_address
from crypsis.web.telling import note_words, verdict_words
from crypsis.web.what_changed import settings_changed
from crypsis.web.widgets import confirm, rows_grid
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/evaluate"
_AT_ONCE = 2.0  # seconds; a run that takes less is repeated when a slider is moved
LEAD = marked("Run one method, read the verdict of the independent verifier, look at what came out.")
# By state: how it is shown, its heading, and what to do next.
_OUTCOMES = {
    "done": ("good", marked("Verified"), ""),
    "unsafe": (
        "bad",
        marked("Not safe: the verifier found a problem"),
        marked("Nothing of it can be downloaded. Change the settings, or choose another method."),
    ),
    "infeasible": (
        "caution",
        marked("Not possible with these settings"),
        marked("Change a setting, or try another method."),
    ),
    "failed": ("bad", marked("Failed"), marked("Correct what is named, then run again.")),
    "cancelled": ("info", marked("Cancelled"), marked("Nothing was kept of it. Press Run to begin again.")),
    "too_slow": (
        "caution",
        marked("Too slow"),
        marked("Try a method that is made for larger data, or fewer columns or rows."),
    ),
    "undeclared": (
        "caution",
        marked("Say first what is public"),
        marked(
            "Differential privacy needs a list of the possible values that does not come from these "
            "people. Give it in the marked field: the path of a file, or, where everybody knows the values "
            "anyway, the button below it."
        ),
    ),
}


PHASES = {  # what is done around the stages of a method
    "read": marked("reading the data"),
    "compile": marked("getting the method ready"),
    "verify": marked("verifying what came out"),
    "measure": marked("measuring what was lost"),
    "write": marked("writing the result"),
}


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def evaluate(dataset: str | None = None, method: str | None = None) -> None:
        await show_experiment_page(workbench, (_("Evaluate"), LEAD), EvaluatePage, dataset, method)


def reasons_against(data: Any) -> dict[str, str | None]:
    """By method: why it cannot be run on these data, or None."""
    return {name: why_not(name, data) for name in METHODS}


class EvaluatePage(ExperimentPage):
    """The page that runs one method and shows its result."""

    path = PATH

    def __init__(self, workbench: Workbench, dataset: Entry) -> None:
        super().__init__(workbench, dataset)
        self.crs: str | None = None  # of the data: what distances are measured in
        self.shown: tuple[Any, ...] = ()
        self.running = False
        self.spoken: tuple[str, str] | None = None  # the outcome that was read aloud last
        self.confirmed: set[str] = set()  # columns that may be published all the same
        self.published: list[str] = []  # figures against the original that go into the release
        self.elapsed: Any = None
        self.kept: list[dict[str, Any]] = []  # results of former settings
        self.led = False  # to what comes out, where it lies below the form and out of sight
        self.quick = False  # the last run took so little time that another setting may be tried at once
        self.pace = Pace()
        self.pictures: ComparisonView | None = None  # keeps the chosen column from run to run

    async def prepare(self, choice: str | None) -> None:
        """The experiment of this dataset, made with the suggested method where there is none."""
        try:
            data = await in_thread(self.workbench.datasets.load, self.dataset.number)
            self.reasons, self.crs = reasons_against(data), data.crs
        except CrypsisError as error:
            self.problem = error
            return
        existing = self.experiments.entries("evaluate", self.dataset.number)
        self.entry = existing[0] if existing else self.experiments.create(self.dataset.number, "evaluate")
        runs = self.entry.content["tables"].get("run") or []
        if choice in METHODS and (not runs or runs[0].get("method") != choice):
            self.keep_runs([{"method": str(choice), "params": {}}])
        elif not runs or self.reasons.get(runs[0].get("method"), "unknown") is not None:  # also: of another kind
            suggested = self.workbench.datasets.suggested_run(self.dataset.number)
            self.keep_runs([(suggested or Run(self._first_possible())).to_dict()])

    def _first_possible(self) -> str:
        return next((name for name, reason in self.reasons.items() if reason is None), next(iter(METHODS)))

    @property
    def run(self) -> RunTable:
        first: RunTable = self.entry.content["tables"]["run"][0]
        return first.copy()

    def show_experiment(self) -> None:
        with ui.element("div").classes("split left"):
            with theme.section(_("Method and settings")):
                self._form()
            self.right = ui.element("div").classes("stack")
        self.aloud = theme.Announcer()
        self._refresh(force=True)
        ui.timer(0.5, self._refresh)

    # The form

    def _form(self) -> None:
        run = RUN_FOR_KIND.get(self.dataset.content["section"]["kind"])
        suggested = "" if run is None else run.method
        possible = {
            name: METHODS[name].__name__ + (_(" · suggested") if suggested == name else "")
            for name, reason in sorted(self.reasons.items(), key=lambda one: one[0] != suggested)
            if reason is None
        }
        chosen = self.run["method"]
        self.method = ui.select(
            possible, value=chosen if chosen in possible else None, label=_("Method"), on_change=self._choose
        )
        self.method.props("outlined dense options-dense").style("width: 100%")
        with ui.column().style("gap: 2px"):
            self.summary = ui.label().classes("muted small")
            self.learn = ui.link(_("What it protects from, and when to choose it"), "/methods").classes("small")
        with ui.row().classes("actions"):
            self.start = theme.primary(_("Run"), notify_errors(self._start), "play_arrow")
            self.stop = theme.secondary(_("Cancel"), notify_errors(self._cancel), "stop")
        self.faults = ui.column().style("width: 100%")
        self.form_place = ui.column().style("width: 100%; gap: 12px")
        impossible = {name: reason for name, reason in self.reasons.items() if reason is not None}
        if impossible:
            with (
                ui.expansion(_("{impossible} methods do not fit these data", impossible=len(impossible)))
                .props("dense")
                .classes("fold")
            ):
                for name, reason in impossible.items():
                    ui.label(f"{METHODS[name].__name__}: {note_words(reason)}.").classes("muted small")
        self._show_form()

    def _choose(self, event: Any) -> None:
        if event.value and event.value != self.run["method"]:
            self.keep_runs([{"method": event.value, "params": {}}])
            self._show_form()

    def _show_form(self) -> None:
        run = self.run
        self.values = dict(run.get("params") or {})
        self.form_place.clear()
        if run["method"] not in METHODS:
            return
        self.summary.set_text(translated(METHODS[run["method"]].summary()))
        self.learn.props(f'href="/methods?name={run["method"]}"')
        with self.form_place:
            self.form = ParameterForm(
                run["method"],
                self.values,
                self._changed,
                self.dataset.number,
                notify_errors(self._try_at_once),
                self.crs,
            )

    def _changed(self) -> None:
        self.keep_runs([{**self.run, "params": dict(self.values)}])
        self.faults.clear()

    async def _try_at_once(self) -> None:
        """Run again when a slider is let go of, where the last run was quick and spends no budget."""
        if self.quick and not self.running:
            await self._start()
            self.led = False  # whoever moves a slider stays with it

    # Running

    async def _start(self) -> None:
        self.led = True
        self.faults.clear()
        problems = await in_thread(self.experiments.problems, self.entry.number)
        if problems:
            with self.faults:
                for problem in problems:
                    if not self.form.place_problem(problem.message):
                        title = _("These settings cannot be run")
                        with theme.fault(title, note_words(problem.message)):
                            self._mending.offer_for("failed")
            self.aloud.say(_("There is a problem with the settings"))
            return
        await in_thread(self.experiments.start, self.entry.number)
        self.shown, self.spoken = (), None
        self._refresh()
        theme.keep_focus(self.stop, self.start)

    async def _cancel(self) -> None:
        await in_thread(self.experiments.cancel, self.entry.number)

    # What came out

    def _refresh(self, force: bool = False) -> None:
        seen = self.experiments.progress(self.entry.number)
        running = seen.running
        self.start.set_enabled(not running)
        self.stop.set_enabled(running)
        if running != self.running:
            self.running = running
            if not running:
                theme.keep_focus(self.start, self.stop)
                if self.led:
                    theme.lead_to(self.right)
        cell = seen.cells[0] if seen.cells else None
        if running and self.elapsed is not None and seen.seconds is not None:
            self.elapsed.set_text(f"{seen.seconds:.0f} s")
            self._show_expected(cell)
        self.kept = seen.stale
        ran = self._last_run() if cell is not None and not running else None
        if ran is not None and ran.get("method") != self.run["method"]:
            cell = None  # of another method; its result is on the page Results
        changed = cell is not None and ran is not None and ran != self.run
        others = self.experiments.changes(self.entry.number) if cell is not None and cell["stale"] else ""
        told_of = (
            running,
            changed,
            others,
            cell and (cell["cell"], cell["state"], cell["phase"], cell["share"], cell["stale"]),
            self.run["method"],
            str(seen.error),
        )
        if told_of == self.shown and not force:
            return
        self.shown = told_of
        self.right.clear()
        outdated = not running and (changed or bool(cell and cell["stale"]))
        self.right.classes(add="outdated" if outdated else "", remove="" if outdated else "outdated")
        self.elapsed = None
        with self.right:
            if seen.error:
                with theme.fault(_("The run could not begin"), note_words(str(seen.error["message"]))):
                    theme.secondary(_("Run again"), notify_errors(self._start), "play_arrow")
                    self._mending.offer_for("failed")
                self.aloud.say(_("The run could not begin"))
            if running:
                self._show_progress(cell, seen.seconds)
            elif cell is None or cell["state"] == "waiting":
                with theme.empty_state(
                    "science",
                    _("No result yet"),
                    _("Press Run. Usual settings are filled in already, and what comes out is verified at once."),
                ):
                    pass
            else:
                if changed:
                    settings = settings_changed(ran or {}, self.run)
                    self._say_outdated("info", _("The settings have changed since"), f"{settings} {others}".strip())
                elif cell["stale"]:
                    self._say_outdated("caution", _("The data, or what belongs to them, have changed since"), others)
                self._show_result(cell, outdated=bool(changed or cell["stale"]))

    def _say_outdated(self, state: str, title: str, changes: str) -> None:
        """What is no longer what it was, and the button that makes a result of what is there now."""
        words = _("{changes} What is below came of the former ones.", changes=changes).strip()
        with theme.inside(theme.message(state, title, words)):
            theme.secondary(_("Run again"), notify_errors(self._start), "play_arrow")

    def _last_run(self) -> dict[str, Any] | None:
        """What the result that is kept was made with."""
        store = self.experiments.store(self.entry.number)
        return dict((store.experiment().content.get("run") or [{}])[0]) if store.exists() else None

    def _show_progress(self, cell: Any, seconds: float | None) -> None:
        told_phase = str(cell["phase"]) if cell is not None and cell["phase"] else "read"
        phase = translated(PHASES.get(told_phase, told_phase))
        with theme.section(_("Running"), _("It goes on when you leave this page; the result waits for you here")):
            share = None if cell is None else cell["share"]
            self.bar = ui.linear_progress(value=share or 0, show_value=False, size="8px")
            if share is None:
                self.bar.props("indeterminate")
            self.bar.props(f"{theme.attribute('aria-label', _('Progress'))}")
            with ui.row().style("width: 100%; justify-content: space-between; flex-wrap: nowrap"):
                ui.label(phase[:1].upper() + phase[1:]).classes("strong")
                self.elapsed = ui.label(f"{seconds or 0:.0f} s").classes("muted number")
            if share is not None:
                left = self.pace.left(told_phase, share)
                words = _("{share} of this stage", share=percent(round(share, 2))) + (
                    _(" · about {left} left", left=rough_duration(left)) if left else ""
                )
                ui.label(words).classes("muted small number")
            self.expected = ui.label().classes("muted small number")
            self._show_expected(cell)
            if told_phase == "compile":
                ui.label(
                    _("The first run of a method also compiles it, once on this machine: a minute, or a few.")
                ).classes("muted small")
        self.aloud.say(_("Running: {phase}", phase=phase))

    def _show_expected(self, cell: Any) -> None:
        """How far a stage is that does not tell its share, if it takes as long as the last time."""
        if cell is None or cell["share"] is not None:
            return
        forecast = self.pace.expect(str(cell["phase"] or "read"))
        words = "" if forecast is None else _("about {left} left, as the last time", left=rough_duration(forecast[1]))
        self.expected.set_text(words)
        self.bar.props(
            add="indeterminate" if forecast is None else "", remove="" if forecast is None else "indeterminate"
        )
        self.bar.set_value(0 if forecast is None else forecast[0])

    def _show_result(self, cell: dict[str, Any], *, outdated: bool) -> None:
        stored = self.experiments.store(self.entry.number).cell(cell["cell"])
        state = cell["state"]
        undeclared = stored.end.code == "public-input-missing"
        kind, title, next_step = _OUTCOMES["undeclared" if undeclared else state]
        title, next_step = _(title), _(next_step)
        if outdated and state == "done":  # of former settings or data, so nothing of what is there now is verified
            kind, title, next_step = (
                "info",
                _("Result of a former run"),
                _("Press Run to have one of what is there now."),
            )
        shown = state == "unsafe" or (state == "done" and not outdated)
        verdict = stored.proof.words if shown and stored.proof is not None else None
        words = note_words(stored.end.message or "") if verdict is None else verdict_words(verdict)
        words = "" if undeclared else words
        message = theme.message(kind, title, "\n".join(part for part in (words, next_step) if part))
        if state not in ("done", "cancelled") and not undeclared:
            with theme.inside(message):
                self._mending.offer_for(state)
        self.meaning = ui.label().classes("meaning")
        if self.spoken != (cell["cell"], state):  # what is drawn again says nothing new
            self.spoken = (cell["cell"], state)
            self.aloud.say(_("The run has ended: {title}", title=title))
        if undeclared:
            for name in self.form.domains:
                if name not in self.values:
                    self.form.show_problem(name, _("Declare it: taking it from the data would tell who is in them."))
        if state != "done" and any(row["state"] == "done" for row in self.kept):
            with theme.inside(
                theme.message("info", _("The last verified result is kept"), _("This run has not replaced it."))
            ):
                theme.secondary(
                    _("See it on the page Results"),
                    lambda: ui.navigate.to(f"/results?experiment={self.entry.number}"),
                    "leaderboard",
                )
        if state not in ("done", "unsafe"):
            return
        review = stored.review
        if review is not None:
            self._show_lights(of_former_run(review) if outdated else review)
        with theme.section(_("What it cost"), _("Against the original")) as actions:
            if state == "done":
                with actions:
                    self._download(cell["cell"], review, outdated)
                    report = report_address(self.entry.number)
                    theme.secondary(_("Report"), lambda: ui.navigate.to(report, new_tab=True), "description")
                    theme.secondary(
                        _("Compare with others"),
                        lambda: ui.navigate.to(f"/compare?dataset={self.dataset.number}"),
                        "stacked_line_chart",
                    )
            self.published = []
            if stored.is_private:
                self._figures_on_request(stored.figures)
            else:
                loss_tiles(stored.figures, self.crs)
                if state == "done":
                    self._figures_to_publish(stored.figures)
            if state == "done":
                ui.label(_("Unpacked, anybody can check the release again: crypsis verify release")).classes(
                    "muted small"
                )
        if state == "done" and not outdated:
            ReportCard(self.workbench.declaration, f"/api/experiments/{self.entry.number}/cells/{cell['cell']}")
        if state == "done":
            if not outdated and not stored.is_private:
                self._comparison_place = ui.element("div").classes("stack")
                ui.timer(0.05, lambda: notify_errors(self._show_comparison)(cell["cell"]), once=True)
            if not outdated:
                self._attack_place = ui.element("div").classes("stack")
                ui.timer(0.05, lambda: notify_errors(self._show_attacks)(cell["cell"]), once=True)
            self._output_place = ui.element("div").classes("stack")
            ui.timer(0.05, lambda: notify_errors(self._show_output)(cell["cell"]), once=True)
        times = stored.times or Times(0.0)
        self.pace.expected = times.by_phase
        spent = times.runtime + times.seconds_verify
        self.quick = state == "done" and not stored.is_private and spent < _AT_ONCE
        with theme.section(_("Time"), _("{runtime} for the method", runtime=duration(times.runtime))):
            parts = [(phase.name, phase.seconds) for phase in times.phases]
            time_bars([*parts, (marked("verification"), times.seconds_verify)])
            if times.peak_memory_mb:
                ui.label(_("At most {peak_memory_mb:,.0f} MB of memory.", peak_memory_mb=times.peak_memory_mb)).classes(
                    "muted small"
                )

    # The lights, and what they ask for

    def _show_lights(self, review: Review) -> None:
        with theme.section(_("Three lights"), _("Does the guarantee hold, what is disclosed beside it, what is left")):
            show_lights(review, mending=self._mending, confirm=self._confirm, confirmed=self.confirmed)

    @property
    def _mending(self) -> Mending:
        return Mending(self.run["method"], self.run.get("params") or {}, self.dataset.number, self._apply)

    def _apply(self, remedy: Remedy) -> None:
        """Set what would mend a finding; the person presses Run."""
        params = {**(self.run.get("params") or {}), str(remedy.parameter): remedy.value}
        self.keep_runs([{**self.run, "params": params}])
        self._show_form()
        parameter = called_in(self.run["method"], str(remedy.parameter))
        done(_("{parameter} is {value} now. Press Run.", parameter=parameter, value=remedy.value))
        self._refresh(force=True)

    def _confirm(self, column: str) -> None:
        self.confirmed.add(column)
        self._refresh(force=True)

    def _download(self, cell: str, review: Review | None, outdated: bool) -> None:
        """The button; not to be pressed while a column waits to be confirmed, and only after a question when stale."""
        waiting = [] if review is None else [one.column for one in review.refused if one.column not in self.confirmed]
        asked = [("confirm", column) for column in sorted(self.confirmed)] + ([("stale", "true")] if outdated else [])

        def download() -> None:
            chosen = [*asked, *(("publish_figures", name) for name in self.published)]
            address = f"/api/experiments/{self.entry.number}/cells/{cell}/release.zip"
            address += f"?{urlencode(chosen)}" if chosen else ""
            if outdated:
                confirm(
                    _("Download a stale result?"),
                    _("The data or the settings have changed since. What you get is of the former ones."),
                    lambda: ui.navigate.to(address),
                    _("Download the stale result"),
                )
            else:
                ui.navigate.to(address)

        words = _("Download stale release") if outdated else _("Download release")
        button = (theme.secondary if outdated else theme.primary)(words, download, "download")
        button.set_enabled(not waiting)
        if waiting:
            ui.label(_("Confirm {map} first.", map=", ".join(map(repr, dict.fromkeys(waiting))))).classes("muted small")

    def _figures_to_publish(self, figures: Mapping[str, float | int | None]) -> None:
        """Figures against the original stay with the publisher, unless they are chosen one by one."""
        single = [name for name, value in figures.items() if isinstance(value, (int, float)) and value is not True]

        def choose(event: Any) -> None:
            self.published = [*(event.value or ())]
            warning.set_visibility(bool(self.published))

        field = ui.select(
            {name: figure_label(name) for name in single},
            multiple=True,
            label=_("Figures to publish with the release (none unless chosen)"),
            on_change=choose,
        )
        field.props("outlined dense options-dense use-chips").style("width: 100%")
        warning = ui.label(
            _("Computed from the original: they are rounded to two digits, and the guarantee does not cover them.")
        ).classes("muted small")
        warning.set_visibility(False)

    def _figures_on_request(self, figures: Mapping[str, float | int | None]) -> None:
        """Figures of a private release against the original, with what they are not covered by."""
        place = ui.column().style("width: 100%")

        def show() -> None:
            place.clear()
            with place:
                theme.message(
                    "caution", _("Not covered"), _("Acting on these figures, or telling them, is not covered.")
                )
                loss_tiles(figures, self.crs)

        with place:
            ui.label(
                _(
                    "Figures against the original are computed from it without noise. Acting on them is "
                    "not covered by the guarantee."
                )
            ).classes("muted small")
            theme.secondary(_("Show figures against the original"), show, "visibility").style("align-self: flex-start")

    async def _show_comparison(self, cell: str) -> None:
        """What the guarantee means here, and the release beside the original in pictures."""
        comparison = await in_thread(self.experiments.comparison, self.entry.number, cell)
        if comparison is None:
            return
        self.meaning.set_text(translated(await in_thread(lambda: comparison.meaning)))
        review = self.experiments.store(self.entry.number).cell(cell).review
        self.pictures = ComparisonView(comparison, review, self.pictures.chosen if self.pictures else None)
        with self._comparison_place:
            await self.pictures.show()

    async def _show_attacks(self, cell: str) -> None:
        """What somebody who knows pieces of the original could find in what would be published."""
        number_ = self.entry.number
        fitting = await in_thread(self.experiments.fitting_attacks, number_, cell)
        if fitting:
            with self._attack_place:
                AttackCard(fitting, partial(self.experiments.attack, number_, cell))

    async def _show_output(self, cell: str) -> None:
        output = await in_thread(self.experiments.output, self.entry.number, cell)
        share = output.changed_share
        words = _("{height} rows", height=number(output.grid.frame.height))
        words += "" if share is None else _(" · {share} of the published cells changed (◆)", share=percent(share))
        # Examples stand beside the pieces.
        self._output_place.classes(replace="halves close" if output.examples else "stack")
        with self._output_place, theme.section(_("Output"), words) as actions:
            if self.dataset.content["section"]["kind"] in ("tracks", "trajectories"):
                with actions:
                    address = f"/trajectories?dataset={self.dataset.number}"
                    theme.secondary(_("See the map"), lambda: ui.navigate.to(address), "route")
            rows_grid(
                f"/api/experiments/{self.entry.number}/cells/{cell}/rows",
                output.grid.columns,
                numeric=output.grid.numeric,
                total=output.grid.frame.height,
                height="320px",
                label=_("Published rows"),
            )
        if output.examples:
            words = _("Drawn from the published pieces: no record is known to have been so")
            with self._output_place, theme.section(_("Records as they might have been"), words):
                rows = "".join(f"<li>{theme.escaped(example) or '–'}</li>" for example in output.examples)
                ui.html(f"<ol>{rows}</ol>", sanitize=False)
