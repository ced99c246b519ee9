"""The public report of a release of mixed data: its classes, its columns, and the items that its records show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.data.mixed import PublishedMixed
from crypsis.drawing.svg import standalone
from crypsis.reports.pictures.class_sizes import class_sizes
from crypsis.reports.release_page import release_page
from crypsis.reports.sections.classes import classes, table_glance
from crypsis.reports.sections.making import making
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.table_facts import TableFacts
from crypsis.reports.transaction_facts import TransactionFacts
from crypsis.reports.transaction_report import lengths, merged, transaction_pictures


def render_mixed_report(manifest: Mapping[str, Any], published: PublishedMixed) -> str:
    """The page of a release, from its manifest and its records."""
    table = TableFacts.of(manifest, published.table)
    items = TransactionFacts.of(manifest, published.transactions)
    sections = (
        verdict(table), table_glance(table), promise(table), classes(table), merged(items), lengths(items),
        utility(table), making(table),
    )  # fmt: skip
    return release_page(table, *sections)


def mixed_pictures(manifest: Mapping[str, Any], published: PublishedMixed) -> dict[str, str]:
    """The pictures as SVG files."""
    shown = {"class_sizes": standalone(class_sizes(TableFacts.of(manifest, published.table)))}
    return shown | transaction_pictures(manifest, published.transactions)
