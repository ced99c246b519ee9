"""Usefulness: a release that says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class EmptyReleaseCheck(Check):
    """No records, or none with anything in it. Computed from the published data alone."""

    code = "empty-release"
    light = "usefulness"
    label = "Empty release"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        if subject.published.contents > 0:
            return
        words = "The release is empty: no record of it says anything."
        yield Finding(self.code, Colour.RED, words, 0, None, None, _remedy(subject))


def _remedy(subject: Subject) -> Remedy:
    if subject.private:
        return Remedy("Noise covers the counts: use more records, fewer declared values, or a larger epsilon")
    if subject.table is not None:
        return Remedy("Lower k, allow fewer suppressed records, or give a hierarchy")
    return Remedy("Lower k or m, choose another method, or a coarser map")
