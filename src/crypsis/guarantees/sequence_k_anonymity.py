"""Sequence k-anonymity: whatever part of a trajectory is published, k individuals have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import EACH_UNIT, POOLED_KNOWLEDGE
from crypsis.guarantees.known_time import TIMES_NOT_COVERED
from crypsis.guarantees.shared_sequences import SharedSequences
from crypsis.guarantees.trajectory_or_owner import CountsIndividuals, Unit
from crypsis.parameters import AtLeast

_IN_ORIGINAL = "For what fewer than k published trajectories contain, that k original ones do."


@dataclass(frozen=True, kw_only=True)
class SequenceKAnonymity(CountsIndividuals, SharedSequences):
    """Every published subsequence is contained in the trajectories of at least k individuals, original or published.

    Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity through
    generalization. Transactions on Data Privacy 3, 2010, 91-121: Definition 9, asked of every published subsequence
    instead of whole trajectories only.
    """

    protects_from = (
        "Somebody knows any part of a person's way, however long. Whatever is published of it, at least k people "
        "went that way."
    )
    model = "sequence-k-anonymity"
    recounts = "How many published trajectories contain each published one."
    assumptions = (
        "The adversary knows any part of the victim's trajectory, in visiting order, of any length.",
        "The adversary does not know whether the victim's trajectory was published at all; with `strict` that may be "
        "known.",
        EACH_UNIT,
    )
    not_covered = (
        "Without `strict`: certainty that the victim was published. A sequence that k original trajectories contain "
        "may be published fewer than k times.",
        "Knowing that these are all locations of the victim.",
        TIMES_NOT_COVERED,
        "What all individuals who share a sequence have in common.",
        POOLED_KNOWLEDGE,
    )

    k: Annotated[int, AtLeast(1), "Individuals that must share each published sequence."] = 5
    strict: Annotated[bool, "Whether the published data alone must show k individuals for each sequence."] = False
    unit: Unit = "trajectory"

    @property
    def publisher_only(self) -> tuple[str, ...]:
        return (*super().publisher_only, *(() if self.strict else (_IN_ORIGINAL,)))

    @property
    def scope(self) -> str:
        where = "of the published data" if self.strict else "of the original or of the published data"
        return (
            f"Every sequence of locations that a published trajectory contains is contained in the data of at least "
            f"{self.k} {self.individuals} {where}."
            f"{self.time_words}"
        )
