"""Section of the private report: every column, and the items, as they were and as they are published."""

from __future__ import annotations

from typing import Any

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.plot import interactive_svg
from crypsis.errors import NotApplicable
from crypsis.reports.page import columns, paragraph, pictured, section
from crypsis.reports.pictures.before_after import before_after, comparable_columns
from crypsis.reports.pictures.movement_maps import LabelledMap, maps_before_after
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

MOST_COLUMNS = 24
_WIDTH = 464.0  # as wide as a column of the page, so that letters have the size of those around
_HEADING = marked("Before and after")
_PRIVATE = marked("Not for release: these pictures show the original.")


def compared(original: Any, published: Any, side_file: Any = None) -> Markup:
    """The pictures two by two; nothing where there are neither columns, items nor places to compare."""
    maps = maps_before_after(original, published, side_file)
    if maps is not None:
        return _mapped(*maps)
    names = comparable_columns(original, published)
    drawn, left_out = [], []
    for name in names[:MOST_COLUMNS]:
        try:
            frame = before_after(original, published, name)
        except NotApplicable:  # nodes of a hierarchy that does not say what they stand for
            left_out.append(name)
            continue
        drawn.append(pictured(frame.title, interactive_svg(frame, title=False, alone=False, width=_WIDTH), frame.note))
    if not drawn:
        return Markup("")
    notes = []
    if len(names) > MOST_COLUMNS:
        notes.append(
            paragraph(
                _(
                    "The first {most_columns} of {columns} are shown.",
                    most_columns=MOST_COLUMNS,
                    columns=counted(len(names), "column"),
                ),
                class_="note",
            )
        )
    if left_out:
        words = _(
            "Not shown, because their nodes do not say what they stand for: {left_out}.", left_out=", ".join(left_out)
        )
        notes.append(paragraph(words, class_="note"))
    return section(_(_HEADING), paragraph(_(_PRIVATE)), columns(*drawn), *notes)


def _mapped(before: LabelledMap, after: LabelledMap) -> Markup:
    """Two maps of the same view, with what their marks mean."""
    drawn = [
        pictured(title, one.picture, below=element("div", one.legend, class_="legend"))
        for title, one in ((_("Map before"), before), (_("Map after"), after))
    ]
    return section(_(_HEADING), paragraph(_(_PRIVATE)), columns(*drawn))
