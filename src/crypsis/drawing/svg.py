"""Small SVG drawings: the frame of a picture, scales, axes and marks. Colours and type come from `stylesheet`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from crypsis.drawing.colours import LIGHT, PICTURE_STYLE
from crypsis.drawing.markup import Attribute, Markup, element, number
from crypsis.errors import InternalError
from crypsis.translation import language
from crypsis.translation.templates import localized

_PAPER_MARGIN = 16.0
_NAMESPACE = Markup(' xmlns="http://www.w3.org/2000/svg"')


class Scale(Protocol):
    """Where values lie on the page."""

    def at(self, value: float) -> float: ...
    def ticks(self, most: int) -> list[float]: ...


@dataclass(frozen=True)
class LinearScale:
    """Values from `low` to `high` lie evenly between `start` and `end`; ticks are whole unless told otherwise."""

    low: float
    high: float
    start: float
    end: float
    whole: bool = True

    def at(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Round numbers within the scale, about `most` of them at most."""
        step = rounded_up((self.high - self.low) / most)
        step = max(1, step) if self.whole else step
        first = math.ceil(self.low / step - 1e-9)
        return [step * index for index in range(first, math.floor(self.high / step + 1e-9) + 1)]


@dataclass(frozen=True)
class LogScale:
    """Equal factors lie at equal distances; values are at least 1."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """1, 2, 5, 10, 20, … within the scale; powers of ten, then of a hundred, where those are too many, and round
        numbers at equal distances where hardly one of these lies within it."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for digits, stride in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 4)):
            chosen = [digit * 10.0**decade for decade in decades[::stride] for digit in digits]
            within = [value for value in chosen if self.low <= value <= self.high]
            if len(within) <= most:
                break
        if len(within) > 1:
            return within
        return LinearScale(self.low, self.high, self.start, self.end, whole=self.high - self.low >= 1).ticks(most)


def rounded_up(value: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below the value."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= value * (1 - 1e-9))


def short_number(value: float, *, grouped: bool = True) -> str:
    """A tick: 1,200 or 25k or 3M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            unit = size if letter != "k" else 1e3
            return localized(f"{value / unit:.3g}", language()) + letter
    return localized(f"{value:,.10g}" if grouped else f"{value:.10g}", language())


def drawing(width: float, height: float, label: str, *content: str, kind: str) -> Markup:
    """A picture: `label` says in words what it shows, `kind` is its class."""
    box = f"0 0 {number(width)} {number(height)}"
    # viewBox is not an argument name that `_` and `-` rules would mangle, so it can be passed on.
    return element("svg", *content, viewBox=box, role="img", aria_label=label, class_=f"picture {kind}")


def standalone(picture: str) -> str:
    """A picture as a file of its own, with its colours on white, for programs that do not know custom properties."""
    style = PICTURE_STYLE
    for name, colour in LIGHT.items():
        style = style.replace(f"var(--{name})", colour)
    opening, content = picture.split(">", 1)
    box = re.search(r'viewBox="0 0 (\S+) (\S+)"', opening)
    if box is None:
        raise InternalError("A picture has no frame.")
    width, height = (float(size) + 2 * _PAPER_MARGIN for size in box.groups())
    corner = number(-_PAPER_MARGIN)
    frame = f'viewBox="{corner} {corner} {number(width)} {number(height)}" width="{number(width)}"'
    paper = element("rect", x=-_PAPER_MARGIN, y=-_PAPER_MARGIN, width=width, height=height, fill=LIGHT["paper"])
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"{opening.replace(box.group(), frame)}{_NAMESPACE}>{element('style', Markup(style))}{paper}{content}\n"
    )


def text(x: float, y: float, content: str, class_: str = "tick", anchor: str | None = None) -> Markup:
    """Make a text element."""
    return element("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Make a line element."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def titled(title: str, *marks: str, **attributes: Attribute) -> Markup:
    """Marks with a tooltip."""
    return element("g", element("title", title), *marks, **attributes)


def bar(x: float, y: float, width: float, height: float, class_: str, title: str) -> Markup:
    """A bar with a tooltip."""
    return element("rect", element("title", title), x=x, y=y, width=max(width, 0.5), height=height, class_=class_)


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Path data through points; a single point becomes a stroke of no length, which a round cap makes a dot."""
    corners = [f"{number(x)} {number(y)}" for x, y in points]
    return "M" + "L".join(corners) + ("h0" if len(corners) == 1 else "")


def dots(points: Iterable[tuple[float, float]]) -> str:
    """Path data of dots: strokes of no length, drawn by their round caps. One mark for thousands of dots."""
    return "".join(f"M{number(x)} {number(y)}h0" for x, y in points)


def bottom_axis(
    scale: Scale, ticks: Sequence[tuple[float, str]], y: float, title: str, ends: tuple[float, float]
) -> Markup:
    """A base line with ticks (value, text) and the title below."""
    marks = [line(ends[0], y, ends[1], y, "axis")]
    for value, label in ticks:
        marks.append(text(scale.at(value), y + 18, label, anchor="middle"))
    marks.append(text((ends[0] + ends[1]) / 2, y + 40, title, "axis-title", anchor="middle"))
    return element("g", *marks)


def count_axis(scale: Scale, x: tuple[float, float], title: str) -> Markup:
    """Light lines across at round counts, their numbers at the left, the title above them."""
    marks = []
    for value in scale.ticks(4):
        y = scale.at(value)
        if value:
            marks.append(line(x[0], y, x[1], y, "grid"))
        marks.append(text(x[0] - 8, y + 4, short_number(value), anchor="end"))
    marks.append(text(0, 14, title, "axis-title"))
    return element("g", *marks)


def key(entries: Sequence[tuple[str, str]], right: float, y: float) -> Markup:
    """Squares with names (class, name), set from the right."""
    marks: list[str] = []
    for class_, name in reversed(entries):
        right -= 7.2 * len(name)
        marks += [
            text(right, y, name, "key"),
            element("rect", x=right - 16, y=y - 9, width=10, height=10, class_=class_),
        ]
        right -= 32
    return element("g", *marks)
