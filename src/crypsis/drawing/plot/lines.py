"""Mark `lines`: points joined by a line, with deviations, and gaps as crosses on the axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.plot.marks import marker, stroke
from crypsis.drawing.plot.series import Series, path_through
from crypsis.drawing.plot.words import shown, told, value_on
from crypsis.drawing.svg import LogScale
from crypsis.translation import _


def draw_lines(series: Series) -> Iterator[Markup]:
    """Draw a line through the values, with marks that tell them and gaps that tell their reason."""
    panel = series.panel
    places = series.places()
    yield element("path", d=path_through(places), class_=stroke(series.index))
    for row, place, x in zip(series.rows.iter_rows(named=True), places, series.x().tolist(), strict=True):
        words = [series.name, value_on(panel.x, row)]
        if place is None:
            yield _gap(series, row, x, words)
            continue
        value = value_on(panel.y, row)
        more: list[str] = []
        spread = row[panel.deviation] if panel.deviation is not None else None
        if spread is not None:
            value += f" ± {shown(spread)}"
            more.append(_deviation(series, place[0], row[panel.y.column], spread))
        yield series.marks.mark(told([*words, value]), marker(series.index, *place, 4.5, "shape"), *more)


def _gap(series: Series, row: dict[str, Any], x: float, words: list[str]) -> Markup:
    """A cross on the axis; where several series have a gap, one above the other."""
    panel = series.panel
    reason = row[panel.absent] if panel.absent is not None else None
    at = series.across.at(x)
    y = series.box.base - 11 * series.gaps.get(x, 0)
    series.gaps[x] = series.gaps.get(x, 0) + 1
    words = [*words, f"{panel.y.label}: {reason or _('not defined')}"]
    hit = element("rect", x=at - 7, y=y - 7, width=14, height=14, class_="hit")
    cross = f"M{number(at - 4)} {number(y - 4)}l8 8m0 -8l-8 8"
    return series.marks.mark(told(words), element("path", d=cross, class_=f"shape gap stroke-{series.colour}"), hit)


def _deviation(series: Series, x: float, mean: float, spread: float) -> Markup:
    up = series.up
    high = up.at(mean + spread)
    low = up.at(mean - spread) if not isinstance(up, LogScale) or mean - spread >= up.low else series.box.base
    path = f"M{number(x - 4)} {number(high)}h8m-4 0V{number(low)}m-4 0h8"
    return element("path", d=path, class_=f"spread stroke-{series.colour}")
