"""Section: the map of original and generalized locations."""

from __future__ import annotations

from crypsis.drawing.map_view import unit_words
from crypsis.drawing.markup import Markup, element
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import paragraph, pictured, section
from crypsis.reports.pictures.location_map import legend_marks, location_map, shown_on_map
from crypsis.wording import counted

_HEADING = "Where locations were merged"


def places(facts: ReleaseFacts) -> Markup:
    """Every location as a dot, every group as the hull of its locations; cells have a section of their own."""
    if facts.shows_cells:
        return Markup("")
    if not facts.has_map:
        return section(_HEADING, paragraph("No coordinates were published, so there is no map.", class_="muted"))
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
        _HEADING,
        paragraph(
            "A visit to a location inside a group is published as “one of these”. "
            if facts.n_generalized
            else "Nothing was merged: every location is published as it is. ",
            element("span", "Point at a mark to read its names and how many rows hold it.", class_="only-screen"),
        ),
        pictured(None, location_map(facts, legend=False), *_caption(facts), below=legend),
    )


def _caption(facts: ReleaseFacts) -> list[str]:
    drawn = shown_on_map(facts)
    lowest, highest = int(facts.supports.min()), int(facts.supports.max())
    sentences = [
        "The area of a disc, and with it the breadth of a group around its locations, grows with the rows that hold "
        "it: "
        f"the smallest stands for {counted(lowest, 'row')}, the largest for {highest:,}."
        if highest > lowest
        else f"Every symbol is in {counted(highest, 'row')}.",
        f"Distances are in {unit_words(facts.crs)}.",
    ]
    if drawn.symbols < len(facts.names):
        sentences.append(
            f"Of {counted(len(facts.names), 'symbol')}, {drawn.symbols:,} are marked: the groups with the most "
            "locations and the single locations with the most rows."
        )
    if drawn.dots < drawn.locations:
        sentences.append(
            f"{counted(drawn.locations, 'location')} are drawn as {counted(drawn.dots, 'dot')}, "
            "because those that lie close together share one."
        )
    if drawn.without_place:
        sentences.append(f"{counted(drawn.without_place, 'location')} without coordinates could not be drawn.")
    return sentences
