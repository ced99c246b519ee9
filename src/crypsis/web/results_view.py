"""Results of an experiment as they come in: a table of cells, a line plot, and the trade-off of two losses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.evaluate.plots import Results, frame_of
from crypsis.review import Remedy
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number
from crypsis.web.drawings import show_plot
from crypsis.web.experiments import UNFINISHED, Progress, metric_names, varied_names
from crypsis.web.figures import best_in_words, figure_label, rough_duration
from crypsis.web.lights_view import light_signs, show_lights
from crypsis.web.remedies import Mending
from crypsis.web.telling import error_words, note_words
from crypsis.web.widgets import plot_exports
from crypsis.web.workbench import Workbench

_MOST_COLUMNS = 5
_ASKED = marked("Download a stale result? The data or the settings have changed since.")
_FIRST = ("are", "ncp", "ul", "ncp_loss", "normalized_distance_loss", "distance_loss")


class ResultsView:
    """Shows what is in the store of one experiment; `refresh` looks again and says whether it runs.

    Controls are made once and stay while results come in, so that nobody loses what they are typing or choosing.
    """

    def __init__(
        self, workbench: Workbench, experiment: str, apply: Callable[[str, Remedy], Any] | None = None
    ) -> None:
        self.workbench, self.number, self.apply = workbench, experiment, apply
        self.lit = ""  # the cell whose lights are shown
        self.experiments = workbench.experiments
        self.seen: Any = None
        self.built: Any = None
        self.plotted = False
        self.drawn: Any = None
        self.metrics: list[str] = []
        self.results = Results(())
        self.cells: list[dict[str, Any]] = []
        self.x = self.y = self.other = self.wanted = ""
        self.before: int | None = None  # how many cells were finished when the run was first seen

    def show(self) -> None:
        self.place = ui.element("div").classes("stack")

    def refresh(self) -> bool:
        progress = self.experiments.progress(self.number)
        seen = (
            progress.running,
            [(cell["cell"], cell["state"]) for cell in progress.cells],
            str(progress.error),
            [cell["cell"] for cell in (*progress.cells, *progress.stale) if cell["stale"]],
        )
        if seen != self.seen:
            self.seen = seen
            self._draw(progress)
        return progress.running

    def _draw(self, progress: Progress) -> None:
        self.results = self.experiments.plotted(self.number)
        measured = sum(bool(cell.metrics) for cell in self.results)
        named = metric_names(self.results) if measured else []
        # what single columns lose stands with the result itself; a table of all settings would drown in it
        self.metrics = [name for name in named if " of " not in name] or named
        self.cells = [*progress.cells, *progress.stale]
        # one result is no curve, and has nothing to be weighed against
        self.plotted = bool(self.metrics) and measured > 1
        controls = (bool(self.cells), self.metrics, self._varied(), self.plotted)
        if controls != self.built:
            self.built = controls
            self._build()
        self._show_notes(progress)
        if self.plotted:
            self._show_plots()
        if self.cells:
            self._show_cells(progress)
            self._show_lights()

    def _build(self) -> None:
        self.place.clear()
        self.drawn = None
        with self.place:
            self.notes = ui.column().style("width: 100%")
            if not self.cells:
                with theme.empty_state(
                    "stacked_line_chart",
                    _("No results yet"),
                    _("Press Run all; every cell appears here as soon as it is finished and verified."),
                ):
                    pass
                return
            if self.plotted:
                self._plots()
            self._table()
            self.lights = ui.element("div").classes("stack")

    def _show_notes(self, progress: Progress) -> None:
        self.notes.clear()
        with self.notes:
            if progress.error:
                with theme.fault(_("The run could not go on"), note_words(str(progress.error["message"]))):
                    theme.secondary(_("Run again"), notify_errors(self._go_on), "play_arrow")
                    dataset = self.experiments.entry(self.number).content["dataset"]
                    theme.go_button(_("Look at the data"), f"/data?dataset={dataset}", "table_chart")
            self._unfinished(progress)
            self._stale(progress)
        self.notes.set_visibility(bool(self.notes.default_slot.children))

    # Plots

    def _varied(self) -> list[str]:
        return varied_names(cell.parameters for cell in self.results)

    def _plots(self) -> None:
        preferred = [name for name in _FIRST if name in self.metrics] + [
            name for name in self.metrics if name not in _FIRST
        ]
        self.y = self.y if self.y in self.metrics else preferred[0]
        self.other = (
            self.other
            if self.other in self.metrics
            else next((name for name in preferred if name != self.y), "runtime")
        )
        varied = self._varied()
        self.x = self.x if self.x in varied else next(iter(varied), "")
        options = {name: figure_label(name) for name in preferred}
        with ui.element("div").classes("halves"):
            with theme.section(_("What protection costs")) as head:
                with head:
                    self.line_exports = ui.row()
                with ui.row().style("width: 100%; flex-wrap: nowrap; gap: 8px"):
                    figure = self._select(_("Figure"), options, "y")
                    self._select(_("Over"), {name: name for name in varied} or {"": _("nothing varies")}, "x")
                self.line = ui.column().style("width: 100%")
                self.best = ui.label().classes("muted small").props("role=status")
            with theme.section(_("Trade-off")) as head:
                with head:
                    self.tradeoff_exports = ui.row()
                with ui.row().style("width: 100%; flex-wrap: nowrap; gap: 8px"):
                    across = self._select(_("Across"), options, "y")
                    self._select(_("Up"), options, "other")
                self.tradeoff = ui.column().style("width: 100%")
        figure.on_value_change(lambda event: across.set_value(event.value))
        across.on_value_change(lambda event: figure.set_value(event.value))

    def _select(self, label: str, options: dict[str, str], attribute: str) -> Any:
        def chosen(event: Any) -> None:
            if getattr(self, attribute) != event.value:
                setattr(self, attribute, event.value)
                self._show_plots()

        value = getattr(self, attribute)
        field = ui.select(options, value=value if value in options else None, label=label, on_change=chosen)
        return field.props("outlined dense options-dense").style("flex: 1; min-width: 0")

    def _show_plots(self) -> None:
        chosen = (self.x, self.y, self.other)
        if chosen != self.drawn:
            self.drawn = chosen
            for place, kind, x, y in (
                (self.line_exports, "line", self.x, self.y),
                (self.tradeoff_exports, "tradeoff", self.y, self.other),
            ):
                place.clear()
                if x:
                    with place:
                        plot_exports(self.number, kind, {"x": x, "y": y}, f"{y}-{x}")
        self._picture(self.line, "line", x=self.x or None, y=self.y)
        self.best.set_text(best_in_words(self.results, self.x, self.y))
        self._picture(self.tradeoff, "tradeoff", x=self.y, y=self.other)

    def _picture(self, place: Any, kind: str, **options: Any) -> None:
        place.clear()
        with place:
            if options.get("x") is None:
                ui.label(_("Vary a parameter in a configuration to see a curve.")).classes("muted")
                return
            try:
                show_plot(frame_of(kind, results=self.results, **options))
            except CrypsisError as error:
                ui.label(error_words(error)).classes("muted")

    # What is left, and the table

    def _unfinished(self, progress: Progress) -> None:
        """What an interrupted run left, and how to go on."""
        cells = progress.cells
        left = sum(cell["state"] in UNFINISHED for cell in cells)
        if progress.running or not left:
            return
        with theme.message(
            "caution",
            _(
                "{left:,} of {cells} {ending} not finished",
                left=left,
                cells=counted(len(cells), "cell"),
                ending=_("is") if left == 1 else _("are"),
            ),
            _("The run was interrupted. Going on runs only what is left; what is finished stays as it is."),
        ):
            theme.primary(_("Go on"), notify_errors(self._go_on), "play_arrow").style("margin-left: auto")

    def _stale(self, progress: Progress) -> None:
        """Results that are kept and no longer say anything about the data as they are."""
        stale = sum(bool(cell["stale"]) for cell in progress.cells)
        if stale:
            message = theme.message(
                "caution",
                _("{results_are} stale", results_are=counted(stale, "result is", "results are")),
                f"{self.experiments.changes(self.number)} ".lstrip()
                + _("The data or the settings have changed since. Run again to have results of what is there now."),
            )
            with theme.inside(message):
                theme.secondary(_("Run again"), notify_errors(self._go_on), "play_arrow")

    async def _go_on(self) -> None:
        await in_thread(self.experiments.start, self.number)
        self.refresh()

    def _table(self) -> None:
        with theme.section(_("Results"), _("One row for each configuration and value")) as head:
            with head:
                self.file = ui.link("results.csv", f"/api/experiments/{self.number}/results.csv").classes("small")
            self.count = ui.label().classes("muted small").props("role=status")
            self.bar = ui.linear_progress(value=0, show_value=False, size="6px").props(
                f"{theme.attribute('aria-label', _('Progress'))}"
            )
            field = ui.input(_("Filter by configuration, value or state"), value=self.wanted)
            field.props("outlined dense clearable debounce=200").style("width: 100%")
            self.table = ui.html("", sanitize=False).classes("scroll").style("max-height: 420px")

            def narrow(event: Any) -> None:
                self.wanted = str(event.value or "")
                self.table.set_content(self._table_text(self._fitting(self.cells)))

            field.on_value_change(narrow)

    def _show_cells(self, progress: Progress) -> None:
        cells = progress.cells
        finished = sum(cell["state"] not in (*UNFINISHED, "running") for cell in cells)
        self.count.set_text(
            _(
                "{finished} of {cells} finished{time_left}",
                finished=finished,
                cells=len(cells),
                time_left=self._time_left(progress, finished),
            )
        )
        self.bar.set_value(finished / max(1, len(cells)))
        self.bar.set_visibility(progress.running)
        self.file.set_visibility(finished > 0)
        self.table.set_content(self._table_text(self._fitting(self.cells)))

    def _show_lights(self) -> None:
        """The three lights of one result with their findings; of which one, can be chosen."""
        self.lights.clear()
        done = [cell for cell in self.cells if cell["state"] == "done" and not cell["stale"]]
        if not done:
            return
        options = {cell["cell"]: _cell_words(cell) for cell in done}
        self.lit = self.lit if self.lit in options else done[0]["cell"]

        def choose(event: Any) -> None:
            if event.value and event.value != self.lit:
                self.lit = event.value
                self._show_lights()

        with self.lights, theme.section(_("Three lights"), _("Guarantee, disclosure and usefulness of one result")):
            if len(options) > 1:
                field = ui.select(options, value=self.lit, label=_("Result"), on_change=choose)
                field.props("outlined dense options-dense").style("width: 100%")
            review = self.experiments.store(self.number).cell(self.lit).review
            chosen = next(cell for cell in done if cell["cell"] == self.lit)
            if review is None:
                ui.label(_("This result has no lights; run it again.")).classes("muted")
                return
            show_lights(review, mending=self._mending(chosen))

    def _mending(self, cell: dict[str, Any]) -> Mending:
        """What can be done about the findings of a cell from here; settings only where they stand on the page."""
        apply = None if self.apply is None else partial(self.apply, str(cell["label"]))
        dataset = str(self.experiments.entry(self.number).content["dataset"])
        return Mending(str(cell["method"]), _parameters(cell), dataset, apply)

    def _time_left(self, progress: Progress, finished: int) -> str:
        """How long the rest may take, if it takes as long as what this run has finished so far."""
        if not progress.running:
            self.before = None
            return ""
        if self.before is None:
            self.before = finished  # kept from earlier runs, so it took no time
        done, left = finished - self.before, len(progress.cells) - finished
        if done < 1 or left < 1 or not progress.seconds:
            return ""
        return _(" · about {seconds} left", seconds=rough_duration(progress.seconds / done * left))

    def _fitting(self, cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The cells in which every word that was typed occurs; `k=5` asks for a value."""
        words = self.wanted.lower().split()
        texts = [
            " ".join(
                [f"{name}={value}" for name, value in cell.items()] + [theme.STATES.get(cell["state"], ("", ""))[1]]
            )
            for cell in cells
        ]
        return [cell for cell, text in zip(cells, texts, strict=True) if all(word in text.lower() for word in words)]

    def _table_text(self, cells: list[dict[str, Any]]) -> str:
        shown = [name for name in _FIRST if name in self.metrics] + [
            name for name in self.metrics if name not in _FIRST and name != "runtime"
        ]
        shown = shown[:_MOST_COLUMNS]
        params = varied_names(map(_parameters, cells))
        heads = "".join(f"<th scope=col class=number>{theme.escaped(name)}</th>" for name in params)
        heads += "".join(f"<th scope=col class=number>{theme.escaped(figure_label(name))}</th>" for name in shown)
        body = []
        for cell in cells:
            icon, words, kind = theme.STATES.get(cell["state"], ("help", cell["state"], ""))
            sign = f'<span class="material-icons q-icon" aria-hidden=true>{icon}</span>'
            chip = f'<span class="chip {kind}">{sign}{theme.escaped(_(words))}</span>'
            if cell["stale"]:
                old = '<span class="material-icons q-icon" aria-hidden=true>history</span>'
                chip += f' <span class="chip caution">{old}{theme.escaped(_("stale"))}</span>'
            values = "".join(
                f"<td class=number>{theme.escaped(_shown(cell.get(name)))}</td>" for name in (*params, *shown)
            )
            link = ""
            if cell["state"] == "done":
                address = f"/api/experiments/{self.number}/cells/{theme.escaped(cell['cell'])}/release.zip"
                address += "?stale=true" if cell["stale"] else ""
                asked = f" {theme.markup_attribute('data-ask', _(_ASKED))}" if cell["stale"] else ""
                words = _("Download stale") if cell["stale"] else _("Download")
                icon = "<span class=material-icons aria-hidden=true>download</span>"  # for words, on a phone
                told = f"<span class=words>{theme.escaped(words)}</span>"
                link = f'<a class="one-word take" href="{address}"{asked}>{icon}{told}</a>'
            elif cell.get("message"):
                link = (
                    f'<span class="muted small reason">{theme.escaped(translated(str(cell["message"]))[:160])}</span>'
                )
            runtime = next((cell[name] for name in ("runtime", "seconds") if cell.get(name) is not None), None)
            body.append(
                f"<tr><td>{theme.escaped(str(cell['label']))}</td><td>{chip}</td><td>{light_signs(cell)}</td>{values}"
                f"<td class=number>{_shown(runtime)}</td><td>{link}</td></tr>"
            )
        return (
            f"<table class='plain cells'><thead><tr>"
            f"<th scope=col>{_('Configuration')}</th><th scope=col>{_('State')}</th>"
            f"<th scope=col>{_('Lights')}</th>{heads}"
            f"<th scope=col class=number>{_('Seconds')}</th>"
            f"<th scope=col class=take><span class=words>{_('Release')}</span></th></tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )


def _cell_words(cell: dict[str, Any]) -> str:
    """`Mondrian · k 5`: what tells a result from the others."""
    parameters = [f"{name} {_shown(value)}" for name, value in _parameters(cell).items() if value is not None]
    repeat = _(" · repeat {repeat}", repeat=cell["repeat"] + 1) if cell.get("repeat") else ""
    return " · ".join([str(cell["label"]), *parameters]) + repeat


def _parameters(cell: dict[str, Any]) -> dict[str, Any]:
    """The parameters stand between the seed and the guarantee in a row of results."""
    names = list(cell)
    start, end = names.index("seed") + 1, names.index("guarantee")
    return {name: cell[name] for name in names[start:end]}


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
