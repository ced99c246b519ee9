"""Marks `bins` and `overlaid`: bars from one value of a number line to another; series are stacked, or overlaid."""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.drawing.axis_values import numbers
from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.plot.marks import stroke
from crypsis.drawing.plot.series import Series
from crypsis.drawing.plot.words import between, told, value_on


def draw_bins(series: Series) -> Iterator[Markup]:
    """Draw a bar from the start to the end of each bin."""
    panel, feet, up = series.panel, series.feet, series.up
    assert panel.end is not None
    starts, ends = numbers(series.rows[panel.x.column]), numbers(series.rows[panel.end])
    for index, row in enumerate(series.rows.iter_rows(named=True)):
        value = float(row[panel.y.column])
        if value <= 0:
            continue
        left, right = series.across.at(float(starts[index])), series.across.at(float(ends[index]))
        foot = up.at(feet[index]) if panel.series is not None else series.box.base
        head = up.at(feet[index] + value)
        feet[index] += value
        values = f"{panel.x.label}: {between(row[panel.x.column], row[panel.end])}"
        gap = min(0.5, (right - left) / 8)
        shape = element(
            "rect",
            x=left + gap,
            y=min(head, foot - 1),
            width=max(right - left - 2 * gap, 0.5),
            height=max(foot - head, 1),
            **series.marks.fill(series.index),
        )
        yield series.marks.mark(told([series.name, values, value_on(panel.y, row)]), shape)


def draw_overlaid(series: Series) -> Iterator[Markup]:
    """Bars that let those below be seen, and the outline of all of them."""
    panel, base = series.panel, series.box.base
    assert panel.end is not None
    starts, ends = numbers(series.rows[panel.x.column]), numbers(series.rows[panel.end])
    outline = ""
    for index, row in enumerate(series.rows.iter_rows(named=True)):
        left, right = series.across.at(float(starts[index])), series.across.at(float(ends[index]))
        value = float(row[panel.y.column])
        head = series.up.at(value) if value > 0 else base
        outline += f"{'V' if outline else f'M{number(left)} {number(base)}V'}{number(head)}H{number(right)}"
        values = f"{panel.x.label}: {between(row[panel.x.column], row[panel.end])}"
        width, height = max(right - left, 0.5), max(base - head, 1)
        shape = element(
            "rect", x=left, y=base - height, width=width, height=height, class_=f"shape over fill-{series.colour}"
        )
        yield series.marks.mark(told([series.name, values, value_on(panel.y, row)]), shape)
    if outline:
        yield element("path", d=f"{outline}V{number(base)}", class_=f"{stroke(series.index)} around")
