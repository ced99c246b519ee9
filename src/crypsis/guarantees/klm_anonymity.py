"""(k,l)^m-anonymity: who shares m known pieces is not found, and what is sensitive about them is not learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import EACH_UNIT, POOLED_KNOWLEDGE
from crypsis.guarantees.km_anonymity import KnownLength, SharedByIndividuals
from crypsis.guarantees.known_time import TIMES_NOT_COVERED, OrderOrTime
from crypsis.guarantees.trajectory_or_owner import Unit
from crypsis.parameters import AtLeast

OneInL = Annotated[int, AtLeast(1), "At most one in l of them may have visited the same sensitive location."]


@dataclass(frozen=True, kw_only=True)
class KlmAnonymity(OrderOrTime):
    """Every known subsequence of 1 to m symbols is shared by k individuals, at most one in l with the same secret.

    Sensitive locations are published as they are; what an adversary may know is all the others.

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Select-Organize-Anonymize: A framework for trajectory data
    anonymization. IEEE ICDM Workshops 2013, 867-874; with l read as the bound 1/l on a probability.
    """

    protects_from = (
        "Somebody saw a person at up to m places and asks whether they also were at a sensitive one, such as a "
        "clinic. At least k people fit, and at most one in l of them was at the same sensitive place."
    )
    model = "(k,l)^m-anonymity"
    recounts = (
        "How many individuals share each sequence of up to m published locations, and how many of them a sensitive one."
    )
    assumptions = (
        "The adversary knows at most m locations of the victim that are not sensitive, in visiting order.",
        EACH_UNIT,
        "All sensitive locations are marked as such.",
    )
    not_covered = (
        "Knowing a sensitive location of the victim.",
        "The share of a sensitive location in the whole data, known without knowing anything about the victim.",
        "Knowing that these are all locations of the victim, or where between sensitive visits they lie.",
        "Which rows were recoded together, and conclusions from knowing which merges the algorithm would have chosen.",
        TIMES_NOT_COVERED,
        POOLED_KNOWLEDGE,
    )

    k: SharedByIndividuals = 5
    l: OneInL = 2  # noqa: E741
    m: KnownLength = 2
    unit: Unit = "trajectory"

    @property
    def scope(self) -> str:
        individuals, where = ("trajectories", "") if self.unit == "trajectory" else ("owners", " in such a trajectory")
        return (
            f"Every sequence of up to {self.m} published locations that are not sensitive and that occurs in the data "
            f"occurs for at least {self.k} {individuals}, and at most one in {self.l} of these visited any one "
            f"sensitive location{where}."
            f"{self.time_words}"
        )

    @property
    def trivial(self) -> bool:
        return self.m == 0 or (self.k == 1 and self.l == 1)
