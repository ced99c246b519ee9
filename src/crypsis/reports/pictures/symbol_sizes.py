"""Picture: how many locations stand behind each published symbol."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_WORDS = Wording("symbol", "symbols", marked("size"), marked("locations in the symbol (size)"))


def symbol_sizes(facts: ReleaseFacts) -> Markup:
    """Bars of symbols by size; size 1 is intact."""
    label = _(
        "Histogram of the sizes of {published_symbols}", published_symbols=counted(len(facts.names), "published symbol")
    )
    if len(facts.sizes):
        label += _(
            ": {n_intact:,} intact, the largest has {locations}",
            n_intact=facts.n_intact,
            locations=counted(int(facts.sizes.max()), "location"),
        )
    series = (
        Series("bar-generalized", marked("generalized"), facts.sizes[~facts.intact]),
        Series("bar-intact", marked("intact"), facts.sizes[facts.intact]),
    )
    return histogram(series, _WORDS, label + ".")
