"""Picture: how many records the classes of a table have, against the size that is required."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.table_facts import TableFacts
from crypsis.wording import counted

_WORDS = Wording("class", "classes", "size", "records of the class", "classes")


def class_sizes(facts: TableFacts) -> Markup:
    """Bars of classes by size."""
    label = f"Histogram of the sizes of {counted(len(facts.sizes), 'class', 'classes')}"
    if len(facts.sizes):
        label += f", from {int(facts.sizes.min()):,} to {counted(int(facts.sizes.max()), 'record')}"
    if facts.k is not None:
        label += f"; required are {facts.k:,}"
    return histogram((Series("bar-generalized", "classes", facts.sizes),), _WORDS, label + ".", facts.k)
