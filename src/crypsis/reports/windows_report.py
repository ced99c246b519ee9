"""The report of published windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.windows import PublishedWindows
from crypsis.drawing.markup import Markup, element
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import columns, exact, paragraph, pictured, section, tile
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import figure, shown

_SIZES = Wording("window", "windows", marked("records"), marked("records in the window"))


@dataclass(frozen=True, eq=False)
class WindowFacts(ManifestFacts):
    """What the sections of a report ask for."""

    row_words = ("window", "windows")

    manifest: Mapping[str, Any]
    published: PublishedWindows

    @property
    def rows(self) -> int:
        return len(self.published)

    @cached_property
    def sizes(self) -> Int64s:
        """Records of each window."""
        return np.fromiter(map(len, self.published), np.int64, len(self.published))

    @cached_property
    def visits(self) -> int:
        """Places with times of all records."""
        return sum(len(window.times) for window in self.published)

    @property
    def unit(self) -> str:
        """What the verifier counts; anything but rows can only be recounted by the publisher."""
        covers = (self.section("guarantee").get("parameters") or {}).get("covers")
        return "window" if covers == "window" or self.published.linkable else "person"

    @property
    def units(self) -> str:
        return _("people over several windows")


def glance(facts: WindowFacts) -> Markup:
    """Section: the figures at a summary."""
    data, recount = facts.section("data"), facts.section("verdict")
    empty = int(np.count_nonzero(facts.sizes == 0))
    tiles = [
        tile(_("Windows"), exact(facts.rows), _("{empty:,} of them without a record", empty=empty)),
        tile(_("Records"), exact(data.get("records", facts.published.records)), _("in all windows together")),
        tile(_("Places with times"), exact(data.get("doublets", facts.visits)), _("in all records together")),
    ]
    if recount.get("achieved") is not None:
        detail = _("people; {required} required", required=shown(recount.get("required")))
        tiles.append(tile(_("Fewest who fit"), exact(recount["achieved"]), detail))
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def suppressed(facts: WindowFacts) -> Markup:
    """Section: what was done to the data, and what is left in each window."""
    left = facts.visits / max(facts.published.records, 1)
    summary = translated(str(facts.section("method").get("summary") or ""))
    words = _(
        "A doublet is a place and the time at which somebody was there. {summary} Nothing was generalized: what is "
        "published is as it was collected.",
        summary=summary,
    )
    untold = _("How much was suppressed is not stated, because that would be a statement about the original data.")
    words = words if "private" in facts.manifest else f"{words} {untold}"
    caption = _("A record that is left has {left} places with times on average.", left=figure(left, 3))
    return section(
        _("What was suppressed"),
        paragraph(words),
        columns(pictured(_("Records in each window"), _size_histogram(facts), caption)),
    )


def _size_histogram(facts: WindowFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.sizes),), _SIZES, _("Histogram of the records in windows."))


WINDOWS_REPORT = ReportPlan(
    lambda manifest, published, _: WindowFacts(manifest, published),
    (verdict, glance, promise, suppressed, utility, provenance),
    {"window-sizes": _size_histogram},
)
