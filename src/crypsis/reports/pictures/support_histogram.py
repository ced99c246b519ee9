"""Picture: in how many rows the published symbols occur, against the support that is required."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.wording import counted

_WORDS = Wording("symbol", "symbols", "support", "rows that hold the symbol (support)", "symbols")


def support_histogram(facts: ReleaseFacts) -> Markup:
    """Bars of symbols by support, intact and generalized ones stacked."""
    label = f"Histogram of the support of {counted(len(facts.names), 'published symbol')}"
    if len(facts.supports):
        label += f", from {facts.supports.min():,} to {counted(int(facts.supports.max()), 'row')}"
    if facts.required is not None:
        label += f"; required are {facts.required:,}"
    series = (
        Series("bar-generalized", "generalized", facts.supports[~facts.intact]),
        Series("bar-intact", "intact", facts.supports[facts.intact]),
    )
    return histogram(series, _WORDS, label + ".", facts.required)
