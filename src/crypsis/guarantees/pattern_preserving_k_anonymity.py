"""Pattern-preserving k-anonymity: every published sequence is contained in k original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import POOLED_KNOWLEDGE
from crypsis.guarantees.known_time import TIMES_NOT_COVERED
from crypsis.guarantees.shared_sequences import SharedSequences
from crypsis.guarantees.trajectory_or_owner import CountsIndividuals, Unit
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class PatternPreservingKAnonymity(CountsIndividuals, SharedSequences):
    """Every published subsequence is contained in the original sequences of at least k individuals.

    Pensa, Monreale, Pinelli, Pedreschi. Pattern-preserving k-anonymization of sequences and its application to
    mobility data mining. PiLBA 2008: Definition 1.
    """

    protects_from = (
        "Somebody knows any part of a person's sequence, however long. Whatever is published, at least k people of "
        "the original have it."
    )
    model = "pattern-preserving-k-anonymity"
    recounts = "How many original sequences contain each published one."
    needs_original = True
    from_original = ()
    assumptions = (
        "The adversary knows any part of the victim's sequence, in order, of any length.",
        "The adversary does not know whether, and as what, the victim's sequence was published.",
        "Each counted unit (a sequence, or all sequences of an owner) is one individual.",
    )
    not_covered = (
        "Truth of single records: a published sequence may hold items that its individual never had. Only "
        "statistics over many records are meant to be kept.",
        "How often a sequence is published: that can be fewer than k times.",
        TIMES_NOT_COVERED,
        "What all individuals who share a sequence have in common.",
        POOLED_KNOWLEDGE,
    )

    k: Annotated[int, AtLeast(1), "Individuals whose original data must contain each published sequence."] = 5
    unit: Unit = "trajectory"

    @property
    def scope(self) -> str:
        return (
            f"Every sequence of locations that a published trajectory contains is contained in the original data of "
            f"at least {self.k} {self.individuals}. Published trajectories need not be true for any single individual."
            f"{self.time_words}"
        )
