"""Histogram of whole numbers, stacked by kind, with an optional limit that values have to reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.drawing.binning import Bins, bins_of
from crypsis.drawing.markup import Markup, element
from crypsis.drawing.svg import (
    LinearScale,
    Scale,
    bar,
    bottom_axis,
    count_axis,
    drawing,
    key,
    line,
    rounded_up,
    short_number,
    text,
)
from crypsis.translation import _
from crypsis.translation.wording import counted

WIDTH, HEIGHT = 464, 272
_LEFT, _RIGHT, _TOP, _BASE = 52, WIDTH - 16, 50, HEIGHT - 50
_WIDEST_BAR = 56
_LEAST_BAR = 1.5  # a count of one must be seen beside a count of thousands


@dataclass(frozen=True, eq=False)
class Series:
    """Values of one kind: its class in the stylesheet and its name in the key."""

    class_: str
    name: str
    values: Int64s


@dataclass(frozen=True)
class Wording:
    """What is counted (one, many, which the vertical axis says), of which number (`value`), and the other axis."""

    one: str
    many: str
    value: str
    x_title: str


def histogram(series: Sequence[Series], words: Wording, label: str, limit: float | None = None) -> Markup:
    """How many values fall into each bin."""
    everything = np.concatenate([part.values for part in series])
    if not len(everything):
        return nothing_to_show(_("Nothing to count: there are no {many}.", many=_(words.many)), label)
    limit_value = None if limit is None or limit < 1 else int(np.ceil(limit))
    bins = bins_of(everything, limit_value)
    counts = [bins.count(part.values) for part in series]
    highest = int(np.sum(counts, axis=0).max())
    up = LinearScale(0, highest, _BASE, _TOP)
    across = LinearScale(0, len(bins), _LEFT, _RIGHT)
    x_title = _(words.x_title) + (_(", in doubling steps") if bins.doubling else "")
    marks = [
        count_axis(up, (_LEFT, _RIGHT), _(words.many)),
        *_bars(bins, series, counts, across, up, words),
        bottom_axis(across, _ticks(bins), _BASE, x_title, (_LEFT, _RIGHT)),
    ]
    named = [(part.class_, _(part.name)) for part in series if part.name and len(part.values)]
    if named:
        marks.append(key(named, _RIGHT, 14))
    if limit_value is not None:
        marks.append(
            _limit(across.at(bins.position(limit_value)), _("required: {limit_value:,}", limit_value=limit_value))
        )
    return drawing(WIDTH, HEIGHT, label, *marks, kind="chart")


def nothing_to_show(sentence: str, label: str) -> Markup:
    """The picture of no data."""
    frame = element("rect", x=0, y=0, width=WIDTH, height=96, class_="frame")
    return drawing(WIDTH, 96, label, frame, text(WIDTH / 2, 53, sentence, "note", "middle"), kind="chart")


def _ticks(bins: Bins) -> list[tuple[float, str]]:
    """Below the middle of a bin that holds one value, else below the edge where a value begins."""
    if bins.single_values:
        stride = max(1, int(rounded_up(len(bins) / 12)))
        return [(index + 0.5, short_number(float(bins.edges[index]))) for index in range(0, len(bins), stride)]
    if bins.doubling:
        stride = -(-len(bins) // 8)
        return [(index, short_number(float(bins.edges[index]))) for index in range(0, len(bins.edges), stride)]
    values = LinearScale(float(bins.edges[0]), float(bins.edges[-1]), 0, len(bins))
    return [(values.at(value), short_number(value)) for value in values.ticks(7)]


def _bars(
    bins: Bins,
    series: Sequence[Series],
    counts: Sequence[Int64s],
    across: Scale,
    up: Scale,
    words: Wording,
) -> list[Markup]:
    marks = []
    for position in range(len(bins)):
        left, right = across.at(position), across.at(position + 1)
        gap = max(min(1.0, (right - left) / 8), (right - left - _WIDEST_BAR) / 2)
        foot = float(_BASE)
        for part, count in zip(series, counts, strict=True):
            n = int(count[position])
            if not n:
                continue
            height = max(_BASE - up.at(n), _LEAST_BAR)
            what = ", ".join(filter(None, (counted(n, words.one, words.many), _(part.name))))
            title = f"{_(words.value)} {bins.range_text(position)}: {what}"
            marks.append(bar(left + gap, foot - height, right - left - 2 * gap, height, part.class_, title))
            foot -= height
    return marks


def _limit(x: float, words: str) -> Markup:
    near_the_end = x > _RIGHT - 90
    label = text(x + (-6 if near_the_end else 6), _TOP - 10, words, "note", "end" if near_the_end else "start")
    return element("g", line(x, _TOP - 20, x, _BASE, "limit"), label)
