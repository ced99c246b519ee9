"""Containment matching: the adversary of k^m- and (k,l)^m-anonymity, with as much knowledge as promised, and more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s
from crypsis.attacks.attack import Attack, AttackResult, PartsAttackResult
from crypsis.attacks.individuals import CandidateUnit
from crypsis.attacks.location_sequence import fewest_by_size
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.attacks.visits_in_parts import attack_in_order
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.workers import Workers
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class ContainmentAttack(Attack):
    """Knows up to m nonsensitive locations of a person in their order, and a few more to see protection fade.

    A published row is a candidate if each known location lies in a symbol of the row, in the same order. On data that
    keep k^m-anonymity nobody has fewer than k candidates up to m; what lies beyond m is not promised.
    """

    name = "containment"

    knowledge: Annotated[int, AtLeast(1), "Locations that the adversary may know: the m of the guarantee."] = 2
    beyond: Annotated[int, AtLeast(0), "Also try this many locations more."] = 2
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        largest = self.knowledge + self.beyond
        fewest = fewest_by_size(seen.published, seen.original, largest, seen.unit, seen.original.locations.sensitive)
        return AttackResult(self.name, seen.parameters, fewest, assumed=seen.notes)

    def run_on_parts(self, published: PublishedFiles, original: KnownShards, workers: Workers) -> PartsAttackResult:
        hidden = original.one_of_each.locations.sensitive
        return attack_in_order(self, self.knowledge + self.beyond, hidden, published, original, workers)


def compatible_rows(published: PublishedTrajectories, knowledge: Sequence[str]) -> Int64s:
    """The published rows that fit this one piece of knowledge: each label inside a symbol of the row, in this order."""
    symbols = published.symbols
    reached = published.offsets[:-1].copy()
    rows = np.arange(len(published))
    symbol_of_slot = np.repeat(np.arange(len(symbols)), symbols.sizes)
    place = np.arange(published.visits)
    for label in knowledge:
        holds = np.zeros(len(symbols), np.bool_)
        code = symbols.vocabulary.series.index_of(label)
        if code is not None:
            holds[symbol_of_slot[symbols.members == code]] = True
        found = np.append(place[holds[published.codes]], published.visits)
        following = found[np.searchsorted(found, reached)]
        inside = following < published.offsets[rows + 1]
        rows, reached = rows[inside], following[inside] + 1
    return rows


def confidence(published: PublishedTrajectories, knowledge: Sequence[str], sensitive: str) -> float:
    """How sure the adversary is that somebody of whom this is known visited the sensitive location."""
    candidates = compatible_rows(published, knowledge)
    if not len(candidates):
        return 0.0
    return len(compatible_rows(published.take(candidates), [sensitive])) / len(candidates)
