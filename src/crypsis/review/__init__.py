"""The review of a release: three lights, each with its findings. One file per finding, one entry here.

A verdict answers one question: does the stated guarantee hold? Beside it stand what the release discloses although the
guarantee holds, and what is left in it. Everything is computed from the published data and, on the publisher's side,
from the original; of a differentially private release from the published data alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crypsis.review.check import Check
from crypsis.review.constant_column import ConstantColumnCheck
from crypsis.review.count_errors import CountErrorsCheck
from crypsis.review.direct_identifiers import DirectIdentifiersCheck
from crypsis.review.empty_release import EmptyReleaseCheck
from crypsis.review.exact_dates import ExactDatesCheck
from crypsis.review.free_text import FreeTextCheck
from crypsis.review.information_loss import InformationLossCheck
from crypsis.review.known_pairs import KnownPairsCheck
from crypsis.review.lights import Colour, Finding, Light, Remedy, Review
from crypsis.review.missing_values import MissingValuesCheck
from crypsis.review.noisy_counts import NoisyCountsCheck
from crypsis.review.repeated_people import RepeatedPeopleCheck
from crypsis.review.revealed_values import RevealedValuesCheck
from crypsis.review.still_tracks import StillTracksCheck
from crypsis.review.subject import Subject
from crypsis.review.suppressed_records import SuppressedRecordsCheck
from crypsis.review.table_risk import TableRiskCheck
from crypsis.review.thresholds import ReviewThresholds
from crypsis.review.unchanged_columns import UnchangedColumnsCheck
from crypsis.review.verdict import VerdictCheck

CHECKS: dict[str, Check] = {
    check.code: check
    for check in (
        VerdictCheck(),
        DirectIdentifiersCheck(),
        FreeTextCheck(),
        ExactDatesCheck(),
        RevealedValuesCheck(),
        UnchangedColumnsCheck(),
        RepeatedPeopleCheck(),
        TableRiskCheck(),
        KnownPairsCheck(),
        MissingValuesCheck(),
        EmptyReleaseCheck(),
        ConstantColumnCheck(),
        StillTracksCheck(),
        InformationLossCheck(),
        SuppressedRecordsCheck(),
        CountErrorsCheck(),
        NoisyCountsCheck(),
    )
}

PUBLIC = "the published data alone"
WITH_ORIGINAL = "the published data and the original"

__all__ = [
    "CHECKS",
    "Check",
    "Colour",
    "Finding",
    "Light",
    "Remedy",
    "Review",
    "ReviewThresholds",
    "Subject",
    "refusals",
    "review",
]


def review(subject: Subject, thresholds: ReviewThresholds | None = None) -> Review:
    """The three lights of a release."""
    if subject.private and subject.original is not None:
        subject = replace(subject, original=None)
    limits = thresholds or ReviewThresholds()
    found: dict[str, list[Finding]] = {"guarantee": [], "disclosure": [], "usefulness": []}
    for check in CHECKS.values():
        found[check.light] += check.findings(subject, limits)
    basis = PUBLIC if subject.original is None else WITH_ORIGINAL
    guarantee, disclosure, usefulness = (Light.of(findings) for findings in found.values())
    return Review(guarantee, disclosure, usefulness, basis)


def refusals(subject: Subject, thresholds: ReviewThresholds | None = None) -> tuple[Finding, ...]:
    """What stands against publishing until its column is confirmed."""
    limits = thresholds or ReviewThresholds()
    checks: Iterable[Check] = (check for check in CHECKS.values() if check.refuses)
    found = (finding for check in checks for finding in check.findings(subject, limits))
    return tuple(finding for finding in found if finding.colour == Colour.RED)
