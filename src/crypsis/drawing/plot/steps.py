"""Mark `steps`: a line that keeps its value until the next point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.plot.hovering import hover_marks
from crypsis.drawing.plot.marks import stroke
from crypsis.drawing.plot.series import Place, Series


def draw_steps(series: Series) -> Iterator[Markup]:
    """Draw a curve that keeps its value until the next one."""
    column = series.panel.x.column
    ordered = series.rows.sort(column, maintain_order=True).unique(column, keep="last", maintain_order=True)
    series = replace(series, rows=ordered)
    places = series.places()
    yield element("path", d=_stairs(places), class_=stroke(series.index))
    yield from hover_marks(series, places, visible=len(places) <= 60)


def _stairs(places: Sequence[Place]) -> str:
    parts = []
    pen = True
    for place in places:
        if place is None:
            pen = True
        elif pen:
            parts.append(f"M{number(place[0])} {number(place[1])}")
            pen = False
        else:
            parts.append(f"H{number(place[0])}V{number(place[1])}")
    return "".join(parts)
