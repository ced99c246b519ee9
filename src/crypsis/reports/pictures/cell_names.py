"""What the published rows call the cells of tracks, beside their points on a map."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s
from crypsis.drawing.map_names import MOST_NAMED, names_beside
from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.translation.wording import listed


def cell_names(facts: ReleaseFacts, page_x: Float64s, page_y: Float64s, radius: float, width: float) -> list[Markup]:
    """The names, where they are few enough to be read."""
    known = np.flatnonzero(np.isfinite(page_x) & np.isfinite(page_y)).tolist()
    if len(known) > MOST_NAMED:
        return []
    points = [(listed(facts.names[cell], 3), float(page_x[cell]), float(page_y[cell])) for cell in known]
    return names_beside(points, radius, width)
