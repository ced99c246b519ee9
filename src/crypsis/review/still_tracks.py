"""Usefulness: tracks of length 0, which say that somebody was somewhere and not that anybody moved."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.data.trajectory import PublishedTrajectories
from crypsis.review.check import Check, colour_of
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds


class StillTracksCheck(Check):
    """Published tracks all of whose points are one point. Needs points, so symbolic trajectories have none."""

    code = "still-tracks"
    light = "usefulness"
    label = "Tracks of length 0"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        data = subject.published
        if not isinstance(data, PublishedTrajectories) or data.places is None or not len(data):
            return
        from crypsis.metrics.track_lengths import published_lengths  # which no other kind of data needs

        lengths = published_lengths(data)
        number, total = int(np.count_nonzero(lengths == 0)), len(data)
        colour = colour_of(number / total, limits.still_amber, limits.still_red)
        if colour == Colour.GREEN:
            return
        words = f"{number:,} of {total:,} published tracks ({percent(number / total)}) have length 0."
        remedy = Remedy("Lower k, use smaller cells, or choose another method")
        yield Finding(self.code, colour, words, number, total, number / total, remedy)
