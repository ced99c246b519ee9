"""Section: the classes of a published table, and what its columns show."""

from __future__ import annotations

from crypsis.data.encoded_column import ROLE_NAMES, TYPE_LABELS
from crypsis.drawing.markup import Markup, element
from crypsis.reports.page import columns, exact, paragraph, pictured, section, tile
from crypsis.reports.pictures.class_sizes import class_sizes
from crypsis.reports.table_facts import ColumnFacts, TableFacts
from crypsis.wording import counted, figure


def table_glance(facts: TableFacts) -> Markup:
    """The figures at a summary."""
    found = facts.section("verdict")
    smallest = int(facts.sizes.min()) if len(facts.sizes) else 0
    tiles = [
        tile("Records", exact(facts.section("data").get("rows", 0)), f"{facts.suppressed:,} of them suppressed"),
        tile("Classes", exact(len(facts.sizes)), "combinations of quasi-identifiers"),
        tile("Smallest class", exact(smallest), "records" if facts.k is None else f"records; {facts.k:,} required"),
    ]
    for promise in found.get("promises") or []:
        if promise.get("model") != "k-anonymity":
            detail = f"{figure(promise.get('required'))} required"
            tiles.append(tile(str(promise.get("model")), exact(promise.get("achieved")), detail))
    loss = facts.section("utility").get("ncp_loss")
    if loss is not None:
        tiles.append(tile("Information loss", exact(loss), "share of what the columns told; lower is better"))
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def classes(facts: TableFacts) -> Markup:
    """Histogram of class sizes and a table of columns."""
    if not len(facts.sizes):
        return section("Classes and columns", paragraph("No record was published.", class_="muted"))
    mean = float(facts.sizes.mean())
    caption = f"{counted(len(facts.sizes), 'class', 'classes')} of {figure(mean, 3)} records on average."
    head = element(
        "tr",
        *(element("th", title, scope="col") for title in ("Column", "Role", "Type", "What it shows")),
    )
    rows = [_row(column) for column in facts.columns]
    table = element("table", element("thead", head), element("tbody", *rows))
    return section(
        "Classes and columns",
        columns(pictured("Records in each class", class_sizes(facts), caption)),
        element("div", table, class_="scroll"),
    )


def _row(column: ColumnFacts) -> Markup:
    shown = ", ".join(
        f"{counted(records, 'record')} {'are ' if kind in _STATES else f'in {column.cells[kind]:,} '}{kind}"
        for kind, records in column.records.items()
    )
    return element(
        "tr",
        element("th", column.name, scope="row"),
        element("td", ROLE_NAMES.get(column.role, column.role)),
        element("td", TYPE_LABELS.get(column.type, column.type)),
        element("td", shown),
    )


_STATES = frozenset({"missing", "any", "suppressed"})
