"""Maps of movement: as collected, and as a release shows it, in the same view. Drawn here, without any tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.drawing.flow_bundles import MOST_ARROWS, Bundle, bundled
from crypsis.drawing.hull import convex_hull
from crypsis.drawing.map_view import SIZE, MapView
from crypsis.drawing.markup import Markup, element, escape
from crypsis.drawing.svg import polyline
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures.cell_names import cell_names
from crypsis.translation import _, marked
from crypsis.translation.wording import counted, figure, listed

_MOST_PLACES = 3_000
_MOST_TRACKS = 400
_LARGEST = 13.0  # radius of the busiest place
_MOVES = marked("move; darker is more frequent, and above 100 those of neighbouring places are one")
_DISC = '<svg width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="6" class="whole"/></svg>'


@dataclass(frozen=True)
class LabelledMap:
    """A map and what its marks mean."""

    picture: Markup
    legend: Markup


def maps_before_after(
    original: Any, published: Any, side_file: Locations | None, size: float = SIZE
) -> tuple[LabelledMap, LabelledMap] | None:
    """The original and the release in the same view; None where either has no places. For the publisher only."""
    if not isinstance(published, PublishedTrajectories):
        return None
    if isinstance(original, Tracks):
        view = view_of_tracks(original, size)
        facts = ReleaseFacts.of({}, published, side_file)
        if not facts.has_map:
            return None
        before = LabelledMap(track_map(original, view), tracks_legend())
        return before, LabelledMap(cells_map(facts, view), cells_legend())
    if isinstance(original, Trajectories) and original.locations.has_coordinates:
        view = view_of_places(original, size)
        facts = ReleaseFacts.of({}, published, side_file)
        before = LabelledMap(visits_map(original, view), place_legend())
        return before, LabelledMap(published_map(facts, original, view), released_legend())
    return None


def view_of_places(data: Trajectories, size: float = SIZE) -> MapView:
    """Fit a map to all places of a location table."""
    x, y = data.locations.coordinates("the map")
    return MapView.of(x, y, data.locations.crs, size)


def view_of_tracks(data: Tracks, size: float = SIZE) -> MapView:
    """Fit a map to all fixes."""
    return MapView.of(data.x, data.y, data.crs, size)


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
    label = _(
        "Map of {places} with {visits}, as collected.",
        places=counted(len(placed), "place"),
        visits=counted(data.visits, "visit"),
    )
    return view.drawing(label, *marks)


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
            words = _("{place}: {rows}, as it was", place=facts.label_words(facts.names[symbol][0]), rows=rows)
            title = element("title", words)
            discs.append(_disc(float(at_x[0]), float(at_y[0]), radius, title))
        else:
            joined = [facts.label_words(label) for label in facts.names[symbol]]
            words = _(
                "One of {number}: {members}. {rows}",
                number=figure(len(joined)),
                members=listed(joined, 12),
                rows=rows,
            )
            title = element("title", words)
            groups.append(_group(at_x, at_y, radius, title))
    label = _(
        "Map of what is published: {places} as they were, {groups} of places that were joined.",
        places=counted(facts.n_intact, "place"),
        groups=counted(facts.n_generalized, "group"),
    )
    return view.drawing(label, *_moves(facts.flows, middle_x, middle_y), *groups, *discs)


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
        title = element("title", f"{listed(facts.names[symbol], 3)}: {counted(rows, 'row')}")
        marks.append(_disc(float(page_x[symbol]), float(page_y[symbol]), _radius(rows, busiest), title))
    marks += cell_names(facts, page_x, page_y, _LARGEST, view.width)
    label = _("Map of {cells}.", cells=counted(len(facts.names), "published cell"))
    return view.drawing(label, *marks)


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
    label = _("Map of {tracks} as collected.", tracks=counted(len(tracks), "track"))
    return view.drawing(label, *lines)


def tracks_legend() -> Markup:
    """Draw tracks as collected."""
    return element("span", _("Each line is a track; darker where many pass."))


def place_legend() -> Markup:
    """Draw places as collected."""
    return legend_of([(_DISC, _("place; its area grows with its visits")), (line_mark(2), _(_MOVES))])


def released_legend() -> Markup:
    """Of published places."""
    group = (
        '<svg width="30" height="16" aria-hidden="true"><path d="M8 8L22 8" class="hull" stroke-width="14"/>'
        '<circle cx="8" cy="8" r="2.6" class="member"/><circle cx="22" cy="8" r="2.6" class="member"/></svg>'
    )
    entries = [(_DISC, _("as it was")), (group, _("places joined into one")), (line_mark(2), _("published move"))]
    return legend_of(entries)


def cells_legend() -> Markup:
    """Of the published areas of tracks: nothing of them is as it was."""
    words = _("area at its published point; the disc grows with the tracks through it")
    return legend_of([(_DISC, words), (line_mark(2), _("published move"))])


def legend_of(entries: Sequence[tuple[str, str]]) -> Markup:
    """Write marks with what they mean."""
    return Markup("".join(f"<span>{mark}{escape(words)}</span>" for mark, words in entries))


def line_mark(width: float, *, dashed: bool = False) -> str:
    """Draw the line that stands in a legend."""
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
            element("title", _way_words(way)),
            d=polyline([way.start, way.end]),
            class_="way",
            stroke_width=f"{1.0 + 4.0 * way.count / most:.2f}" if way.bundled else None,
            stroke_opacity=f"{0.08 + 0.5 * way.count / most:.3f}",
            pointer_events=None if way.bundled else "none",
        )
        for way in ways
    ]


def _way_words(way: Bundle) -> str:
    moves, connections = counted(way.count, "move"), counted(way.connections, "connection")
    return _("{moves} on {connections}", moves=moves, connections=connections)


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
    every_x, every_y = data.locations.coordinates("the map")
    code = data.locations.vocabulary.encode(pl.Series(facts.labels, dtype=pl.String))
    x, y = np.full(len(facts.labels), np.nan), np.full(len(facts.labels), np.nan)
    x[code >= 0], y[code >= 0] = every_x[code[code >= 0]], every_y[code[code >= 0]]
    return x, y
