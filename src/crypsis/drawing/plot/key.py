"""What can be chosen in a plot: switches for logarithmic axes, and a legend whose entries switch their series."""

from __future__ import annotations

from crypsis.drawing.frame import Frame, Panel
from crypsis.drawing.markup import Markup, element
from crypsis.drawing.naming import fitting
from crypsis.drawing.palette import SIGNS
from crypsis.drawing.plot.marks import Marks, marker, stroke
from crypsis.drawing.plot.scales import may_be_logarithmic
from crypsis.drawing.svg import line, text
from crypsis.translation import _

LETTER = 6.7  # about the width of a letter


def switches(frame: Frame, index: int, panel: Panel, width_of_plot: float) -> list[Markup]:
    """A switch for each axis of a panel that may be logarithmic, from the right."""
    entries = []
    right = width_of_plot
    across = panel.mark in ("bars", "stacked")
    for axis, name in (("y", panel.y), ("x", panel.x)):
        if not may_be_logarithmic(frame, panel, axis):
            continue
        words = (
            _("log scale") if across else _("log {ending}", ending=_("vertical") if axis == "y" else _("horizontal"))
        )
        width = 6.2 * len(words) + 16
        right -= width
        entries.append(
            element(
                "g",
                element("rect", x=right, y=1, width=width, height=20, rx=10, class_="ring"),
                text(right + width / 2, 15, words, "switch-name", "middle"),
                class_="toggle switch",
                role="switch",
                tabindex="0",
                aria_checked="true" if name.scale == "log" else "false",
                aria_label=_("logarithmic axis: {label}", label=name.label),
                data_panel=str(index),
                data_axis=axis,
            )
        )
        right -= 8
    return entries


def legend(panel: Panel, names: list[str], marks: Marks, top: float) -> tuple[Markup, float]:
    """The legend and its height; every entry switches its series on and off."""
    entries = []
    x, y = 0.0, top
    for index, name in enumerate(names):
        shown = fitting(name, min(60, int((marks.width - 44) / LETTER)))
        width = 34 + LETTER * len(shown) + 10
        if x and x + width > marks.width:
            x, y = 0.0, y + 22
        entries.append(
            element(
                "g",
                element("rect", x=x - 2, y=y, width=width - 4, height=20, rx=4, class_="ring"),
                _sample(panel, index, marks, x + 3, y + 10),
                text(x + 32, y + 14, shown, "key"),
                class_="toggle series-key",
                role="switch",
                tabindex="0",
                aria_checked="true",
                aria_label=name,
                data_series=str(index),
            )
        )
        x += width
    return element("g", *entries), y - top + 30


def _sample(panel: Panel, series: int, marks: Marks, x: float, y: float) -> Markup:
    """A small piece of what a series looks like."""
    if panel.mark in ("bins", "bars", "stacked", "stems"):
        return element("rect", x=x + 2, y=y - 6, width=20, height=12, **marks.fill(series))
    if panel.mark == "overlaid":
        box = {"x": x + 2, "y": y - 6, "width": 20, "height": 12}
        inside = element("rect", **box, class_=f"over fill-{series % len(SIGNS)}")
        return element("g", inside, element("rect", **box, class_=stroke(series)))
    sample = marker(series, x + 12, y, 4.5)
    if panel.mark == "points":
        return sample
    return element("g", line(x, y, x + 24, y, stroke(series)), sample)
