"""Picture: how many visits the published trajectories have."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_WORDS = Wording("trajectory", "trajectories", marked("visits"), marked("visits in the trajectory (length)"))


def trajectory_lengths(facts: ReleaseFacts) -> Markup:
    """Bars of trajectories by length."""
    label = _(
        "Histogram of the lengths of {published_trajectories}",
        published_trajectories=counted(facts.rows, "published trajectory", "published trajectories"),
    )
    if facts.rows:
        label += _(
            ", from {min:,} to {visits}", min=facts.lengths.min(), visits=counted(int(facts.lengths.max()), "visit")
        )
    return histogram((Series("bar-neutral", "", facts.lengths),), _WORDS, label + ".")
