"""Usefulness: how much was suppressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from crypsis.data.stream import Events
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.windows import PublishedWindows
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds


class SuppressedRecordsCheck(Check):
    """Suppressed records of a table, which the release shows; visits and items that are missing, by the original."""

    code = "suppressed"
    light = "usefulness"
    label = "Suppressed records"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        for what, number, total, remedy in _suppressed(subject):
            share = number / total if total else 0.0
            if share <= limits.suppressed_amber:
                continue
            colour = Colour.RED if share >= limits.suppressed_red else Colour.AMBER
            words = f"{number:,} of {total:,} {what} ({percent(share)}) are suppressed."
            yield Finding(self.code, colour, words, number, total, share, remedy)


def _suppressed(subject: Subject) -> Iterator[tuple[str, int, int, Remedy]]:
    table = subject.table
    if table is not None:
        words = "Allow fewer suppressed records" if "max_suppressed" in subject.settings else "Lower k"
        remedy = Remedy(words, "max_suppressed", 0.05) if "max_suppressed" in subject.settings else Remedy(words)
        yield "records", int(np.count_nonzero(table.suppressed)), len(table), remedy
    original: Any = subject.original
    published: Any = subject.published
    advice = Remedy("Lower k or m, or use a coarser map or another method")
    if isinstance(original, Trajectories) and isinstance(published, PublishedTrajectories):
        yield "visits", max(original.visits - published.visits, 0), original.visits, advice
    elif isinstance(original, Transactions) and isinstance(published, PublishedTransactions):
        kept = published.symbols.vocabulary.encode(original.vocabulary.series) >= 0
        lost = int(original.supports[~kept].sum())
        yield "items in records", lost, original.occurrences, advice
    elif isinstance(original, Events) and isinstance(published, PublishedWindows):
        keys = np.stack([original.persons.astype(np.int64), original.t, original.location_codes.astype(np.int64)], 1)
        times = np.sort(np.unique(keys, axis=0)[:, 1])
        held = sum(int(np.diff(np.searchsorted(times, [window.x, window.y + 1]))[0]) for window in published)
        left = sum(len(window.times) for window in published)
        advice = Remedy("Lower K or L, or use coarser places or times")
        yield "places with times in the windows", max(held - left, 0), held, advice
