"""Marks: shapes with their values in words, their colours, hatching and markers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from crypsis.drawing.frame import Frame, to_csv
from crypsis.drawing.markup import Markup, element, number
from crypsis.drawing.palette import SIGNS, sign

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


@dataclass
class Marks:
    """Makes the marks of one plot and remembers what they need once: the first that has the focus, and patterns.

    `prefix` begins identifiers, so that they differ between different plots of a page; `width` is that of the plot;
    `shown` says whether the view that is being drawn is the one on show.
    """

    prefix: str
    width: float
    shown: bool = True
    _focused: bool = False
    _hatched: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, frame: Frame, width: float) -> Marks:
        return cls("p" + hashlib.sha256(frame.title.encode() + to_csv(frame)).hexdigest()[:10], width)

    def mark(self, words: str, shape: str, *more: str) -> Markup:
        """A mark with its values in words; the first that is shown can be reached with the tabulator key."""
        first = self.shown and not self._focused
        self._focused = self._focused or first
        return element(
            "g", element("title", words), *more, shape, class_="mark", role="img", tabindex="0" if first else "-1"
        )

    def fill(self, series: int) -> dict[str, str]:
        """The attributes of a bar: a plain colour, or a hatched one."""
        if sign(series).hatch == "plain":
            return {"class_": f"shape piece fill-{series % len(SIGNS)}"}
        self._hatched.add(series)
        return {"class_": "shape piece", "fill": f"url(#{self.prefix}-{series})"}

    def patterns(self) -> Markup:
        """The patterns that bars were filled with so far."""
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
            for series in sorted(self._hatched)
        ]
        return element("defs", *patterns) if patterns else Markup("")


def marker(series: int, x: float, y: float, radius: float, class_: str = "") -> Markup:
    """The marker of a series around a place."""
    name, colour = sign(series).marker, f"fill-{series % len(SIGNS)}"
    if name == "circle":
        half = f"a{number(radius)} {number(radius)} 0 1 0 "
        path = f"M{number(x - radius)} {number(y)}{half}{number(2 * radius)} 0{half}{number(-2 * radius)} 0"
    else:
        corners = [f"{number(x + radius * dx)} {number(y + radius * dy)}" for dx, dy in _SHAPES[name]]
        path = "M" + "L".join(corners) + "Z"
    return element("path", d=path, class_=f"{class_} {colour}".strip())


def stroke(series: int) -> str:
    """The classes of a series' line; its dashes are those of its sign."""
    dash = next((index for index, one in enumerate(SIGNS) if one.dash == sign(series).dash), 0)
    return f"curve stroke-{series % len(SIGNS)} dash-{dash}"
