"""The public report of synthetic sets of items: the promise, what was spent, and what was made up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.page import exact, paragraph, pictured, section, tile
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.budget import epsilon_tile, spent, table, utility
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.synthetic_facts import SyntheticFacts
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted, figure, shortened, shown

MOST_LISTED = 12
MOST_ITEMS = 8
_SIZES = Wording("record", "records", marked("items"), marked("items in the record (length)"))
_THRESHOLDS = {
    "bounded": marked("so that few empty combinations pass"),
    "printed": marked("as the article prints them"),
}


@dataclass(frozen=True, eq=False)
class SyntheticSetFacts(SyntheticFacts):
    """The manifest and the rows."""

    row_words = ("distinct set", "distinct sets")

    published: SyntheticTransactions


def summary(facts: SyntheticSetFacts) -> Markup:
    """Section: what was published and what it cost."""
    published = facts.published
    tiles = [
        tile(
            _("Records"),
            exact(published.records),
            _("{distinct_ones}, all made up", distinct_ones=counted(len(published), "distinct one")),
        ),
        tile(_("Occurrences"), exact(published.occurrences), _("items of all copies")),
        tile(
            _("Items"),
            exact(len(np.unique(published.items))),
            _("of {domain:,} declared", domain=len(published.domain)),
        ),
        epsilon_tile(facts),
    ]
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def kept(facts: SyntheticSetFacts) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    domain = (facts.section("data").get("domains") or {}).get("items") or {}
    public = [
        _(
            "Items: {size}, {declared} (SHA-256 {digest}…)",
            size=shown(domain.get("size")),
            declared=translated(str(domain.get("declared", ""))),
            digest=str(domain.get("digest", ""))[:16],
        ),
        _("Fan-out of the tree over their list: {fan_out}.", fan_out=shown(facts.budget.get("fan_out"))),
    ]
    thresholds = str(facts.budget.get("thresholds", ""))
    return spent(facts, public, _("discrete Laplace"), [(_("Thresholds"), _(_THRESHOLDS.get(thresholds, thresholds)))])


def left(facts: SyntheticSetFacts) -> Markup:
    """Section: why there are no figures."""
    return utility(
        _(
            "Each count is off by the noise of its budget; sets that hardly anybody holds, among them most "
            "long ones, are not there at all."
        )
    )


def sizes(facts: SyntheticSetFacts) -> Markup:
    """Section: how many items the records hold."""
    published = facts.published
    if not len(published):
        return section(_("Sizes of records"), paragraph(_("Nothing passed its threshold: the release has no record.")))
    mean = published.occurrences / published.records
    caption = _("{mean} items on average.", mean=figure(mean, 3))
    return section(_("Sizes of records"), pictured(_("Items in each record"), _size_histogram(facts), caption))


def frequent(facts: SyntheticSetFacts) -> Markup:
    """Section: the sets with the most copies."""
    rows = facts.published.take(np.argsort(-facts.published.copies, kind="stable")[:MOST_LISTED]).to_lists()
    if not rows:
        return Markup("")
    return table(
        _("The most frequent sets"), (_("Set of items"), _("Copies")), [(_items(held), [f"{n:,}"]) for n, held in rows]
    )


def _items(labels: list[str]) -> Markup:
    """Each label apart from its neighbours, so that none can change the direction in which others are read."""
    listed = [element("bdi", shortened(label, 24)) for label in labels[:MOST_ITEMS]]
    more = [] if len(labels) <= MOST_ITEMS else [Markup(f"{len(labels) - MOST_ITEMS} more")]
    return join([*listed, *more], ", ")


def _size_histogram(facts: SyntheticSetFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.lengths),), _SIZES, _("Histogram of the sizes of records."))


SYNTHETIC_SETS_REPORT = ReportPlan(
    lambda manifest, published, _: SyntheticSetFacts(manifest, published),
    (verdict, summary, promise, kept, sizes, frequent, left, provenance),
    {"record-sizes": _size_histogram},
)
