"""Scales and axes: which an axis may have, where values lie on it, and what is written along it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.axis_values import distinct_names, numbers, tick
from crypsis.drawing.frame import Frame, Panel
from crypsis.drawing.markup import Markup
from crypsis.drawing.naming import fitting
from crypsis.drawing.svg import LinearScale, LogScale, Scale, line, rounded_up, text
from crypsis.translation.wording import date_text

WIDTH = 640.0
_MOST_VIEWED = 1500  # with more marks there is one view
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Box:
    """Where a panel's marks lie."""

    left: float
    right: float
    top: float
    base: float


def may_be_logarithmic(frame: Frame, panel: Panel, axis: str) -> bool:
    """Whether an axis may be logarithmic: all its values are positive, and no bars are stacked along it."""
    chosen = panel.x if axis == "x" else panel.y
    if chosen.scale == "category" or frame.data[chosen.column].dtype.is_temporal() or frame.data.height > _MOST_VIEWED:
        return chosen.scale == "log"
    if axis == "y" and (panel.mark in ("stacked", "stems") or (panel.mark == "bins" and panel.series is not None)):
        return False
    known = numbers(frame.data[chosen.column])
    known = known[np.isfinite(known)]
    if axis == "y" and panel.mark in ("bins", "bars"):
        known = known[known > 0]
    return bool(len(known)) and float(known.min()) > 0


def choices(frame: Frame, panel: Panel, axis: str) -> tuple[bool, ...]:
    """The scales of an axis that are drawn: logarithmic or not, or both."""
    chosen = panel.x if axis == "x" else panel.y
    if may_be_logarithmic(frame, panel, axis) and frame.data.height <= _MOST_VIEWED:
        return (False, True)
    return (chosen.scale == "log",)


def across_scale(frame: Frame, panel: Panel, box: Box, log: bool) -> tuple[Scale, list[tuple[float, str]]]:
    """The horizontal scale with its ticks."""
    column = frame.data[panel.x.column]
    if panel.x.scale == "category":
        names = distinct_names(column)
        stride = -(-len(names) * 9 * min(max(map(len, names), default=1), 14) // int(box.right - box.left)) or 1
        ticks = [(float(index), fitting(names[index], 16)) for index in range(0, len(names), stride)]
        return LinearScale(-0.5, len(names) - 0.5, box.left, box.right), ticks
    values = numbers(column)
    if panel.end is not None:
        values = np.concatenate([values, numbers(frame.data[panel.end])])
    if panel.limit is not None:
        values = np.append(values, panel.limit.value)
    low, high = _span(values)
    inset = 0.0 if panel.end is not None else 12.0
    left, right = box.left + inset, box.right - inset
    most = min(8, int((right - left) / 60))  # ticks, so that their words stay apart
    if log:
        known = values[np.isfinite(values)]
        low, high = float(known.min()), float(known.max())
        logarithmic = LogScale(low, high, left, right) if high > low else LogScale(low / 2, high * 2, left, right)
        return logarithmic, [(value, tick(value)) for value in logarithmic.ticks(most)]
    if column.dtype.is_temporal():
        return LinearScale(low, high, left, right), _date_ticks(low, high, most)
    linear = LinearScale(low, high, left, right, whole=column.dtype.is_integer())
    return linear, [(value, tick(value)) for value in linear.ticks(most)]


def up_scale(frame: Frame, panel: Panel, box: Box, log: bool) -> Scale:
    """The vertical scale, with room for deviations."""
    values = numbers(frame.data[panel.y.column])
    if panel.mark == "bins" and panel.series is not None:
        values = stacked_values(frame, panel)
    if panel.deviation is not None:
        spread = np.nan_to_num(numbers(frame.data[panel.deviation]))
        values = np.concatenate([values - spread, values + spread])
        if log:
            values = values[values > 0]
    return value_scale(values, box.base, box.top, log, frame.data[panel.y.column].dtype.is_integer())


def stacked_values(frame: Frame, panel: Panel) -> Any:
    """The sums of what is stacked."""
    totals = frame.data.group_by(panel.x.column).agg(pl.col(panel.y.column).sum())
    return numbers(totals[panel.y.column])


def value_scale(values: Any, start: float, end: float, log: bool, whole: bool) -> Scale:
    """From 0 where nothing is negative; a logarithmic one a little below its least value."""
    known = values[np.isfinite(values)]
    if log:
        known = known[known > 0]
        low, high = float(known.min()), float(known.max())
        return LogScale(low / 1.5, max(high * 1.05, low * 1.5), start, end)
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    low, high = min(low, 0.0), max(high, 0.0)
    if high == low:
        high = low + 1
    margin = 0.04 * (high - low)
    return LinearScale(low - (margin if low < 0 else 0), high + (margin if high > 0 else 0), start, end, whole=whole)


def up_axis(scale: Scale, box: Box, title: str) -> Iterator[Markup]:
    """Draw the vertical axis with its grid."""
    for value in scale.ticks(5):
        y = scale.at(value)
        yield line(box.left, y, box.right, y, "grid")
        yield text(box.left - 8, y + 4, tick(value), anchor="end")
    yield text(0, box.top - 12, title, "axis-title")


def across_axis(scale: Scale, ticks: list[tuple[float, str]], box: Box, title: str) -> Iterator[Markup]:
    """Draw the horizontal axis."""
    yield line(box.left, box.base, box.right, box.base, "axis")
    for value, words in ticks:
        yield text(scale.at(value), box.base + 18, words, anchor="middle")
    yield text((box.left + box.right) / 2, box.base + 38, title, "axis-title", "middle")


def _span(values: Any) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _tick_of(moment: datetime, pattern: str, span: float) -> str:
    if pattern == "Y":
        return str(moment.year)
    return date_text(moment.replace(second=0) if pattern == "MD" and span <= 6 else moment.date(), pattern)


def _date_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Starts of years, of months, or days, about six of them, or as many as there may be."""
    wanted = min(6, most)
    first, last = _EPOCH + timedelta(days=low), _EPOCH + timedelta(days=high)
    span = high - low
    if span > 3 * 365:
        step = max(1, int(rounded_up(span / 365.25 / wanted)))
        moments = [datetime(year, 1, 1) for year in range(first.year, last.year + 1) if year % step == 0]
        words = "Y"
    elif span > 90:
        step = max(1, math.ceil(span / 30.4 / wanted))
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        moments = [datetime(month // 12, month % 12 + 1, 1) for month in months if month % step == 0]
        words = "YM"
    else:
        step_days = max(span / wanted, 1 / 1440)
        moments = [first + timedelta(days=step_days * index) for index in range(wanted + 1)]
        words = "MD"
    days = [((moment - _EPOCH) / timedelta(days=1), _tick_of(moment, words, span)) for moment in moments]
    return [(value, name) for value, name in days if low <= value <= high]
