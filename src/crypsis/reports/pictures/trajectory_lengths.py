"""Picture: how many visits the published trajectories have."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.wording import counted

_WORDS = Wording("trajectory", "trajectories", "visits", "visits in the trajectory (length)", "trajectories")


def trajectory_lengths(facts: ReleaseFacts) -> Markup:
    """Bars of trajectories by length."""
    label = f"Histogram of the lengths of {counted(facts.rows, 'published trajectory', 'published trajectories')}"
    if facts.rows:
        label += f", from {facts.lengths.min():,} to {counted(int(facts.lengths.max()), 'visit')}"
    return histogram((Series("bar-neutral", "", facts.lengths),), _WORDS, label + ".")
