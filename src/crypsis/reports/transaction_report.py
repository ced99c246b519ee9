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
from crypsis.translation import _, marked
from crypsis.translation.wording import counted, figure, listed, shortened, shown

MOST_LISTED = 12
MOST_MEMBERS = 8
_SUPPORT = Wording("symbol", "symbols", marked("support"), marked("records that hold the symbol (support)"))
_SIZE = Wording("symbol", "symbols", marked("size"), marked("items in the symbol (size)"))
_LENGTH = Wording("record", "records", marked("symbols"), marked("symbols in the record (length)"))


def summary(facts: TransactionFacts) -> Markup:
    """Section: what was published, how rare it gets, and what it cost."""
    data, found, measured = facts.section("data"), facts.section("verdict"), facts.section("utility")
    empty = int((facts.lengths == 0).sum())
    labels = {label for name in facts.names for label in name}
    tiles = [
        tile(
            _("Records"),
            exact(len(facts.lengths)),
            _("{empty:,} of them empty", empty=empty) if empty else _("one row each"),
        ),
        tile(_("Items"), exact(len(labels)), f"in {counted(len(facts.names), 'symbol')}"),
        tile(_("Intact symbols"), exact(facts.n_intact), _("single items")),
        tile(_("Generalized symbols"), exact(facts.n_generalized), _("several items each")),
    ]
    if found.get("achieved") is not None:
        tiles.append(
            tile(
                _("Smallest support"),
                exact(found["achieved"]),
                _("{required} required", required=shown(found.get("required"))),
            )
        )
    if data.get("suppressed"):
        tiles.append(tile(_("Suppressed items"), exact(len(data["suppressed"])), listed(data["suppressed"], 4)))
    for name, title in (("item_ncp_loss", _("Certainty penalty")), ("utility_loss", _("Utility loss"))):
        if name in measured:
            tiles.append(tile(title, exact(measured[name]), _("0 is none, 1 is all; lower is better")))
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def shares(facts: TransactionFacts) -> Markup:
    """Section: how many records share what was published."""
    words = [_("No symbol was published.")]
    if len(facts.supports):
        words = [
            _(
                "The rarest symbol is in {records}, the median one in {median}, the most frequent one in {max:,}.",
                records=counted(int(facts.supports.min()), "record"),
                median=figure(float(np.median(facts.supports))),
                max=facts.supports.max(),
            )
        ]
    rarest = [
        _("The rarest set of {items} fits {records}.", items=counted(size, "item"), records=counted(support, "record"))
        for size, support in enumerate(facts.smallest_by_size, start=1)
    ]
    return section(
        _("How many share it"),
        paragraph(_("The support of a symbol is the number of records that hold it.")),
        columns(
            pictured(_("Support of each symbol"), _support_histogram(facts), *words, *rarest),
            pictured(_("Items in each symbol"), _size_histogram(facts)),
        ),
    )


def generalized(facts: TransactionFacts) -> Markup:
    """Section: the largest generalized symbols with their items."""
    heading = _("What was generalized")
    if not facts.n_generalized:
        return section(heading, paragraph(_("Nothing was generalized: every published symbol is a single item.")))
    chosen = facts.largest_first[:MOST_LISTED]
    head = element(
        "tr",
        element("th", _("Published as some of"), scope="col"),
        element("th", _("Items"), scope="col", class_="numeric"),
        element("th", _("Records"), scope="col", class_="numeric"),
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
    note = (
        _("The largest {chosen} of {n_generalized:,} symbols.", chosen=len(chosen), n_generalized=facts.n_generalized)
        if left
        else _("All of them are listed.")
    )
    table = element("table", element("thead", head), element("tbody", *rows))
    return section(heading, element("div", table, class_="scroll"), paragraph(note, class_="muted small note"))


def _members(names: tuple[str, ...]) -> Markup:
    """Each name apart from its neighbours, so that none can change the direction in which others are read."""
    shown_names = join([element("bdi", shortened(name)) for name in names[:MOST_MEMBERS]], ", ")
    left = len(names) - MOST_MEMBERS
    return (
        shown_names
        if left <= 0
        else join([shown_names, element("span", _(" and {left:,} more", left=left), class_="muted")])
    )


def lengths(facts: TransactionFacts) -> Markup:
    """Section: how many symbols the published records have."""
    words = _("No record was published.")
    if len(facts.lengths):
        words = _(
            "From {min:,} to {symbols}, {mean} on average.",
            min=int(facts.lengths.min()),
            symbols=counted(int(facts.lengths.max()), "symbol"),
            mean=figure(float(facts.lengths.mean()), 3),
        )
    return section(_("Lengths"), columns(pictured(_("Symbols in each record"), _length_histogram(facts), words)))


def _support_histogram(facts: TransactionFacts) -> Markup:
    label = _(
        "Histogram of the support of {published_symbols}.",
        published_symbols=counted(len(facts.names), "published symbol"),
    )
    return histogram(_by_kind(facts, facts.supports), _SUPPORT, label, facts.required)


def _size_histogram(facts: TransactionFacts) -> Markup:
    label = _(
        "Histogram of the sizes of {published_symbols}.",
        published_symbols=counted(len(facts.names), "published symbol"),
    )
    return histogram(_by_kind(facts, facts.sizes), _SIZE, label)


def _length_histogram(facts: TransactionFacts) -> Markup:
    label = _(
        "Histogram of the lengths of {published_records}.",
        published_records=counted(len(facts.lengths), "published record"),
    )
    return histogram((Series("bar-neutral", "", facts.lengths),), _LENGTH, label)


def _by_kind(facts: TransactionFacts, values: Any) -> tuple[Series, Series]:
    return (
        Series("bar-generalized", marked("generalized"), values[~facts.intact]),
        Series("bar-intact", marked("intact"), values[facts.intact]),
    )


TRANSACTION_REPORT = ReportPlan(
    lambda manifest, published, _: TransactionFacts.of(manifest, published),
    (verdict, summary, promise, shares, generalized, lengths, utility, provenance),
    {"support-histogram": _support_histogram, "symbol-sizes": _size_histogram, "record-lengths": _length_histogram},
)
