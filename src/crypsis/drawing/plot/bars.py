"""Marks `bars` and `stacked`: bars across, with their names at the left; side by side, or cut into pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crypsis.drawing.axis_values import distinct_names, numbers, tick
from crypsis.drawing.frame import Frame, Panel
from crypsis.drawing.markup import Markup, element
from crypsis.drawing.naming import fitting, room_for
from crypsis.drawing.plot.marks import Marks
from crypsis.drawing.plot.scales import Box, stacked_values, value_scale
from crypsis.drawing.plot.words import shown, told
from crypsis.drawing.svg import LogScale, Scale, line, text

_ROW = 20.0
_MOST_ROWS = 60
_LONGEST_NAME = 38


@dataclass(frozen=True)
class _Rows:
    """One row of the picture for each name, with room for the bars that stand side by side in it."""

    names: list[str]
    longest: int  # letters of a name that are shown
    ticks: int
    side_by_side: int
    height: float
    box: Box
    across: Scale

    @property
    def start(self) -> float:
        """Where bars begin."""
        return self.across.at(0.0) if not isinstance(self.across, LogScale) else self.box.left


def draw_bars(frame: Frame, panel: Panel, marks: Marks, top: float, x_log: bool, y_log: bool) -> tuple[Markup, float]:
    """The drawing and its height; names have no scale, so only the one of the values can be logarithmic."""
    rows = _rows(frame, panel, top, y_log, marks.width)
    box = rows.box
    parts = [*_axis(rows, panel.y.label), *_names(rows)]
    feet = np.zeros(len(rows.names))
    for index, name in enumerate(frame.series_of(panel)):
        drawn = _series(frame, panel, rows, index, name, marks, feet)
        parts.append(element("g", *drawn, class_="series", data_series=str(index)))
    parts.append(line(rows.start, box.top, rows.start, box.base, "axis"))
    return element("g", *parts), box.base + 48


def _rows(frame: Frame, panel: Panel, top: float, log: bool, width: float) -> _Rows:
    stacked = panel.mark == "stacked"
    names = distinct_names(frame.data[panel.x.column])
    side_by_side = 1 if stacked else len(frame.series_of(panel))
    if len(names) * side_by_side <= _MOST_ROWS:
        height = _ROW * side_by_side * (0.8 if side_by_side > 1 else 1)
    else:
        height = _ROW * _MOST_ROWS / len(names)
    longest = min(_LONGEST_NAME, int(width / 16))  # names take less than half of it
    ticks = min(6, int(width / 100))
    room = max((room_for(fitting(name, longest)) for name in names), default=0.0)
    box = Box(12 + room, width - 20, top + 4, top + 4 + height * len(names))
    column = frame.data[panel.y.column]
    values = stacked_values(frame, panel) if stacked else numbers(column)
    across = value_scale(values, box.left, box.right, log, column.dtype.is_integer())
    return _Rows(names, longest, ticks, side_by_side, height, box, across)


def _axis(rows: _Rows, title: str) -> Iterator[Markup]:
    box = rows.box
    for value in rows.across.ticks(rows.ticks):
        x = rows.across.at(value)
        yield line(x, box.top, x, box.base, "grid")
        yield text(x, box.base + 16, tick(value), anchor="middle")
    yield text((box.left + box.right) / 2, box.base + 36, title, "axis-title", "middle")


def _names(rows: _Rows) -> Iterator[Markup]:
    """As many as can be read."""
    for index in range(0, len(rows.names), max(1, math.ceil(13 / rows.height))):
        y = rows.box.top + rows.height * (index + 0.5) + 4
        yield text(rows.box.left - 8, y, fitting(rows.names[index], rows.longest), "name", "end")


def _series(
    frame: Frame, panel: Panel, rows: _Rows, series: int, name: str, marks: Marks, feet: np.ndarray
) -> Iterator[Markup]:
    """The bars of one series; `feet` is where stacked pieces begin, and is moved on."""
    place_of = {called: index for index, called in enumerate(rows.names)}
    thickness = rows.height * 0.78 / rows.side_by_side
    for entry in frame.rows_of(panel, name).iter_rows(named=True):
        value = float(entry[panel.y.column] or 0)
        if value == 0:
            continue
        called = "" if entry[panel.x.column] is None else str(entry[panel.x.column])
        slot = place_of[called]
        if panel.mark == "stacked":
            foot, head = rows.across.at(feet[slot]), rows.across.at(feet[slot] + value)
            feet[slot] += value
        else:
            foot, head = rows.start, rows.across.at(value)
        shape = element(
            "rect",
            x=min(foot, head),
            y=rows.box.top + rows.height * (slot + 0.11) + thickness * (series if rows.side_by_side > 1 else 0),
            width=max(abs(head - foot), 1),
            height=max(thickness, 0.5),
            **marks.fill(series),
        )
        words = [called, f"{name or panel.y.label}: {shown(entry[panel.y.column])}"]
        yield marks.mark(told(words), shape)
