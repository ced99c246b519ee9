"""Usefulness: a release that says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.windows import PublishedWindows
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class EmptyReleaseCheck(Check):
    """No records, or none with anything in it. Computed from the published data alone."""

    code: ClassVar[str] = "empty-release"
    light: ClassVar[str] = "usefulness"
    label: ClassVar[str] = "Empty release"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        left = _contents(subject)
        if left is None or left > 0:
            return
        words = "The release is empty: no record of it says anything."
        yield Finding(self.code, Colour.RED, words, 0, None, None, _remedy(subject))


def _remedy(subject: Subject) -> Remedy:
    if subject.private:
        return Remedy("Noise covers the counts: use more records, fewer declared values, or a larger epsilon")
    if subject.table is not None:
        return Remedy("Lower k, allow fewer suppressed records, or give a hierarchy")
    return Remedy("Lower k or m, choose another method, or a coarser map")


def _contents(subject: Subject) -> int | None:
    """How much is published: records, visits or items; None where this is not counted."""
    data: Any = subject.published
    if isinstance(data, CountedRegions):
        return data.records
    if isinstance(data, SyntheticTrajectories):
        return data.visits
    if isinstance(data, SyntheticTransactions):
        return data.occurrences
    if isinstance(data, (PublishedWindows, DisassociatedTransactions)):
        return data.records if isinstance(data, PublishedWindows) else len(data)
    if subject.table is not None:
        return int(subject.shown.sum())
    rows = subject.rows_of_symbols
    return None if rows is None else len(rows.codes)
