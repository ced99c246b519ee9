"""The public report of counted regions: the promise, what was spent, and how finely the domain was divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.page import exact, pictured, section, tile
from crypsis.reports.private_facts import PrivateFacts, rechecked
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.budget import epsilon_tile, spent, table, utility
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.verdict import verdict
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted, figure, listed, shortened

MOST_LISTED = 12
MOST_LETTERS = 60  # of the names of classes above columns, which a page of paper has room for
_TOP_UP = {
    "path": marked("what the way to each region left over"),
    "longest": marked("what the longest way left over"),
    "none": marked("half"),
}
_SIZES = Wording("region", "regions", marked("records"), marked("records in the region (noisy)"))


@dataclass(frozen=True, eq=False)
class RegionFacts(PrivateFacts):
    """The manifest and the regions."""

    row_words = ("region", "regions")
    recheck_words = rechecked(
        marked(
            "that the regions divide the declared domain without gap or overlap, that counts are whole and "
            "not negative,"
        )
    )

    published: CountedRegions

    @property
    def sizes(self) -> Int64s:
        sizes: Int64s = self.published.counts.sum(axis=1)
        return sizes


def summary(facts: RegionFacts) -> Markup:
    """Section: what was published and what it cost."""
    published = facts.published
    empty = int(np.count_nonzero(facts.sizes == 0))
    tiles = [
        tile(_("Regions"), exact(len(published)), _("{empty:,} of them with a count of 0", empty=empty)),
        tile(_("Records"), exact(published.records), _("sum of the noisy counts")),
        tile(_("Attributes"), exact(len(published.attributes)), _("generalized")),
        tile(_("Classes"), exact(len(published.classes)), published.class_name or _("no class: records are counted")),
        epsilon_tile(facts),
    ]
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def kept(facts: RegionFacts) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    budget, domains = facts.budget, facts.section("data").get("domains") or {}
    public = [f"{attribute.name}: {_extent(attribute)}" for attribute in facts.published.attributes]
    public.append(
        _(
            "All domains are {declared} (SHA-256 {digest}…).",
            declared=translated(str(domains.get("declared", ""))),
            digest=str(domains.get("digest", ""))[:16],
        )
    )
    division = [
        (_("Epsilon of each choice"), str(budget.get("budget_of_each_choice", ""))),
        (
            _("Epsilon of the counts"),
            str(budget.get("budget_of_counts") or _(_TOP_UP.get(str(budget.get("top_up")), ""))),
        ),
    ]
    return spent(facts, public, _("discrete Laplace and exact selection"), division)


def left(facts: RegionFacts) -> Markup:
    """Section: why there are no figures."""
    return utility(
        _(
            "Each count is off by the noise of its budget, so sums over many small regions are less exact "
            "than the count of one large region."
        )
    )


def _extent(attribute: RegionAttribute) -> str:
    if attribute.numeric:
        low, high = attribute.bounds(0, len(attribute))
        return _("{low:g} to below {high:g} in {steps}", low=low, high=high, steps=counted(len(attribute), "step"))
    return counted(len(attribute), "category", "categories")


def sizes(facts: RegionFacts) -> Markup:
    """Section: how many records the regions hold."""
    return section(
        _("Sizes of regions"),
        pictured(_("Records in each region"), _size_histogram(facts), _("Counts are noisy; negative ones became 0.")),
    )


def widths(facts: RegionFacts) -> Markup:
    """Section: how finely each attribute was divided."""
    published = facts.published
    weights = facts.sizes / max(published.records, 1)
    rows = []
    for index, attribute in enumerate(published.attributes):
        spans = published.high[:, index] - published.low[:, index]
        distinct = len(np.unique(np.stack([published.low[:, index], published.high[:, index]], axis=1), axis=0))
        share = float((spans / len(attribute) * weights).sum())
        rows.append((element("bdi", shortened(attribute.name, 40)), [figure(distinct), _("{share:.1%}", share=share)]))
    names = (_("Attribute"), _("Distinct values"), _("Mean share of the domain"))
    return table(_("How finely attributes were divided"), names, rows)


def largest(facts: RegionFacts) -> Markup:
    """Section: the regions with the most records."""
    rows = facts.published.take(np.argsort(-facts.sizes, kind="stable")[:MOST_LISTED]).to_lists()
    roots = {attribute.name: attribute.shown(0, len(attribute), 0) for attribute in facts.published.attributes}
    numbers = [(_region(region, roots), [figure(count) for count in counts.values()]) for region, counts in rows]
    labels = [shortened(label, 24) for label in facts.published.classes]
    if facts.published.class_name and sum(map(len, labels)) + 4 * len(labels) > MOST_LETTERS:
        return _largest_in_words(facts, [(_region(region, roots), list(counts.values())) for region, counts in rows])
    classes = [element("bdi", label) for label in labels]
    names = classes if facts.published.class_name else [Markup(_("Records"))]
    return table(_("The largest regions"), (_("Region"), *names), numbers)


def _largest_in_words(facts: RegionFacts, rows: list[tuple[Markup, list[int]]]) -> Markup:
    """The same where a column for each class would not fit on a page: the classes of a region by their records."""
    body = []
    for words, counts in rows:
        ordered = sorted(zip(counts, facts.published.classes, strict=True), key=lambda one: -one[0])
        told = listed([f"{shortened(str(label), 24)}: {figure(count)}" for count, label in ordered], MOST_LISTED)
        cells = (element("td", words), element("td", figure(sum(counts)), class_="numeric"), element("td", told))
        body.append(element("tr", *cells))
    head = (
        element("th", _("Region"), scope="col"),
        element("th", _("Records"), scope="col", class_="numeric"),
        element("th", element("bdi", shortened(str(facts.published.class_name), 24)), scope="col"),
    )
    drawn = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    return section(_("The largest regions"), element("div", drawn, class_="scroll"))


def _region(region: Mapping[str, Any], roots: Mapping[str, Any]) -> Markup:
    """What narrows the region; an attribute that it leaves open is not listed."""
    parts = [
        join([element("bdi", shortened(name, 24)), " ", element("bdi", shortened(_value(value), 32))])
        for name, value in region.items()
        if value != roots[name]
    ]
    return join(parts, ", ") if parts else Markup(_("everything"))


def _value(value: Any) -> str:
    return (
        _("{value:g} to below {value2:g}", value=value[0], value2=value[1]) if isinstance(value, list) else str(value)
    )


def _size_histogram(facts: RegionFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.sizes),), _SIZES, _("Histogram of the records in regions."))


REGIONS_REPORT = ReportPlan(
    lambda manifest, published, _: RegionFacts(manifest, published),
    (verdict, summary, promise, kept, sizes, widths, largest, left, provenance),
    {"region-sizes": _size_histogram},
)
