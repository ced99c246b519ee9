"""Mark `points`: single points, and in words which of them no other beats."""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.drawing.markup import Markup
from crypsis.drawing.plot.marks import marker
from crypsis.drawing.plot.series import Series
from crypsis.drawing.plot.words import told, value_on
from crypsis.translation import _


def draw_points(series: Series) -> Iterator[Markup]:
    """Draw a mark at each pair of values."""
    panel = series.panel
    for row, place in zip(series.rows.iter_rows(named=True), series.places(), strict=True):
        if place is None:
            continue
        called = str(row[panel.name]) if panel.name is not None else series.name
        words = [called, value_on(panel.x, row), value_on(panel.y, row)]
        if panel.joined is not None and row[panel.joined]:
            words.append(_("not beaten in both"))
        yield series.marks.mark(told(words), marker(series.index, *place, 5, "shape"))
