"""Maps of trajectories over places: as collected, and as a release shows them. Drawn here, without any tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.data.trajectory import Trajectories
from crypsis.reports.markup import Markup, element
from crypsis.reports.plane import Plane
from crypsis.reports.svg import drawing, polyline
from crypsis.reports.wording import counted

WIDTH, HEIGHTS, MARGIN = 900.0, (420.0, 620.0), 34.0
_MOST_MOVES = 400
_MOST_PLACES = 3_000


def visits_map(data: Trajectories) -> Markup:
    """Every place with its visits, and the moves between places. For the eyes of the publisher only."""
    x, y = data.locations.coordinates("the map")
    placed = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:_MOST_PLACES]
    plane, height = Plane.fitted(x[placed], y[placed], WIDTH, HEIGHTS, MARGIN)
    page_x, page_y = plane.place(x, y)
    visits = np.bincount(data.codes, minlength=len(data.locations))
    busiest = max(1, int(visits.max(initial=1)))
    marks = [element("rect", x=0, y=0, width=WIDTH, height=height, class_="frame"), *_moves(data, page_x, page_y)]
    labels = data.locations.labels
    for place in placed[np.argsort(-visits[placed])].tolist():
        count = int(visits[place])
        if not count:
            continue
        title = element("title", f"{labels[place]}: {counted(count, 'visit')}")
        radius = max(2.2, 16 * (count / busiest) ** 0.5)
        marks.append(
            element("circle", title, cx=float(page_x[place]), cy=float(page_y[place]), r=radius, class_="whole")
        )
    return drawing(WIDTH, height, f"Map of {counted(len(placed), 'place')} as collected.", *marks, kind="map")


def _moves(data: Trajectories, page_x: Any, page_y: Any) -> list[Markup]:
    starts = np.ones(len(data.codes), np.bool_)
    starts[data.offsets[:-1][data.lengths > 0]] = False
    arrivals = np.flatnonzero(starts)
    pairs = np.stack([data.codes[arrivals - 1], data.codes[arrivals]], 1).astype(np.int64)
    if not len(pairs):
        return []
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    order = np.argsort(-counts)[:_MOST_MOVES]
    most = int(counts[order[0]])
    return [
        element(
            "path",
            d=polyline([(float(page_x[a]), float(page_y[a])), (float(page_x[b]), float(page_y[b]))]),
            class_="curve intact",
            stroke_opacity=f"{0.06 + 0.4 * count / most:.3f}",
        )
        for (a, b), count in zip(distinct[order].tolist(), counts[order].tolist(), strict=True)
    ]


def release_map(release: Any) -> Markup:
    """The map of a release, as its report shows it."""
    from crypsis.reports.facts import ReleaseFacts
    from crypsis.reports.pictures.location_map import location_map

    return location_map(ReleaseFacts.of(release.manifest, release.data, release.companion))
