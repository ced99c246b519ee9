"""Plots of an experiment side by side, any kind, each with its exports; what is shown is kept as `[[plot]]`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.evaluate.plots import PLOTS, interactive_svg
from crypsis.evaluate.plots.of_store import frames_of_section
from crypsis.web import theme
from crypsis.web.actions import in_thread, told
from crypsis.web.workbench import Workbench

NEEDED_ELSEWHERE = ("line", "tradeoff")  # they have controls of their own above


class PlotArea:
    """The plots of one experiment; the list is part of the experiment."""

    def __init__(self, workbench: Workbench, experiment: str) -> None:
        self.workbench, self.number = workbench, experiment
        self.experiments = workbench.experiments

    @property
    def sections(self) -> list[dict[str, Any]]:
        return [dict(one) for one in self.experiments.entry(self.number).content["tables"].get("plot") or []]

    def show(self) -> None:
        with theme.section(
            "More plots", "Phases, frequencies, errors, sizes: of the first finished cell of each run"
        ) as head:
            with head:
                kinds = {name: f"{name} · {plot.help}" for name, plot in PLOTS.items() if name not in NEEDED_ELSEWHERE}
                self.kind = ui.select(kinds, value="phases", label="Plot").props("outlined dense options-dense")
                self.kind.style("width: 260px")
                self.column = ui.input("Column").props("outlined dense").style("width: 110px")
                theme.secondary("Add", told(self._add), "add")
            self.tiles = ui.element("div").classes("halves")
        ui.timer(0.1, told(self._draw), once=True)

    async def _add(self) -> None:
        section: dict[str, Any] = {"kind": self.kind.value}
        if self.column.value:
            section["column"] = str(self.column.value)
        await in_thread(frames_of_section, self.experiments.store(self.number), section)  # refused before it is kept
        self._keep([*self.sections, section])
        await self._draw()

    def _keep(self, sections: list[dict[str, Any]]) -> None:
        tables = {**self.experiments.entry(self.number).content["tables"], "plot": sections}
        self.experiments.set_tables(self.number, tables)

    async def _remove(self, place: int) -> None:
        sections = self.sections
        del sections[place]
        self._keep(sections)
        await self._draw()

    async def _draw(self) -> None:
        store = self.experiments.store(self.number)
        drawn: list[tuple[int, dict[str, Any], Any]] = []
        for place, section in enumerate(self.sections):
            try:
                frames = await in_thread(frames_of_section, store, section)
                drawn += [(place, section, frame) for frame in frames]
            except CrypsisError as error:
                drawn.append((place, section, error))
        self.tiles.clear()
        with self.tiles:
            for place, section, frame in drawn:
                self._tile(place, section, frame)
            if not drawn:
                ui.label("Choose a plot and add it; it stays with the experiment.").classes("muted")

    def _tile(self, place: int, section: dict[str, Any], frame: Any) -> None:
        with ui.element("div").classes("card"):
            with ui.row().style("width: 100%; justify-content: flex-end; gap: 2px"):
                query = {key: value for key, value in section.items() if key in ("x", "y", "column")}
                with ui.button(icon="download").props('flat dense round aria-label="Export this plot"'), ui.menu():
                    for format in ("svg", "pdf", "png", "jpg", "bmp", "csv"):
                        told_query = urlencode({**query, "format": format})
                        address = f"/api/experiments/{self.number}/plots/{section['kind']}?{told_query}"
                        with ui.menu_item(auto_close=True):
                            ui.link(format.upper(), address).props("download")
                theme.quiet("close", f"Remove the plot {section['kind']}", lambda: told(self._remove)(place))
            if isinstance(frame, CrypsisError):
                ui.label(f"{section['kind']}: {frame}").classes("muted")
            else:
                theme.picture(interactive_svg(frame, title=True, alone=False))
