"""Unique location attack: the adversary knows some different locations that a person visited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import offsets_of
from crypsis.attacks.attack import Attack, AttackResult, PartsAttackResult
from crypsis.attacks.individuals import CandidateUnit, per_individual
from crypsis.attacks.matching import SUPPRESSED, target_of
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.attacks.visits_in_parts import attack_without_order
from crypsis.attacks.visits_without_order import fewest_of_visits, visited_locations
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.workers import Workers
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class UniqueLocationAttack(Attack):
    """Knows some different locations that a person visited, neither order nor number of the visits.

    A published row is a candidate if it may hold all of them; two locations inside one symbol need two visits to it.
    Everything of up to `knowledge` locations is tried for everybody.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: unique location attack.
    """

    name = "unique-location"

    knowledge: Annotated[int, AtLeast(1), "Different locations that the adversary may know."] = 3
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        target = target_of(seen.published, seen.original, seen.unit)
        whose, location, _ = visited_locations(seen.original)
        atoms = target.atom_of_location[location]
        kept = atoms != SUPPRESSED
        offsets = offsets_of(np.bincount(whose[kept], minlength=len(seen.original)))
        everything = (0, target.n_atoms)
        fewest = fewest_of_visits(
            target, offsets, atoms[kept], self.knowledge, type(self).__name__, target.n_individuals, everything
        )
        people = per_individual(fewest, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, people, assumed=seen.notes)

    def run_on_parts(self, published: PublishedFiles, original: KnownShards, workers: Workers) -> PartsAttackResult:
        return attack_without_order(self, self.knowledge, True, published, original, workers)
