"""The public report of counted regions: the promise, what was spent, and how finely the domain was divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.markup import Markup, element, join
from crypsis.reports.page import columns, exact, facts_list, items, paragraph, pictured, section, tile
from crypsis.reports.release_page import release_page
from crypsis.reports.sections.making import making
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.svg import standalone
from crypsis.reports.wording import counted, shortened, shown

MOST_LISTED = 12
_TOP_UP = {
    "path": "what the way to each region left over",
    "longest": "what the longest way left over",
    "none": "half",
}
_SIZES = Wording("region", "regions", "records", "records in the region (noisy)", "regions")


@dataclass(frozen=True, eq=False)
class RegionFacts(ManifestFacts):
    """The manifest and the regions."""

    row_words: ClassVar[tuple[str, str]] = ("region", "regions")
    level_words: ClassVar[tuple[str, str]] = ("spent", "allowed")
    recheck_words: ClassVar[str] = (
        "From the files the verifier checks that the regions divide the declared domain without gap or overlap, that "
        "counts are whole and not negative, and that no more was spent than allowed; with the publisher's private "
        "report it adds up the ledger of the run anew. That the noise was large enough follows from the proof of the "
        "method; no file can show it."
    )

    manifest: Mapping[str, Any]
    published: CountedRegions

    @property
    def counts_rows(self) -> bool:
        return True  # the original adds nothing to the check

    @property
    def sizes(self) -> Int64s:
        sizes: Int64s = self.published.counts.sum(axis=1)
        return sizes


def render_regions_report(manifest: Mapping[str, Any], published: CountedRegions) -> str:
    """The page of a release, from its manifest and its regions."""
    facts = RegionFacts(manifest, published)
    sections = (verdict, glance, promise, spent, sizes, widths, largest, utility, making)
    return release_page(facts, *(one(facts) for one in sections))


def region_pictures(manifest: Mapping[str, Any], published: CountedRegions) -> dict[str, str]:
    """The pictures as SVG files."""
    return {"region-sizes": standalone(_size_histogram(RegionFacts(manifest, published)))}


def glance(facts: RegionFacts) -> Markup:
    """Section: what was published and what it cost."""
    published, budget = facts.published, facts.section("data").get("budget") or {}
    empty = int(np.count_nonzero(facts.sizes == 0))
    tiles = [
        tile("Regions", exact(len(published)), f"{empty:,} of them with a count of 0"),
        tile("Records", exact(published.records), "sum of the noisy counts"),
        tile("Attributes", exact(len(published.attributes)), "generalized"),
        tile("Classes", exact(len(published.classes)), published.class_name or "no class: records are counted"),
        tile("Epsilon", exact(budget.get("epsilon", "")), f"{shown(budget.get('spent'))} spent"),
    ]
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def spent(facts: RegionFacts) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    data = facts.section("data")
    budget, domains = data.get("budget") or {}, data.get("domains") or {}
    public = [f"{attribute.name}: {_extent(attribute)}" for attribute in facts.published.attributes]
    public.append(f"All domains are {domains.get('declared', '')} (SHA-256 {str(domains.get('digest', ''))[:16]}…).")
    kept = [
        ("Accounting", str(budget.get("accounting", ""))),
        ("Noise", f"discrete Laplace and exact selection on whole numbers, drawn by {budget.get('noise', '')}"),
        ("Epsilon of each choice", str(budget.get("budget_of_each_choice", ""))),
        ("Epsilon of the counts", str(budget.get("budget_of_counts") or _TOP_UP.get(str(budget.get("top_up")), ""))),
        ("Ledger of the dataset", str(budget.get("dataset_ledger", ""))),
        ("Digest of the run's ledger", str(budget.get("ledger_digest", ""))[:16] + "…"),
    ]
    return section(
        "What is public, and what was spent",
        columns(
            element("div", element("h3", "Declared as public"), items(public)),
            element("div", element("h3", "The budget"), facts_list(kept)),
        ),
    )


def _extent(attribute: RegionAttribute) -> str:
    if attribute.numeric:
        low, high = attribute.bounds(0, len(attribute))
        return f"{low:g} to below {high:g} in {counted(len(attribute), 'step')}"
    return counted(len(attribute), "category", "categories")


def sizes(facts: RegionFacts) -> Markup:
    """Section: how many records the regions hold."""
    return section(
        "Sizes of regions",
        pictured("Records in each region", _size_histogram(facts), "Counts are noisy; negative ones became 0."),
    )


def widths(facts: RegionFacts) -> Markup:
    """Section: how finely each attribute was divided."""
    published = facts.published
    weights = facts.sizes / max(published.records, 1)
    head = element(
        "tr",
        element("th", "Attribute", scope="col"),
        element("th", "Distinct values", scope="col", class_="numeric"),
        element("th", "Mean share of the domain", scope="col", class_="numeric"),
    )
    body = []
    for place, attribute in enumerate(published.attributes):
        spans = published.high[:, place] - published.low[:, place]
        distinct = len(np.unique(np.stack([published.low[:, place], published.high[:, place]], axis=1), axis=0))
        share = float((spans / len(attribute) * weights).sum())
        body.append(
            element(
                "tr",
                element("td", element("bdi", shortened(attribute.name, 40))),
                element("td", f"{distinct:,}", class_="numeric"),
                element("td", f"{share:.1%}", class_="numeric"),
            )
        )
    table = element("table", element("thead", head), element("tbody", *body))
    return section("How finely attributes were divided", element("div", table, class_="scroll"))


def largest(facts: RegionFacts) -> Markup:
    """Section: the regions with the most records."""
    rows = facts.published.take(np.argsort(-facts.sizes, kind="stable")[:MOST_LISTED]).to_lists()
    head = element(
        "tr",
        element("th", "Region", scope="col"),
        *(
            element("th", element("bdi", shortened(label, 24)), scope="col", class_="numeric")
            for label in facts.published.classes
        ),
    )
    roots = {attribute.name: attribute.shown(0, len(attribute), 0) for attribute in facts.published.attributes}
    body = [
        element(
            "tr",
            element("td", _region(region, roots)),
            *(element("td", f"{count:,}", class_="numeric") for count in counts.values()),
        )
        for region, counts in rows
    ]
    table = element("table", element("thead", head), element("tbody", *body))
    return section("The largest regions", element("div", table, class_="scroll"))


def _region(region: Mapping[str, Any], roots: Mapping[str, Any]) -> Markup:
    """What narrows the region; an attribute that it leaves open is not listed."""
    parts = [
        join([element("bdi", shortened(name, 24)), " ", element("bdi", shortened(_value(value), 32))])
        for name, value in region.items()
        if value != roots[name]
    ]
    return join(parts, ", ") if parts else Markup("everything")


def _value(value: Any) -> str:
    return f"{value[0]:g} to below {value[1]:g}" if isinstance(value, list) else str(value)


def utility(facts: RegionFacts) -> Markup:
    """Section: why there are no figures."""
    return section(
        "What is left for analysis",
        paragraph(
            "How near these counts are to the true ones is not told: such a figure would be a statement about the "
            "original data without noise. Each count is off by the noise of its budget, so sums over many small "
            "regions are less exact than the count of one large region."
        ),
    )


def _size_histogram(facts: RegionFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.sizes),), _SIZES, "Histogram of the records in regions.")
