"""Values on hover along a curve; of very many points only some, so that the page stays light."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.plot.series import Place, Series
from crypsis.drawing.plot.words import told, value_on

_MOST_HOVERED = 300


def hover_marks(series: Series, places: Sequence[Place], *, visible: bool, name: str | None = None) -> Iterator[Markup]:
    """A dot for each place, seen or only felt; `name` is the column that says what a point is called."""
    stride = -(-series.rows.height // _MOST_HOVERED) or 1
    rows = series.rows.gather_every(stride).iter_rows(named=True)
    for row, place in zip(rows, places[::stride], strict=True):
        if place is None:
            continue
        words = [] if name is None else [str(row[name])]
        words += [value_on(series.panel.x, row), value_on(series.panel.y, row)]
        hit = element("circle", cx=place[0], cy=place[1], r=6, class_="hit")
        colour = f"fill-{series.colour}" if visible else "hit"
        dot = element("circle", cx=place[0], cy=place[1], r=2.5 if visible else 3, class_=f"shape {colour}")
        yield series.marks.mark(told(words), dot, hit)
