"""Trajectories: a map before and after, without any tiles from elsewhere; and a tessellation made coarser by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.data.track import Tracks
from crypsis.drawing.map_view import MapView
from crypsis.drawing.markup import Markup
from crypsis.errors import CrypsisError
from crypsis.methods import METHODS
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.parameters import parameters_of
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures.movement_maps import (
    cells_legend,
    cells_map,
    place_legend,
    published_map,
    released_legend,
    track_map,
    tracks_legend,
    view_of_places,
    view_of_tracks,
    visits_map,
)
from crypsis.translation import _, marked, translated
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number, show_error_at
from crypsis.web.dataset_page import DatasetPage, show_dataset_page
from crypsis.web.drawings import map_size
from crypsis.web.explorations import tessellation_map
from crypsis.web.files import side_inputs_text, take_text
from crypsis.web.maps import area_legend, joined_places
from crypsis.web.outlines import read_outlines
from crypsis.web.sample_offer import offer_samples
from crypsis.web.widgets import drop_place, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/trajectories"
LEAD = marked("See movement before and after, and decide area by area how coarse the map must become.")
KINDS = ("tracks", "trajectories")


def register(workbench: Workbench) -> None:
    page = DatasetPage(PATH, marked("Trajectories"), LEAD, KINDS, _empty)

    async def show(entry: Entry, actions: Any, data: Any) -> None:
        if isinstance(data, Tracks):
            TessellationPage(workbench, entry, data).show(actions)
        else:
            await _before_and_after(workbench, entry, data, actions)

    @ui.page(PATH, response_timeout=60)
    async def trajectories(dataset: str | None = None) -> None:
        await show_dataset_page(workbench, page, dataset, show, workbench.datasets.load)


def _empty(workbench: Workbench) -> None:
    offer_samples(
        workbench,
        PATH,
        "route",
        _("No movement yet"),
        _("Load tracks or check-ins on the page Data, or begin with a sample."),
        {_("Load the sample tracks"): "tracks", _("Load the sample check-ins"): "checkins"},
    )


async def _before_and_after(workbench: Workbench, entry: Entry, data: Any, actions: Any) -> None:
    with actions:
        theme.secondary(_("Show as file"), lambda: _as_file(workbench, entry), "code")
    if not data.locations.has_coordinates:
        theme.message(
            "info",
            _("No map without coordinates"),
            _(
                "Give the dataset a table of locations with x and y (the key locations in its file) to see "
                "it on a map. Methods that need no coordinates work all the same."
            ),
        )
        theme.primary(_("Try a method"), lambda: ui.navigate.to(f"/evaluate?dataset={entry.number}"), "science")
        return
    view = await in_thread(view_of_places, data, map_size())
    place = ui.element("div").classes("halves")

    async def draw(view: MapView) -> None:
        place.clear()
        with place:
            with theme.section(
                _("Before"),
                _("{data:,} trajectories, {visits:,} visits, as collected", data=len(data), visits=data.visits),
            ):
                theme.picture(await in_thread(visits_map, data, view))
                legend(place_legend())
            with theme.section(_("After"), _("As a verified release shows it")) as head:
                released = partial(published_map, data=data, view=view)
                await ReleasePicture(workbench, entry, released, released_legend()).show(head)

    await draw(view)
    _outlines_box(workbench, view, draw)


def _outlines_box(workbench: Workbench, view: MapView, draw: Callable[[MapView], Awaitable[None]]) -> None:
    """A place for outlines that somebody has: they are drawn below, and kept nowhere."""

    async def received(upload: str, name: str) -> None:
        path = workbench.workspace.upload(upload)
        try:
            outlines = await in_thread(read_outlines, path, view.crs)
        finally:
            path.unlink(missing_ok=True)
        await draw(replace(view, outlines=outlines))

    with theme.section(
        _("Outlines"), _("Borders, coasts or roads below the map; they are shown until you leave the page")
    ):
        hint = _("GeoJSON, or a shapefile as a zip file")
        hint += "" if view.crs is not None else _(", in the coordinates of the data")
        drop_place(
            workbench, _("Drop a file with outlines"), hint, notify_errors(received), accept=".geojson,.json,.zip"
        )


class ReleasePicture:
    """What a finished cell of an experiment published, chosen from those of the dataset."""

    def __init__(
        self, workbench: Workbench, entry: Entry, draw: Callable[[ReleaseFacts], Markup], marks: Markup
    ) -> None:
        self.workbench, self.entry, self.draw, self.marks = workbench, entry, draw, marks
        self.experiments = workbench.experiments

    def finished(self) -> dict[str, str]:
        """By experiment and cell: what was run with which settings, the newest first."""
        return {
            f"{entry.number}/{cell['cell']}": f"{_called(cell)} · {_settings(cell)}"
            for entry in self.experiments.entries(None, self.entry.number)
            for cell in self.experiments.results(entry.number)
            if cell["state"] == "done" and METHODS[str(cell["method"])].family == "trajectory"
            if METHODS[str(cell["method"])].promises.model != "differential privacy"
        }

    async def show(self, head: Any) -> None:
        choices = await in_thread(self.finished)
        if not choices:
            with theme.empty_state("science", _("No release yet"), _("Run a method; its map appears here.")):
                theme.primary(
                    _("Try a method"), lambda: ui.navigate.to(f"/evaluate?dataset={self.entry.number}"), "science"
                )
            return
        first = next(iter(choices))
        with head:
            field = ui.select(
                choices,
                value=first,
                label=_("Release"),
                on_change=lambda event: notify_errors(self._chosen)(event.value),
            )
            field.props("outlined dense options-dense").classes("one-line").style("width: 220px")
        self.place = ui.element("div").classes("stack").style("gap: 12px")
        await notify_errors(self._chosen)(first)

    async def _chosen(self, chosen: str) -> None:
        number_, cell = chosen.split("/")
        facts = await in_thread(self._facts, number_, cell)
        svg = await in_thread(self.draw, facts)
        self.place.clear()
        with self.place:
            theme.picture(svg)
            legend(self.marks)
            joined = joined_places(facts)
            if joined:
                with (
                    ui.expansion(_("The {joined:,} groups as a list", joined=len(joined)))
                    .props("dense")
                    .classes("fold")
                ):
                    rows = "".join(
                        f"<tr><td>{theme.escaped(names)}</td><td class=number>{number(rows)}</td></tr>"
                        for names, rows in joined
                    )
                    ui.html(
                        f"<table class=plain><thead><tr><th scope=col>{_('Published as one')}</th>"
                        f"<th scope=col class=number>{_('Rows')}</th></tr></thead><tbody>{rows}</tbody></table>",
                        sanitize=False,
                    ).classes("scroll").style("max-height: 300px")

    def _facts(self, number_: str, cell: str) -> ReleaseFacts:
        release = self.experiments.store(number_).release(cell)
        return ReleaseFacts.of(release.manifest, release.data, release.side_file)


def legend(marks: Markup) -> None:
    """Show what the marks of the map mean."""
    ui.html(marks, sanitize=False).classes("legend")


def _as_file(workbench: Workbench, entry: Entry) -> None:
    """The experiment that the releases come from; before there is one, the data and what goes with them."""
    experiments = workbench.experiments
    ran = next((one for one in experiments.entries(None, entry.number) if experiments.results(one.number)), None)

    async def take(text: str) -> None:
        if ran is not None:
            dataset = (await in_thread(experiments.take_text, ran.number, text)).content["dataset"]
        else:
            dataset = (await in_thread(take_text, workbench.datasets, workbench.side_inputs, entry.number, text)).number
        ui.navigate.to(f"{PATH}?dataset={dataset}")

    def text() -> str:
        return (
            side_inputs_text(workbench.side_inputs, entry)
            if ran is None
            else experiments.experiment(ran.number).to_toml()
        )

    show_as_file(text, take)


def _waiting() -> Any:
    """The place of a map until it is drawn."""
    words = theme.escaped(_("Drawing the map …"))
    return ui.html(f'<div class="waiting" role="status">{words}</div>', sanitize=False).classes("drawing")


def _called(cell: dict[str, Any]) -> str:
    """The name that somebody gave, or that of the method."""
    return METHODS[str(cell["method"])].__name__ if cell["label"] == cell["method"] else str(cell["label"])


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
            theme.secondary(_("Show as file"), self._as_file, "code")
        with theme.section(_("Make the map coarser, step by step")):
            self._controls()
        self.aloud = theme.Announcer()
        with ui.element("div").classes("halves"):
            with theme.section(
                _("Before"),
                _("{tracks:,} tracks, {x:,} fixes, as collected", tracks=len(self.tracks), x=len(self.tracks.x)),
            ):
                self.before = _waiting()
                legend(tracks_legend())
            with theme.section(_("Now"), _("Click an area, or press Enter on it, to mark it")):
                self.map = _waiting()
                self.legend = ui.html("", sanitize=False).classes("legend")
        with ui.element("div").classes("halves"):
            self.after = ui.element("div")
            self.outlines = ui.element("div")
        self.place = f"map-{self.map.id}"
        self.map.props(f'id="{self.place}"')
        ui.on(f"area-{self.place}", notify_errors(self._mark))
        ui.timer(0.05, self._first, once=True)

    async def _first(self) -> None:
        """What takes a while, once the page is there."""
        ui.run_javascript(f"crypsis.areas('{self.place}')")
        self.view = view_of_tracks(self.tracks, map_size())
        self.before.set_content(await in_thread(track_map, self.tracks, self.view))
        await self._begin()
        with self.outlines:
            _outlines_box(self.workbench, self.view, self._draw_before)
        released = ReleasePicture(self.workbench, self.entry, lambda facts: cells_map(facts, self.view), cells_legend())
        if await in_thread(released.finished):
            with self.after, theme.section(_("Released"), _("What a verified release of these tracks shows")) as head:
                await released.show(head)

    async def _draw_before(self, view: MapView) -> None:
        self.before.set_content(await in_thread(track_map, self.tracks, view))

    def _controls(self) -> None:
        across = float(self.tracks.x.max() - self.tracks.x.min()) if len(self.tracks.x) else 0.0
        usual = float(f"{across / 16:.1g}") if across > 0 else 500.0
        unit = self.unit = view_of_tracks(self.tracks).unit
        with ui.element("div").classes("fields"):
            self.radius = ui.number(_("Radius of an area at first, in {unit}", unit=unit), value=usual, min=0)
            self.k = ui.number(_("People who should make each move (k)"), value=5, min=1, precision=0)
            self.limit = ui.number(_("Farthest a fix may be moved, in {unit}", unit=unit), min=0)
            self.limit.props(f"{theme.attribute('placeholder', _('no limit'))} clearable stack-label")
            self.counted = self._counted()
            for field in (self.radius, self.k, self.limit, self.counted):
                field.props("outlined dense hide-bottom-space")
        self.k.on_value_change(notify_errors(self._rules))
        self.limit.on_value_change(notify_errors(self._rules))
        with ui.row().classes("actions"):
            theme.primary(_("Step"), notify_errors(self._step), "skip_next")
            theme.secondary(_("Run to the end"), notify_errors(self._run), "fast_forward")
            self.back = theme.secondary(_("Undo"), notify_errors(self._undo), "undo")
            theme.secondary(_("Begin again with this radius"), notify_errors(self._begin), "restart_alt")
            theme.secondary(_("Suggest a limit"), notify_errors(self._suggest), "lightbulb").tooltip(
                _("The farthest that a fix may be moved so that the marked areas stay as fine as they were")
            )
        self.suggestion = ui.column().style("width: 100%")
        self.figures = ui.html("", sanitize=False).classes("figures")

    def _counted(self) -> Any:
        """Who counts as one where owners have several tracks: people, unless single tracks are chosen."""
        unit = next(parameter for parameter in parameters_of(PPSG) if parameter.name == "unit")
        labels = {name: translated(words) for name, words in unit.choice_labels.items()}
        chosen = "owner" if self.tracks.owner_repeats else None
        field = ui.select(labels, value=chosen, label=_("What counts as one person"))
        field.props("options-dense").set_visibility(self.tracks.owner_repeats)
        field.on_value_change(notify_errors(self._count))
        return field

    async def _count(self, event: Any) -> None:
        """Begin again with the people, or the tracks, that were chosen; a file that was taken has done so already."""
        if not self.number or self.explorations.get(self.number).unit != event.value:
            await self._begin()

    async def _begin(self) -> None:
        self.radius.error = self.k.error = None
        rules = {"radius": float(self.radius.value or 0), "k": int(self.k.value or 0)}
        if not rules["radius"] > 0:
            self.radius.error = _("A number above 0.")
            return
        try:
            exploration = await in_thread(self.explorations.begin, self.entry.number, unit=self.counted.value, **rules)
        except CrypsisError as error:
            show_error_at(self.k if error.details.get("parameter") == "k" else self.radius, error)
            return
        self.number = exploration.number
        if self.limit.value:
            await self._rules()
        await self._draw()

    async def _rules(self) -> None:
        limit = float(self.limit.value) if self.limit.value else None
        try:
            await in_thread(self.explorations.set_rules, self.number, k=int(self.k.value or 0), max_displacement=limit)
        except CrypsisError as error:
            show_error_at(self.k if error.details.get("parameter") == "k" else self.limit, error)
            return
        self.k.error = self.limit.error = None
        await self._draw()

    async def _step(self) -> None:
        before = self.explorations.get(self.number).cells.steps
        exploration = await in_thread(self.explorations.step, self.number)
        if exploration.cells.steps == before:
            ui.notify(_("Nothing is left to merge under these rules."), position="bottom-right")
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
                theme.message(
                    "info",
                    _("Mark areas first"),
                    _(
                        "Click those that became too coarse, or press Enter on them; then ask for a limit "
                        "that would have spared them."
                    ),
                )
            elif limit <= 0:
                theme.message(
                    "caution", _("No limit spares these areas"), _("Some of them were that large from the beginning.")
                )
            else:
                theme.message(
                    "good",
                    _("A limit of {limit} {unit}", limit=number(round(limit, 1)), unit=self.unit),
                    _("With it the marked areas could not have grown. Use it, then begin again."),
                )
                theme.secondary(_("Use it"), lambda: self.limit.set_value(round(limit, 1)), "check")

    async def _draw(self) -> None:
        exploration = self.explorations.get(self.number)
        told_state = exploration.to_dict()
        self.map.set_content(await in_thread(tessellation_map, exploration, map_size()))
        self.legend.set_content(area_legend(exploration.cells))
        self.back.set_enabled(exploration.cells.steps > 0)
        weak = told_state["weak_pairs"]
        parts = [
            (number(told_state["cells"]), _("areas")),
            (number(told_state["steps"]), _("steps")),
            (number(weak), _("weak connections (fewer than {k} people)", k=told_state["k"])),
            (
                number(round(told_state["mean_displacement"], 1)),
                _("{unit} that a fix is moved, on average", unit=self.unit),
            ),
            (number(len(told_state["marked"])), _("marked")),
        ]
        self.figures.set_content("".join(f"<span><b>{value}</b> {words}</span>" for value, words in parts))
        self.aloud.say(", ".join(f"{value} {words}" for value, words in parts))

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
            self.counted.set_value(state["unit"])
            self.limit.set_value(state["max_displacement"])
            await self._draw()

        show_as_file(lambda: self.explorations.text(self.number), take)
