"""Picture: how many records the clusters of a disassociated release have."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.disassociated_facts import DisassociatedFacts
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_WORDS = Wording("cluster", "clusters", marked("records"), marked("records in the cluster"))


def cluster_sizes(facts: DisassociatedFacts) -> Markup:
    """Bars of clusters by size, with the size that is required."""
    label = _("Histogram of the sizes of {clusters}.", clusters=counted(len(facts.counts.cluster_sizes), "cluster"))
    return histogram((Series("bar-neutral", "", facts.counts.cluster_sizes),), _WORDS, label, facts.counts.k)
