"""Location attack: the adversary knows some visits of a person, not their order."""

from __future__ import annotations

from dataclasses import dataclass

from crypsis.attacks.attack import Attack, AttackResult, PartsAttackResult
from crypsis.attacks.individuals import CandidateUnit, KnownVisits, per_individual
from crypsis.attacks.matching import known_atoms, target_of
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.attacks.visits_in_parts import attack_without_order
from crypsis.attacks.visits_without_order import fewest_of_visits
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.workers import Workers


@dataclass(frozen=True, kw_only=True)
class LocationAttack(Attack):
    """Knows some visits of a person, without their order.

    Two visits to one location are two pieces of knowledge. A published row is a candidate if it has enough visits to
    symbols that may stand for them. Everything of up to `knowledge` visits is tried for everybody.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: location attack.
    """

    name = "location"

    knowledge: KnownVisits = 3
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        target = target_of(seen.published, seen.original, seen.unit)
        offsets, known = known_atoms(seen.original, target)
        everything = (0, target.n_atoms)
        fewest = fewest_of_visits(
            target, offsets, known, self.knowledge, type(self).__name__, target.n_individuals, everything
        )
        people = per_individual(fewest, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, people, assumed=seen.notes)

    def run_on_parts(self, published: PublishedFiles, original: KnownShards, workers: Workers) -> PartsAttackResult:
        return attack_without_order(self, self.knowledge, False, published, original, workers)
