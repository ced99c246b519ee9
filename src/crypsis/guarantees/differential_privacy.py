"""Differential privacy: whether one person's data were used can hardly be told from the release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from crypsis.guarantees.guarantee import Guarantee
from crypsis.parameters import AtLeast, Between, Epsilon, OneOf
from crypsis.translation import marked


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy(Guarantee):
    """No release becomes more likely by more than a factor exp(epsilon) when one unit's data are added or removed.

    Dwork, McSherry, Nissim, Smith. Calibrating noise to sensitivity in private data analysis. TCC 2006.
    """

    protects_from = (
        "Whatever anybody knows: the release would look nearly the same without the person in the data. How nearly "
        "is said by epsilon; smaller is safer."
    )
    model = "differential privacy"
    level_words = (marked("spent"), marked("allowed"))
    recounts = "That the rows have the declared form, and that no more was spent than is allowed."
    needs_original = False
    from_original = (
        "The ledger of the run, which adds up what was spent; that noise was drawn as the proof of the method asks.",
    )
    assumptions = (
        "Everything but the records is public: the declared domains, the taxonomies, every parameter.",
        "The randomness of the operating system cannot be predicted, and the time that a run took is not published.",
    )
    not_covered = (
        "What is true of many people: a release may teach that everybody who lives here works there.",
        "Groups: about a family of four it is a promise with four times the epsilon.",
        "Other releases about the same people, whose epsilons add up; a ledger keeps account of them.",
        "What the publisher learns or writes about the original data elsewhere, measured utility included.",
    )

    epsilon: Annotated[Fraction, Epsilon(), "Largest change of the logarithm of a probability."] = Fraction(1)
    delta: Annotated[Fraction, Between(0, 0), "Always 0: the guarantee has no exceptions."] = Fraction(0)
    unit: Annotated[
        str, OneOf(person="each person", record="each record"), "Whose data are added or removed as a whole."
    ] = "person"
    relation: Annotated[
        str,
        OneOf(**{"add-or-remove-one": "one has the data of one unit more"}),
        "Which datasets are neighbours: one has the data of one unit more.",
    ] = "add-or-remove-one"

    persons: Annotated[
        str,
        OneOf(**{"told-by-ids": "as a column names them", "each-record": "each record is a person"}),
        "Whether ids tell whose a record is, or each record is a person.",
    ] = "each-record"
    records_per_person: Annotated[int, AtLeast(1), "Records of one person that count at most."] = 1
    reading: Annotated[
        str,
        OneOf(**{"by-record": "each record by itself", "not-covered": "not part of the guarantee"}),
        "Whether each record was read by itself, so that reading is part of the guarantee.",
    ] = "not-covered"

    def stated(self, name: str) -> tuple[str, ...]:
        sentences = super().stated(name)
        return (*sentences, self._about_persons, _READING[self.reading]) if name == "assumptions" else sentences

    @property
    def _about_persons(self) -> str:
        most = self.records_per_person
        if self.persons == "told-by-ids":
            records = "1 record" if most == 1 else f"{most} records"
            return f"What bears one id in the data is one person's, and at most {records} of each person count."
        if most > 1:
            return f"Nobody has more than {most} records; nothing in the data says whose a record is."
        return "Each record is a person of its own; about somebody with m records it is a guarantee with m epsilon."

    def __str__(self) -> str:
        return f"{self.model} (epsilon={self.epsilon}, delta={self.delta})"

    @property
    def scope(self) -> str:
        whose = "one person's data" if self.unit == "person" else "one record"
        return (
            f"Adding or removing {whose} changes the probability of any release by a factor of at most "
            f"exp({self.epsilon}), about {_factor(self.epsilon)}."
        )

    def meaning_for(self, known: Sequence[str]) -> str:
        whose = "a person's data" if self.unit == "person" else "a record"
        return (
            f"Somebody who holds it as likely as not that {whose} were used, and knows everything else, is at most "
            f"{_certainty(self.epsilon)} sure of it after reading the release."
        )


_READING = {
    "by-record": "Each record was read from its file by itself; a line that is no record was left out and changes "
    "no other. The header line and the settings of reading are public.",
    "not-covered": "Reading the data is not covered: they were handed over by a program that may have looked at all "
    "records to tell the types, or refused some.",
}


def _certainty(epsilon: Fraction) -> str:
    """What an even chance becomes at most, rounded up."""
    chance = 1 / (1 + 2.718281828459045 ** -float(epsilon))
    return f"{math.ceil(100 * chance)} %" if chance < 0.99 else f"{math.ceil(10_000 * chance) / 100:g} %"


def _factor(epsilon: Fraction) -> str:
    return f"{2.718281828459045 ** float(epsilon):.4g}"
