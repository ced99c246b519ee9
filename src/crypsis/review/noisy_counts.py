"""Usefulness of a differentially private release: counts that are smaller than the noise on them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from crypsis.guarantees import DifferentialPrivacy
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds


class NoisyCountsCheck(Check):
    """Published counts below the standard deviation of noise that all of epsilon would leave on them.

    Counts get only a part of epsilon, so the noise is larger still. Computed from the published counts and epsilon
    alone; amber where it is so of more than half of the counts, whose relative error is then above 1.
    """

    code = "counts-below-noise"
    light = "usefulness"
    label = "Counts below the noise"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        promised = subject.guarantee
        if not isinstance(promised, DifferentialPrivacy):
            return
        counts = subject.published.noisy_counts
        if counts is None or not len(counts) or not counts.any():
            return
        records = int(getattr(subject.published, "budget", {}).get("records_per_person") or 1)
        noise = math.sqrt(2) * records / float(promised.epsilon)
        number, total = int(np.count_nonzero(counts < noise)), len(counts)
        colour = Colour.AMBER if number > total / 2 else Colour.GREEN
        if not number:
            return
        words = (
            f"{number:,} of {total:,} published counts ({percent(number / total)}) are below the noise "
            f"(standard deviation of at least {noise:.3g})."
        )
        remedy = Remedy("Use more records, declare fewer values, or spend a larger epsilon")
        yield Finding(self.code, colour, words, number, total, number / total, remedy)
