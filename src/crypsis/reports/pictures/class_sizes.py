"""Picture: how many records the classes of a table have, against the size that is required."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.table_facts import TableFacts
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

_WORDS = Wording("class", "classes", marked("size"), marked("records of the class"))


def class_sizes(facts: TableFacts) -> Markup:
    """Bars of classes by size."""
    label = _("Histogram of the sizes of {classes}", classes=counted(len(facts.sizes), "class", "classes"))
    if len(facts.sizes):
        label += _(
            ", from {min:,} to {records}", min=int(facts.sizes.min()), records=counted(int(facts.sizes.max()), "record")
        )
    if facts.k is not None:
        label += _("; required are {k:,}", k=facts.k)
    return histogram((Series("bar-generalized", "", facts.sizes),), _WORDS, label + ".", facts.k)
