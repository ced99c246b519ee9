"""Maps on the pages: what was collected, what a release shows of it, and areas while they are joined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.drawing.flow_bundles import MOST_ARROWS, bundled
from crypsis.drawing.map_names import MOST_NAMED, names_beside
from crypsis.drawing.map_view import SIZE, MapView
from crypsis.drawing.markup import Markup, element
from crypsis.drawing.svg import polyline
from crypsis.errors import NotApplicable
from crypsis.methods.trajectory.voronoi_polygons import voronoi_polygons
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures.movement_maps import (
    cells_map,
    legend_of,
    line_mark,
    published_map,
    track_map,
    view_of_places,
    view_of_tracks,
    visits_map,
)
from crypsis.translation import _
from crypsis.translation.wording import counted, listed

FAINTEST, DARKEST = 0.05, 0.6  # shades of an area without fixes, and of the one with most


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


def joined_places(facts: ReleaseFacts, most: int = 200) -> list[tuple[str, int]]:
    """The groups of a release in words, the largest first, with their rows: the map for those who do not see it."""
    return [(listed(facts.names[symbol], 12), int(facts.supports[symbol])) for symbol in facts.largest_first[:most]]


def area_map(cells: Any, marked: set[int], view: MapView) -> Markup:
    """Areas with their fixes and the moves between them; each can be reached and marked with the keyboard, too."""
    page_x, page_y = view.plane.place(cells.state.x, cells.state.y)
    figures = cells.figures
    busiest = max((figure.points for figure in figures), default=1) or 1
    areas = []
    for index, polygon in enumerate(voronoi_polygons(page_x, page_y, (0.0, 0.0, view.width, view.height))):
        if len(polygon) < 3:
            continue
        one = figures[index]
        state = _(", marked") if index in marked else ""
        fixes = counted(one.points, "fix", "fixes")
        words = _(
            "Area {index}{state}: {fixes}, up to {max_displacement:,.0f} {unit} away from its middle",
            index=index,
            state=state,
            fixes=fixes,
            max_displacement=one.max_displacement,
            unit=view.unit,
        )
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
    moves = _moves_between(cells, page_x, page_y)
    label = _("Map of {areas}; {n_weak:,} weak connections.", areas=counted(len(cells), "area"), n_weak=cells.n_weak)
    picture = view.drawing(label, *areas, *moves)
    return Markup(picture.replace('role="img"', 'role="group"', 1))  # its parts are buttons


def _moves_between(cells: Any, page_x: Float64s, page_y: Float64s) -> list[Markup]:
    """The moves between areas as lines, weak ones dashed; of each kind at most a hundred, neighbouring ones bundled."""
    every = np.array([(flow.origin, flow.target, flow.count) for flow in cells.flows], np.int64).reshape(-1, 3)
    weak = every[:, 2] < cells.merging.k
    kinds = [(bundled(every[of_kind], page_x, page_y), dashed) for of_kind, dashed in ((weak, True), (~weak, False))]
    strongest = max((way.count for ways, _dashed in kinds for way in ways), default=1)
    return [
        element(
            "path",
            d=polyline([way.start, way.end]),
            class_="flow",
            stroke_width=f"{flow_width(way.count, strongest):.2f}",
            stroke_dasharray="3 3" if dashed else None,
            pointer_events="none",
        )
        for ways, dashed in kinds
        for way in sorted(ways, key=lambda way: (way.count, way.start, way.end))
    ]


def choosing_map(
    labels: Sequence[str], x: Float64s, y: Float64s, crs: str | None, cell: float | None, size: float = SIZE
) -> Markup:
    """Places to choose a region from: squares of a grid of this cell size, else discs. One stop of the keyboard."""
    half = 0.0 if cell is None else cell / 2
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    edges_x, edges_y = (np.concatenate([values[known] - half, values[known] + half]) for values in (x, y))
    view = MapView.of(edges_x, edges_y, crs, size)
    page_x, page_y = view.plane.place(x, y)
    side = max(2.0, 2 * view.plane.pixels_of(half)) if half and view.plane.half_span else 0.0
    radius = min(9.0, max(2.5, 150 / math.sqrt(max(1, len(known)))))
    marks = []
    for place in known.tolist():
        at_x, at_y = float(page_x[place]), float(page_y[place])
        shared: dict[str, Any] = {"class_": "place", "data_place": str(place), "data_x": at_x, "data_y": at_y}
        title = element("title", labels[place])
        if side:
            corner = {"x": at_x - side / 2, "y": at_y - side / 2, "width": side, "height": side}
            marks.append(element("rect", title, **corner, **shared))
        else:
            marks.append(element("circle", title, cx=at_x, cy=at_y, r=radius, **shared))
    if len(known) <= MOST_NAMED:
        points = [(labels[place], float(page_x[place]), float(page_y[place])) for place in known.tolist()]
        marks += names_beside(points, max(radius, side / 2), view.width)
    words = _(
        "Map of {places}. Click places or drag a box around them; with the keyboard, arrow keys move from place to "
        "place and Enter chooses.",
        places=counted(len(known), "place"),
    )
    picture = view.drawing(words, *marks)
    return Markup(picture.replace('role="img"', 'role="application" tabindex="0"', 1))


def flow_width(count: int, strongest: int) -> float:
    """Return how wide a flow is drawn."""
    return 0.6 + 3.4 * count / max(1, strongest)


def area_legend(cells: Any) -> Markup:
    """What shades and lines of the areas mean, with figures."""
    busiest = max((figure.points for figure in cells.figures), default=0)
    strongest = max((flow.count for flow in cells.flows), default=0)
    k = cells.merging.k
    weak = sum(flow.count < k for flow in cells.flows)
    many = max(weak, len(cells.flows) - weak) > MOST_ARROWS
    strong = (
        _("moves of at least {k:,}; those between neighbouring areas are one line", k=k)
        if many
        else _("move of at least {k:,}, widest {strongest:,}", k=k, strongest=strongest)
    )
    entries = [
        (
            f'<i class="shades" style="--from: {FAINTEST}; --to: {DARKEST}"></i>',
            _("0 to {busiest:,} fixes in an area", busiest=busiest),
        ),
        ('<i class="swatch marked"></i>', _("marked: keep it fine")),
        *([(line_mark(flow_width(strongest, strongest)), strong)] if weak < len(cells.flows) else ()),
        *([(line_mark(1.4, dashed=True), _("weak: fewer than {k:,} move", k=k))] if weak else ()),
    ]
    return legend_of(entries)
