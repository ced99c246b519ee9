"""Pictures for the browser: the same frames as SVG with values on hover and focus, legend switches and log axes.

Every scale that can be chosen is drawn here, and only one is shown; the script does nothing but choose. Text from data
is escaped, nothing is loaded, and without the script the plot still shows its tooltips.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from crypsis.evaluate.plots.frame import Frame, Panel, to_csv
from crypsis.evaluate.plots.interaction import PLOT_SCRIPT, PLOT_STYLE
from crypsis.evaluate.plots.naming import fitting
from crypsis.evaluate.plots.palette import SIGNS, sign
from crypsis.reports.markup import Markup, element, number
from crypsis.reports.svg import LinearScale, LogScale, Scale, line, rounded_up, short_number, text
from crypsis.reports.wording import figure, shortened

WIDTH = 640.0
_HEIGHT = 300.0
_ROW = 20.0
_MOST_ROWS = 60
_LETTER = 6.7  # about the width of a letter
_LONGEST_NAME = 38
_MOST_VIEWED = 1500  # with more marks there is one view, and values on hover only here and there
_MOST_HOVERED = 300
_EPOCH = datetime(1970, 1, 1)


def interactive_svg(frame: Frame, *, title: bool = True, alone: bool = True) -> Markup:
    """The plot as an SVG element for a page; `alone=False` leaves style and script to the page (once for all plots)."""
    plot = _Plot(frame)
    content: list[str] = []
    y = 0.0
    if title:
        content.append(text(0, 16, frame.title, "heading"))
        y = 30.0
    if not frame.data.height:
        content.append(text(0, y + 24, frame.empty, "name"))
        y += 48
    else:
        for place, panel in enumerate(frame.panels):
            drawn, height = plot.panel(place, panel)
            content.append(element("g", drawn, transform=f"translate(0 {number(y)})"))
            y += height
    tip = element("g", element("rect", rx=4), element("text"), class_="tip", display="none", aria_hidden="true")
    style = [element("style", Markup(PLOT_STYLE))] if alone else []
    script = [element("script", Markup(PLOT_SCRIPT))] if alone else []
    return element(
        "svg",
        *style,
        plot.hatches(),
        *content,
        tip,
        *script,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(WIDTH)} {number(y)}",
        class_="crypsis-plot",
        role="group",
        aria_label=f"{frame.title}. {frame.note}".strip(),
    )


@dataclass
class _Box:
    """Where a panel's marks lie."""

    left: float
    right: float
    top: float
    base: float


@dataclass
class _Plot:
    """Draws the panels of one frame; `series` on the same place has the same sign in all panels."""

    frame: Frame
    focused: bool = False
    hatched: set[int] = field(default_factory=set)
    gaps: dict[float, int] = field(default_factory=dict)  # how many marks of gaps stand at a place of the axis

    @property
    def prefix(self) -> str:
        """Identifiers that differ between different plots of a page."""
        return "p" + hashlib.sha256(self.frame.title.encode() + to_csv(self.frame)).hexdigest()[:10]

    def panel(self, place: int, panel: Panel) -> tuple[Markup, float]:
        """The drawing and its height."""
        names = self.frame.series_of(panel)
        parts: list[str] = []
        y = 0.0
        if panel.title:
            parts.append(text(0, 14, panel.title, "name"))
        switches = self._switches(place, panel)
        if switches or panel.title:
            parts += switches
            y += 26
        if panel.series is not None:
            key, height = self._key(panel, names, y)
            parts.append(key)
            y += height
        views, height = self._views(place, panel, y)
        return element("g", *parts, *views), height

    # What can be chosen

    def _logarithmic(self, panel: Panel, axis: str) -> bool:
        """Whether an axis may be logarithmic: all its values are positive, and no bars are stacked along it."""
        chosen = panel.x if axis == "x" else panel.y
        data = self.frame.data
        if chosen.scale == "category" or data[chosen.column].dtype.is_temporal() or data.height > _MOST_VIEWED:
            return chosen.scale == "log"
        if axis == "y" and (panel.mark in ("stacked", "stems") or (panel.mark == "bins" and panel.series is not None)):
            return False
        known = _numbers(data[chosen.column])
        known = known[np.isfinite(known)]
        if axis == "y" and panel.mark in ("bins", "bars"):
            known = known[known > 0]
        return bool(len(known)) and float(known.min()) > 0

    def _switches(self, place: int, panel: Panel) -> list[Markup]:
        marks = []
        right = WIDTH
        across = panel.mark in ("bars", "stacked")
        for axis, name in (("y", panel.y), ("x", panel.x)):
            if not self._logarithmic(panel, axis):
                continue
            words = "log scale" if across else f"log {'vertical' if axis == 'y' else 'horizontal'}"
            width = 6.2 * len(words) + 16
            right -= width
            marks.append(
                element(
                    "g",
                    element("rect", x=right, y=1, width=width, height=20, rx=10, class_="ring"),
                    text(right + width / 2, 15, words, "switch-name", "middle"),
                    class_="toggle switch",
                    role="switch",
                    tabindex="0",
                    aria_checked="true" if name.scale == "log" else "false",
                    aria_label=f"logarithmic axis: {name.label}",
                    data_panel=str(place),
                    data_axis=axis,
                )
            )
            right -= 8
        return marks

    def _key(self, panel: Panel, names: list[str], top: float) -> tuple[Markup, float]:
        """The legend; every entry switches its series on and off."""
        marks = []
        x, y = 0.0, top
        for place, name in enumerate(names):
            shown = fitting(name, 60)
            width = 34 + _LETTER * len(shown) + 10
            if x and x + width > WIDTH:
                x, y = 0.0, y + 22
            marks.append(
                element(
                    "g",
                    element("rect", x=x - 2, y=y, width=width - 4, height=20, rx=4, class_="ring"),
                    self._sample(panel, place, x + 3, y + 10),
                    text(x + 32, y + 14, shown, "key"),
                    class_="toggle series-key",
                    role="switch",
                    tabindex="0",
                    aria_checked="true",
                    aria_label=name,
                    data_series=str(place),
                )
            )
            x += width
        return element("g", *marks), y - top + 30

    def _sample(self, panel: Panel, series: int, x: float, y: float) -> Markup:
        colour = series % len(SIGNS)
        if panel.mark in ("bins", "bars", "stacked", "stems"):
            return element("rect", x=x + 2, y=y - 6, width=20, height=12, **self._fill(series))
        marker = element("path", d=_marker(sign(series).marker, x + 12, y, 4.5), class_=f"fill-{colour}")
        if panel.mark == "points":
            return marker
        stroke = line(x, y, x + 24, y, f"curve stroke-{colour} dash-{_dash(series)}")
        return element("g", stroke, marker)

    # Views: one per choice of scales

    def _views(self, place: int, panel: Panel, top: float) -> tuple[list[Markup], float]:
        views = []
        height = 0.0
        for x_log in self._choices(panel, "x"):
            for y_log in self._choices(panel, "y"):
                shown = (x_log, y_log) == (panel.x.scale == "log", panel.y.scale == "log")
                drawn, height = self._view(panel, top, x_log, y_log, shown)
                views.append(
                    element(
                        "g",
                        drawn,
                        class_="view",
                        data_panel=str(place),
                        data_x="log" if x_log else "linear",
                        data_y="log" if y_log else "linear",
                        display=None if shown else "none",
                    )
                )
        return views, height

    def _choices(self, panel: Panel, axis: str) -> tuple[bool, ...]:
        chosen = panel.x if axis == "x" else panel.y
        if self._logarithmic(panel, axis) and self.frame.data.height <= _MOST_VIEWED:
            return (False, True)
        return (chosen.scale == "log",)

    def _view(self, panel: Panel, top: float, x_log: bool, y_log: bool, shown: bool) -> tuple[Markup, float]:
        if panel.mark in ("bars", "stacked"):
            return self._rows(panel, top, y_log, shown)
        box = _Box(58, WIDTH - 14, top + 24, top + 24 + _HEIGHT - 70)
        across, x_ticks = self._across(panel, box, x_log)
        up = self._up(panel, box, y_log)
        parts = [
            *_up_axis(up, box, panel.y.label),
            *_across_axis(across, x_ticks, box, panel.x.label),
        ]
        if panel.limit is not None:
            x = across.at(panel.limit.value)
            parts.append(line(x, box.top - 8, x, box.base, "limit"))
            parts.append(text(x + 5, box.top - 2, panel.limit.label, "name"))
        if panel.joined is not None:
            best = self.frame.data.filter(pl.col(panel.joined)).sort(panel.x.column, panel.y.column)
            parts.append(element("path", d=_path(self._places(best, panel, across, up)), class_="best"))
        draw: Callable[..., Iterator[Markup]] = getattr(self, f"_{panel.mark}")
        feet = np.zeros(self.frame.data[panel.x.column].n_unique())
        self.gaps.clear()
        for series, name in enumerate(self.frame.series_of(panel)):
            rows = self.frame.rows_of(panel, name)
            marks = list(draw(panel, rows, series, name, across, up, box, feet, shown))
            parts.append(element("g", *marks, class_="series", data_series=str(series)))
        return element("g", *parts), box.base + 52

    def _across(self, panel: Panel, box: _Box, log: bool) -> tuple[Scale, list[tuple[float, str]]]:
        column = self.frame.data[panel.x.column]
        if panel.x.scale == "category":
            names = column.cast(pl.String).fill_null("").unique(maintain_order=True).to_list()
            scale = LinearScale(-0.5, len(names) - 0.5, box.left, box.right)
            stride = -(-len(names) * 9 * min(max(map(len, names), default=1), 14) // int(box.right - box.left)) or 1
            return scale, [(place, fitting(names[place], 16)) for place in range(0, len(names), stride)]
        values = _numbers(column)
        if panel.end is not None:
            values = np.concatenate([values, _numbers(self.frame.data[panel.end])])
        if panel.limit is not None:
            values = np.append(values, panel.limit.value)
        low, high = _span(values)
        inset = 0.0 if panel.end is not None else 12.0
        if log:
            known = values[np.isfinite(values)]
            low, high = float(known.min()), float(known.max())
            low, high = (low, high) if high > low else (low / 2, high * 2)
            scale_log = LogScale(low, high, box.left + inset, box.right - inset)
            return scale_log, [(value, _tick(value)) for value in scale_log.ticks(8)]
        if column.dtype.is_temporal():
            scale = LinearScale(low, high, box.left + inset, box.right - inset)
            return scale, _date_ticks(low, high)
        scale = LinearScale(low, high, box.left + inset, box.right - inset, whole=column.dtype.is_integer())
        return scale, [(value, _tick(value)) for value in scale.ticks(8)]

    def _up(self, panel: Panel, box: _Box, log: bool) -> Scale:
        values = _numbers(self.frame.data[panel.y.column])
        if panel.mark == "bins" and panel.series is not None:
            totals = self.frame.data.group_by(panel.x.column).agg(pl.col(panel.y.column).sum())
            values = _numbers(totals[panel.y.column])
        if panel.deviation is not None:
            spread = np.nan_to_num(_numbers(self.frame.data[panel.deviation]))
            values = np.concatenate([values - spread, values + spread])
            if log:
                values = values[values > 0]
        return _value_scale(values, box.base, box.top, log, self.frame.data[panel.y.column].dtype.is_integer())

    def _places(self, rows: pl.DataFrame, panel: Panel, across: Scale, up: Scale) -> list[tuple[float, float] | None]:
        x, y = self._x(rows, panel), _numbers(rows[panel.y.column])
        return [
            (across.at(one), up.at(other)) if math.isfinite(other) and math.isfinite(one) else None
            for one, other in zip(x.tolist(), y.tolist(), strict=True)
        ]

    def _x(self, rows: pl.DataFrame, panel: Panel) -> Any:
        if panel.x.scale != "category":
            return _numbers(rows[panel.x.column])
        names = self.frame.data[panel.x.column].cast(pl.String).fill_null("").unique(maintain_order=True).to_list()
        place = {name: float(number) for number, name in enumerate(names)}
        return np.array([place[name] for name in rows[panel.x.column].cast(pl.String).fill_null("")], np.float64)

    # Marks

    def _mark(self, words: str, shape: str, shown: bool, *more: str) -> Markup:
        """A mark with its values in words; the first that is shown can be reached with the tabulator key."""
        first = shown and not self.focused
        self.focused = self.focused or first
        return element(
            "g", element("title", words), *more, shape, class_="mark", role="img", tabindex="0" if first else "-1"
        )

    def _fill(self, series: int) -> dict[str, str]:
        """The attributes of a bar: a plain colour, or a hatched one."""
        if sign(series).hatch == "plain":
            return {"class_": f"shape piece fill-{series % len(SIGNS)}"}
        self.hatched.add(series)
        return {"class_": "shape piece", "fill": f"url(#{self.prefix}-{series})"}

    def hatches(self) -> Markup:
        """The patterns that bars are filled with."""
        patterns = [
            element(
                "pattern",
                element("rect", width=8, height=8, class_=f"fill-{series % len(SIGNS)}"),
                element("path", d=_HATCHES[sign(series).hatch], class_="hatch"),
                id=f"{self.prefix}-{series}",
                width="8",
                height="8",
                patternUnits="userSpaceOnUse",
            )
            for series in sorted(self.hatched)
        ]
        return element("defs", *patterns) if patterns else Markup("")

    def _lines(
        self,
        panel: Panel,
        rows: pl.DataFrame,
        series: int,
        name: str,
        across: Scale,
        up: Scale,
        box: _Box,
        feet: Any,
        shown: bool,
    ) -> Iterator[Markup]:
        colour = series % len(SIGNS)
        places = self._places(rows, panel, across, up)
        yield element("path", d=_path(places), class_=f"curve stroke-{colour} dash-{_dash(series)}")
        for row, place, x in zip(rows.iter_rows(named=True), places, self._x(rows, panel).tolist(), strict=True):
            words = [name, f"{panel.x.label}: {_shown(row[panel.x.column])}"]
            if place is None:
                reason = row[panel.absent] if panel.absent is not None else None
                at = across.at(x)
                y = box.base - 11 * self.gaps.get(x, 0)
                self.gaps[x] = self.gaps.get(x, 0) + 1
                cross = f"M{number(at - 4)} {number(y - 4)}l8 8m0 -8l-8 8"
                words.append(f"{panel.y.label}: {reason or 'not defined'}")
                hit = element("rect", x=at - 7, y=y - 7, width=14, height=14, class_="hit")
                shape = element("path", d=cross, class_=f"shape gap stroke-{colour}")
                yield self._mark(_told(words), shape, shown, hit)
                continue
            value = f"{panel.y.label}: {_shown(row[panel.y.column])}"
            more: list[str] = []
            spread = row[panel.deviation] if panel.deviation is not None else None
            if spread is not None:
                value += f" ± {_shown(spread)}"
                more.append(self._spread(place[0], row[panel.y.column], spread, up, box, colour))
            marker = element("path", d=_marker(sign(series).marker, *place, 4.5), class_=f"shape fill-{colour}")
            yield self._mark(_told([*words, value]), marker, shown, *more)

    def _spread(self, x: float, mean: float, spread: float, up: Scale, box: _Box, colour: int) -> Markup:
        high = up.at(mean + spread)
        low = up.at(mean - spread) if not isinstance(up, LogScale) or mean - spread >= up.low else box.base
        path = f"M{number(x - 4)} {number(high)}h8m-4 0V{number(low)}m-4 0h8"
        return element("path", d=path, class_=f"spread stroke-{colour}")

    def _points(
        self,
        panel: Panel,
        rows: pl.DataFrame,
        series: int,
        name: str,
        across: Scale,
        up: Scale,
        box: _Box,
        feet: Any,
        shown: bool,
    ) -> Iterator[Markup]:
        for row, place in zip(rows.iter_rows(named=True), self._places(rows, panel, across, up), strict=True):
            if place is None:
                continue
            words = [
                str(row[panel.name]) if panel.name is not None else name,
                f"{panel.x.label}: {_shown(row[panel.x.column])}",
                f"{panel.y.label}: {_shown(row[panel.y.column])}",
            ]
            if panel.joined is not None and row[panel.joined]:
                words.append("not beaten in both")
            marker = _marker(sign(series).marker, *place, 5)
            shape = element("path", d=marker, class_=f"shape fill-{series % len(SIGNS)}")
            yield self._mark(_told(words), shape, shown)

    def _steps(
        self,
        panel: Panel,
        rows: pl.DataFrame,
        series: int,
        name: str,
        across: Scale,
        up: Scale,
        box: _Box,
        feet: Any,
        shown: bool,
    ) -> Iterator[Markup]:
        colour = series % len(SIGNS)
        ordered = rows.sort(panel.x.column, maintain_order=True).unique(
            panel.x.column, keep="last", maintain_order=True
        )
        places = self._places(ordered, panel, across, up)
        yield element("path", d=_stairs(places), class_=f"curve stroke-{colour} dash-{_dash(series)}")
        yield from self._hovered(panel, ordered, places, series, shown, 2.5 if len(places) <= 60 else 0)

    def _stems(
        self,
        panel: Panel,
        rows: pl.DataFrame,
        series: int,
        name: str,
        across: Scale,
        up: Scale,
        box: _Box,
        feet: Any,
        shown: bool,
    ) -> Iterator[Markup]:
        colour = series % len(SIGNS)
        places = self._places(rows, panel, across, up)
        foot = up.at(0.0)
        width = 4 if len(places) <= 40 else 2 if len(places) <= 150 else 1
        needles = "".join(f"M{number(x)} {number(foot)}V{number(y)}" for x, y in (one for one in places if one))
        yield element("path", d=needles, class_=f"needles stroke-{colour}", stroke_width=width)
        yield line(box.left, foot, box.right, foot, "axis")
        yield from self._hovered(panel, rows, places, series, shown, 2.5 if len(places) <= 150 else 0)

    def _hovered(
        self,
        panel: Panel,
        rows: pl.DataFrame,
        places: Sequence[tuple[float, float] | None],
        series: int,
        shown: bool,
        radius: float,
    ) -> Iterator[Markup]:
        """Values on hover; of very many points only some, so that the page stays light."""
        stride = -(-rows.height // _MOST_HOVERED) or 1
        for row, place in zip(rows.gather_every(stride).iter_rows(named=True), places[::stride], strict=True):
            if place is None:
                continue
            words = [] if panel.name is None or panel.mark == "steps" else [str(row[panel.name])]
            words += [
                f"{panel.x.label}: {_shown(row[panel.x.column])}",
                f"{panel.y.label}: {_shown(row[panel.y.column])}",
            ]
            colour = f"fill-{series % len(SIGNS)}" if radius else "hit"
            hit = element("circle", cx=place[0], cy=place[1], r=6, class_="hit")
            dot = element("circle", cx=place[0], cy=place[1], r=radius or 3, class_=f"shape {colour}")
            yield self._mark(_told(words), dot, shown, hit)

    def _bins(
        self,
        panel: Panel,
        rows: pl.DataFrame,
        series: int,
        name: str,
        across: Scale,
        up: Scale,
        box: _Box,
        feet: Any,
        shown: bool,
    ) -> Iterator[Markup]:
        assert panel.end is not None
        starts, ends = _numbers(rows[panel.x.column]), _numbers(rows[panel.end])
        for place, row in enumerate(rows.iter_rows(named=True)):
            value = float(row[panel.y.column])
            if value <= 0:
                continue
            left, right = across.at(float(starts[place])), across.at(float(ends[place]))
            foot = up.at(feet[place]) if panel.series is not None else box.base
            head = up.at(feet[place] + value)
            feet[place] += value
            words = [f"{panel.x.label}: {_between(row[panel.x.column], row[panel.end])}"]
            words = [name, *words] if name else words
            words.append(f"{panel.y.label}: {_shown(row[panel.y.column])}")
            gap = min(0.5, (right - left) / 8)
            shape = element(
                "rect",
                x=left + gap,
                y=min(head, foot - 1),
                width=max(right - left - 2 * gap, 0.5),
                height=max(foot - head, 1),
                **self._fill(series),
            )
            yield self._mark(_told(words), shape, shown)

    # Bars with names at the left

    def _rows(self, panel: Panel, top: float, log: bool, shown: bool) -> tuple[Markup, float]:
        data = self.frame.data
        names = data[panel.x.column].cast(pl.String).fill_null("").unique(maintain_order=True).to_list()
        series = self.frame.series_of(panel)
        side_by_side = len(series) if panel.mark == "bars" else 1
        lines = len(names) * side_by_side
        row = (
            _ROW * side_by_side * (0.8 if side_by_side > 1 else 1)
            if lines <= _MOST_ROWS
            else _ROW * _MOST_ROWS / len(names)
        )
        letters = min(max(map(len, names), default=1), _LONGEST_NAME)
        box = _Box(12 + _LETTER * letters, WIDTH - 20, top + 4, top + 4 + row * len(names))
        values = _numbers(data[panel.y.column])
        if panel.mark == "stacked":
            totals = data.group_by(panel.x.column).agg(pl.col(panel.y.column).sum())
            values = _numbers(totals[panel.y.column])
        across = _value_scale(values, box.left, box.right, log, data[panel.y.column].dtype.is_integer())
        parts = []
        for value in across.ticks(6):
            x = across.at(value)
            parts.append(line(x, box.top, x, box.base, "grid"))
            parts.append(text(x, box.base + 16, _tick(value), anchor="middle"))
        parts.append(text((box.left + box.right) / 2, box.base + 36, panel.y.label, "axis-title", "middle"))
        stride = max(1, math.ceil(13 / row))
        for place in range(0, len(names), stride):
            y = box.top + row * (place + 0.5) + 4
            parts.append(text(box.left - 8, y, fitting(names[place], _LONGEST_NAME), "name", "end"))
        start = across.at(0.0) if not isinstance(across, LogScale) else box.left
        place_of = {name: place for place, name in enumerate(names)}
        feet = np.zeros(len(names))
        for number_of_series, name in enumerate(series):
            marks = []
            rows = self.frame.rows_of(panel, name)
            for entry in rows.iter_rows(named=True):
                value = float(entry[panel.y.column] or 0)
                called = "" if entry[panel.x.column] is None else str(entry[panel.x.column])
                place = place_of[called]
                words = [called, f"{panel.y.label}: {_shown(entry[panel.y.column])}"]
                words = [*words[:1], f"{name}: {_shown(entry[panel.y.column])}"] if name else words
                if value == 0:
                    continue
                foot = across.at(feet[place]) if panel.mark == "stacked" else start
                head = across.at(feet[place] + value) if panel.mark == "stacked" else across.at(value)
                feet[place] += value if panel.mark == "stacked" else 0
                thickness = row * 0.78 / side_by_side
                y = box.top + row * (place + 0.11) + thickness * (number_of_series if side_by_side > 1 else 0)
                shape = element(
                    "rect",
                    x=min(foot, head),
                    y=y,
                    width=max(abs(head - foot), 1),
                    height=max(thickness, 0.5),
                    **self._fill(number_of_series),
                )
                marks.append(self._mark(_told(words), shape, shown))
            parts.append(element("g", *marks, class_="series", data_series=str(number_of_series)))
        parts.append(line(start, box.top, start, box.base, "axis"))
        return element("g", *parts), box.base + 48


def _value_scale(values: Any, start: float, end: float, log: bool, whole: bool) -> Scale:
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


def _up_axis(scale: Scale, box: _Box, title: str) -> Iterator[Markup]:
    for value in scale.ticks(5):
        y = scale.at(value)
        yield line(box.left, y, box.right, y, "grid")
        yield text(box.left - 8, y + 4, _tick(value), anchor="end")
    yield text(0, box.top - 12, title, "axis-title")


def _across_axis(scale: Scale, ticks: list[tuple[float, str]], box: _Box, title: str) -> Iterator[Markup]:
    yield line(box.left, box.base, box.right, box.base, "axis")
    for value, words in ticks:
        yield text(scale.at(value), box.base + 18, words, anchor="middle")
    yield text((box.left + box.right) / 2, box.base + 38, title, "axis-title", "middle")


def _path(places: Sequence[tuple[float, float] | None]) -> str:
    """Through all places; a gap begins anew."""
    parts = []
    pen = "M"
    for place in places:
        if place is None:
            pen = "M"
            continue
        parts.append(f"{pen}{number(place[0])} {number(place[1])}")
        pen = "L"
    return "".join(parts)


def _stairs(places: Sequence[tuple[float, float] | None]) -> str:
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


def _marker(name: str, x: float, y: float, r: float) -> str:
    """Path data of a marker around a place."""
    if name == "circle":
        half = f"a{number(r)} {number(r)} 0 1 0 "
        return f"M{number(x - r)} {number(y)}{half}{number(2 * r)} 0{half}{number(-2 * r)} 0"
    corners = [f"{number(x + r * dx)} {number(y + r * dy)}" for dx, dy in _SHAPES[name]]
    return "M" + "L".join(corners) + "Z"


def _dash(series: int) -> int:
    """The class of the dashes; plain for the first series."""
    return next((place for place, one in enumerate(SIGNS) if one.dash == sign(series).dash), 0)


def _numbers(column: pl.Series) -> Any:
    """Numbers, NaN where there is none; dates and times as days since 1970."""
    if column.dtype == pl.Date:
        return column.cast(pl.Int32).cast(pl.Float64).to_numpy()
    if column.dtype == pl.Datetime:
        return column.dt.timestamp("us").cast(pl.Float64).to_numpy() / 86_400e6
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _span(values: Any) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _date_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Starts of years, of months, or days, about six of them."""
    first, last = _EPOCH + timedelta(days=low), _EPOCH + timedelta(days=high)
    span = high - low
    if span > 3 * 365:
        step = max(1, int(rounded_up(span / 365.25 / 6)))
        moments = [datetime(year, 1, 1) for year in range(first.year, last.year + 1) if year % step == 0]
        words = "%Y"
    elif span > 90:
        step = max(1, math.ceil(span / 30.4 / 6))
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        moments = [datetime(month // 12, month % 12 + 1, 1) for month in months if month % step == 0]
        words = "%Y-%m"
    else:
        step_days = max(span / 6, 1 / 1440)
        moments = [first + timedelta(days=step_days * place) for place in range(7)]
        words = "%m-%d" if span > 6 else "%m-%d %H:%M"
    days = [((moment - _EPOCH) / timedelta(days=1), moment.strftime(words)) for moment in moments]
    return [(value, name) for value, name in days if low <= value <= high]


def _tick(value: float) -> str:
    """A number on an axis; years have no comma."""
    rounded = round(value, 10)
    text = short_number(abs(rounded)).replace(",", "")
    return f"\N{MINUS SIGN}{text}" if rounded < 0 else text


def _shown(value: Any) -> str:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return figure(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _between(start: Any, end: Any) -> str:
    """The values of a bin: whole numbers and dates up to the one before its end."""
    if isinstance(start, int):
        return _shown(start) if end - start == 1 else f"{_shown(start)} to {_shown(end - 1)}"
    return f"{_shown(start)} to {_shown(end)}"


def _told(words: Sequence[str]) -> str:
    return "\n".join(shortened(part, 80) for part in words if part)


_SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle": ((0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "inverted": ((0, 1.15), (1.1, -0.85), (-1.1, -0.85)),
    "cross": (
        *((-1.1, -0.6), (-0.6, -1.1), (0, -0.5), (0.6, -1.1), (1.1, -0.6), (0.5, 0)),
        *((1.1, 0.6), (0.6, 1.1), (0, 0.5), (-0.6, 1.1), (-1.1, 0.6), (-0.5, 0)),
    ),
    "plus": (
        *((-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4)),
        *((0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4)),
    ),
    "pentagon": ((0, -1.2), (1.14, -0.37), (0.7, 0.97), (-0.7, 0.97), (-1.14, -0.37)),
}
_HATCHES = {
    "diagonal": "M-2 2l4 -4M0 8l8 -8M6 10l4 -4",
    "dots": "M2 2h.5M6 6h.5M6 2h.5M2 6h.5",
    "back": "M-2 6l4 4M0 0l8 8M6 -2l4 4",
    "level": "M0 2h8M0 6h8",
    "grid": "M0 4h8M4 0v8",
    "upright": "M2 0v8M6 0v8",
    "crossed": "M0 8l8 -8M0 0l8 8",
}
