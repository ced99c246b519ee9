"""The public report of a release of a table: one HTML page that uses nothing that is not published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.data.relational import PublishedTable
from crypsis.reports.release_page import release_page
from crypsis.reports.sections.classes import classes, table_glance
from crypsis.reports.sections.making import making
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.table_facts import TableFacts


def render_table_report(manifest: Mapping[str, Any], published: PublishedTable) -> str:
    """The page of a release, from its manifest and its records."""
    facts = TableFacts.of(manifest, published)
    sections = (
        verdict(facts), table_glance(facts), promise(facts), classes(facts), utility(facts), making(facts),
    )  # fmt: skip
    return release_page(facts, *sections)
