"""The public report of a release of mixed data: its classes, its columns, and the items that its records show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, eq=False)
class MixedFacts(ManifestFacts):
    """The facts of both parts. What is said of the whole release follows from its table."""

    row_words = TableFacts.row_words

    manifest: Mapping[str, Any]
    table: TableFacts
    items: TransactionFacts

    @classmethod
    def of(cls, manifest: Mapping[str, Any], published: PublishedMixed) -> MixedFacts:
        table = replace(TableFacts.of(manifest, published.table), items=published.column)
        return cls(manifest, table, TransactionFacts.of(manifest, published.transactions))


def _of_table(part: Callable[[TableFacts], Markup]) -> Callable[[MixedFacts], Markup]:
    return lambda facts: part(facts.table)


def _of_items(part: Callable[[TransactionFacts], Markup]) -> Callable[[MixedFacts], Markup]:
    return lambda facts: part(facts.items)


MIXED_REPORT = ReportPlan(
    lambda manifest, published, _: MixedFacts.of(manifest, published),
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
