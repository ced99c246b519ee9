"""Picture: the map. Every location at its place, and what was published for it: itself, or a group with others.

An intact location is a disc whose area grows with the number of rows that hold it. A group is the same disc, stretched
over the hull of its locations, with a line from each of them to the middle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.drawing.hull import Point, convex_hull
from crypsis.drawing.map_view import length_words, north_arrow
from crypsis.drawing.markup import Markup, element, join
from crypsis.drawing.plane import Plane
from crypsis.drawing.svg import dots, drawing, polyline, rounded_up, text, titled
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import nothing_to_show
from crypsis.translation import _, marked
from crypsis.translation.wording import counted, listed

WIDTH = 960.0
HEIGHTS = (300.0, 560.0)
MARGIN = 34.0
MOST_DOTS = 12_000  # all dots of a kind are one path, so they are cheap
MOST_SYMBOLS = 1_200
MOST_SPOKES = 3_000
MOST_NAMES = 12
_STRIP = 52.0  # below the map: its scale and the key of sizes
_LEGEND = 34.0
_LEAST_RING = 1.6  # smaller dots are solid
_MOST_ROWS = 100_000  # more than the finest grid over the page has

INTACT = marked("location published as it is")
GENERALIZED = marked("locations published as one group")
MEMBER = marked("location inside a group")


@dataclass(frozen=True)
class Shown:
    """What the map had to leave out or draw together."""

    symbols: int
    locations: int  # drawn as dots, that is, not as discs
    dots: int
    without_place: int


def location_map(facts: ReleaseFacts, *, legend: bool = True) -> Markup:
    """The map; `legend=False` where the page around it explains the marks."""
    label = _(
        "Map of {locations}: {symbols} intact, {n_generalized:,} generalized.",
        locations=counted(len(facts.labels), "location"),
        symbols=counted(facts.n_intact, "symbol"),
        n_generalized=facts.n_generalized,
    )
    if not facts.has_map:
        return nothing_to_show(_("No coordinates were published, so there is no map."), label)
    layout = _Layout(facts)
    height = layout.height + _STRIP + (_LEGEND if legend else 0)
    return drawing(
        WIDTH,
        height,
        label,
        element("rect", x=0, y=0, width=WIDTH, height=layout.height, class_="frame"),
        *layout.groups(),
        *layout.dots(),
        *layout.whole(),
        layout.scale_bar(),
        *north_arrow(WIDTH, facts.crs),
        *([layout.size_key(), *_legend(facts, layout.height + _STRIP)] if legend else []),
        kind="map",
    )


def shown_on_map(facts: ReleaseFacts) -> Shown:
    """How much of the release its map shows."""
    layout = _Layout(facts)
    return Shown(
        symbols=len(layout.chosen),
        locations=sum(int(kind.sum()) for kind in layout.dotted()),
        dots=sum(len(places) for places in layout.dot_places()),
        without_place=int((~layout.placed).sum()),
    )


def legend_marks(facts: ReleaseFacts) -> list[tuple[Markup, int, str]]:
    """Each kind of mark on the map as a small drawing 18 high, its width, and its meaning."""
    ends = dots([(8.0, 9.0), (24.0, 9.0)])
    middle = dots([(6.0, 9.0)])
    group = [
        element("path", d="M8 9L24 9", class_="hull", stroke_width=16),
        element("path", d="M8 9L24 9", class_="spokes"),
        element("path", d=ends, class_="dots rim", stroke_width=7.4),
        element("path", d=ends, class_="dots core", stroke_width=4.6),
    ]
    member = [
        element("path", d=middle, class_="dots rim", stroke_width=7.4),
        element("path", d=middle, class_="dots core", stroke_width=4.6),
    ]
    disc = element("circle", cx=8, cy=9, r=7, class_="whole")
    intact = [(disc, 16, _(INTACT))] if facts.n_intact else []
    generalized = [(join(group), 32, _(GENERALIZED)), (join(member), 12, _(MEMBER))] if facts.n_generalized else []
    return intact + generalized


class _Layout:
    """Where everything lies, and what is drawn when not everything can be."""

    def __init__(self, facts: ReleaseFacts) -> None:
        assert facts.x is not None
        assert facts.y is not None
        self.facts = facts
        self.placed: Bools = np.isfinite(facts.x) & np.isfinite(facts.y)
        x, y = facts.x[self.placed], facts.y[self.placed]
        self.plane, self.height = Plane.fitted(x, y, WIDTH, HEIGHTS, MARGIN)
        self.x, self.y = np.full(len(facts.labels), np.nan), np.full(len(facts.labels), np.nan)
        self.x[self.placed], self.y[self.placed] = self.plane.place(x, y)
        self.chosen = self._chosen()
        crowd = math.sqrt(WIDTH * self.height / max(1, len(self.chosen)))
        self.largest_radius = min(16.0, max(3.5, crowd / 8))
        self.dot = min(3.0, max(0.6, math.sqrt(WIDTH * self.height / len(facts.labels)) / 10))

    def _chosen(self) -> list[int]:
        """Generalized symbols from the largest on, then intact ones from the most frequent on."""
        facts = self.facts
        by_support = np.lexsort((np.arange(len(facts.names)), -facts.supports))
        whole = [int(symbol) for symbol in by_support if facts.intact[symbol]]
        groups = facts.largest_first[: max(MOST_SYMBOLS // 2, MOST_SYMBOLS - len(whole))]
        return [symbol for symbol in groups + whole[: MOST_SYMBOLS - len(groups)] if self._members(symbol).size]

    def _members(self, symbol: int) -> Int64s:
        """The locations of a symbol that have a place."""
        members = self.facts.members[self.facts.offsets[symbol] : self.facts.offsets[symbol + 1]]
        return members[self.placed[members]]

    def _radius(self, support: int) -> float:
        return max(2.2, self.largest_radius * math.sqrt(support / int(self.facts.supports.max())))

    def _title(self, symbol: int) -> str:
        names = self.facts.names[symbol]
        rows = counted(int(self.facts.supports[symbol]), "row")
        if len(names) == 1:
            return _("{names}\n{rows}, intact", names=listed(names, 1), rows=rows)
        return _("One of {names:,}: {names2}\n{rows}", names=len(names), names2=listed(names, MOST_NAMES), rows=rows)

    def groups(self) -> list[Markup]:
        marks = []
        spokes_left = MOST_SPOKES
        for symbol in self.chosen:
            if self.facts.intact[symbol]:
                continue
            members = self._members(symbol)
            x, y = self.x[members], self.y[members]
            corners = convex_hull(zip(x.tolist(), y.tolist(), strict=True))
            middle = (float(x.mean()), float(y.mean()))
            outline = polyline(corners) + ("z" if len(corners) > 2 else "")
            thickness = 2 * max(self.dot + 1, self._radius(int(self.facts.supports[symbol])))
            parts = [element("path", d=outline, class_="hull", stroke_width=thickness)]
            if len(members) <= spokes_left:
                spokes_left -= len(members)
                parts.append(element("path", d=_spokes(middle, x, y), class_="spokes"))
            marks.append(titled(self._title(symbol), *parts, class_="symbol"))
        return marks

    def whole(self) -> list[Markup]:
        marks = []
        for symbol in self.chosen:
            if self.facts.intact[symbol]:
                place = int(self._members(symbol)[0])
                circle = element(
                    "circle",
                    element("title", self._title(symbol)),
                    cx=float(self.x[place]),
                    cy=float(self.y[place]),
                    r=self._radius(int(self.facts.supports[symbol])),
                    class_="whole",
                )
                marks.append(circle)
        return marks

    def dotted(self) -> tuple[Bools, Bools]:
        """Which locations are drawn as dots: intact ones that have no disc, and those in groups."""
        facts = self.facts
        grouped, marked = np.zeros((2, len(facts.labels)), np.bool_)
        grouped[facts.members[np.repeat(~facts.intact, facts.sizes)]] = True
        marked[facts.members[facts.offsets[[symbol for symbol in self.chosen if facts.intact[symbol]]]]] = True
        return self.placed & ~grouped & ~marked, self.placed & grouped

    def dot_places(self) -> tuple[list[Point], list[Point]]:
        """Where the dots of both kinds lie; neighbours share one where there are too many."""
        cell = 0.1
        while True:
            kinds = [self._one_per_cell(chosen, cell) for chosen in self.dotted()]
            if sum(map(len, kinds)) <= MOST_DOTS:
                break
            cell = max(0.5, 1.25 * cell)
        single, grouped = (list(zip(self.x[kind].tolist(), self.y[kind].tolist(), strict=True)) for kind in kinds)
        return single, grouped

    def _one_per_cell(self, chosen: Bools, cell: float) -> Int64s:
        """The first location in each occupied cell of a grid over the page."""
        locations = np.flatnonzero(chosen)
        columns, rows = np.round(self.x[locations] / cell), np.round(self.y[locations] / cell)
        return locations[np.unique(columns * _MOST_ROWS + rows, return_index=True)[1]]

    def dots(self) -> list[Markup]:
        single, grouped = self.dot_places()
        marks = []
        if grouped:
            path = dots(grouped)
            rim = 0.7 if self.dot >= _LEAST_RING else 0.0
            marks.append(element("path", d=path, class_="dots rim", stroke_width=2 * (self.dot + rim)))
            if rim:
                marks.append(element("path", d=path, class_="dots core", stroke_width=2 * (self.dot - rim)))
        if single:
            marks.append(element("path", d=dots(single), class_="dots intact", stroke_width=2 * self.dot))
        return marks

    def scale_bar(self) -> Markup:
        y = self.height + 26
        if not self.plane.half_span:
            return text(0, y + 5, _("All locations lie at one point."), "note")
        length = rounded_up(self.plane.length_of(WIDTH / 8))
        width = self.plane.pixels_of(length)
        return element(
            "g",
            element("path", d=f"M1 {y - 5:.1f}v10M1 {y:.1f}h{width:.1f}m0 -5v10", class_="scale"),
            text(width + 12, y + 5, length_words(length, self.facts.crs), "note"),
        )

    def size_key(self) -> Markup:
        """Circles of the smallest and the largest support."""
        supports = self.facts.supports
        lowest, highest = int(supports.min()), int(supports.max())
        y = self.height + 26
        marks: list[str] = []
        right = WIDTH
        for support in (highest, lowest) if highest > lowest else (highest,):
            radius = self._radius(support)
            marks.append(text(right, y + 5, counted(support, "row"), "note", "end"))
            right -= 7.2 * len(counted(support, "row")) + 8 + 2 * radius
            marks.append(element("circle", cx=right + radius, cy=y, r=radius, class_="size-key"))
            right -= 20
        return element("g", *marks)


def _spokes(middle: Point, x: Float64s, y: Float64s) -> str:
    return "".join(polyline([middle, point]) for point in zip(x.tolist(), y.tolist(), strict=True))


def _legend(facts: ReleaseFacts, top: float) -> Sequence[Markup]:
    marks = []
    x = 0.0
    for mark, width, meaning in legend_marks(facts):
        marks.append(element("g", mark, transform=f"translate({x:.0f} {top:.0f})"))
        marks.append(text(x + width + 8, top + 13, meaning, "note"))
        x += width + 36 + 7.0 * len(meaning)
    return marks
