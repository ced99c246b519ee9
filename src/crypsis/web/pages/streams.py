"""Streams: a live window over events. Which places are shown, what is held back, how far behind we are."""

from __future__ import annotations

import math
from typing import Any

from fastapi import Request
from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.reports.markup import Markup, element
from crypsis.reports.svg import drawing, polyline, text
from crypsis.web import theme
from crypsis.web.actions import in_thread, number, percent, told
from crypsis.web.widgets import choose_dataset, chosen_dataset, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/streams"
LEAD = "Publish events window by window, each verified before it goes out, and watch it happen."
WIDTH = 640.0
_LETTER = 6.9  # about the width of a letter


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def streams(request: Request, dataset: str | None = None) -> None:
        entry = chosen_dataset(workbench, dataset, ("events",))
        mode = request.cookies.get(theme.THEME_COOKIE)
        with theme.page_frame("Streams", LEAD, theme=mode, dataset=dataset) as actions:
            if entry is None:

                async def load() -> None:
                    await in_thread(workbench.datasets.add_sample, "metro-flow", 20_000)
                    ui.navigate.to(PATH)

                with theme.empty_state(
                    "stream",
                    "No events yet",
                    "A stream is a table of who was where when. Load one on the page Data, or try a metro.",
                ):
                    theme.primary("Load the sample metro", told(load), "download")
                    theme.secondary("Go to Data", lambda: ui.navigate.to("/data"), "table_chart")
                return
            StreamPage(workbench, entry).show(actions)


class StreamPage:
    def __init__(self, workbench: Workbench, entry: Entry) -> None:
        self.workbench, self.entry = workbench, entry
        self.streams = workbench.streams
        existing = [one for one in self.streams.entries() if one.content["dataset"] == entry.number]
        self.number = existing[0].number if existing else None
        self.seen = -1

    def show(self, actions: Any) -> None:
        with actions:
            choose_dataset(self.workbench, self.entry, PATH, kinds=("events",))
            theme.secondary("Show as file", told(self._as_file), "code")
        with ui.element("div").classes("split left"):
            with theme.section("Promise", "LKC-privacy of every window"):
                self._form()
            with ui.element("div").classes("stack"):
                self.tiles = ui.element("div").classes("tiles").props('aria-live="polite"')
                self.tiles.style("grid-template-columns: repeat(3, minmax(0, 1fr))")
                with theme.section("The window now", "Area: published visits · ✕: something was held back"):
                    self.map = ui.html("", sanitize=False).classes("drawing")
                with theme.section("Held back, and lag"):
                    self.curves = ui.html("", sanitize=False).classes("drawing")
        self.problem = ui.column().style("width: 100%")
        self._refresh()
        ui.timer(0.7, self._refresh)

    def _form(self) -> None:
        settings = {"K": 20, "L": 2, "N": 7, "rate": 3000}
        if self.number is not None:
            settings |= {key: self.streams.workspace.entry("streams", self.number).content[key] for key in settings}
        words = {
            "K": "People that must share what is known",
            "L": "Visits that an adversary may know",
            "N": "Timestamps of a window",
            "rate": "Events a second",
        }
        self.fields = {}
        for name, value in settings.items():
            field = ui.number(f"{name} · {words[name]}", value=value, min=1, precision=0).props("outlined dense")
            field.style("width: 100%")
            self.fields[name] = field
        with ui.row().classes("actions"):
            self.start = theme.primary("Start", told(self._start), "play_arrow")
            self.stop = theme.secondary("Stop", told(self._stop), "stop")
        self.again = ui.button("Begin anew with these settings", on_click=told(self._anew)).props("flat no-caps")
        ui.label("Stopping loses nothing: starting again goes on where it was.").classes("muted small")

    async def _start(self) -> None:
        if self.number is None:
            await self._create()
        assert self.number is not None
        await in_thread(self.streams.begin, self.number)

    async def _create(self) -> None:
        values = {name: field.value for name, field in self.fields.items()}
        entry = await in_thread(
            self.streams.create,
            self.entry.number,
            K=int(values["K"] or 0),
            L=int(values["L"] or 0),
            N=int(values["N"] or 0),
            rate=float(values["rate"] or 0),
        )
        self.number = entry.number

    async def _anew(self) -> None:
        if self.number is not None:
            await in_thread(self.streams.remove, self.number)
            self.number = None
        await self._start()

    async def _stop(self) -> None:
        if self.number is not None:
            await in_thread(self.streams.stop, self.number)

    async def _as_file(self) -> None:
        if self.number is None:
            await self._create()
        assert self.number is not None
        number_, text = self.number, await in_thread(self.streams.text, self.number)

        async def take(changed: str) -> None:
            await in_thread(self.streams.take_text, number_, changed)
            ui.navigate.to(f"{PATH}?dataset={self.entry.number}")

        show_as_file(lambda: text, take, "stream.toml", "stream", "crypsis stream")

    def _refresh(self) -> None:
        live: dict[str, Any] | None = None
        if self.number is not None:
            try:
                live = self.streams.get(self.number).to_dict()
            except CrypsisError:
                live = None
        running = bool(live and live["running"])
        self.start.set_enabled(not running)
        self.stop.set_enabled(running)
        self.start.set_text("Start" if self.number is None or live is None or not live["windows"] else "Go on")
        if live is not None and live["windows"] == self.seen and running:
            return
        self.seen = -1 if live is None else live["windows"]
        self.tiles.clear()
        with self.tiles:
            if live is None:
                theme.tile("State", "not running", "press Start")
            else:
                finished = live["summary"] and live["summary"]["finished"]
                theme.tile("State", "running" if running else "finished" if finished else "stopped")
                theme.tile("Windows out", number(live["windows"]), f"verified up to {live['verified_up_to'] + 1}")
                theme.tile("People in the window", number(live["people"]))
                theme.tile("Held back", percent(live["suppressed_share"]), "of the visits in this window")
                theme.tile("Lag", number(live["lag"]), "timestamps behind the newest event")
                theme.tile("Events a second", number(round(live["rate"])))
        self.problem.clear()
        if live is not None and live["error"]:
            with self.problem:
                theme.message("bad", "The stream stopped", live["error"])
        self.map.set_content(place_map(live["places"], live["suppressed_places"]) if live else _nothing())
        self.curves.set_content(curves(live["history"]) if live else _nothing())


def _nothing() -> Markup:
    note = text(WIDTH / 2, 60, "Press Start to see the first window.", "note", "middle")
    return drawing(WIDTH, 120, "Nothing to show yet.", note, kind="map")


def place_map(places: dict[str, int], suppressed: dict[str, int]) -> Markup:
    """Places in rows, by name: discs grow with what is published of them, a cross says that something is held back."""
    names = sorted(set(places) | set(suppressed))[:120]
    if not names:
        return _nothing()
    columns = max(1, math.ceil(math.sqrt(len(names) * 2.2)))
    rows = math.ceil(len(names) / columns)
    cell = WIDTH / columns
    height = rows * max(54.0, cell * 0.9) + 10
    step = (height - 10) / rows
    busiest = max([*places.values(), 1])
    first = names[0][: names[0].rfind(" ") + 1]
    shared = len(first) if len(names) > 1 and all(name.startswith(first) for name in names) else 0
    marks = []
    for at, name in enumerate(names):
        x, y = (at % columns + 0.5) * cell, (at // columns + 0.42) * step + 5
        count, held = places.get(name, 0), suppressed.get(name, 0)
        radius = max(2.0, min(cell, step) * 0.34 * math.sqrt(count / busiest))
        title = element("title", f"{name}: {count:,} published visits, {held:,} held back in this window")
        parts = [title, element("circle", cx=x, cy=y, r=radius, class_="whole")]
        if held:
            parts.append(element("path", d=f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8", class_="missed"))
        short = name[shared:] or name
        label = short if len(short) * _LETTER < cell else short[: max(2, int(cell / _LETTER) - 2)] + "…"
        parts.append(text(x, y + min(cell, step) * 0.34 + 12, label, "tick", "middle"))
        marks.append(element("g", *parts))
    return drawing(WIDTH, height, f"{len(names)} places in the window.", *marks, kind="map")


def curves(history: list[dict[str, Any]]) -> Markup:
    """Share held back (line) and lag (bars) over the windows."""
    if not history:
        return _nothing()
    height, left, right, top, bottom = 170.0, 46.0, WIDTH - 46.0, 16.0, 136.0
    shares = [one["suppressed_share"] for one in history]
    lags = [one["lag"] for one in history]
    most, longest = max([*shares, 0.01]), max([*lags, 1])
    step = (right - left) / max(1, len(history))
    bars = [
        element(
            "rect",
            element("title", f"window {one['window']}: lag {one['lag']}"),
            x=left + at * step,
            y=bottom - (bottom - top) * one["lag"] / longest,
            width=max(0.8, step * 0.7),
            height=(bottom - top) * one["lag"] / longest,
            class_="bar-neutral",
            fill_opacity="0.35",
        )
        for at, one in enumerate(history)
    ]
    points = [(left + (at + 0.35) * step, bottom - (bottom - top) * share / most) for at, share in enumerate(shares)]
    return drawing(
        WIDTH,
        height,
        f"Share held back up to {100 * most:.3g} %, lag up to {longest}.",
        element("line", x1=left, y1=bottom, x2=right, y2=bottom, class_="axis"),
        *bars,
        element("path", d=polyline(points), class_="curve generalized"),
        text(left - 6, top + 4, f"{100 * most:.0f} %" if most >= 0.01 else f"{100 * most:.1g} %", "tick", "end"),
        text(left - 6, bottom + 4, "0", "tick", "end"),
        text(right + 6, top + 4, f"{longest}", "tick"),
        text(left, height - 8, "line: share held back · bars: lag in timestamps", "note"),
        kind="chart",
    )
