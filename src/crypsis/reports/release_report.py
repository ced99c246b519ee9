"""The public report of a release: one HTML page with the verdict, the figures and the pictures.

It stands beside the published data and uses nothing that is not published. It loads nothing and runs no script.
"""

from __future__ import annotations

from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures import PICTURES
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections import SECTIONS

TRAJECTORY_REPORT = ReportPlan(ReleaseFacts.of, SECTIONS, PICTURES)
