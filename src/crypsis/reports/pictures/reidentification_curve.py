"""Picture: how the risk of being found grows with what an adversary knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crypsis.drawing.markup import Markup, element
from crypsis.drawing.svg import LinearScale, bottom_axis, drawing, key, line, polyline, rounded_up, text, titled
from crypsis.reports.histogram import nothing_to_show
from crypsis.translation import _, translated
from crypsis.translation.wording import counted, figure

WIDTH, HEIGHT = 464, 272
_LEFT, _RIGHT, _TOP, _BASE = 52, WIDTH - 16, 50, HEIGHT - 50
_LEAST_RISK = 1e-6  # what the axis shows where there is none


@dataclass(frozen=True)
class Risk:
    """One point of the curve: with so many pieces known, the risk on average and at most."""

    knowledge: int
    mean: float
    highest: float


def reidentification_curve(
    risks: Sequence[Risk], bound: float | None = None, promised: int | None = None, what: str = "piece"
) -> Markup:
    """Mean and highest risk by knowledge; `bound` is what the guarantee allows, up to `promised` pieces if given.

    `what` is one piece of knowledge: a visit, a location, a point.
    """
    label = _("Curve of the risk of re-identification")
    if not risks:
        return nothing_to_show(_("Nothing was attacked."), label + _(": nothing was attacked."))
    first, last = risks[0], risks[-1]
    label += _(
        ", from at most {percent} with {counted} known to at most {percent2} with {counted2}",
        percent=_percent(first.highest),
        counted=counted(first.knowledge, what),
        percent2=_percent(last.highest),
        counted2=counted(last.knowledge, what),
    )
    if bound is not None:
        label += _("; allowed are {percent}", percent=_percent(bound))
        label += "" if promised is None else _(" up to {counted}", counted=counted(promised, what))
    across = LinearScale(first.knowledge, last.knowledge, _LEFT + 24, _RIGHT - 24)
    highest = max([_LEAST_RISK, *(risk.highest for risk in risks), *([] if bound is None else [bound])])
    step = rounded_up(100 * highest / 4) / 100
    up = LinearScale(0.0, max(highest, step), _BASE, _TOP)
    marks = [
        _risk_axis(up, step),
        bottom_axis(
            across,
            _ticks(risks),
            _BASE,
            _("{whats} that the adversary knows", whats=translated(f"{what}s")),
            (_LEFT, _RIGHT),
        ),
        *_curve(risks, across, up, "mean", what),
        *_curve(risks, across, up, "highest", what),
        key([("bar-intact", _("mean")), ("bar-generalized", _("highest"))], _RIGHT, 14),
    ]
    if bound is not None:
        end = _RIGHT if promised is None else min(max(across.at(promised) + 12, _LEFT), _RIGHT)
        marks.append(line(_LEFT, up.at(bound), end, up.at(bound), "limit"))
        marks.append(text(_LEFT + 4, up.at(bound) - 6, _("allowed: {percent}", percent=_percent(bound)), "note"))
    return drawing(WIDTH, HEIGHT, label + ".", *marks, kind="chart")


def _risk_axis(up: LinearScale, step: float) -> Markup:
    marks = [text(0, 14, _("risk"), "axis-title")]
    for index in range(int(up.high / step * (1 + 1e-9)) + 1):
        y = up.at(index * step)
        if index:
            marks.append(line(_LEFT, y, _RIGHT, y, "grid"))
        marks.append(text(_LEFT - 8, y + 4, _percent(index * step), anchor="end"))
    return element("g", *marks)


def _ticks(risks: Sequence[Risk]) -> list[tuple[float, str]]:
    stride = -(-len(risks) // 12)
    return [(risk.knowledge, figure(risk.knowledge)) for risk in risks[::stride]]


def _curve(risks: Sequence[Risk], across: LinearScale, up: LinearScale, which: str, what: str) -> list[Markup]:
    colour = "intact" if which == "mean" else "generalized"
    places = [(across.at(risk.knowledge), up.at(getattr(risk, which))) for risk in risks]
    marks = [element("path", d=polyline(places), class_=f"curve {colour}")]
    for risk, (x, y) in zip(risks, places, strict=True):
        title = _(
            "{counted} known: {which} risk {percent}",
            counted=counted(risk.knowledge, what),
            which=_(which),
            percent=_percent(getattr(risk, which)),
        )
        marks.append(titled(title, element("circle", cx=x, cy=y, r=3.5, class_=f"dot-{colour}")))
    return marks


def _percent(share: float) -> str:
    return _("{share:.3g} %", share=100 * share)
