"""Picture: how many terms each cluster of a disassociated release hides in its term chunk."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.disassociated_facts import DisassociatedFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_WORDS = Wording("cluster", "clusters", marked("terms"), marked("terms in the term chunk"))


def term_chunk_sizes(facts: DisassociatedFacts) -> Markup:
    """Bars of clusters by the terms of which they tell the presence only."""
    label = _(
        "Histogram of the term chunks of {clusters}.", clusters=counted(len(facts.counts.term_chunk_sizes), "cluster")
    )
    return histogram((Series("bar-neutral", "", facts.counts.term_chunk_sizes),), _WORDS, label)
