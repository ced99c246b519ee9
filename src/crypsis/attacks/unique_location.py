"""Unique location attack: the adversary knows some different locations that a person visited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.attacks.attack import Attack, AttackResult
from crypsis.attacks.individuals import CandidateUnit, per_individual
from crypsis.attacks.location import fewest_of_visits
from crypsis.attacks.matching import SUPPRESSED, target_of
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class UniqueLocationAttack(Attack):
    """Knows some different locations that a person visited, neither order nor number of the visits.

    A published row is a candidate if it may hold all of them; two locations inside one symbol need two visits to it.
    Everything of up to `knowledge` locations is tried for everybody.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: unique location attack.
    """

    name: ClassVar[str] = "unique-location"

    knowledge: Annotated[int, AtLeast(1), "Different locations that the adversary may know."] = 3
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        target = target_of(seen.published, seen.original, seen.unit)
        whose, location, _ = visited_locations(seen.original)
        atoms = target.atom_of_location[location]
        kept = atoms != SUPPRESSED
        offsets = offsets_of(np.bincount(whose[kept], minlength=len(seen.original)))
        fewest = fewest_of_visits(target, offsets, atoms[kept], self.knowledge, type(self).__name__)
        people = per_individual(fewest, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, people, assumed=seen.notes)


def visited_locations(original: Trajectories) -> tuple[Int64s, Int64s, Int64s]:
    """Trajectory, location and number of visits of every distinct pair, by trajectory, then by location."""
    n_locations = max(len(original.locations), 1)
    row = np.repeat(np.arange(len(original)), original.lengths)
    pairs, visits = np.unique(row * n_locations + original.codes, return_counts=True)
    whose, location = np.divmod(pairs, n_locations)
    return whose, location, visits.astype(np.int64)
