"""Evaluate: one method with one setting. Form, progress, verdict, losses, output beside the original, release."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.evaluate.suggestions import suggested_method
from crypsis.evaluate.validation import why_not
from crypsis.methods import METHODS
from crypsis.web import theme
from crypsis.web.actions import in_thread, number, percent, told
from crypsis.web.parameter_form import ParameterForm
from crypsis.web.result_words import loss_tiles
from crypsis.web.widgets import choose_dataset, chosen_dataset, rows_grid, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/evaluate"
LEAD = "Run one method, read the verdict of the independent verifier, look at what came out."


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def evaluate(request: Request, dataset: str | None = None, method: str | None = None) -> None:
        entry = chosen_dataset(workbench, dataset)
        mode = request.cookies.get(theme.THEME_COOKIE)
        with theme.page_frame("Evaluate", LEAD, theme=mode, dataset=entry.number if entry else None) as actions:
            if entry is None:
                no_data(workbench, PATH)
                return
            page = EvaluatePage(workbench, entry)
            await page.prepare(method)
            page.show(actions)


def no_data(workbench: Workbench, path: str) -> None:
    """Where there is no dataset yet: what to do next."""

    async def load() -> None:
        entry = await in_thread(workbench.datasets.add_sample, "checkins")
        ui.navigate.to(f"{path}?dataset={entry.number}")

    with theme.empty_state(
        "table_chart", "No data yet", "Load a file on the page Data, or begin with the bundled check-ins."
    ):
        theme.primary("Load the sample check-ins", told(load), "download")
        theme.secondary("Go to Data", lambda: ui.navigate.to("/data"), "table_chart")


async def reasons_against(workbench: Workbench, entry: Entry) -> dict[str, str | None]:
    """By method: why it cannot be run on these data, or None."""
    data = await in_thread(workbench.datasets.load, entry.number)
    return {name: why_not(name, data) for name in METHODS}


class EvaluatePage:
    def __init__(self, workbench: Workbench, dataset: Entry) -> None:
        self.workbench, self.dataset = workbench, dataset
        self.experiments = workbench.experiments
        self.problem: CrypsisError | None = None
        self.reasons: dict[str, str | None] = {}
        self.shown: tuple[Any, ...] = ()

    async def prepare(self, method: str | None) -> None:
        """The experiment of this dataset, made with the suggested method where there is none."""
        try:
            self.reasons = await reasons_against(self.workbench, self.dataset)
        except CrypsisError as error:
            self.problem = error
            return
        found = self.experiments.entries("evaluate", self.dataset.number)
        self.entry = found[0] if found else self.experiments.create(self.dataset.number, "evaluate")
        runs = self.entry.content["tables"].get("run") or []
        if method in METHODS and (not runs or runs[0].get("method") != method):
            self._keep({"method": method, "params": {}})
        elif not runs or runs[0].get("method") not in METHODS:
            name, params = suggested_method(self.dataset.content["section"]["kind"]) or (self._first_possible(), {})
            self._keep({"method": name, "params": params})

    def _first_possible(self) -> str:
        return next((name for name, reason in self.reasons.items() if reason is None), next(iter(METHODS)))

    @property
    def run(self) -> dict[str, Any]:
        return dict(self.entry.content["tables"]["run"][0])

    def _keep(self, run: dict[str, Any]) -> None:
        tables = {**self.entry.content["tables"], "run": [run]}
        self.entry = self.experiments.set_tables(self.entry.number, tables)

    def show(self, actions: Any) -> None:
        with actions:
            choose_dataset(self.workbench, self.dataset, PATH)
            if self.problem is None:
                theme.secondary("Show as file", self._as_file, "code")
        if self.problem is not None:
            theme.message("bad", "These data cannot be read as they are described", str(self.problem))
            theme.secondary(
                "Set roles and types on the page Data", lambda: ui.navigate.to(f"/data?dataset={self.dataset.number}")
            )
            return
        with ui.element("div").classes("split left"):
            with theme.section("Method"):
                self._form()
            self.right = ui.element("div").classes("stack").props('aria-live="polite"')
        self._refresh(force=True)
        ui.timer(0.5, self._refresh)

    # The form

    def _form(self) -> None:
        suggested = suggested_method(self.dataset.content["section"]["kind"])
        possible = {
            name: METHODS[name].__name__ + (" · suggested" if suggested and suggested[0] == name else "")
            for name, reason in self.reasons.items()
            if reason is None
        }
        chosen = self.run["method"]
        self.method = ui.select(
            possible, value=chosen if chosen in possible else None, label="Method", on_change=self._choose
        )
        self.method.props("outlined dense options-dense").style("width: 100%")
        self.summary = ui.label().classes("muted small")
        with ui.row().classes("actions"):
            self.start = theme.primary("Run", told(self._start), "play_arrow")
            self.stop = theme.secondary("Cancel", told(self._cancel), "stop")
        self.faults = ui.column().style("width: 100%")
        self.form_place = ui.column().style("width: 100%; gap: 12px")
        impossible = {name: reason for name, reason in self.reasons.items() if reason is not None}
        if impossible:
            with ui.expansion(f"{len(impossible)} methods do not fit these data").props("dense").style("width: 100%"):
                for name, reason in impossible.items():
                    ui.label(f"{METHODS[name].__name__}: {reason}.").classes("muted small")
        self._show_form()

    def _choose(self, event: Any) -> None:
        if event.value and event.value != self.run["method"]:
            self._keep({"method": event.value, "params": {}})
            self._show_form()

    def _show_form(self) -> None:
        run = self.run
        self.values = dict(run.get("params") or {})
        self.form_place.clear()
        if run["method"] not in METHODS:
            return
        self.summary.set_text(METHODS[run["method"]].summary())
        with self.form_place:
            self.form = ParameterForm(run["method"], self.values, self._changed, self.dataset.number)

    def _changed(self) -> None:
        self._keep({**self.run, "params": dict(self.values)})
        self.faults.clear()

    # Running

    async def _start(self) -> None:
        self.faults.clear()
        problems = await in_thread(self.experiments.problems, self.entry.number)
        if problems:
            with self.faults:
                for one in problems:
                    name = str(one.get("where", "")).rsplit(".", 1)[-1]
                    if not self.form.show_problem(name, str(one["message"])):
                        theme.message("bad", str(one.get("where") or "Problem"), str(one["message"]))
            return
        await in_thread(self.experiments.start, self.entry.number)
        self.shown = ()

    async def _cancel(self) -> None:
        await in_thread(self.experiments.cancel, self.entry.number)

    def _as_file(self) -> None:
        async def take(text: str) -> None:
            self.entry = await in_thread(self.experiments.take_text, self.entry.number, text)
            ui.navigate.to(f"{PATH}?dataset={self.entry.content['dataset']}")

        show_as_file(lambda: self.experiments.experiment(self.entry.number).to_toml(), take)

    # What came out

    def _refresh(self, force: bool = False) -> None:
        seen = self.experiments.progress(self.entry.number)
        running = seen["running"]
        self.start.set_enabled(not running)
        self.stop.set_enabled(running)
        cell = seen["cells"][0] if seen["cells"] else None
        looks = cell and (cell["cell"], cell["state"], cell["phase"], cell["share"], cell["stale"])
        told_of = (running, looks, str(seen["error"]))
        if told_of == self.shown and not force:
            return
        self.shown = told_of
        self.right.clear()
        with self.right:
            if seen["error"]:
                theme.message("bad", "The run could not begin", str(seen["error"]["message"]))
            if running:
                self._show_progress(cell)
            elif cell is None or cell["state"] == "waiting":
                with theme.empty_state(
                    "science",
                    "No result yet",
                    "Press Run. A suggested method and settings are filled in already; the result is verified at once.",
                ):
                    pass
            else:
                self._show_result(cell)

    def _show_progress(self, cell: Any) -> None:
        with theme.section("Running", "The first run also compiles the method, which takes some seconds"):
            share = None if cell is None else cell["share"]
            bar = ui.linear_progress(value=share or 0, show_value=False, size="8px")
            if share is None:
                bar.props("indeterminate")
            bar.props('aria-label="Progress"')
            ui.label("starting" if cell is None or not cell["phase"] else str(cell["phase"])).classes("muted")

    def _show_result(self, cell: dict[str, Any]) -> None:
        told_cell = self.experiments.store(self.entry.number).cell(cell["cell"])
        verdict = told_cell.get("verify", {})
        state = cell["state"]
        if cell["stale"]:
            theme.message("caution", "Stale", "The data or the settings have changed since; run again.")
        if state == "done":
            theme.message("good", "Verified", str(verdict.get("words", "")))
        elif state == "unsafe":
            theme.message("bad", "Not safe: the verifier found a problem", str(verdict.get("words", "")))
        elif state == "infeasible":
            theme.message("caution", "Not possible with these settings", str(told_cell.get("message")))
        else:
            theme.message(
                "bad", theme.STATES.get(state, ("", state, ""))[1].capitalize(), str(told_cell.get("message") or "")
            )
        if told_cell.get("code") == "public-input-missing":
            for name in self.form.domains:
                if name not in self.values:
                    self.form.show_problem(name, "declare it: taking it from the data would tell who is in them")
        if state not in ("done", "unsafe"):
            return
        with theme.section("What it cost", "Against the original") as actions:
            if state == "done":
                with actions:
                    address = f"/api/experiments/{self.entry.number}/cells/{cell['cell']}/release.zip"
                    theme.primary("Download release", lambda: ui.navigate.to(address), "download")
                    theme.secondary(
                        "Compare with others",
                        lambda: ui.navigate.to(f"/compare?dataset={self.dataset.number}"),
                        "stacked_line_chart",
                    )
            loss_tiles(told_cell)
        if state == "done":
            self._output_place = ui.element("div").classes("stack")
            ui.timer(0.05, lambda: told(self._show_output)(cell["cell"]), once=True)
        with theme.section("Time"):
            phases = told_cell.get("phases", {})
            with ui.element("div").classes("tiles"):
                theme.tile("Method", f"{phases.get('runtime', 0):.3g} s")
                for one in phases.get("phases", []):
                    theme.tile(one["name"], f"{one['seconds']:.3g} s")
                theme.tile("Verify", f"{phases.get('seconds_verify') or 0:.3g} s")
                if phases.get("peak_memory_mb"):
                    theme.tile("Memory", f"{phases['peak_memory_mb']:,.0f} MB")

    async def _show_output(self, cell: str) -> None:
        output = await in_thread(self.experiments.output, self.entry.number, cell)
        with (
            self._output_place,
            theme.section(
                "Output",
                f"{number(output.grid.frame.height)} rows · {percent(output.changed_share)} of the cells changed (◆)",
            ),
        ):
            rows_grid(
                f"/api/experiments/{self.entry.number}/cells/{cell}/rows",
                output.grid.columns,
                total=output.grid.frame.height,
                height="320px",
                label="Published rows",
            )
