"""Location sequence attack: the adversary knows some visits of a person and their order."""

from __future__ import annotations

from dataclasses import dataclass

from crypsis.arrays import Bools, Int64s
from crypsis.attacks.attack import Attack, AttackResult, PartsAttackResult
from crypsis.attacks.individuals import CandidateUnit, KnownVisits, per_individual
from crypsis.attacks.matching import known_atoms, target_of
from crypsis.attacks.ordered_knowledge import OrderedRows, fewest_candidates_in_order
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.attacks.visits_in_parts import attack_in_order
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.workers import Workers


@dataclass(frozen=True, kw_only=True)
class LocationSequenceAttack(Attack):
    """Knows some visits of a person, in their order.

    A published row is a candidate if each known location lies in a symbol of the row, in the same order. Suppressed
    locations are dropped from the knowledge. Everything of up to `knowledge` visits is tried for everybody.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: location sequence attack.
    """

    name = "location-sequence"

    knowledge: KnownVisits = 3
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        fewest = fewest_by_size(seen.published, seen.original, self.knowledge, seen.unit)
        return AttackResult(self.name, seen.parameters, fewest, assumed=seen.notes)

    def run_on_parts(self, published: PublishedFiles, original: KnownShards, workers: Workers) -> PartsAttackResult:
        return attack_in_order(self, self.knowledge, None, published, original, workers)


def fewest_by_size(
    published: PublishedTrajectories, original: Trajectories, largest: int, unit: str, hidden: Bools | None = None
) -> Int64s:
    """Fewest candidates for 1, 2, … `largest` ordered visits of each individual; `hidden` locations are never known."""
    target = target_of(published, original, unit)
    known_offsets, known = known_atoms(original, target, hidden)
    rows = OrderedRows.of(target, target.n_individuals)
    fewest = fewest_candidates_in_order(rows, known_offsets, known, largest, 0, target.n_atoms)
    return per_individual(fewest, original, unit)
