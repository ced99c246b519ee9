"""Disclosure: one person in several classes or trips, which whoever knows the person can put together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.review.check import Check, colour_of
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class RepeatedPeopleCheck(Check):
    """People with records in several classes, or with several trips or baskets.

    Red where the guarantee takes every record for a person of its own and the data say otherwise; amber where people
    are counted, because what somebody knows of several records of a person is not covered.
    """

    code = "repeated-people"
    light = "disclosure"
    label = "The same person in several classes or trips"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        person = subject.person
        if person is None or not len(person):
            return
        width = int(person.max()) + 1
        if subject.table is not None:
            rows, what = np.flatnonzero(subject.shown), "classes"
            held = np.unique(subject.classes[rows] * width + person[rows]) % width
            if not subject.table.quasi:
                held = person[rows]
        else:
            held, what = person, "published records"
        counts = np.bincount(held, minlength=width)
        number, total = int(np.count_nonzero(counts > 1)), int(np.count_nonzero(counts))
        if not number:
            return
        share = number / total
        words = f"{subject.of(number, total)} are in several {what}, up to {int(counts.max()):,}."
        if subject.counts_people:
            words += " What is known of several of them together is not covered."
            colour = min(Colour.AMBER, colour_of(share, limits.repeated_amber, 1.0))
            remedy = Remedy("Publish one record of each person where that will do")
        else:
            words += " The guarantee counts each as another person."
            colour, remedy = Colour.RED, _remedy(subject)
        yield Finding(self.code, colour, words, number, total, share, remedy)


def _remedy(subject: Subject) -> Remedy:
    if "unit" in subject.settings:
        return Remedy("Count people", "unit", "owner")
    return Remedy("Choose a method that counts people")
