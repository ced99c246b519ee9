"""The public report of a release of a table: one HTML page that uses nothing that is not published."""

from __future__ import annotations

from crypsis.reports.pictures.class_sizes import class_sizes
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.classes import classes, table_glance
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.table_facts import TableFacts

TABLE_REPORT = ReportPlan(
    lambda manifest, published, _: TableFacts.of(manifest, published),
    (verdict, table_glance, promise, classes, utility, provenance),
    {"class_sizes": class_sizes},
)
