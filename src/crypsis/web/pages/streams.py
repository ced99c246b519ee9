"""Streams: a live window over events. Which places are shown, what is held back, how far behind we are."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.svg import LinearScale, drawing, line, polyline, rounded_up, text
from crypsis.errors import CrypsisError, SinkBehind
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number, percent, show_error_at
from crypsis.web.dataset_page import DatasetPage, show_dataset_page
from crypsis.web.drawings import map_size
from crypsis.web.live_streams import WindowFigures
from crypsis.web.reader import on_a_phone
from crypsis.web.sample_offer import offer_samples
from crypsis.web.widgets import confirm, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/streams"
LEAD = marked("Publish events window by window, each verified before it goes out, and watch it happen.")
WIDTH, _NARROW = 640.0, 300.0
_MOST_PLACES = 120
_STATES = {"finished": marked("all events were read"), "stopped": marked("Go on takes it up again")}
_LETTER = 6.9  # about the width of a letter


def register(workbench: Workbench) -> None:
    page = DatasetPage(PATH, marked("Streams"), LEAD, ("events",), _empty)

    async def show(entry: Entry, actions: Any, _loaded: None) -> None:
        StreamPage(workbench, entry).show(actions)

    @ui.page(PATH, response_timeout=60)
    async def streams(dataset: str | None = None) -> None:
        await show_dataset_page(workbench, page, dataset, show)


def _empty(workbench: Workbench) -> None:
    offer_samples(
        workbench,
        PATH,
        "stream",
        _("No events yet"),
        _("A stream is a table of who was where when. Load one on the page Data, or try a metro."),
        {_("Load the sample metro"): "metro-flow"},
        rows=20_000,
    )


class StreamPage:
    """The page of a live stream."""

    def __init__(self, workbench: Workbench, entry: Entry) -> None:
        self.workbench, self.entry = workbench, entry
        self.streams = workbench.streams
        existing = [one for one in self.streams.entries() if one.content["dataset"] == entry.number]
        self.number = existing[0].number if existing else None
        self.seen: tuple[Any, ...] | None = None

    def show(self, actions: Any) -> None:
        with actions:
            theme.secondary(_("Show as file"), notify_errors(self._as_file), "code")
        with ui.element("div").classes("split left"):
            with ui.element("div").classes("stack"):
                with theme.section(_("Guarantee"), _("LKC-privacy: K people fit whatever is known of somebody")):
                    self._form()
                with theme.section(_("Over time")):
                    self.curves = ui.html("", sanitize=False).classes("drawing")
            with ui.element("div").classes("stack"):
                self.problem = ui.column().style("width: 100%")
                self.tiles = ui.element("div").classes("tiles thirds")
                with theme.section(_("The window now"), _("Visits at each location, published and held back")):
                    self.map = ui.html("", sanitize=False).classes("drawing")
                    ui.html(legend(), sanitize=False).classes("legend")
                    with ui.expansion(_("As a table")).props("dense").classes("fold"):
                        self.table = ui.html("", sanitize=False).classes("scroll").style("max-height: 320px")
        self.aloud = theme.Announcer()
        self._refresh()
        ui.timer(0.7, self._refresh)

    def _form(self) -> None:
        settings = {"K": 20, "L": 2, "N": 7, "rate": 3000}
        if self.number is not None:
            settings |= {key: self.streams.workspace.entry("streams", self.number).content[key] for key in settings}
        words = {
            "K": _("People who must fit what is known (K)"),
            "L": _("Visits of a person that somebody may know (L)"),
            "N": _("Length of a window, in timestamps (N)"),
            "rate": _("Speed of the replay, in events a second"),
        }
        self.fields = {}
        for name, value in settings.items():
            field = ui.number(words[name], value=value, min=1, precision=0)
            field.props("outlined dense hide-bottom-space").style("width: 100%")
            field.on_value_change(lambda: self._changed())
            self.fields[name] = field
        with ui.row().classes("actions"):
            self.start = theme.primary(_("Start"), notify_errors(self._start), "play_arrow")
            self.stop = theme.secondary(_("Stop"), notify_errors(self._stop), "stop")
            self.again = theme.secondary(_("Start over"), notify_errors(self._ask_to_start_over)).tooltip(
                _("From the first event, with these settings; what was published so far is removed")
            )
        self.note = ui.label(_("Stopping loses nothing: starting again goes on where it was.")).classes("muted small")

    def _changed(self) -> None:
        for field in self.fields.values():
            field.error = None
        if self.number is not None:
            self.note.set_text(_("Changed settings count from the next “Start over”; going on keeps the old ones."))

    async def _start(self, *, republish: bool = False) -> None:
        if self.number is None:
            await self._create()
        if self.number is None:
            return
        await in_thread(self.streams.begin, self.number, republish=republish)
        self._refresh()
        theme.keep_focus(self.stop, self.start)

    async def _create(self) -> None:
        values = {name: field.value for name, field in self.fields.items()}
        try:
            entry = await in_thread(
                self.streams.create,
                self.entry.number,
                K=int(values["K"] or 0),
                L=int(values["L"] or 0),
                N=int(values["N"] or 0),
                rate=float(values["rate"] or 0),
            )
        except CrypsisError as error:
            named = re.search(r"\b(K|L|N|rate)\b", error.sentence)
            parameter = str(error.details.get("parameter") or (named.group() if named else ""))
            if parameter not in self.fields:
                raise
            show_error_at(self.fields[parameter], error)
            return
        self.number = entry.number

    async def _ask_to_start_over(self) -> None:
        """Begin from the first event; what was published before is removed only when that is meant."""
        if self.number is None or not self.streams.get(self.number).to_dict()["windows"]:
            await self._start_over()
            return
        confirm(
            _("Start over?"),
            _("The windows that were published so far are removed."),
            notify_errors(self._start_over),
            _("Remove them and start over"),
        )

    async def _start_over(self) -> None:
        if self.number is not None:
            await in_thread(self.streams.remove, self.number)
            self.number = None
        await self._start()

    async def _stop(self) -> None:
        if self.number is not None:
            await in_thread(self.streams.stop, self.number)
            self._refresh()
            theme.keep_focus(self.start, self.stop)

    async def _as_file(self) -> None:
        if self.number is None:
            await self._create()
        if self.number is None:
            return
        number_, text = self.number, await in_thread(self.streams.text, self.number)

        async def take(changed: str) -> None:
            await in_thread(self.streams.take_text, number_, changed)
            ui.navigate.to(f"{PATH}?dataset={self.entry.number}")

        show_as_file(lambda: text, take, "stream.toml", marked("Stream file (TOML)"), "crypsis stream")

    def _refresh(self) -> None:
        """Show what has changed since the last look."""
        live: dict[str, Any] | None = None
        if self.number is not None:
            try:
                live = self.streams.get(self.number).to_dict()
            except CrypsisError:
                live = None
        running = bool(live and live["running"])
        ended = bool(live and live["summary"] and live["summary"]["finished"])
        self.start.set_enabled(not running and not ended)
        self.stop.set_enabled(running)
        self.start.set_text(_("Start") if live is None else _("Go on"))
        told_of = (-1 if live is None else live["windows"], running, live and live["error"])
        if told_of == self.seen:
            return
        self.seen = told_of
        self.again.set_visibility(live is not None)
        self.tiles.clear()
        with self.tiles:
            if live is None:
                theme.tile(_("State"), _("not running"), _("Press Start"))
            else:
                state = marked("running") if running else marked("finished") if ended else marked("stopped")
                theme.tile(
                    _("State"),
                    _(state),
                    _(_STATES.get(state, "")) if live["windows"] else _("the first time takes longer"),
                )
                verified = live["verified_up_to"] + 1
                words = (
                    ""
                    if not live["windows"]
                    else _("all verified")
                    if verified >= live["windows"]
                    else _("verified up to {verified}", verified=verified)
                )
                theme.tile(_("Windows out"), number(live["windows"]), words)
                theme.tile(_("In the window"), number(live["people"]), _("people"))
                theme.tile(_("Held back"), percent(live["suppressed_share"]), _("of the visits"))
                theme.tile(_("Lag"), number(live["lag"]), _("timestamps"))
                theme.tile(_("Speed"), number(round(live["rate"])), _("events a second"))
                self.aloud.say(_("The stream is {state}", state=_(state)))
        self.problem.clear()
        self.problem.set_visibility(bool(live and live["error"]))
        if live is not None and live["error"]:
            with self.problem, theme.fault(_("The stream stopped"), translated(str(live["error"]))):
                self._offer_remedies(str(live["code"]))
        published, held = (live["places"], live["suppressed_places"]) if live else ({}, {})
        width = map_size() if on_a_phone() else WIDTH
        picture = place_map(published, held, width) if published or held else _nothing(width, running=running)
        self.map.set_content(picture)
        self.table.set_content(place_table(published, held))
        history = live["history"] if live else []
        self.curves.set_content(curves(history) if history else _nothing(_NARROW, running=running))

    def _offer_remedies(self, code: str) -> None:
        """What helps a stream that stopped: what it lost again, another try, from the beginning, or other events."""
        if code == SinkBehind.code:
            republish = _("Publish the lost windows again")
            theme.secondary(republish, notify_errors(partial(self._start, republish=True)), "replay")
        else:
            theme.secondary(_("Go on"), notify_errors(self._start), "play_arrow")
        theme.secondary(_("Start over"), notify_errors(self._start_over), "restart_alt")
        theme.go_button(_("Look at the data"), f"/data?dataset={self.entry.number}", "table_chart")


_SIGNS = {  # what is drawn in the ring of all visits
    marked("all visits"): "",
    marked("filled: published"): '<circle cx="10" cy="10" r="6" class="whole"/>',
    marked("nothing published"): '<path d="M7 7l6 6m0 -6l-6 6" class="missed thin"/>',
}


def legend() -> str:
    """Show what the colours of a window mean."""
    return "".join(
        '<span><svg width="20" height="20" aria-hidden="true"><circle cx="10" cy="10" r="9" class="ring"/>'
        f"{inside}</svg>{theme.escaped(_(words))}</span>"
        for words, inside in _SIGNS.items()
    )


def _nothing(width: float = WIDTH, *, running: bool = False) -> Markup:
    words = _("The first window is being made …") if running else _("Press Start to see the first window.")
    return drawing(width, 100, words, text(width / 2, 50, words, "note", "middle"), kind="map")


def _names(published: dict[str, int], held: dict[str, int]) -> list[str]:
    return sorted(set(published) | set(held))


def place_map(published: dict[str, int], held: dict[str, int], width: float = WIDTH) -> Markup:
    """Locations in rows, by name. The area of a ring is all visits, the disc in it those that are published."""
    names = _names(published, held)[:_MOST_PLACES]
    columns = max(1, min(len(names), math.ceil(math.sqrt(len(names) * 2.2 * width / WIDTH))))
    rows = math.ceil(len(names) / columns)
    cell = width / columns
    step = max(54.0, min(120.0, cell * 0.9))
    height = rows * step + 10
    totals = {name: published.get(name, 0) + held.get(name, 0) for name in names}
    largest = min(cell, step) * 0.36 / math.sqrt(max([*totals.values(), 1]))
    first = names[0][: names[0].rfind(" ") + 1]
    shared = len(first) if len(names) > 1 and all(name.startswith(first) for name in names) else 0
    marks = []
    for at, name in enumerate(names):
        x, y = (at % columns + 0.5) * cell, (at // columns + 0.42) * step + 5
        out, every = published.get(name, 0), totals[name]
        ring = max(4.0, largest * math.sqrt(every))
        words = _(
            "{name}: {out:,} of {every:,} visits published, {every2:,} held back",
            name=name,
            out=out,
            every=every,
            every2=every - out,
        )
        parts = [element("title", words), element("circle", cx=x, cy=y, r=ring, class_="ring")]
        if out:
            parts.append(element("circle", cx=x, cy=y, r=ring * math.sqrt(out / every), class_="whole"))
        else:
            parts.append(element("path", d=f"M{x - 2.5:.1f} {y - 2.5:.1f}l5 5m0 -5l-5 5", class_="missed thin"))
        short = name[shared:] or name
        label = short if len(short) * _LETTER < cell else short[: max(2, int(cell / _LETTER) - 2)] + "…"
        parts.append(text(x, y + min(cell, step) * 0.36 + 12, label, "tick", "middle"))
        marks.append(element("g", *parts))
    silent = sum(not published.get(name) for name in names)
    out, every = sum(published.get(name, 0) for name in names), sum(totals.values())
    label = _(
        "{locations} in the window: {out:,} of {every:,} visits published; nothing is published of {silent:,}.",
        locations=counted(len(names), "location"),
        out=out,
        every=every,
        silent=silent,
    )
    return drawing(width, height, label, *marks, kind="map")


def place_table(published: dict[str, int], held: dict[str, int]) -> str:
    """The same in figures, for those who do not see the map."""
    rows = []
    for name in _names(published, held):
        out, back = published.get(name, 0), held.get(name, 0)
        rows.append(
            f"<tr><td>{theme.escaped(name)}</td><td class=number>{number(out + back)}</td>"
            f"<td class=number>{number(out)}</td>"
            f"<td class=number>{number(back)}</td><td class=number>{percent(out / (out + back))}</td></tr>"
        )
    heads = "".join(
        f"<th scope=col class=number>{words}</th>"
        for words in (_("All visits"), _("Published"), _("Held back"), _("Share published"))
    )
    return (
        f"<table class=plain><thead><tr><th scope=col>{_('Location')}</th>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def curves(history: Sequence[WindowFigures]) -> Markup:
    """Two small plots over the windows: the share held back, and the lag."""
    shares = [100 * step["suppressed_share"] for step in history]
    lags = [float(step["lag"]) for step in history]
    windows = [step["window"] + 1 for step in history]
    label = _(
        "Windows {windows} to {windows2}: held back {shares:.3g} % at last, at most {shares2:.3g} %; lag "
        "{lags:.0f} timestamps at last, at most {lags2:.0f}.",
        windows=windows[0],
        windows2=windows[-1],
        shares=shares[-1],
        shares2=max(shares),
        lags=lags[-1],
        lags2=max(lags),
    )
    return drawing(
        _NARROW,
        250,
        label,
        *_plot(_("Held back, % of the visits"), windows, shares, 14.0, "generalized", "%"),
        *_plot(_("Lag, in timestamps"), windows, lags, 134.0, "intact", _("timestamps")),
        text(
            (_NARROW + 34) / 2,
            248,
            _("window {windows} to {windows2}", windows=windows[0], windows2=windows[-1]),
            "tick",
            "middle",
        ),
        kind="chart",
    )


def _plot(title: str, windows: list[int], values: list[float], top: float, kind: str, unit: str) -> list[Markup]:
    """A line over the windows, with a scale that begins at 0 and a hover text at each window."""
    left, right, bottom = 34.0, _NARROW - 8.0, top + 92.0
    scale = LinearScale(0, rounded_up(max([*values, 1e-9])) if max(values) else 1, bottom, top + 14)
    across = LinearScale(0, max(1, len(values) - 1), left + 2, right - 4)
    points = [(across.at(index), scale.at(value)) for index, value in enumerate(values)]
    marks = [text(0, top, title, "note")]
    for tick in (0, scale.high / 2, scale.high):
        marks.append(line(left, scale.at(tick), right, scale.at(tick), "axis" if not tick else "grid"))
        marks.append(text(left - 6, scale.at(tick) + 4, number(tick), "tick", "end"))
    marks.append(element("path", d=polyline(points), class_=f"curve {kind}"))
    marks.append(element("circle", cx=points[-1][0], cy=points[-1][1], r=3, class_=f"dot-{kind}"))
    width = (right - left) / max(1, len(values))
    marks += [
        element(
            "rect",
            element("title", _("window {window}: {value:.3g} {unit}", window=window, value=value, unit=unit)),
            x=x - width / 2,
            y=top + 10,
            width=width,
            height=bottom - top - 10,
            fill="transparent",
        )
        for window, value, (x, _y) in zip(windows, values, points, strict=True)
    ]
    return marks
