"""Section: the map of original and generalized locations."""

from __future__ import annotations

from crypsis.drawing.map_view import unit_words
from crypsis.drawing.markup import Markup, element
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import paragraph, pictured, section
from crypsis.reports.pictures.location_map import legend_marks, location_map, shown_on_map
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_HEADING = marked("Where locations were merged")
_UNMERGED = marked("Where the published locations lie")


def places(facts: ReleaseFacts) -> Markup:
    """Every location as a dot, every group as the hull of its locations; cells have a section of their own."""
    if facts.shows_cells:
        return Markup("")
    if not facts.has_map:
        return section(_(_HEADING), paragraph(_("No coordinates were published, so there is no map."), class_="muted"))
    legend = element(
        "ul",
        *(
            element(
                "li",
                element("svg", mark, viewBox=f"0 0 {width} 18", width=width, aria_hidden="true"),
                meaning,
            )
            for mark, width, meaning in legend_marks(facts)
        ),
        class_="legend",
    )
    return section(
        _(_HEADING if facts.n_generalized else _UNMERGED),
        paragraph(
            _("A visit to a location inside a group is published as “one of these”. ")
            if facts.n_generalized
            else _("Nothing was merged: every location is published as it is. "),
            element("span", _("Point at a mark to read its names and how many rows hold it."), class_="only-screen"),
        ),
        pictured(None, location_map(facts, legend=False), *_caption(facts), below=legend),
    )


def _caption(facts: ReleaseFacts) -> list[str]:
    drawn = shown_on_map(facts)
    lowest, highest = int(facts.supports.min()), int(facts.supports.max())
    sentences = [
        _(
            "The area of a disc, and with it the breadth of a group around its locations, grows with the "
            "rows that hold it: the smallest stands for {rows}, the largest for {highest:,}.",
            rows=counted(lowest, "row"),
            highest=highest,
        )
        if highest > lowest
        else _("Every symbol is in {rows}.", rows=counted(highest, "row")),
        _("Distances are in {unit_words}.", unit_words=unit_words(facts.crs)),
    ]
    if drawn.symbols < len(facts.names):
        sentences.append(
            _(
                "{symbols2:,} of {symbols} are marked: the groups with the most locations and the single "
                "locations with the most rows.",
                symbols=counted(len(facts.names), "symbol"),
                symbols2=drawn.symbols,
            )
        )
    if drawn.dots < drawn.locations:
        sentences.append(
            _(
                "{locations} are drawn as {dots}, because those that lie close together share one.",
                locations=counted(drawn.locations, "location"),
                dots=counted(drawn.dots, "dot"),
            )
        )
    if drawn.without_place:
        sentences.append(
            _("{locations} without coordinates could not be drawn.", locations=counted(drawn.without_place, "location"))
        )
    return sentences
