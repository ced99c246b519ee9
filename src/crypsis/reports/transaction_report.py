"""The public report of published sets: one HTML page with the verdict, the figures and the pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.page import columns, exact, paragraph, pictured, section, tile
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.transaction_facts import TransactionFacts
from crypsis.wording import counted, figure, listed, shortened, shown

MOST_LISTED = 12
MOST_MEMBERS = 8
_SUPPORT = Wording("symbol", "symbols", "support", "records that hold the symbol (support)", "symbols")
_SIZE = Wording("symbol", "symbols", "size", "items in the symbol (size)", "symbols")
_LENGTH = Wording("record", "records", "symbols", "symbols in the record (length)", "records")


def summary(facts: TransactionFacts) -> Markup:
    """Section: what was published, how rare it gets, and what it cost."""
    data, found, measured = facts.section("data"), facts.section("verdict"), facts.section("utility")
    empty = int((facts.lengths == 0).sum())
    labels = {label for name in facts.names for label in name}
    tiles = [
        tile("Records", exact(len(facts.lengths)), f"{empty:,} of them empty" if empty else "one row each"),
        tile("Items", exact(len(labels)), f"in {counted(len(facts.names), 'symbol')}"),
        tile("Intact symbols", exact(facts.n_intact), "single items"),
        tile("Generalized symbols", exact(facts.n_generalized), "several items each"),
    ]
    if found.get("achieved") is not None:
        tiles.append(tile("Smallest support", exact(found["achieved"]), f"{shown(found.get('required'))} required"))
    if data.get("suppressed"):
        tiles.append(tile("Suppressed items", exact(len(data["suppressed"])), listed(data["suppressed"], 4)))
    for name, title in (("item_ncp_loss", "Certainty penalty"), ("utility_loss", "Utility loss")):
        if name in measured:
            tiles.append(tile(title, exact(measured[name]), "0 is none, 1 is all; lower is better"))
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def shares(facts: TransactionFacts) -> Markup:
    """Section: how many records share what was published."""
    words = ["No symbol was published."]
    if len(facts.supports):
        words = [
            f"The rarest symbol is in {counted(int(facts.supports.min()), 'record')}, the median one in "
            f"{figure(float(np.median(facts.supports)))}, the most frequent one in {facts.supports.max():,}."
        ]
    rarest = [
        f"The rarest set of {counted(size, 'item')} fits {counted(support, 'record')}."
        for size, support in enumerate(facts.smallest_by_size, start=1)
    ]
    return section(
        "How many share it",
        paragraph("The support of a symbol is the number of records that hold it."),
        columns(
            pictured("Support of each symbol", _support_histogram(facts), *words, *rarest),
            pictured("Items in each symbol", _size_histogram(facts)),
        ),
    )


def generalized(facts: TransactionFacts) -> Markup:
    """Section: the largest generalized symbols with their items."""
    heading = "What was generalized"
    if not facts.n_generalized:
        return section(heading, paragraph("Nothing was generalized: every published symbol is a single item."))
    chosen = facts.largest_first[:MOST_LISTED]
    head = element(
        "tr",
        element("th", "Published as some of", scope="col"),
        element("th", "Items", scope="col", class_="numeric"),
        element("th", "Records", scope="col", class_="numeric"),
    )
    rows = [
        element(
            "tr",
            element("td", _members(facts.names[symbol])),
            element("td", f"{len(facts.names[symbol]):,}", class_="numeric"),
            element("td", f"{int(facts.supports[symbol]):,}", class_="numeric"),
        )
        for symbol in chosen
    ]
    left = facts.n_generalized - len(chosen)
    note = f"The largest {len(chosen)} of {facts.n_generalized:,} symbols." if left else "All of them are listed."
    table = element("table", element("thead", head), element("tbody", *rows))
    return section(heading, element("div", table, class_="scroll"), paragraph(note, class_="muted small note"))


def _members(names: tuple[str, ...]) -> Markup:
    """Each name apart from its neighbours, so that none can change the direction in which others are read."""
    shown_names = join([element("bdi", shortened(name)) for name in names[:MOST_MEMBERS]], ", ")
    left = len(names) - MOST_MEMBERS
    return shown_names if left <= 0 else join([shown_names, element("span", f" and {left:,} more", class_="muted")])


def lengths(facts: TransactionFacts) -> Markup:
    """Section: how many symbols the published records have."""
    words = "No record was published."
    if len(facts.lengths):
        words = (
            f"From {int(facts.lengths.min()):,} to {counted(int(facts.lengths.max()), 'symbol')}, "
            f"{figure(float(facts.lengths.mean()), 3)} on average."
        )
    return section("Lengths", columns(pictured("Symbols in each record", _length_histogram(facts), words)))


def _support_histogram(facts: TransactionFacts) -> Markup:
    label = f"Histogram of the support of {counted(len(facts.names), 'published symbol')}."
    return histogram(_by_kind(facts, facts.supports), _SUPPORT, label, facts.required)


def _size_histogram(facts: TransactionFacts) -> Markup:
    label = f"Histogram of the sizes of {counted(len(facts.names), 'published symbol')}."
    return histogram(_by_kind(facts, facts.sizes), _SIZE, label)


def _length_histogram(facts: TransactionFacts) -> Markup:
    label = f"Histogram of the lengths of {counted(len(facts.lengths), 'published record')}."
    return histogram((Series("bar-neutral", "", facts.lengths),), _LENGTH, label)


def _by_kind(facts: TransactionFacts, values: Any) -> tuple[Series, Series]:
    return (
        Series("bar-generalized", "generalized", values[~facts.intact]),
        Series("bar-intact", "intact", values[facts.intact]),
    )


TRANSACTION_REPORT = ReportPlan(
    lambda manifest, published, _: TransactionFacts.of(manifest, published),
    (verdict, summary, promise, shares, generalized, lengths, utility, provenance),
    {"support-histogram": _support_histogram, "symbol-sizes": _size_histogram, "record-lengths": _length_histogram},
)
