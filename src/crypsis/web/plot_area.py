"""Plots of an experiment side by side, any kind, each with its exports; what is shown is kept as `[[plot]]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nicegui import ui

from crypsis.drawing.frame import Frame
from crypsis.errors import CrypsisError
from crypsis.evaluate.plot_requests import PlotRequest
from crypsis.evaluate.plots import PLOTS
from crypsis.evaluate.plots.of_store import file_name, requested_frames
from crypsis.translation import _
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.drawings import show_plot
from crypsis.web.experiments import metric_names, varied_names
from crypsis.web.figures import figure_label
from crypsis.web.widgets import plot_exports
from crypsis.web.workbench import Workbench


class PlotArea:
    """The plots of one experiment; the list is part of the experiment."""

    def __init__(self, workbench: Workbench, experiment: str) -> None:
        self.workbench, self.number = workbench, experiment
        self.experiments = workbench.experiments
        self.seen: Any = None
        self.fields: dict[str, Any] = {}

    def _tables(self) -> list[Mapping[str, Any]]:
        """The plots as the experiment keeps them; somebody may have typed them."""
        return [*(self.experiments.entry(self.number).content["tables"].get("plot") or [])]

    def show(self) -> None:
        with theme.section(_("Plots"), _("Side by side; of published data, one for each configuration")):
            with ui.row().style("width: 100%; gap: 8px; align-items: flex-start"):
                kinds = {name: _(plot.label) for name, plot in PLOTS.items()}
                self.kind = ui.select(kinds, value="phases", label=_("Plot"), on_change=self._show_options)
                self.kind.props("outlined dense options-dense").style("width: 270px")
                self.options = ui.row().style("gap: 8px")
                theme.secondary(_("Add plot"), notify_errors(self._add), "add").style("height: 40px")
            self.help = ui.label().classes("muted small")
            self.tiles = ui.element("div").classes("halves")
        self._show_options()

    async def refresh(self) -> None:
        """Draw again where results or plots are others than they were."""
        seen = (str(self._tables()), [(row["cell"], row["state"]) for row in self.experiments.results(self.number)])
        if seen != self.seen:
            self.seen = seen
            self._show_options()
            await self._draw()

    # What to add

    def _show_options(self) -> None:
        """A field for everything that this plot has to be told."""
        plot = PLOTS[str(self.kind.value)]
        self.help.set_text(_(plot.help))
        results = self.experiments.plotted(self.number)
        figures = {name: figure_label(name) for name in metric_names(results)}
        varied = {name: name for name in varied_names(cell.parameters for cell in results)}
        if plot.name == "line":
            wanted = {"y": (_("Figure"), figures), "x": (_("Over"), varied)}
        elif plot.name == "tradeoff":
            wanted = {"x": (_("Across"), figures), "y": (_("Up"), figures)}
        elif "column" in (*plot.needs, *plot.takes):
            wanted = {"column": (_("Column"), self._columns(with_items=plot.name == "histogram"))}
        else:
            wanted = {}
        before = {name: field.value for name, field in self.fields.items()}
        self.fields = {}
        self.options.clear()
        with self.options:
            for name, (label, choices) in wanted.items():
                if choices:
                    usual = list(choices)[1 if name == "y" and plot.name == "tradeoff" and len(choices) > 1 else 0]
                    value = before[name] if before.get(name) in choices else usual
                    field = ui.select(choices, value=value, label=label).props("outlined dense options-dense")
                    self.fields[name] = field.style("width: 190px")

    def _columns(self, *, with_items: bool) -> dict[str, str]:
        dataset = self.workbench.datasets.entry(self.experiments.entry(self.number).content["dataset"])
        columns = dict(dataset.content["section"].get("columns") or {})
        shown = [name for name, one in columns.items() if with_items or one.get("type") != "items"]
        order = sorted(shown, key=lambda name: columns[name].get("role") != "quasi")
        return {name: name for name in order}

    async def _add(self) -> None:
        chosen = {name: str(field.value) for name, field in self.fields.items()}
        wanted = PlotRequest.from_table({"kind": str(self.kind.value), **chosen})
        await in_thread(requested_frames, self.experiments.store(self.number), wanted)  # refused before it is kept
        self._keep([*self._tables(), wanted.to_dict()])
        await self.refresh()

    def _keep(self, plots: list[Mapping[str, Any]]) -> None:
        tables = {**self.experiments.entry(self.number).content["tables"], "plot": plots}
        self.experiments.set_tables(self.number, tables)

    async def _remove(self, index: int) -> None:
        tables = self._tables()
        del tables[index]
        self._keep(tables)
        await self.refresh()

    # What is shown

    async def _draw(self) -> None:
        drawn: list[_Drawn] = []
        for index, table in enumerate(self._tables()):
            drawn += await in_thread(self._frames, index, table)
        self.tiles.clear()
        with self.tiles:
            for each in drawn:
                self._tile(each)
            if not drawn:
                ui.label(_("Choose a plot and add it; it stays with the experiment.")).classes("muted")

    def _frames(self, index: int, table: Mapping[str, Any]) -> list[_Drawn]:
        """What a plot shows, each with what asks for it alone; what cannot be drawn as the reason."""
        try:
            wanted = PlotRequest.from_table(table)
            plot = wanted.plot
        except CrypsisError as error:
            return [_Drawn(index, str(table.get("kind")), None, error)]
        store = self.experiments.store(self.number)
        requests = [wanted]
        of_cells = not plot.of_results and plot.inputs != ("original",)
        if of_cells and not wanted.run and not wanted.cell:
            done = [str(row["label"]) for row in self.experiments.results(self.number) if row["state"] == "done"]
            requests = [replace(wanted, run=label) for label in dict.fromkeys(done)] or [wanted]
        drawn: list[_Drawn] = []
        for request in requests:
            try:
                drawn.append(_Drawn(index, plot.label, request, requested_frames(store, request)[0]))
            except CrypsisError as error:
                drawn.append(_Drawn(index, plot.label, request, error))
        possible = [each for each in drawn if not isinstance(each.frame, CrypsisError)]
        return possible or drawn[:1]

    def _tile(self, drawn: _Drawn) -> None:
        title, frame = _(drawn.label), drawn.frame
        with (
            ui.element("div")
            .classes("card")
            .props(f"role=group {theme.attribute('aria-label', _('Plot {title}', title=title))}")
        ):
            with ui.row().style("width: 100%; justify-content: flex-end; gap: 2px"):
                if drawn.request is not None and not isinstance(frame, CrypsisError):
                    query = {key: getattr(drawn.request, key) for key in ("x", "y", "column", "run", "cell")}
                    plot_exports(self.number, drawn.request.kind, query, file_name(frame))
                theme.quiet(
                    "close", _("Remove the plot {title}", title=title), lambda: notify_errors(self._remove)(drawn.index)
                )
            if isinstance(frame, CrypsisError):
                ui.label(f"{title}: {frame}").classes("muted")
            else:
                show_plot(frame, title=True)


@dataclass(frozen=True)
class _Drawn:
    """A picture, or why there is none, and where in the experiment it was asked for."""

    index: int
    label: str
    request: PlotRequest | None
    frame: Frame | CrypsisError
