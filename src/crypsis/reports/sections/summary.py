"""Section: the figures at a summary."""

from __future__ import annotations

import numpy as np

from crypsis.drawing.map_view import unit_words
from crypsis.drawing.markup import Markup, element
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import exact, section, tile
from crypsis.wording import counted, figure, shown


def summary(facts: ReleaseFacts) -> Markup:
    """What was published, how rare it gets, and what it cost."""
    data, found, utility = facts.section("data"), facts.section("verdict"), facts.section("utility")
    rows, visits = data.get("rows", facts.rows), data.get("visits", int(facts.lengths.sum()))
    tiles = [
        tile("Trajectories", exact(rows), _length_detail(facts)),
        tile("Visits", exact(visits), _mean_detail(facts)),
        tile("Cells", exact(len(facts.labels)), "each with one point")
        if facts.shows_cells
        else tile("Locations", exact(len(facts.labels)), f"in {counted(len(facts.names), 'symbol')}"),
    ]
    if "achieved" in found:
        achieved = found["achieved"]
        reached = Markup("none") if achieved is None else exact(achieved)
        detail = f"{facts.units}; {shown(found.get('required'))} required"
        tiles.append(
            tile(
                "Smallest support",
                reached,
                "nothing occurs that could be rare" if achieved is None else detail,
            )
        )
    if not facts.shows_cells:
        tiles += [
            tile("Intact symbols", exact(facts.n_intact), "single locations"),
            tile("Generalized symbols", exact(facts.n_generalized), _group_detail(facts)),
        ]
    if "distance_loss" in utility:
        normalized = utility.get("normalized_distance_loss")
        detail = f"{unit_words(facts.crs)}; lower is better"
        if isinstance(normalized, (int, float)):
            detail = f"{unit_words(facts.crs)}, {figure(100 * normalized, 3)} % of the map; lower is better"
        tiles.append(tile("Distance loss", exact(utility["distance_loss"]), detail))
    if "visit_query_loss" in utility:
        tiles.append(
            tile(
                "Average relative error",
                exact(utility["visit_query_loss"]),
                "of counts; lower is better",
            )
        )
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def _length_detail(facts: ReleaseFacts) -> str:
    if not facts.rows:
        return "none were published"
    empty = int((facts.lengths == 0).sum())
    return f"{empty:,} of them empty" if empty else "one row each"


def _mean_detail(facts: ReleaseFacts) -> str:
    return f"{figure(float(np.mean(facts.lengths)), 3)} per trajectory" if facts.rows else "none were published"


def _group_detail(facts: ReleaseFacts) -> str:
    if not facts.n_generalized:
        return "nothing was merged"
    joined = int(facts.sizes[~facts.intact].sum())
    return f"with {counted(joined, 'location')} in all"
