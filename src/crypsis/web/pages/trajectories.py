"""Trajectories: a map before and after, without any tiles from elsewhere; and a tessellation made coarser by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from nicegui import ui

from crypsis.data.track import Tracks
from crypsis.errors import CrypsisError
from crypsis.web import theme
from crypsis.web.actions import beside, in_thread, number, told
from crypsis.web.explorations import tessellation_map, track_map
from crypsis.web.files import companions_text, take_text
from crypsis.web.maps import release_map, visits_map
from crypsis.web.widgets import choose_dataset, chosen_dataset, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/trajectories"
LEAD = "See movement before and after, and decide area by area how coarse the map must become."
KINDS = ("tracks", "trajectories")


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def trajectories(request: Request, dataset: str | None = None) -> None:
        entry = chosen_dataset(workbench, dataset, KINDS)
        mode = request.cookies.get(theme.THEME_COOKIE)
        with theme.page_frame("Trajectories", LEAD, theme=mode, dataset=dataset) as actions:
            if entry is None:
                _empty(workbench)
                return
            with actions:
                choose_dataset(workbench, entry, PATH, kinds=KINDS)
            try:
                data = await in_thread(workbench.datasets.load, entry.number)
            except CrypsisError as error:
                theme.message("bad", "These data cannot be read as they are described", str(error))
                return
            if isinstance(data, Tracks):
                TessellationPage(workbench, entry, data).show(actions)
            else:
                await _before_and_after(workbench, entry, data, actions)


def _empty(workbench: Workbench) -> None:
    async def load(name: str) -> None:
        entry = await in_thread(workbench.datasets.add_sample, name)
        ui.navigate.to(f"{PATH}?dataset={entry.number}")

    with theme.empty_state(
        "route", "No movement yet", "Load tracks or check-ins on the page Data, or begin with a sample."
    ):
        theme.primary("Load the sample tracks", told(partial(load, "tracks")), "download")
        theme.secondary("Load the sample check-ins", told(partial(load, "checkins")), "download")


async def _before_and_after(workbench: Workbench, entry: Entry, data: Any, actions: Any) -> None:
    with actions:
        theme.secondary("Show as file", lambda: _as_file(workbench, entry), "code")
    if not data.locations.has_coordinates:
        theme.message(
            "info", "No coordinates", "Give the dataset a table of locations with x and y to see it on a map."
        )
        return
    experiments = workbench.experiments
    with ui.element("div").classes("halves"):
        with theme.section("Before", f"{len(data):,} trajectories, {data.visits:,} visits, as collected"):
            theme.picture(await in_thread(visits_map, data))
        done = [
            (one, cell)
            for one in experiments.entries(None, entry.number)
            for cell in experiments.results(one.number)
            if cell["state"] == "done"
        ]
        with theme.section("After", "What a verified release shows: blue as it was, orange joined with neighbours"):
            if not done:
                with theme.empty_state("science", "No release yet", "Run a method; its map appears here."):
                    theme.primary(
                        "Try a method", lambda: ui.navigate.to(f"/evaluate?dataset={entry.number}"), "science"
                    )
                return
            choices = {f"{one.number}/{cell['cell']}": f"{cell['label']} · {_settings(cell)}" for one, cell in done}
            top = ui.column().style("width: 100%")
            place = ui.column().style("width: 100%")

            async def show(chosen: str) -> None:
                number_, cell = chosen.split("/")
                svg = await in_thread(lambda: release_map(experiments.store(number_).release(cell)))
                place.clear()
                with place:
                    theme.picture(svg)

            first = next(iter(choices))
            with top:
                field = ui.select(
                    choices, value=first, label="Release", on_change=lambda event: told(show)(event.value)
                )
                field.props("outlined dense options-dense").style("width: 100%")
            await show(first)


def _as_file(workbench: Workbench, entry: Entry) -> None:
    """The experiment that the releases come from; before there is one, the data and what goes with them."""
    experiments = workbench.experiments
    ran = next((one for one in experiments.entries(None, entry.number) if experiments.results(one.number)), None)

    async def take(text: str) -> None:
        if ran is not None:
            dataset = (await in_thread(experiments.take_text, ran.number, text)).content["dataset"]
        else:
            dataset = (await in_thread(take_text, workbench.datasets, workbench.companions, entry.number, text)).number
        ui.navigate.to(f"{PATH}?dataset={dataset}")

    def text() -> str:
        return (
            companions_text(workbench.companions, entry)
            if ran is None
            else experiments.experiment(ran.number).to_toml()
        )

    show_as_file(text, take)


def _settings(cell: dict[str, Any]) -> str:
    shown = [f"{name}={cell[name]}" for name in ("k", "m", "K", "L") if cell.get(name) is not None]
    return ", ".join(shown) or str(cell["method"])


class TessellationPage:
    """Tracks: the finest division of the map, and steps that make it coarser."""

    def __init__(self, workbench: Workbench, entry: Entry, tracks: Tracks) -> None:
        self.workbench, self.entry, self.tracks = workbench, entry, tracks
        self.explorations = workbench.explorations
        self.number = ""

    def show(self, actions: Any) -> None:
        with actions:
            theme.secondary("Show as file", self._as_file, "code")
        with ui.element("div").classes("split left"):
            with theme.section("Controls"):
                self._controls()
            with ui.element("div").classes("stack"):
                self.tiles = ui.element("div").classes("tiles").props('aria-live="polite"')
                with theme.section(
                    "Now",
                    "Darker areas hold more fixes; lines are moves. Click an area, or press Enter on it, to mark it",
                ):
                    self.map = ui.html("", sanitize=False).classes("drawing")
                    with ui.element("div").classes("legend"):
                        ui.html(
                            "<span><i style='background: var(--intact)'></i>area</span> &nbsp; "
                            "<span><i style='background: var(--generalized); outline: 1.5px solid var(--ink)'></i>"
                            "marked: keep it fine</span>",
                            sanitize=False,
                        )
                with theme.section("Before", f"{len(self.tracks):,} tracks as collected"):
                    self.before = ui.html("", sanitize=False).classes("drawing")
        self.place = f"map-{self.map.id}"
        self.map.props(f'id="{self.place}"')
        ui.on(f"area-{self.place}", told(self._mark))
        ui.timer(0.05, self._first, once=True)

    async def _first(self) -> None:
        """What takes a while, once the page is there."""
        ui.run_javascript(f"crypsis.areas('{self.place}')")
        await self._begin()
        self.before.set_content(await in_thread(track_map, self.tracks))

    def _controls(self) -> None:
        across = float(self.tracks.x.max() - self.tracks.x.min()) if len(self.tracks.x) else 0.0
        usual = float(f"{across / 16:.1g}") if across > 0 else 500.0
        self.radius = ui.number("Radius of a group, in units of the map", value=usual, min=0).props("outlined dense")
        self.k = ui.number("k · individuals that should move between two areas", value=5, min=1, precision=0)
        self.k.props("outlined dense")
        self.limit = ui.number("Largest displacement (none: no limit)", min=0).props("outlined dense clearable")
        for field in (self.radius, self.k, self.limit):
            field.style("width: 100%")
        self.k.on_value_change(told(self._rules))
        self.limit.on_value_change(told(self._rules))
        theme.secondary("Begin with this radius", told(self._begin), "restart_alt")
        ui.separator()
        with ui.row().classes("actions"):
            theme.primary("Step", told(self._step), "skip_next")
            theme.secondary("Run to the end", told(self._run), "fast_forward")
            self.back = theme.secondary("Undo", told(self._undo), "undo")
        ui.separator()
        ui.label("Mark areas that became too coarse, then ask for a limit that would have spared them.").classes(
            "muted small"
        )
        theme.secondary("Suggest a limit", told(self._suggest), "lightbulb")
        self.suggestion = ui.column().style("width: 100%")

    async def _begin(self) -> None:
        try:
            radius, k = float(self.radius.value or 0), int(self.k.value or 0)
            found = await in_thread(self.explorations.begin, self.entry.number, radius=radius, k=k)
        except CrypsisError as error:
            beside(self.radius, error)
            return
        self.radius.error = None
        self.number = found.number
        if self.limit.value:
            await self._rules()
        await self._draw()

    async def _rules(self) -> None:
        limit = float(self.limit.value) if self.limit.value else None
        try:
            await in_thread(self.explorations.set_rules, self.number, k=int(self.k.value or 0), max_displacement=limit)
        except CrypsisError as error:
            beside(self.k if error.details.get("parameter") == "k" else self.limit, error)
            return
        self.k.error = self.limit.error = None
        await self._draw()

    async def _step(self) -> None:
        before = self.explorations.get(self.number).cells.steps
        found = await in_thread(self.explorations.step, self.number)
        if found.cells.steps == before:
            ui.notify("Nothing is left to merge under these rules.", position="bottom-right")
        await self._draw()

    async def _run(self) -> None:
        await in_thread(self.explorations.step, self.number, None)
        await self._draw()

    async def _undo(self) -> None:
        await in_thread(self.explorations.undo, self.number)
        await self._draw()

    async def _mark(self, event: Any) -> None:
        await in_thread(self.explorations.mark, self.number, int(event.args))
        await self._draw()

    async def _suggest(self) -> None:
        limit = await in_thread(self.explorations.suggest, self.number)
        self.suggestion.clear()
        with self.suggestion:
            if not self.explorations.get(self.number).marked:
                theme.message("info", "Mark an area first", "Click one on the map.")
            elif limit <= 0:
                theme.message(
                    "caution", "No limit spares these areas", "Some of them were that large from the beginning."
                )
            else:
                theme.message(
                    "good",
                    f"{number(round(limit, 1))}",
                    "displacement under which the marked areas could not have grown",
                )
                theme.secondary("Use it", lambda: self.limit.set_value(round(limit, 1)), "check")

    async def _draw(self) -> None:
        found = self.explorations.get(self.number)
        told_state = found.to_dict()
        self.map.set_content(await in_thread(tessellation_map, found))
        self.back.set_enabled(found.cells.steps > 0)
        self.tiles.clear()
        with self.tiles:
            theme.tile("Areas", number(told_state["cells"]))
            theme.tile("Steps", number(told_state["steps"]))
            theme.tile(
                "Weak connections", number(told_state["weak_pairs"]), f"fewer than {told_state['k']} individuals move"
            )
            theme.tile("Mean displacement", number(round(told_state["mean_displacement"], 1)))
            theme.tile("Marked", number(len(told_state["marked"])))

    def _as_file(self) -> None:
        async def take(text: str) -> None:
            found = await in_thread(self.explorations.take_text, self.number, text)
            if found.dataset != self.entry.number:
                ui.navigate.to(f"{PATH}?dataset={found.dataset}")
                return
            self.number = found.number
            state = found.to_dict()
            self.radius.set_value(state["radius"])
            self.k.set_value(state["k"])
            self.limit.set_value(state["max_displacement"])
            await self._draw()

        show_as_file(lambda: self.explorations.text(self.number), take)
