"""Picture: the tessellation. What is nearest to each published point, the darker the more rows pass through it.

It is drawn from the published points. The cells with which the data were made have other generators, which are private.
"""

from __future__ import annotations

import numpy as np

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.plane import Plane
from crypsis.drawing.svg import dots, drawing, polyline
from crypsis.methods.trajectory.voronoi_polygons import voronoi_polygons
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import nothing_to_show
from crypsis.reports.pictures.cell_names import cell_names
from crypsis.reports.pictures.flow_map import HEIGHTS, MARGIN, WIDTH, symbol_middles
from crypsis.translation import _
from crypsis.translation.wording import counted, listed

MOST_CELLS = 3_000


def tessellation(facts: ReleaseFacts) -> Markup:
    """The areas around the published points of cells."""
    label = _("Tessellation of {published_places}.", published_places=counted(len(facts.names), "published place"))
    if not facts.has_map:
        return nothing_to_show(_("No coordinates were published, so there is no map."), label)
    if len(facts.names) > MOST_CELLS:
        return nothing_to_show(_("{names:,} places are too many to draw their areas.", names=len(facts.names)), label)
    x, y = symbol_middles(facts)
    placed = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    plane, height = Plane.fitted(x[placed], y[placed], WIDTH, HEIGHTS, MARGIN)
    page_x, page_y = plane.place(x[placed], y[placed])
    named = (np.full(len(x), np.nan), np.full(len(y), np.nan))
    named[0][placed], named[1][placed] = page_x, page_y
    busiest = int(facts.supports.max(initial=1))
    areas = []
    for symbol, polygon in zip(
        placed.tolist(), voronoi_polygons(page_x, page_y, (0.0, 0.0, WIDTH, height)), strict=True
    ):
        if len(polygon) < 3:
            continue
        rows = int(facts.supports[symbol])
        areas.append(
            element(
                "path",
                element("title", f"{listed(facts.names[symbol], 3)}\n{counted(rows, 'row')}"),
                d=polyline([(round(px, 1), round(py, 1)) for px, py in polygon]) + "z",
                class_="area",
                fill_opacity=round(0.06 + 0.6 * rows / busiest, 3),
            )
        )
    return drawing(
        WIDTH,
        height,
        label,
        element("rect", x=0, y=0, width=WIDTH, height=height, class_="frame"),
        *areas,
        element(
            "path",
            d=dots(list(zip(page_x.tolist(), page_y.tolist(), strict=True))),
            class_="dots centre",
            stroke_width=3,
        ),
        *cell_names(facts, *named, 3.0, WIDTH),
        kind="map",
    )
