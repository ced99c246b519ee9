"""Guarantee: the verdict, with the assumption about persons in the same sentence."""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.guarantees import DifferentialPrivacy
from crypsis.guarantees.verdict import PUBLISHERS_WORD
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds
from crypsis.wording import figure

OWN_PERSON = "where each record is a person of its own"


class VerdictCheck(Check):
    """Red where the guarantee fails or protects nothing, amber where a recipient cannot recount it."""

    code = "verdict"
    light = "guarantee"
    label = "Verdict of the verifier"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        verdict, promised = subject.verdict, subject.guarantee
        assumed = _assumption(subject)
        if not verdict.holds:
            words = f"{promised} fails {assumed}: {verdict.problem}"
            yield Finding(self.code, Colour.RED, words, remedy=Remedy("Do not publish; choose other settings"))
        elif promised.trivial:
            words = f"{promised} holds {assumed}, but protects nothing: no protection was requested."
            remedy = Remedy("Ask for protection", "k", 5) if "k" in subject.settings else Remedy("Ask for protection")
            yield Finding(self.code, Colour.RED, words, remedy=remedy)
        else:
            level, bound = promised.level_words
            achieved, required = verdict.achieved, figure(verdict.required)
            if achieved is not None:
                words = f"Verified {assumed}: {promised}; {figure(achieved)} {level}, {required} {bound}."
            elif verdict.counted == PUBLISHERS_WORD:
                words = f"Verified {assumed}: {promised}; counted with the original, {required} {bound}."
            else:
                words = f"Verified {assumed}: {promised}; nothing rare occurs, {required} {bound}."
            if subject.counts_people and not subject.private:
                words += " A recipient cannot recount it, because it is not published who the records belong to."
                yield Finding(self.code, Colour.AMBER, words)
            else:
                yield Finding(self.code, Colour.GREEN, words)


def _assumption(subject: Subject) -> str:
    promised = subject.guarantee
    if isinstance(promised, DifferentialPrivacy):
        return "where all records of a person count" if promised.unit == "person" else OWN_PERSON
    if subject.counts_people:
        return "where all records of a person count as one"
    return "assuming that each record is a person of its own"
