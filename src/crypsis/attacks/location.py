"""Location attack: the adversary knows some visits of a person, not their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.attacks.attack import Attack, AttackResult
from crypsis.attacks.individuals import CandidateUnit, KnownVisits, per_individual
from crypsis.attacks.matching import Target, known_atoms, slots_of, target_of
from crypsis.attacks.unordered_knowledge import fewest_candidates_without_order
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories


@dataclass(frozen=True, kw_only=True)
class LocationAttack(Attack):
    """Knows some visits of a person, without their order.

    Two visits to one location are two pieces of knowledge. A published row is a candidate if it has enough visits to
    symbols that may stand for them. Everything of up to `knowledge` visits is tried for everybody.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: location attack.
    """

    name: ClassVar[str] = "location"

    knowledge: KnownVisits = 3
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        target = target_of(seen.published, seen.original, seen.unit)
        offsets, known = known_atoms(seen.original, target)
        fewest = fewest_of_visits(target, offsets, known, self.knowledge, type(self).__name__)
        people = per_individual(fewest, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, people, assumed=seen.notes)


def fewest_of_visits(target: Target, offsets: Int64s, known: Int32s, largest: int, needed_by: str) -> Int64s:
    """Fewest candidates for 1, 2, … `largest` of the given atoms of each person, in whatever order."""
    slots = slots_of(target, needed_by)
    n_people, n_atoms = len(offsets) - 1, max(target.n_atoms, 1)
    person = np.repeat(np.arange(n_people), np.diff(offsets))
    pairs, times = np.unique(person * n_atoms + known, return_counts=True)
    whose, atom = np.divmod(pairs, n_atoms)
    return fewest_candidates_without_order(
        slots.offsets,
        slots.atoms,
        slots.group,
        slots.visits,
        slots.sizes,
        np.arange(target.n_atoms + 1),  # knowing one visit is one item for each atom
        np.ones(target.n_atoms, np.int64),
        target.individuals,
        target.n_individuals,
        offsets_of(np.bincount(whose, minlength=n_people)),
        atom,
        times.astype(np.int64),
        largest,
        False,
    )
