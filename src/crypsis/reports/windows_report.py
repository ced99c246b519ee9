"""The report of published windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from crypsis.data.windows import PublishedWindows
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.translation import _


@dataclass(frozen=True)
class WindowFacts(ManifestFacts):
    """What the sections of a report ask for."""

    row_words: ClassVar[tuple[str, str]] = ("window", "windows")

    manifest: Mapping[str, Any]
    published: PublishedWindows

    @property
    def rows(self) -> int:
        return len(self.published)

    @property
    def unit(self) -> str:
        """What the verifier counts; anything but rows can only be recounted by the publisher."""
        covers = (self.section("guarantee").get("parameters") or {}).get("covers")
        return "window" if covers == "window" or self.published.linkable else "person"

    @property
    def units(self) -> str:
        return _("people over several windows")


WINDOWS_REPORT = ReportPlan(
    lambda manifest, published, _: WindowFacts(manifest, published), (verdict, promise, utility, provenance)
)
