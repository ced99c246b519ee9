"""Section: the classes of a published table, and what its columns show."""

from __future__ import annotations

from crypsis.data.encoded_column import ROLE_NAMES, TYPE_LABELS
from crypsis.drawing.markup import Markup, element
from crypsis.reports.page import columns, exact, paragraph, pictured, section, tile
from crypsis.reports.pictures.class_sizes import class_sizes
from crypsis.reports.table_facts import ColumnFacts, TableFacts
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted, figure


def table_glance(facts: TableFacts) -> Markup:
    """The figures at a summary."""
    verdict = facts.section("verdict")
    smallest = int(facts.sizes.min()) if len(facts.sizes) else 0
    tiles = [
        tile(
            _("Records"),
            exact(facts.section("data").get("rows", 0)),
            _("{suppressed:,} of them suppressed", suppressed=facts.suppressed),
        ),
        tile(_("Classes"), exact(len(facts.sizes)), _("combinations of quasi-identifiers")),
        tile(
            _("Smallest class"),
            exact(smallest),
            _("records") if facts.k is None else _("records; {k:,} required", k=facts.k),
        ),
    ]
    for promise in verdict.get("promises") or []:
        if promise.get("model") != "k-anonymity":
            detail = _("{required} required", required=figure(promise.get("required")))
            tiles.append(tile(translated(str(promise.get("model"))), exact(promise.get("achieved")), detail))
    loss = facts.section("utility").get("ncp_loss")
    if loss is not None:
        tiles.append(tile(_("Information loss"), exact(loss), _("share of what the columns told; lower is better")))
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def classes(facts: TableFacts) -> Markup:
    """Histogram of class sizes and a table of columns."""
    if not len(facts.sizes):
        return section(_("Classes and columns"), paragraph(_("No record was published."), class_="muted"))
    mean = float(facts.sizes.mean())
    caption = _(
        "{classes} of {mean} records on average.",
        classes=counted(len(facts.sizes), "class", "classes"),
        mean=figure(mean, 3),
    )
    head = element(
        "tr",
        *(element("th", title, scope="col") for title in (_("Column"), _("Role"), _("Type"), _("What it shows"))),
    )
    rows = [_row(column) for column in facts.columns]
    table = element("table", element("thead", head), element("tbody", *rows))
    return section(
        _("Classes and columns"),
        columns(pictured(_("Records in each class"), class_sizes(facts), caption)),
        element("div", table, class_="scroll"),
    )


def _row(column: ColumnFacts) -> Markup:
    shown = ", ".join(
        _(_STATES[kind], records=counted(records, "record"))
        if kind in _STATES
        else _(
            "{records} in {cells}",
            records=counted(records, "record"),
            cells=counted(column.cells[kind], *CELL_NOUNS[kind]),
        )
        for kind, records in column.records.items()
    )
    return element(
        "tr",
        element("th", column.name, scope="row"),
        element("td", translated(ROLE_NAMES.get(column.role, column.role))),
        element("td", translated(TYPE_LABELS.get(column.type, column.type))),
        element("td", shown),
    )


_STATES = {
    "missing": marked("{records} without a value"),
    "any": marked("{records} with any value (*)"),
    "suppressed": marked("{records} suppressed"),
}
CELL_NOUNS = {
    "values": ("value", "values"),
    "ranges": ("range", "ranges"),
    "nodes": ("group of its hierarchy", "groups of its hierarchy"),
    "sets": ("set of values", "sets of values"),
}
