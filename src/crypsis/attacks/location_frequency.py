"""Location frequency attack: the adversary knows some locations of a person and how often each was visited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import offsets_of
from crypsis.attacks.attack import Attack, AttackResult
from crypsis.attacks.individuals import CandidateUnit, per_individual
from crypsis.attacks.matching import SUPPRESSED, slots_of, target_of
from crypsis.attacks.unordered_knowledge import Items, KnownItems, Search, SlottedRows, fewest_candidates_without_order
from crypsis.attacks.visits_without_order import visited_locations
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class LocationFrequencyAttack(Attack):
    """Knows some locations of a person and exactly how often each was visited.

    A published row is a candidate if its visits can be read so: an intact location must have that many visits, a
    generalized one at least as many as are known of its members, and exactly as many once all its members are known.
    This is more than k^m-anonymity speaks of: to know a number of visits is also to know that there were no others.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: location frequency attack, without tolerance.
    """

    name = "location-frequency"

    knowledge: Annotated[int, AtLeast(1), "Locations with their number of visits that the adversary may know."] = 3
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        target = target_of(seen.published, seen.original, seen.unit, tell_apart=True)
        slots = slots_of(target, type(self).__name__)
        whose, location, visits = visited_locations(seen.original)
        atoms = target.atom_of_location[location].astype(np.int64)
        kept = atoms != SUPPRESSED
        most = int(visits.max(initial=0)) + 1
        # An item is a location together with a number of visits that is somebody's.
        items, known = np.unique(atoms[kept] * most + visits[kept], return_inverse=True)
        fewest = fewest_candidates_without_order(
            SlottedRows.of(slots, target.individuals, target.n_individuals),
            Items(offsets_of(np.bincount(items // most, minlength=target.n_atoms)), items % most),
            KnownItems(
                offsets_of(np.bincount(whose[kept], minlength=len(seen.original))),
                known.astype(np.int64),
                np.ones(len(known), np.int64),
            ),
            Search(self.knowledge, True, 0, target.n_atoms),
        )
        people = per_individual(fewest, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, people, assumed=seen.notes)
