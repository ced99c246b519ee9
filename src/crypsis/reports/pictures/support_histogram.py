"""Picture: in how many rows the published symbols occur, against the support that is required."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_WORDS = Wording("symbol", "symbols", marked("support"), marked("rows that hold the symbol (support)"))


def support_histogram(facts: ReleaseFacts) -> Markup:
    """Bars of symbols by support, intact and generalized ones stacked."""
    label = _(
        "Histogram of the support of {published_symbols}",
        published_symbols=counted(len(facts.names), "published symbol"),
    )
    if len(facts.supports):
        label += _(", from {min:,} to {rows}", min=facts.supports.min(), rows=counted(int(facts.supports.max()), "row"))
    required = None if facts.counted_by_publisher else facts.required  # rows are not what was counted
    if required is not None:
        label += _("; required are {required:,}", required=required)
    series = (
        Series("bar-generalized", marked("generalized"), facts.supports[~facts.intact]),
        Series("bar-intact", marked("intact"), facts.supports[facts.intact]),
    )
    return histogram(series, _WORDS, label + ".", required)
