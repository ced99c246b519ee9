"""Picture: how long tracks were and how long the published ones are."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.drawing.markup import Markup
from crypsis.drawing.svg import LinearScale, bar, bottom_axis, count_axis, drawing, key, short_number
from crypsis.reports.histogram import nothing_to_show
from crypsis.translation import _
from crypsis.translation.wording import counted

WIDTH, HEIGHT = 464, 272
_LEFT, _RIGHT, _TOP, _BASE = 52, WIDTH - 16, 50, HEIGHT - 50
_LEAST_BAR = 1.5


def track_lengths(edges: Float64s, original: Int64s, published: Int64s) -> Markup:
    """Two histograms side by side: counts of the original and of the published lengths in the bins between `edges`."""
    label = _("Histograms of track lengths")
    n_before, n_after = int(original.sum()), int(published.sum())
    if not n_before + n_after:
        return nothing_to_show(_("There are no tracks."), label + _(": there are no tracks."))
    label += _(
        " of {original_tracks} and {published_tracks}",
        original_tracks=counted(n_before, "original track"),
        published_tracks=counted(n_after, "published track"),
    )
    label += _(", from 0 to {longest}.", longest=short_number(_rounded(float(edges[-1]))))
    across = LinearScale(0, len(original), _LEFT, _RIGHT)
    up = LinearScale(0, int(max(original.max(), published.max())), _BASE, _TOP)
    values = LinearScale(0.0, float(edges[-1]), 0, len(original))
    ticks = [(values.at(value), short_number(value)) for value in values.ticks(7)] if edges[-1] > 0 else [(0.0, "0")]
    marks = [count_axis(up, (_LEFT, _RIGHT), _("tracks"))]
    half = (across.at(1) - across.at(0)) / 2
    gap = min(1.0, half / 4)
    for position in range(len(original)):
        low, high = (short_number(_rounded(float(edge))) for edge in edges[position : position + 2])
        for side, (counts, class_, name) in enumerate(
            ((original, "bar-neutral", "original"), (published, "bar-intact", "published"))
        ):
            n = int(counts[position])
            if n:
                height = max(_BASE - up.at(n), _LEAST_BAR)
                title = _(
                    "length {low} to {high}: {counted}",
                    low=low,
                    high=high,
                    counted=counted(n, f"{name} track"),
                )
                x = across.at(position) + side * half
                marks.append(bar(x + gap, _BASE - height, half - 2 * gap, height, class_, title))
    marks.append(bottom_axis(across, ticks, _BASE, _("length of the track"), (_LEFT, _RIGHT)))
    marks.append(key([("bar-neutral", _("original")), ("bar-intact", _("published"))], _RIGHT, 14))
    return drawing(WIDTH, HEIGHT, label, *marks, kind="chart")


def _rounded(value: float) -> float:
    """Three digits are enough for a tooltip."""
    return float(np.format_float_positional(value, precision=3, fractional=False)) if value else 0.0
