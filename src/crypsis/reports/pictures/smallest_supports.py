"""Picture: the support of the rarest sequence of each size, against the support that is required."""

from __future__ import annotations

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.svg import (
    LinearScale,
    LogScale,
    Scale,
    bottom_axis,
    drawing,
    line,
    rounded_up,
    short_number,
    text,
    titled,
)
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import HEIGHT, WIDTH, nothing_to_show
from crypsis.translation import _
from crypsis.translation.wording import counted

MOST_SIZES = 12
_LEFT, _RIGHT, _TOP, _BASE = 46, WIDTH - 58, 50, HEIGHT - 50
_LOGARITHMIC_FROM = 20  # beyond this ratio, small values would crowd at the line


def smallest_supports(facts: ReleaseFacts) -> Markup:
    """One dot per size; a dot on or beyond the line keeps the promise."""
    supports = [support for support in facts.smallest_by_size if support is not None][:MOST_SIZES]
    label = _("Support of the rarest published sequence by number of locations in it")
    if not supports:
        return nothing_to_show(_("No sequence had to be counted."), label + _(": none had to be counted."))
    described = "; ".join(f"{counted(size, 'location')}: {support:,}" for size, support in enumerate(supports, start=1))
    required = facts.required
    if required is not None:
        described += _("; required are {required:,}", required=required)

    step = max(28.0, (_BASE - _TOP) / len(supports))
    base = _TOP + step * len(supports)
    across = _scale(supports, required)
    start = across.at(required) if required is not None else float(_LEFT)
    marks = [text(0, 14, _("locations in the sequence"), "axis-title")]
    for size, support in enumerate(supports, start=1):
        y = _TOP + step * (size - 0.5)
        marks.append(_row(size, support, y, start, across, required, _(facts.units)))
    if required is not None:
        near_the_end = start > _RIGHT - 60
        marks.append(line(start, _TOP - 20, start, base, "limit"))
        marks.append(
            text(
                start + (-6 if near_the_end else 6),
                _TOP - 10,
                _("required: {required:,}", required=required),
                "note",
                "end" if near_the_end else "start",
            )
        )
    ticks = [(value, short_number(value)) for value in across.ticks(5)]
    marks.append(
        bottom_axis(across, ticks, base, _("{units} that share the rarest one", units=_(facts.units)), (_LEFT, _RIGHT))
    )
    return drawing(WIDTH, base + 50, f"{label}. {described}.", *marks, kind="chart")


def _scale(supports: list[int], required: float | None) -> Scale:
    values = [float(support) for support in supports] + ([] if required is None else [required])
    if min(values) >= 1 and max(values) / min(values) > _LOGARITHMIC_FROM:
        return LogScale(max(1.0, min(values) / 2), max(values), _LEFT, _RIGHT)
    return LinearScale(0, rounded_up(max(values)), _LEFT, _RIGHT)


def _row(size: int, support: int, y: float, start: float, across: Scale, required: float | None, units: str) -> Markup:
    x = across.at(support)
    kept = required is None or support >= required
    sign = (
        element("circle", cx=x, cy=y, r=6, class_="reached")
        if kept
        else element("path", d=f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10", class_="missed")
    )
    return titled(
        _(
            "The rarest sequence of {locations} occurs for {support:,} {units}",
            locations=counted(size, "location"),
            support=support,
            units=units,
        ),
        text(24, y + 4, str(size), "value", "end"),
        line(min(start, x), y, max(start, x), y, "reach"),
        sign,
        text(x + (12 if kept else -12), y + 4, f"{support:,}", "value", "start" if kept else "end"),
    )
