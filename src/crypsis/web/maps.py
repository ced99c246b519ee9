"""Maps of movement: as collected, as a release shows it, and while areas are joined. Drawn here, without any tiles.

A map has the proportion of its data, and two maps of the same data the same view, so that they lie side by side.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.projection import is_metric, unproject
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.drawing.hull import convex_hull
from crypsis.drawing.markup import Markup, element
from crypsis.drawing.plane import Plane
from crypsis.drawing.svg import drawing, polyline, rounded_up, text
from crypsis.errors import NotApplicable
from crypsis.methods.trajectory.voronoi_polygons import voronoi_polygons
from crypsis.reports.facts import ReleaseFacts
from crypsis.web.flow_bundles import MOST_ARROWS, bundled
from crypsis.web.outlines import Outline
from crypsis.wording import counted, figure, listed

WIDTH, HEIGHT, LOWEST, MARGIN = 520.0, 520.0, 150.0, 22.0
_MOST_PLACES = 3_000
_MOST_TRACKS = 400
_MOST_FLOWS = 600
_LARGEST = 13.0  # radius of the busiest place
FAINTEST, DARKEST = 0.05, 0.6  # shades of an area without fixes, and of the one with most


@dataclass(frozen=True)
class MapView:
    """Where places lie on the page, and how large the page is."""

    plane: Plane
    width: float
    height: float
    crs: str | None = None  # the projection, where it is known
    outlines: tuple[Outline, ...] = ()  # of a file that somebody gave

    @classmethod
    def of(cls, x: Float64s, y: Float64s, crs: str | None = None) -> MapView:
        """A view of all points, as wide and as high as they ask for."""
        known = np.isfinite(x) & np.isfinite(y)
        x, y = (x[known], y[known]) if known.any() else (np.zeros(1), np.zeros(1))
        across, along = float(x.max() / 2 - x.min() / 2), float(y.max() / 2 - y.min() / 2)
        inner = HEIGHT - 2 * MARGIN
        width = WIDTH if along <= across else max(LOWEST, inner * across / along + 2 * MARGIN)
        plane, height = Plane.fitted(x, y, width, (LOWEST, HEIGHT), MARGIN)
        return cls(plane, width, height, crs)

    @property
    def unit(self) -> str:
        """What distances are told in."""
        return "metres" if is_metric(self.crs) else "units of the map"

    def drawing(self, label: str, *marks: str) -> Markup:
        """The map with its frame and outlines and, in its corners, its scale and where north is."""
        frame = element("rect", x=0, y=0, width=self.width, height=self.height, class_="frame")
        drawn = [self._outline(outline) for outline in self.outlines]
        signs = (*self._scale(), *self._north())
        picture = drawing(self.width, self.height, label, frame, *drawn, *marks, *signs, kind="map")
        return Markup(picture.replace("<svg ", f"<svg {self._corners()} ", 1))  # for coordinates on hover

    def _outline(self, outline: Outline) -> Markup:
        x, y = self.plane.place(outline.x, outline.y)
        points = polyline(list(zip(x.tolist(), y.tolist(), strict=True)))
        return element("path", d=points, class_="outline", pointer_events="none")

    def _scale(self) -> list[Markup]:
        if not self.plane.half_span:
            return []
        length = rounded_up(self.plane.length_of(self.width / 9))
        pixels, y = self.plane.pixels_of(length), self.height - 9
        bar = element("path", d=f"M9 {y - 4:.1f}v4h{pixels:.1f}v-4", class_="scale", pointer_events="none")
        return [bar, text(9 + pixels + 6, y + 1, self.length_words(length), "note")]

    def length_words(self, length: float) -> str:
        """`500 m`, `2 km`; of a plane that nobody named, `5 units of the map`."""
        if not is_metric(self.crs):
            return f"{figure(length)} {'unit' if length == 1 else 'units'} of the map"
        return f"{figure(length / 1000)} km" if length >= 1000 else f"{figure(length)} m"

    def _north(self) -> list[Markup]:
        """Where north is, of a projection; a plane that nobody named has none."""
        if self.crs is None:
            return []
        x = self.width - 16
        arrow = element("path", d=f"M{x:.1f} 34v-18m-4 6l4 -7l4 7", class_="scale", pointer_events="none")
        return [arrow, text(x, 11, "N", "note", "middle")]

    def _corners(self) -> str:
        """What the corners are called, from the upper left on: degrees north and east, or coordinates of the plane."""
        if not self.plane.half_span:
            return ""
        unit = self.plane.length_of(1.0)
        west, north = self.plane.west - self.plane.left * unit, self.plane.north + self.plane.top * unit
        x = np.array([west, west + self.width * unit] * 2)
        y = np.array([north, north, north - self.height * unit, north - self.height * unit])
        if self.crs is not None:
            x, y = unproject(x, y, self.crs)
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            return ""
        told = json.dumps({"x": x.tolist(), "y": y.tolist(), "degrees": self.crs is not None})
        return f"data-corners='{told}'"


def view_of_places(data: Trajectories) -> MapView:
    x, y = data.locations.coordinates("the map")
    return MapView.of(x, y, data.locations.crs)


def view_of_tracks(data: Tracks) -> MapView:
    return MapView.of(data.x, data.y, data.crs)


def original_map(data: Any) -> Markup:
    """Data that move, as they were collected."""
    if isinstance(data, Tracks):
        return track_map(data, view_of_tracks(data))
    return visits_map(_with_places(data), view_of_places(data))


def release_map(original: Any, release: Any) -> Markup:
    """What was published of them, in the same view."""
    published = release.data
    if not isinstance(published, PublishedTrajectories):
        raise NotApplicable(f"A map shows published trajectories; these data are {type(published).__name__}.")
    facts = ReleaseFacts.of(release.manifest, published, release.side_file)
    if isinstance(original, Tracks):
        return cells_map(facts, view_of_tracks(original))
    return published_map(facts, _with_places(original), view_of_places(original))


def _with_places(data: Any) -> Trajectories:
    if not isinstance(data, Trajectories):
        raise NotApplicable(f"A map shows trajectories and tracks; these data are {type(data).__name__}.")
    if not data.locations.has_coordinates:
        raise NotApplicable("There is no map without coordinates: name a table of locations with x and y.")
    return data


def visits_map(data: Trajectories, view: MapView) -> Markup:
    """Every place with its visits, and the moves between places. For the eyes of the publisher only."""
    x, y = data.locations.coordinates("the map")
    placed = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:_MOST_PLACES]
    page_x, page_y = view.plane.place(x, y)
    visits = np.bincount(data.codes, minlength=len(data.locations))
    busiest = max(1, int(visits.max(initial=1)))
    marks = _moves(_pairs_of(data), page_x, page_y)
    for place in placed[np.argsort(-visits[placed], kind="stable")].tolist():
        count = int(visits[place])
        if count:
            title = element("title", f"{data.locations.labels[place]}: {counted(count, 'visit')}")
            marks.append(_disc(float(page_x[place]), float(page_y[place]), _radius(count, busiest), title))
    return view.drawing(f"Map of {counted(len(placed), 'place')} with {data.visits:,} visits, as collected.", *marks)


def published_map(facts: ReleaseFacts, data: Trajectories, view: MapView) -> Markup:
    """What a release shows of the same places: themselves, or joined with others."""
    x, y = _places(facts, data)
    page_x, page_y = view.plane.place(x, y)
    known = np.isfinite(page_x) & np.isfinite(page_y)
    busiest = max(1, int(facts.supports.max(initial=1)))
    middle_x, middle_y = np.full(len(facts.names), np.nan), np.full(len(facts.names), np.nan)
    groups, discs = [], []
    order = np.argsort(-facts.supports, kind="stable").tolist()
    for symbol in order[:_MOST_PLACES]:
        members = facts.members[facts.offsets[symbol] : facts.offsets[symbol + 1]]
        members = members[known[members]]
        if not len(members):
            continue
        at_x, at_y = page_x[members], page_y[members]
        middle_x[symbol], middle_y[symbol] = at_x.mean(), at_y.mean()
        rows = counted(int(facts.supports[symbol]), "row")
        radius = _radius(int(facts.supports[symbol]), busiest)
        if facts.intact[symbol]:
            title = element("title", f"{facts.names[symbol][0]}: {rows}, as it was")
            discs.append(_disc(float(at_x[0]), float(at_y[0]), radius, title))
        else:
            title = element("title", f"One of {len(facts.names[symbol])}: {listed(facts.names[symbol], 12)}. {rows}")
            groups.append(_group(at_x, at_y, radius, title))
    label = (
        f"Map of what is published: {counted(facts.n_intact, 'place')} as they were, "
        f"{counted(facts.n_generalized, 'group')} of places that were joined."
    )
    return view.drawing(label, *_moves(facts.flows, middle_x, middle_y), *groups, *discs)


def joined_places(facts: ReleaseFacts, most: int = 200) -> list[tuple[str, int]]:
    """The groups of a release in words, the largest first, with their rows: the map for those who do not see it."""
    return [(listed(facts.names[symbol], 12), int(facts.supports[symbol])) for symbol in facts.largest_first[:most]]


def cells_map(facts: ReleaseFacts, view: MapView) -> Markup:
    """Published cells of tracks at their published points, with the moves between them."""
    assert facts.x is not None
    assert facts.y is not None
    x, y = np.full(len(facts.names), np.nan), np.full(len(facts.names), np.nan)
    for symbol in range(len(facts.names)):
        members = facts.members[facts.offsets[symbol] : facts.offsets[symbol + 1]]
        x[symbol], y[symbol] = facts.x[members].mean(), facts.y[members].mean()
    page_x, page_y = view.plane.place(x, y)
    busiest = max(1, int(facts.supports.max(initial=1)))
    marks = _moves(facts.flows, page_x, page_y)
    for symbol in np.flatnonzero(np.isfinite(page_x)).tolist():
        rows = int(facts.supports[symbol])
        title = element("title", f"Area {symbol + 1}: {counted(rows, 'row')}")
        marks.append(_disc(float(page_x[symbol]), float(page_y[symbol]), _radius(rows, busiest), title))
    return view.drawing(f"Map of {counted(len(facts.names), 'published cell')}.", *marks)


def track_map(tracks: Tracks, view: MapView) -> Markup:
    """The tracks as they are. For the eyes of the publisher only."""
    page_x, page_y = view.plane.place(tracks.x, tracks.y)
    shown = np.linspace(0, max(len(tracks) - 1, 0), min(len(tracks), _MOST_TRACKS)).astype(np.int64)
    lines = []
    for number in np.unique(shown):
        start, end = int(tracks.offsets[number]), int(tracks.offsets[number + 1])
        step = max(1, (end - start) // 200)
        points = list(zip(page_x[start:end:step].tolist(), page_y[start:end:step].tolist(), strict=True))
        if points:
            lines.append(element("path", d=polyline(points), class_="curve intact", stroke_opacity="0.28"))
    return view.drawing(f"Map of {counted(len(tracks), 'track')} as collected.", *lines)


def area_map(cells: Any, marked: set[int], view: MapView) -> Markup:
    """Areas with their fixes and the moves between them; each can be reached and marked with the keyboard, too."""
    page_x, page_y = view.plane.place(cells.state.x, cells.state.y)
    figures = cells.figures
    busiest = max((one.points for one in figures), default=1) or 1
    areas = []
    for index, polygon in enumerate(voronoi_polygons(page_x, page_y, (0.0, 0.0, view.width, view.height))):
        if len(polygon) < 3:
            continue
        one = figures[index]
        state = ", marked" if index in marked else ""
        fixes = counted(one.points, "fix", "fixes")
        words = f"Area {index}{state}: {fixes}, up to {one.max_displacement:,.0f} {view.unit} away from its middle"
        shade = 0.75 if index in marked else FAINTEST + (DARKEST - FAINTEST) * one.points / busiest
        areas.append(
            element(
                "path",
                element("title", words),
                d=polyline([(round(px, 1), round(py, 1)) for px, py in polygon]) + "z",
                class_="area marked" if index in marked else "area",
                fill_opacity=f"{shade:.3f}",
                data_cell=str(index),
                tabindex="0",
                role="button",
                aria_label=words,
                aria_pressed="true" if index in marked else "false",
            )
        )
    flows = sorted(cells.flows, key=lambda flow: -flow.count)[:_MOST_FLOWS]
    strongest = max((flow.count for flow in flows), default=1)
    moves = [
        element(
            "path",
            d=polyline([(float(page_x[end]), float(page_y[end])) for end in (flow.origin, flow.target)]),
            class_="flow",
            stroke_width=f"{flow_width(flow.count, strongest):.2f}",
            stroke_dasharray="3 3" if flow.count < cells.merging.k else None,
            pointer_events="none",
        )
        for flow in flows
    ]
    label = f"Map of {counted(len(cells), 'area')}; {cells.n_weak:,} weak connections."
    picture = view.drawing(label, *areas, *moves)
    return Markup(picture.replace('role="img"', 'role="group"', 1))  # its parts are buttons


def flow_width(count: int, strongest: int) -> float:
    return 0.6 + 3.4 * count / max(1, strongest)


def area_legend(cells: Any) -> Markup:
    """What shades and lines of the areas mean, with figures."""
    busiest = max((one.points for one in cells.figures), default=0)
    strongest = max((flow.count for flow in cells.flows), default=0)
    k = cells.merging.k
    entries = [
        (f'<i class="shades" style="--from: {FAINTEST}; --to: {DARKEST}"></i>', f"0 to {busiest:,} fixes in an area"),
        ('<i class="swatch marked"></i>', "marked: keep it fine"),
        (_line(flow_width(strongest, strongest)), f"move of at least {k:,}, widest {strongest:,}"),
        (_line(1.4, dashed=True), f"weak: fewer than {k:,} move"),
    ]
    return _legend(entries)


_MOVES = "move; darker is more frequent, and above 100 those of neighbouring places are one"
_DISC = '<svg width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="6" class="whole"/></svg>'


def place_legend() -> Markup:
    """Of places as collected."""
    return _legend([(_DISC, "place; its area grows with its visits"), (_line(2), _MOVES)])


def released_legend() -> Markup:
    """Of published places."""
    group = (
        '<svg width="30" height="16" aria-hidden="true"><path d="M8 8L22 8" class="hull" stroke-width="14"/>'
        '<circle cx="8" cy="8" r="2.6" class="member"/><circle cx="22" cy="8" r="2.6" class="member"/></svg>'
    )
    return _legend([(_DISC, "as it was"), (group, "places joined into one"), (_line(2), "published move")])


def cells_legend() -> Markup:
    """Of the published areas of tracks: nothing of them is as it was."""
    words = "area at its published point; the disc grows with the tracks through it"
    return _legend([(_DISC, words), (_line(2), "published move")])


def _legend(entries: Sequence[tuple[str, str]]) -> Markup:
    return Markup("".join(f"<span>{mark}{words}</span>" for mark, words in entries))


def _line(width: float, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="3 3"' if dashed else ""
    kind = "flow" if dashed or width > 2 else "way"
    return (
        f'<svg width="24" height="10" aria-hidden="true"><path d="M1 5h22" class="{kind}" '
        f'stroke-width="{width:.1f}"{dash}/></svg>'
    )


def _pairs_of(data: Trajectories) -> Int64s:
    """Direct moves: origin, target, how often."""
    starts = np.ones(len(data.codes), np.bool_)
    starts[data.offsets[:-1][data.lengths > 0]] = False
    arrivals = np.flatnonzero(starts)
    pairs = np.stack([data.codes[arrivals - 1], data.codes[arrivals]], 1).astype(np.int64)
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    return np.column_stack([distinct, counts]).astype(np.int64)


def _moves(flows: Int64s, page_x: Float64s, page_y: Float64s) -> list[Markup]:
    """The moves as lines; above a hundred, those between the same two neighbourhoods are one."""
    known = np.isfinite(page_x) & np.isfinite(page_y)
    apart = flows[:, 0] != flows[:, 1]
    chosen = flows[apart & known[flows[:, 0]] & known[flows[:, 1]]] if len(flows) else flows
    if not len(chosen):
        return []
    ways = bundled(chosen, page_x, page_y, MOST_ARROWS)
    most = max(way.count for way in ways)
    return [
        element(
            "path",
            element("title", f"{counted(way.count, 'move')} on {counted(way.connections, 'connection')}"),
            d=polyline([way.start, way.end]),
            class_="way",
            stroke_width=f"{1.0 + 4.0 * way.count / most:.2f}" if way.bundled else None,
            stroke_opacity=f"{0.08 + 0.5 * way.count / most:.3f}",
            pointer_events=None if way.bundled else "none",
        )
        for way in ways
    ]


def _disc(x: float, y: float, radius: float, title: Markup) -> Markup:
    return element("circle", title, cx=x, cy=y, r=radius, class_="whole")


def _group(x: Float64s, y: Float64s, radius: float, title: Markup) -> Markup:
    """Places that are published as one: a hull around them, a spoke to each, and the places themselves."""
    corners = convex_hull(zip(x.tolist(), y.tolist(), strict=True))
    middle = (float(x.mean()), float(y.mean()))
    ends = list(zip(x.tolist(), y.tolist(), strict=True))
    outline = polyline(corners) + ("z" if len(corners) > 2 else "")
    return element(
        "g",
        title,
        element("path", d=outline, class_="hull", stroke_width=2 * max(5.0, radius)),
        element("path", d="".join(polyline([middle, end]) for end in ends), class_="spokes"),
        *(element("circle", cx=px, cy=py, r=2.4, class_="member") for px, py in ends),
        class_="symbol",
    )


def _radius(count: int, busiest: int) -> float:
    return max(1.8, _LARGEST * math.sqrt(count / busiest))


def _places(facts: ReleaseFacts, data: Trajectories) -> tuple[Float64s, Float64s]:
    """Where the locations of a release lie, in the map of the original."""
    import polars as pl

    every_x, every_y = data.locations.coordinates("the map")
    code = data.locations.vocabulary.encode(pl.Series(facts.labels, dtype=pl.String))
    x, y = np.full(len(facts.labels), np.nan), np.full(len(facts.labels), np.nan)
    x[code >= 0], y[code >= 0] = every_x[code[code >= 0]], every_y[code[code >= 0]]
    return x, y
