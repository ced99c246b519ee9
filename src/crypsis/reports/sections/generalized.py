"""Section: what was merged. The largest groups with their locations."""

from __future__ import annotations

from collections.abc import Mapping

from crypsis.drawing.map_view import length_words
from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import paragraph, section
from crypsis.translation import _, translated
from crypsis.translation.wording import counted, figure, shortened

MOST_LISTED = 12
MOST_MEMBERS = 8
_BAR = 112


def generalized(facts: ReleaseFacts) -> Markup:
    """Table of the largest groups; cells are no groups of locations."""
    if facts.shows_cells:
        return Markup("")
    heading = _("What was merged")
    if not facts.names:
        return section(heading, paragraph(_("No symbol was published.")))
    if not facts.n_generalized:
        words = [paragraph(_("Nothing was merged: every published symbol is a single location."))]
        if summary := translated(str(facts.section("method").get("summary") or "")):
            words.append(paragraph(_("What the method does instead: {summary}", summary=summary)))
        return section(heading, *words)
    listed = facts.largest_first[:MOST_LISTED]
    left = facts.n_generalized - len(listed)
    note = (
        _("The largest {listed} of {n_generalized:,} groups.", listed=len(listed), n_generalized=facts.n_generalized)
        if left
        else _("All groups are listed.")
    )
    return section(
        heading,
        element("div", _table(facts, listed), class_="scroll"),
        paragraph(" ".join(filter(None, [note, _squares(facts)])), class_="muted small note"),
    )


def _squares(facts: ReleaseFacts) -> str:
    """What the names of the cells of a grid say; empty where the locations are none."""
    grid = facts.section("data").get("grid")
    if not isinstance(grid, Mapping):
        return ""
    return _(
        "A name cX_Y is a square of {size}: its lower left corner lies X squares to the east and Y squares to the "
        "north of the point ({x}, {y}) of {crs}.",
        size=length_words(float(grid["size"]), facts.crs),
        x=figure(float(grid["origin"][0])),
        y=figure(float(grid["origin"][1])),
        crs=facts.crs or _("the map"),
    )


def _table(facts: ReleaseFacts, listed: list[int]) -> Markup:
    head = element(
        "tr",
        element("th", _("Published as one of"), scope="col"),
        element("th", _("Locations"), scope="col", class_="numeric"),
        element("th", _("Rows"), scope="col", class_="numeric"),
        element("td", "", class_="bar"),
    )
    most = max(int(facts.supports[symbol]) for symbol in listed)
    rows = [_row(facts, symbol, most) for symbol in listed]
    return element("table", element("thead", head), element("tbody", *rows))


def _row(facts: ReleaseFacts, symbol: int, most: int) -> Markup:
    support = int(facts.supports[symbol])
    bar = element(
        "svg",
        element("rect", width=_BAR, height=10, class_="track"),
        element("rect", width=max(_BAR * support / most, 1.0), height=10, class_="bar-generalized"),
        viewBox=f"0 0 {_BAR} 10",
        aria_hidden="true",
    )
    return element(
        "tr",
        element("td", _members(tuple(map(facts.label_words, facts.names[symbol])))),
        element("td", figure(len(facts.names[symbol])), class_="numeric"),
        element("td", figure(support), class_="numeric"),
        element("td", bar, class_="bar"),
    )


def _members(names: tuple[str, ...]) -> Markup:
    """Each name apart from its neighbours, so that none can change the direction in which others are read."""
    shown = join([element("bdi", shortened(name)) for name in names[:MOST_MEMBERS]], ", ")
    left = counted(len(names) - MOST_MEMBERS, "more", "more")
    return (
        shown
        if len(names) <= MOST_MEMBERS
        else join([shown, element("span", _(" and {left}", left=left), class_="muted")])
    )
