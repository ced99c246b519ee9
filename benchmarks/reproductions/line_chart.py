"""A picture of a few curves, as an SVG file of its own: points that were measured, joined by straight lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.svg import line, polyline, rounded_up, text

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 640, 340
COLOURS = ("#2a6fb0", "#c4572e", "#3d8f5f", "#8a5aa8", "#7a7a7a", "#b08a1f", "#2b9aa0")
_LEFT, _TOP, _BASE = 60, 30, HEIGHT - 54
_KEY = 196  # room for the names of the curves, at the right
_STYLE = (
    "text{font-family:sans-serif;font-size:12px;fill:#333}.axis-title{font-size:12px;fill:#555}"
    ".grid{stroke:#e4e4e4}.axis{stroke:#888}"
)


def line_chart(
    title: str, across: str, up: str, curves: Mapping[str, Points], *, log: bool = False, from_zero: bool = True
) -> str:
    """Curves by name. `across` and `up` name the axes; `log` is for the axis across. Level curves are dashed."""
    drawn = {name: points for name, points in curves.items() if points}
    places = [x for points in drawn.values() for x, _ in points]
    heights = [y for points in drawn.values() for _, y in points]
    low, high = (0.0 if from_zero else min(heights)), max(heights)
    step = rounded_up((high - low) / 5 or 1.0)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    right = WIDTH - _KEY

    def at_x(x: float) -> float:
        first, last = (math.log(end) if log else end for end in (min(places), max(places)))
        share = 0.5 if first == last else ((math.log(x) if log else x) - first) / (last - first)
        return _LEFT + 14 + share * (right - _LEFT - 28)

    def at_y(y: float) -> float:
        return _BASE - (y - low) / (high - low or 1.0) * (_BASE - _TOP)

    marks = [
        text(_LEFT - 44, 16, up, "axis-title"),
        text((_LEFT + right) / 2, HEIGHT - 10, across, "axis-title", "middle"),
    ]
    for number in range(round((high - low) / step) + 1):
        value = low + number * step
        marks.append(line(_LEFT, at_y(value), right, at_y(value), "grid"))
        marks.append(text(_LEFT - 8, at_y(value) + 4, f"{value:.6g}", anchor="end"))
    marks.append(line(_LEFT, _BASE, right, _BASE, "axis"))
    marks += [text(at_x(x), _BASE + 18, f"{x:,.6g}", anchor="middle") for x in _ticks(sorted(set(places)), at_x)]
    for number, (name, points) in enumerate(drawn.items()):
        colour = COLOURS[number % len(COLOURS)]
        level = len({y for _, y in points}) == 1
        corners = [(at_x(x), at_y(y)) for x, y in points]
        marks.append(
            element(
                "path",
                d=polyline(corners),
                fill="none",
                stroke=colour,
                stroke_width=2,
                stroke_dasharray="6 4" if level else None,
            )
        )
        if not level:
            marks += [element("circle", cx=x, cy=y, r=3.2, fill=colour) for x, y in corners]
        y = _TOP + 8 + 20 * number
        marks.append(
            element(
                "path",
                d=polyline([(right + 14, y), (right + 34, y)]),
                stroke=colour,
                stroke_width=2,
                stroke_dasharray="6 4" if level else None,
            )
        )
        marks.append(text(right + 40, y + 4, name))
    content = element(
        "svg", element("title", title), element("style", Markup(_STYLE)),
        element("rect", width=WIDTH, height=HEIGHT, fill="#ffffff"), *marks,
        viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=title, xmlns="http://www.w3.org/2000/svg",
    )  # fmt: skip
    return str(content) + "\n"


def _ticks(values: Sequence[float], at: Callable[[float], float]) -> list[float]:
    """The measured values, those left out that would stand on one another."""
    kept: list[float] = []
    for value in values:
        if not kept or at(value) - at(kept[-1]) >= 46:
            kept.append(value)
    return kept
