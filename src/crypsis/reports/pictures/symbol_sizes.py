"""Picture: how many locations stand behind each published symbol."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.wording import counted

_WORDS = Wording("symbol", "symbols", "size", "locations in the symbol (size)", "symbols")


def symbol_sizes(facts: ReleaseFacts) -> Markup:
    """Bars of symbols by size; size 1 is intact."""
    label = f"Histogram of the sizes of {counted(len(facts.names), 'published symbol')}"
    if len(facts.sizes):
        label += f": {facts.n_intact:,} intact, the largest has {counted(int(facts.sizes.max()), 'location')}"
    series = (
        Series("bar-generalized", "generalized", facts.sizes[~facts.intact]),
        Series("bar-intact", "intact", facts.sizes[facts.intact]),
    )
    return histogram(series, _WORDS, label + ".")
