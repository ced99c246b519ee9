"""The public report of synthetic sets of items: the promise, what was spent, and what was made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.markup import Markup, element, join
from crypsis.reports.page import columns, exact, facts_list, items, paragraph, pictured, section, tile
from crypsis.reports.release_page import release_page
from crypsis.reports.sections.making import making
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.svg import standalone
from crypsis.reports.wording import counted, figure, shortened, shown

MOST_LISTED = 12
MOST_ITEMS = 8
_SIZES = Wording("record", "records", "items", "items in the record (length)", "records")
_MOST_DRAWN = 2_000_000


@dataclass(frozen=True, eq=False)
class SyntheticSetFacts(ManifestFacts):
    """The manifest and the rows."""

    row_words: ClassVar[tuple[str, str]] = ("distinct set", "distinct sets")
    level_words: ClassVar[tuple[str, str]] = ("spent", "allowed")
    recheck_words: ClassVar[str] = (
        "From the files the verifier checks the form of the rows and that no more was spent than allowed; with the "
        "publisher's private report it adds up the ledger of the run anew. That the noise was large enough follows "
        "from the proof of the method; no file can show it."
    )

    manifest: Mapping[str, Any]
    published: SyntheticTransactions

    @property
    def counts_rows(self) -> bool:
        return True  # the original adds nothing to the check

    @property
    def sizes(self) -> Int64s:
        """The size of every record, of very many only in proportion."""
        copies = self.published.copies
        scale = max(1, -(-int(copies.sum()) // _MOST_DRAWN))
        return np.repeat(self.published.lengths, -(-copies // scale)).astype(np.int64)


def render_synthetic_sets_report(manifest: Mapping[str, Any], published: SyntheticTransactions) -> str:
    """The page of a release, from its manifest and its rows."""
    facts = SyntheticSetFacts(manifest, published)
    sections = (verdict, glance, promise, spent, sizes, frequent, utility, making)
    return release_page(facts, *(one(facts) for one in sections))


def synthetic_set_pictures(manifest: Mapping[str, Any], published: SyntheticTransactions) -> dict[str, str]:
    """The pictures as SVG files."""
    return {"record-sizes": standalone(_size_histogram(SyntheticSetFacts(manifest, published)))}


def glance(facts: SyntheticSetFacts) -> Markup:
    """Section: what was published and what it cost."""
    published, budget = facts.published, facts.section("data").get("budget") or {}
    tiles = [
        tile("Records", exact(published.records), f"{counted(len(published), 'distinct one')}, all made up"),
        tile("Occurrences", exact(published.occurrences), "items of all copies"),
        tile("Items", exact(len(np.unique(published.items))), f"of {len(published.domain):,} declared"),
        tile("Epsilon", exact(budget.get("epsilon", "")), f"{shown(budget.get('spent'))} spent"),
    ]
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def spent(facts: SyntheticSetFacts) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    data = facts.section("data")
    budget, domain = data.get("budget") or {}, (data.get("domains") or {}).get("items") or {}
    public = [
        f"Items: {shown(domain.get('size'))}, {domain.get('declared', '')} "
        f"(SHA-256 {str(domain.get('digest', ''))[:16]}…)",
        f"Fan-out of the tree over their list: {shown(budget.get('fan_out'))}.",
    ]
    kept = [
        ("Accounting", str(budget.get("accounting", ""))),
        ("Noise", f"discrete Laplace on whole numbers, drawn by {budget.get('noise', '')}"),
        ("Thresholds", str(budget.get("thresholds", ""))),
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


def sizes(facts: SyntheticSetFacts) -> Markup:
    """Section: how many items the records hold."""
    published = facts.published
    if not len(published):
        return section("Sizes of records", paragraph("Nothing passed its threshold: the release has no record."))
    mean = published.occurrences / published.records
    caption = f"{figure(mean, 3)} items on average."
    return section("Sizes of records", pictured("Items in each record", _size_histogram(facts), caption))


def frequent(facts: SyntheticSetFacts) -> Markup:
    """Section: the sets with the most copies."""
    rows = facts.published.take(np.argsort(-facts.published.copies, kind="stable")[:MOST_LISTED]).to_lists()
    if not rows:
        return Markup("")
    head = element(
        "tr", element("th", "Set of items", scope="col"), element("th", "Copies", scope="col", class_="numeric")
    )
    body = [
        element("tr", element("td", _items(held)), element("td", f"{copies:,}", class_="numeric"))
        for copies, held in rows
    ]
    table = element("table", element("thead", head), element("tbody", *body))
    return section("The most frequent sets", element("div", table, class_="scroll"))


def _items(labels: list[str]) -> Markup:
    """Each label apart from its neighbours, so that none can change the direction in which others are read."""
    listed = [element("bdi", shortened(label, 24)) for label in labels[:MOST_ITEMS]]
    more = [] if len(labels) <= MOST_ITEMS else [Markup(f"{len(labels) - MOST_ITEMS} more")]
    return join([*listed, *more], ", ")


def utility(facts: SyntheticSetFacts) -> Markup:
    """Section: why there are no figures."""
    return section(
        "What is left for analysis",
        paragraph(
            "How near these counts are to the true ones is not told: such a figure would be a statement about the "
            "original data without noise. Each count is off by the noise of its budget; sets that hardly anybody "
            "holds, among them most long ones, are not there at all."
        ),
    )


def _size_histogram(facts: SyntheticSetFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.sizes),), _SIZES, "Histogram of the sizes of records.")
