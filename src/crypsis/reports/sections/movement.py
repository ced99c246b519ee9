"""Section of releases made from tracks: how people move between the published cells, and where those lie."""

from __future__ import annotations

from crypsis.drawing.flow_bundles import MOST_ARROWS
from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import paragraph, pictured, section
from crypsis.reports.pictures.flow_map import flow_map
from crypsis.reports.pictures.tessellation import tessellation
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_HEADING = marked("How people move")


def movement(facts: ReleaseFacts) -> Markup:
    """The flow map and the tessellation; nothing where the data are not cells of tracks."""
    if not facts.shows_cells or not facts.has_map:
        return Markup("")
    caption = [
        _(
            "A circle is a cell, its area the rows that visit it; an arrow is a direct move, as wide as "
            "the rows that make it."
        )
    ]
    if len(facts.flows) > MOST_ARROWS:
        caption.append(
            _(
                "There are {direct_moves}; those between the same two neighbourhoods are drawn as one arrow.",
                direct_moves=counted(len(facts.flows), "direct move"),
            )
        )
    return section(
        _(_HEADING),
        paragraph(
            _(
                "Each row is a sequence of cells. A cell is shown as one point, the mean of where its "
                "visitors were; nobody need have been at that point."
            )
        ),
        pictured(_("Moves between cells"), flow_map(facts), *caption),
        pictured(
            _("Areas around the published points"),
            tessellation(facts),
            _(
                "Drawn from the published points; the cells with which the data were made differ a little. The darker "
                "an area, the more rows visit its cell."
            ),
        ),
    )
