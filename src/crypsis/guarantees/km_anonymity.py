"""k^m-anonymity: whatever m pieces an adversary knows, at least k individuals share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import EACH_UNIT, KNOWN_MERGES, POOLED_KNOWLEDGE
from crypsis.guarantees.known_time import TIMES_NOT_COVERED, OrderOrTime
from crypsis.guarantees.trajectory_or_owner import CountsIndividuals, Unit
from crypsis.parameters import AtLeast

KnownLength = Annotated[int, AtLeast(0), "Longest subsequence the adversary may know."]
SharedByIndividuals = Annotated[int, AtLeast(1), "Individuals that must share each subsequence."]


@dataclass(frozen=True, kw_only=True)
class KmAnonymity(CountsIndividuals, OrderOrTime):
    """Every subsequence of 1 to m symbols that occurs at all occurs for at least k individuals.

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: Definition 4.
    """

    protects_from = (
        "Somebody saw a person at up to m places and knows their order. At least k people were at all of them in "
        "this order."
    )
    model = "k^m-anonymity"
    recounts = "How many individuals share each sequence of up to m published locations."
    assumptions = (
        "The adversary knows at most m locations of the victim, in visiting order.",
        EACH_UNIT,
    )
    not_covered = (
        "Knowing that these are all locations of the victim.",
        TIMES_NOT_COVERED,
        POOLED_KNOWLEDGE,
        KNOWN_MERGES,
    )

    k: SharedByIndividuals = 5
    m: KnownLength = 2
    unit: Unit = "trajectory"

    @property
    def scope(self) -> str:
        return (
            f"Every sequence of up to {self.m} published locations that occurs in the data "
            f"occurs for at least {self.k} {self.individuals}."
            f"{self.time_words}"
        )

    def meaning_for(self, known: Sequence[str]) -> str:
        places = "one place" if self.m == 1 else f"up to {self.m} places, in their order,"
        people = f"at least {self.k} people" + (", if no two trajectories are of one person" * (self.unit != "owner"))
        return f"Somebody who knows {places} that a person visited is left with {people}."

    @property
    def trivial(self) -> bool:
        return self.k == 1 or self.m == 0
