"""Mark `stems`: a thin bar from zero at each point of a number line."""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.plot.hovering import hover_marks
from crypsis.drawing.plot.series import Series
from crypsis.drawing.svg import line


def draw_stems(series: Series) -> Iterator[Markup]:
    """Draw a needle from zero to each value."""
    places = series.places()
    foot = series.up.at(0.0)
    width = 4 if len(places) <= 40 else 2 if len(places) <= 150 else 1
    needles = "".join(f"M{number(x)} {number(foot)}V{number(y)}" for x, y in (place for place in places if place))
    yield element("path", d=needles, class_=f"needles stroke-{series.colour}", stroke_width=width)
    yield line(series.box.left, foot, series.box.right, foot, "axis")
    yield from hover_marks(series, places, visible=len(places) <= 150, name=series.panel.name)
