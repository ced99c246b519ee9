"""Section: the figures at a summary."""

from __future__ import annotations

import numpy as np

from crypsis.drawing.map_view import unit_words
from crypsis.drawing.markup import Markup, element
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import exact, section, tile
from crypsis.translation import _
from crypsis.translation.wording import counted, figure, shown


def summary(facts: ReleaseFacts) -> Markup:
    """What was published, how rare it gets, and what it cost."""
    data, found, utility = facts.section("data"), facts.section("verdict"), facts.section("utility")
    rows, visits = data.get("rows", facts.rows), data.get("visits", int(facts.lengths.sum()))
    tiles = [
        tile(_("Trajectories"), exact(rows), _length_detail(facts)),
        tile(_("Visits"), exact(visits), _mean_detail(facts)),
        tile(_("Cells"), exact(len(facts.labels)), _("each with one point"))
        if facts.shows_cells
        else tile(
            _("Locations"), exact(len(facts.labels)), _("in {symbols}", symbols=counted(len(facts.names), "symbol"))
        ),
    ]
    if "achieved" in found:
        achieved = found["achieved"]
        untold = _("not told") if facts.counted_by_publisher else _("none")
        reached = Markup(untold) if achieved is None else exact(achieved)
        detail = _("{units}; {required} required", units=_(facts.units), required=shown(found.get("required")))
        tiles.append(
            tile(
                _("Smallest support"),
                reached,
                detail if achieved is not None else _by_publisher(facts) or _("nothing occurs that could be rare"),
            )
        )
    if not facts.shows_cells:
        tiles += [
            tile(_("Intact symbols"), exact(facts.n_intact), _("single locations")),
            tile(_("Generalized symbols"), exact(facts.n_generalized), _group_detail(facts)),
        ]
    if "distance_loss" in utility:
        normalized = utility.get("normalized_distance_loss")
        detail = _("{unit_words}; lower is better", unit_words=unit_words(facts.crs))
        if isinstance(normalized, (int, float)):
            detail = _(
                "{unit_words}, {normalized} % of the map; lower is better",
                unit_words=unit_words(facts.crs),
                normalized=figure(100 * normalized, 3),
            )
        tiles.append(tile(_("Distance loss"), exact(utility["distance_loss"]), detail))
    if "visit_query_loss" in utility:
        tiles.append(
            tile(
                _("Average relative error"),
                exact(utility["visit_query_loss"]),
                _("of counts; lower is better"),
            )
        )
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def _by_publisher(facts: ReleaseFacts) -> str:
    if not facts.counted_by_publisher:
        return ""
    return _("counted with the original; {required} required", required=shown(facts.required))


def _length_detail(facts: ReleaseFacts) -> str:
    if not facts.rows:
        return _("none were published")
    empty = int((facts.lengths == 0).sum())
    return _("{empty:,} of them empty", empty=empty) if empty else _("one row each")


def _mean_detail(facts: ReleaseFacts) -> str:
    return (
        _("{mean} per trajectory", mean=figure(float(np.mean(facts.lengths)), 3))
        if facts.rows
        else _("none were published")
    )


def _group_detail(facts: ReleaseFacts) -> str:
    if not facts.n_generalized:
        return _("nothing was merged")
    joined = int(facts.sizes[~facts.intact].sum())
    return _("with {locations} in all", locations=counted(joined, "location"))
