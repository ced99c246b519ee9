"""Picture: the flow map. Cells as circles by visits, moves between them as arrows by volume. Published data only.

An arrow bends to the right, so that both directions between two cells can be seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.drawing.flow_bundles import Bundle, bundled
from crypsis.drawing.map_view import length_words, north_arrow
from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.plane import Plane
from crypsis.drawing.svg import drawing, rounded_up, text, titled
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import nothing_to_show
from crypsis.reports.pictures.cell_names import cell_names
from crypsis.translation import _
from crypsis.translation.wording import counted, listed

WIDTH = 960.0
HEIGHTS = (300.0, 620.0)
MARGIN = 34.0
MOST_CIRCLES = 1_500
_STRIP = 52.0
_WIDEST = 7.0
_THINNEST = 0.6


def flow_map(facts: ReleaseFacts) -> Markup:
    """The map of moves; where there are too many to read, neighbouring ones are drawn as one."""
    flows = facts.flows
    label = _(
        "Flow map of {places} and {direct_moves} between them.",
        places=counted(len(facts.names), "place"),
        direct_moves=counted(len(flows), "direct move"),
    )
    if not facts.has_map:
        return nothing_to_show(_("No coordinates were published, so there is no map."), label)
    x, y = symbol_middles(facts)
    placed = np.isfinite(x) & np.isfinite(y)
    plane, height = Plane.fitted(x[placed], y[placed], WIDTH, HEIGHTS, MARGIN)
    x[placed], y[placed] = plane.place(x[placed], y[placed])
    radius = _radii(facts.supports, WIDTH * height)
    ways = drawn_ways(flows[placed[flows[:, 0]] & placed[flows[:, 1]]], x, y)
    return drawing(
        WIDTH,
        height + _STRIP,
        label,
        element("rect", x=0, y=0, width=WIDTH, height=height, class_="frame"),
        *_arrows(facts, ways, radius),
        *_circles(facts, x, y, radius, placed),
        *cell_names(facts, x, y, float(radius.max(initial=0.0)), WIDTH),
        _scale_bar(plane, height, facts.crs),
        *north_arrow(WIDTH, facts.crs),
        _volume_key(ways, height),
        kind="map",
    )


def drawn_ways(flows: Int64s, x: Float64s, y: Float64s) -> list[Bundle]:
    """The moves as few enough arrows to be read: those between the same two neighbourhoods are one."""
    apart = flows[flows[:, 0] != flows[:, 1]]
    return bundled(apart, x, y) if len(apart) else []


def symbol_middles(facts: ReleaseFacts) -> tuple[Float64s, Float64s]:
    """The mean place of each symbol's locations; NaN where none has one."""
    assert facts.x is not None
    assert facts.y is not None
    symbol = np.repeat(np.arange(len(facts.names)), facts.sizes)
    known = np.isfinite(facts.x[facts.members]) & np.isfinite(facts.y[facts.members])
    count = np.bincount(symbol[known], minlength=len(facts.names)).astype(np.float64)
    count[count == 0] = np.nan
    x, y = (
        np.bincount(symbol[known], weights=values[facts.members][known], minlength=len(facts.names)) / count
        for values in (facts.x, facts.y)
    )
    return x, y


def _radii(supports: Int64s, area: float) -> Float64s:
    crowd = math.sqrt(area / max(1, len(supports)))
    largest = min(15.0, max(3.0, crowd / 5))
    radii: Float64s = np.maximum(1.6, largest * np.sqrt(supports / max(1, int(supports.max(initial=1)))))
    return radii


def _arrows(facts: ReleaseFacts, ways: list[Bundle], radius: Float64s) -> list[Markup]:
    busiest = max((way.count for way in ways), default=1)
    marks = []
    for way in sorted(ways, key=lambda way: (-way.count, way.ends or ()))[::-1]:  # the busiest lie on top
        stop = float(np.median(radius)) if way.ends is None else float(radius[way.ends[1]])
        path = _bent(*way.start, *way.end, stop)
        if path is None:
            continue
        width = max(_THINNEST, _WIDEST * math.sqrt(way.count / busiest))
        line, head = path
        marks.append(
            titled(
                _words(facts, way),
                element("path", d=line, class_="flow", stroke_width=width),
                element("path", d=head(width), class_="flow-head"),
                class_="move",
            )
        )
    return marks


def _words(facts: ReleaseFacts, way: Bundle) -> str:
    rows = counted(way.count, "row")
    if way.ends is None:
        return _("{rows}, between {pairs} of neighbouring cells", rows=rows, pairs=counted(way.connections, "pair"))
    names = [listed(facts.names[symbol], 3) for symbol in way.ends]
    return f"{names[0]} → {names[1]}\n{rows}"


def _bent(x1: float, y1: float, x2: float, y2: float, stop: float) -> tuple[str, Callable[[float], str]] | None:
    """Path data of a bent line up to the rim of the target, and of its head by width; None if too short."""
    dx, dy = x2 - x1, y2 - y1
    length = math.hypot(dx, dy)
    if length <= stop + 2:
        return None
    bend_x, bend_y = (x1 + x2) / 2 - dy * 0.16, (y1 + y2) / 2 + dx * 0.16
    in_x, in_y = x2 - bend_x, y2 - bend_y
    way = math.hypot(in_x, in_y)
    unit_x, unit_y = in_x / way, in_y / way
    tip_x, tip_y = x2 - unit_x * stop, y2 - unit_y * stop

    def head(width: float) -> str:
        size = 2.6 + 1.1 * width
        base_x, base_y = tip_x - unit_x * size, tip_y - unit_y * size
        side = size * 0.5
        corners = [
            (tip_x, tip_y),
            (base_x - unit_y * side, base_y + unit_x * side),
            (base_x + unit_y * side, base_y - unit_x * side),
        ]
        return "M" + "L".join(f"{number(round(px, 1))} {number(round(py, 1))}" for px, py in corners) + "z"

    points = [round(value, 1) for value in (x1, y1, bend_x, bend_y, tip_x, tip_y)]
    a, b, c, d, e, f = map(number, points)
    return f"M{a} {b}Q{c} {d} {e} {f}", head


def _circles(
    facts: ReleaseFacts,
    x: Float64s,
    y: Float64s,
    radius: Float64s,
    placed: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[Markup]:
    order = np.lexsort((np.arange(len(x)), -facts.supports))
    chosen = order[placed[order]][:MOST_CIRCLES]
    return [
        element(
            "circle",
            element("title", f"{listed(facts.names[symbol], 3)}\n{counted(int(facts.supports[symbol]), 'row')}"),
            cx=float(x[symbol]),
            cy=float(y[symbol]),
            r=round(float(radius[symbol]), 1),
            class_="whole",
        )
        for symbol in chosen.tolist()
    ]


def _scale_bar(plane: Plane, height: float, crs: str | None) -> Markup:
    y = height + 26
    if not plane.half_span:
        return text(0, y + 5, _("All places lie at one point."), "note")
    length = rounded_up(plane.length_of(WIDTH / 8))
    width = plane.pixels_of(length)
    return element(
        "g",
        element("path", d=f"M1 {y - 5:.1f}v10M1 {y:.1f}h{width:.1f}m0 -5v10", class_="scale"),
        text(width + 12, y + 5, length_words(length, crs), "note"),
    )


def _volume_key(ways: list[Bundle], height: float) -> Markup:
    if not ways:
        return text(WIDTH, height + 31, _("Nobody moves between places."), "note", "end")
    busiest = max(way.count for way in ways)
    words = _("widest arrow: {rows}", rows=counted(busiest, "row"))
    x = WIDTH - 7.2 * len(words) - 60
    return element(
        "g",
        element("path", d=f"M{number(round(x, 1))} {height + 26:.1f}h44", class_="flow", stroke_width=_WIDEST),
        text(WIDTH, height + 31, words, "note", "end"),
    )
