"""Picture: how many were anywhere in each step of time, at least and at most."""

from __future__ import annotations

from datetime import UTC, datetime

from crypsis.drawing.markup import Markup
from crypsis.drawing.naming import room_for
from crypsis.drawing.svg import LinearScale, bar, bottom_axis, count_axis, drawing, key
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import HEIGHT, nothing_to_show
from crypsis.translation import _, marked

WIDTH = 944
_LEFT, _RIGHT, _TOP, _BASE = 52, WIDTH - 16, 50, HEIGHT - 50
_DAYS = (marked("Mon"), marked("Tue"), marked("Wed"), marked("Thu"), marked("Fri"), marked("Sat"), marked("Sun"))
_LABEL = marked("Trajectories in each step of time: at least and at most.")


def presence_over_time(facts: ReleaseFacts) -> Markup:
    """Per step a bar: one colour up to what is certain, another up to what is possible."""
    told = facts.presence
    if told is None or not int(told.possible.max(initial=0)):
        return nothing_to_show(_("The release gives no bounds over time."), _(_LABEL))
    up = LinearScale(0, int(told.possible.max()), _BASE, _TOP)
    across = LinearScale(0, len(told.definite), _LEFT, _RIGHT)
    marks = [count_axis(up, (_LEFT, _RIGHT), told.counts)]
    for step, (least, most) in enumerate(zip(told.definite.tolist(), told.possible.tolist(), strict=True)):
        left, width = across.at(step) + 2, across.at(step + 1) - across.at(step) - 4
        words = _(
            "{written} to {written2}: at least {least:,}, at most {most:,}",
            written=_written(facts, step),
            written2=_written(facts, step + 1),
            least=least,
            most=most,
        )
        if most > least:
            marks.append(bar(left, up.at(most), width, up.at(least) - up.at(most), "bar-generalized", words))
        if least:
            marks.append(bar(left, up.at(least), width, _BASE - up.at(least), "bar-intact", words))
    stride = max(1, -(-len(told.definite) // 8))
    named = [(float(step), _written(facts, step)) for step in range(0, len(told.edges), stride)]
    ticks = [(step, words) for step, words in named if _fits(across.at(step), words)]
    marks += [
        bottom_axis(across, ticks, _BASE, _("time"), (_LEFT, _RIGHT)),
        key([("bar-intact", _("certain")), ("bar-generalized", _("possible"))], _RIGHT, 14),
    ]
    return drawing(WIDTH, HEIGHT, _(_LABEL), *marks, kind="chart wide")


def _fits(x: float, words: str) -> bool:
    """Whether a name below the axis stays inside the picture."""
    half = 0.55 * room_for(words)
    return half <= x <= WIDTH - half


def _written(facts: ReleaseFacts, step: int) -> str:
    """An instant between two steps, as the release counts time."""
    times = facts.section("data").get("times")
    assert facts.presence is not None
    second = int(facts.presence.edges[step])
    cycle, clock = (times.get("cycle"), times.get("clock")) if isinstance(times, dict) else ("none", False)
    hour = f"{second % 86_400 // 3600 if second != 86_400 or cycle != 'day' else 24:02d}:{second % 3600 // 60:02d}"
    if cycle == "day":
        return hour
    if cycle == "week":
        return f"{_(_DAYS[second // 86_400 % 7])} {hour}"
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%d %H:%M}" if clock else f"{second:,}"
