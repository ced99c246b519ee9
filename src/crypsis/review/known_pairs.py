"""Disclosure: people who can be singled out by two places they visited, or two items they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.review.check import Check, colour_of
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds
from crypsis.translation import marked


class KnownPairsCheck(Check):
    """The adversary knows two places or items of a person, as they are published, and no order. Everybody is tried
    with all pairs; where that would be more work than allowed, with single ones, and the finding says so.
    """

    code = "known-pairs"
    light = "disclosure"
    label = "People singled out by two places or items"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        rows = subject.rows_of_symbols
        if rows is None or not len(rows.codes):
            return
        known = _known(rows.offsets, rows.codes, len(rows.symbols), subject.person, limits.work)
        number, total = known.alone, known.people
        many = rows.words[1]
        what = f"two published {many}" if known.size == 2 else f"a single published {rows.words[0]}"
        words = f"{subject.of(number, total)} can be singled out by {what}."
        before = _before(subject, limits.work)
        if before is not None:
            pieces = marked(f"two {many}") if before.size == 2 else marked(f"one {rows.words[0]}")
            share = percent(before.alone / max(before.people, 1))
            words = f"{subject.of(number, total)} can be singled out by {what} (before: {share} by {pieces})."
        if known.size == 1:
            words += f" Pairs were not tried: there are {known.work:,}, and a review tries at most {limits.work:,}."
        colour = colour_of(number / max(total, 1), limits.unique_amber, limits.unique_red)
        remedy = None
        if colour != Colour.GREEN:
            remedy = Remedy("Raise k, or choose a method that protects against two known " + many)
            if "m" in subject.settings:
                remedy = Remedy(f"Protect against two known {many}", "m", 2)
        yield Finding(self.code, colour, words, number, total, number / max(total, 1), remedy)


@dataclass(frozen=True)
class Known:
    """What was tried: of `people`, known by `size` pieces, `alone` were singled out; `work` is how many pairs."""

    size: int
    alone: int
    people: int
    work: int

    @property
    def share(self) -> float:
        return self.alone / max(self.people, 1)


def _before(subject: Subject, work: int) -> Known | None:
    if subject.private:
        return None
    return known_before(subject.original, subject.person if subject.aligned else None, work)


def known_before(data: Any, person: Int64s | None, work: int) -> Known | None:
    """What two places or items single out of data as collected, given whose each record is; None of tables."""
    original = getattr(data, "transactions", data)
    codes: Any = getattr(original, "codes", None)
    items = getattr(original, "items", None)
    values = codes if codes is not None else items
    if values is None or not len(values):
        return None
    domain = getattr(original, "locations", None)
    width = len(domain) if domain is not None else len(original.vocabulary)
    person = person if person is None or len(person) == len(original) else None
    return _known(original.offsets, values, width, person, work)


def _known(offsets: Int64s, codes: Int32s, width: int, person: Int64s | None, work: int) -> Known:
    """How many people have a pair of pieces that nobody else has; rows of a person are united first."""
    owner = np.repeat(np.arange(len(offsets) - 1) if person is None else person, np.diff(offsets))
    keys = np.unique(owner.astype(np.int64) * width + codes)
    people_of, pieces = keys // width, keys % width
    people, index = np.unique(people_of, return_inverse=True)
    lengths = np.bincount(index, minlength=len(people))
    pairs = int((lengths * (lengths - 1) // 2).sum())
    support = np.bincount(pieces, minlength=width)
    single = np.zeros(len(people), np.bool_)
    single[index[support[pieces] == 1]] = True
    if pairs > work:
        return Known(1, int(np.count_nonzero(single)), len(people), pairs)
    from scipy.sparse import csr_array  # a quarter of a second, which tables need not wait for

    held = csr_array((np.ones(len(keys), np.int64), (index, pieces)), shape=(len(people), width))
    numbered = csr_array((index + 1, (index, pieces)), shape=(len(people), width))
    counts, owners = (held.T @ held).tocsr(), (held.T @ numbered).tocsr()
    # Of a pair that one person has, the sum of the numbers of those who have it is the number of this person.
    counts.sort_indices()
    owners.sort_indices()
    single[owners.data[counts.data == 1] - 1] = True
    return Known(2, int(np.count_nonzero(single)), len(people), pairs)
