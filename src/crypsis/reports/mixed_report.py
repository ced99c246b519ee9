"""The public report of a release of mixed data: its classes, its columns, and the items that its records show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from crypsis.data.mixed import PublishedMixed
from crypsis.drawing.markup import Markup
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.utility import utility
from crypsis.reports.table_facts import TableFacts
from crypsis.reports.table_report import TABLE_REPORT
from crypsis.reports.transaction_facts import TransactionFacts
from crypsis.reports.transaction_report import TRANSACTION_REPORT, generalized, lengths


class MixedFacts(ManifestFacts):
    """The facts of both parts. What is said of the whole release follows from its table."""

    row_words = TableFacts.row_words

    def __init__(self, manifest: Mapping[str, Any], published: PublishedMixed) -> None:
        self.manifest = manifest
        self.table = replace(TableFacts.of(manifest, published.table), items=published.column)
        self.items = TransactionFacts.of(manifest, published.transactions)


def _of_table(part: Callable[[TableFacts], Markup]) -> Callable[[MixedFacts], Markup]:
    return lambda facts: part(facts.table)


def _of_items(part: Callable[[TransactionFacts], Markup]) -> Callable[[MixedFacts], Markup]:
    return lambda facts: part(facts.items)


MIXED_REPORT = ReportPlan(
    lambda manifest, published, _: MixedFacts(manifest, published),
    (
        *(_of_table(section) for section in TABLE_REPORT.sections[:-2]),
        *(_of_items(section) for section in (generalized, lengths)),
        *(_of_table(section) for section in (utility, provenance)),
    ),
    {
        **{name: _of_table(picture) for name, picture in TABLE_REPORT.pictures.items()},
        **{name: _of_items(picture) for name, picture in TRANSACTION_REPORT.pictures.items()},
    },
)
