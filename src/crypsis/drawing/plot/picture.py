"""The SVG element of a plot: its heading and its panels, each with one view per choice of scales."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import polars as pl

from crypsis.drawing.frame import Frame, Panel
from crypsis.drawing.interaction import PLOT_SCRIPT, PLOT_STYLE
from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.plot.bars import draw_bars
from crypsis.drawing.plot.bins import draw_bins, draw_overlaid
from crypsis.drawing.plot.key import legend, switches
from crypsis.drawing.plot.lines import draw_lines
from crypsis.drawing.plot.marks import Marks
from crypsis.drawing.plot.points import draw_points
from crypsis.drawing.plot.scales import WIDTH, Box, across_axis, across_scale, choices, up_axis, up_scale
from crypsis.drawing.plot.series import Series, path_through
from crypsis.drawing.plot.stems import draw_stems
from crypsis.drawing.plot.steps import draw_steps
from crypsis.drawing.svg import line, text

_HEIGHT = 300.0
_DRAWERS: Final[dict[str, Callable[[Series], Iterator[Markup]]]] = {
    "lines": draw_lines,
    "points": draw_points,
    "steps": draw_steps,
    "stems": draw_stems,
    "bins": draw_bins,
    "overlaid": draw_overlaid,
}


def interactive_svg(frame: Frame, *, title: bool = True, alone: bool = True, width: float = WIDTH) -> Markup:
    """The plot as an SVG element for a page; `alone=False` leaves style and script to the page (once for all plots)."""
    marks = Marks.of(frame, width)
    content: list[str] = []
    y = 0.0
    if title:
        content.append(text(0, 16, frame.title, "heading"))
        y = 30.0
    if not frame.data.height:
        content.append(text(0, y + 24, frame.empty, "name"))
        y += 48
    else:
        for index, panel in enumerate(frame.panels):
            drawn, height = _panel(frame, index, panel, marks)
            content.append(element("g", drawn, transform=f"translate(0 {number(y)})"))
            y += height
    tip = element("g", element("rect", rx=4), element("text"), class_="tip", display="none", aria_hidden="true")
    style = [element("style", Markup(PLOT_STYLE))] if alone else []
    script = [element("script", Markup(PLOT_SCRIPT))] if alone else []
    return element(
        "svg",
        *style,
        marks.patterns(),
        *content,
        tip,
        *script,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(y)}",
        class_="crypsis-plot" if width == WIDTH else "crypsis-plot narrow",
        role="group",
        aria_label=f"{frame.title}. {frame.note}".strip(),
    )


def _panel(frame: Frame, index: int, panel: Panel, marks: Marks) -> tuple[Markup, float]:
    """The drawing and its height."""
    parts: list[str] = []
    y = 0.0
    if panel.title:
        parts.append(text(0, 14, panel.title, "name"))
    chosen = switches(frame, index, panel, marks.width)
    if chosen or panel.title:
        parts += chosen
        y += 26
    if panel.series is not None:
        key, height = legend(panel, frame.series_of(panel), marks, y)
        parts.append(key)
        y += height
    views, height = _views(frame, index, panel, marks, y)
    return element("g", *parts, *views), height


def _views(frame: Frame, index: int, panel: Panel, marks: Marks, top: float) -> tuple[list[Markup], float]:
    """One per choice of scales; the one that the panel asks for is shown."""
    views = []
    height = 0.0
    draw = draw_bars if panel.mark in ("bars", "stacked") else _view
    for x_log in choices(frame, panel, "x"):
        for y_log in choices(frame, panel, "y"):
            marks.shown = (x_log, y_log) == (panel.x.scale == "log", panel.y.scale == "log")
            drawn, height = draw(frame, panel, marks, top, x_log, y_log)
            views.append(
                element(
                    "g",
                    drawn,
                    class_="view",
                    data_panel=str(index),
                    data_x="log" if x_log else "linear",
                    data_y="log" if y_log else "linear",
                    display=None if marks.shown else "none",
                )
            )
    return views, height


def _view(frame: Frame, panel: Panel, marks: Marks, top: float, x_log: bool, y_log: bool) -> tuple[Markup, float]:
    """Marks between a horizontal and a vertical axis."""
    box = Box(58, marks.width - 14, top + 24, top + 24 + _HEIGHT - 70)
    across, ticks = across_scale(frame, panel, box, x_log)
    up = up_scale(frame, panel, box, y_log)
    parts = [*up_axis(up, box, panel.y.label), *across_axis(across, ticks, box, panel.x.label)]
    if panel.limit is not None:
        x = across.at(panel.limit.value)
        parts.append(line(x, box.top - 8, x, box.base, "limit"))
        parts.append(text(x + 5, box.top - 2, panel.limit.label, "name"))
    feet = np.zeros(frame.data[panel.x.column].n_unique())
    gaps: dict[float, int] = {}

    def series(series_index: int, name: str, rows: pl.DataFrame) -> Series:
        return Series(frame, panel, rows, series_index, name, across, up, box, marks, feet, gaps)

    if panel.joined is not None:
        best = frame.data.filter(pl.col(panel.joined)).sort(panel.x.column, panel.y.column)
        parts.append(element("path", d=path_through(series(0, "", best).places()), class_="best"))
    for index, name in enumerate(frame.series_of(panel)):
        drawn = _DRAWERS[panel.mark](series(index, name, frame.rows_of(panel, name)))
        parts.append(element("g", *drawn, class_="series", data_series=str(index)))
    return element("g", *parts), box.base + 52
