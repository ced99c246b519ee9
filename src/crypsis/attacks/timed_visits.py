"""Timed visits attack: the adversary knows some visits of a person, their order and exactly when they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.attacks.attack import Attack, AttackResult, Confrontation
from crypsis.attacks.individuals import CandidateUnit, per_individual
from crypsis.attacks.location_sequence import fewest_by_size
from crypsis.attacks.matching import Target, known_atoms, target_of
from crypsis.attacks.timed_knowledge import NEVER, TimesOfRelease, fewest_candidates_with_times
from crypsis.data.timed_places import NO_TIME
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable
from crypsis.parameters import AtLeast

NO_TIMES = "The release has no times, so that what is known of them does not help."


@dataclass(frozen=True, kw_only=True)
class TimedVisitsAttack(Attack):
    """Knows up to m nonsensitive visits of a person in their order, and exactly when each began and ended.

    A published row is a candidate if each known visit lies in a symbol of the row, in the same order, with its times
    among those of the symbol, and if the other visits of the row can have times in between. On data that keep
    k^m-anonymity with times nobody has fewer than k candidates up to m. Where times were dropped they do not help.
    """

    name = "timed-visits"
    accepts = (Trajectories,)

    knowledge: Annotated[int, AtLeast(1), "Visits that the adversary may know with their times."] = 2
    beyond: Annotated[int, AtLeast(0), "Also try this many visits more."] = 0
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories) -> AttackResult:
        seen = self.confront(published, original)
        largest = self.knowledge + self.beyond
        hidden = seen.original.locations.sensitive
        if published.timed is None:
            fewest = fewest_by_size(seen.published, seen.original, largest, seen.unit, hidden)
            return AttackResult(self.name, seen.parameters, fewest, assumed=(*seen.notes, NO_TIMES))
        target = target_of(seen.published, seen.original, seen.unit, tell_apart=True)
        known_offsets, known = known_atoms(seen.original, target, hidden)
        found = fewest_candidates_with_times(target, _times(seen, target), known_offsets, known, largest)
        fewest = per_individual(found, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, fewest, assumed=seen.notes)

    def check_applicable(self, published: Any, original: Any) -> None:
        super().check_applicable(published, original)
        if original.times is None and original.locations.times is None:
            raise NotApplicable(
                f"{type(self).__name__} knows when visits were; say which column of the original holds it "
                "(enter='COLUMN', and exit='COLUMN' where ends are known)."
            )


def _times(seen: Confrontation, target: Target) -> TimesOfRelease:
    """The times of each atom, and of each symbol: by beginnings, with the earliest end among those and all later."""
    timed, symbols = seen.published.timed, seen.published.symbols
    assert timed is not None
    ends = timed.enter if timed.exit is None else timed.exit
    row_of = np.array([timed.number_of.get(label, -1) for label in seen.original.locations.labels], np.int64)
    enter, exit = np.full(target.n_atoms, NEVER), np.full(target.n_atoms, NEVER)
    held = np.flatnonzero((target.atom_of_location >= 0) & (row_of >= 0))
    has_time = held[timed.enter[row_of[held]] != NO_TIME] if len(held) else held
    enter[target.atom_of_location[has_time]] = timed.enter[row_of[has_time]]
    exit[target.atom_of_location[has_time]] = ends[row_of[has_time]]
    labels = symbols.vocabulary.labels
    row_of_member = np.array([timed.number_of.get(labels[code], -1) for code in symbols.members.tolist()], np.int64)
    symbol = np.repeat(np.arange(len(symbols)), symbols.sizes)
    listed = np.flatnonzero(row_of_member >= 0)
    listed = listed[timed.enter[row_of_member[listed]] != NO_TIME] if len(listed) else listed
    steps = np.unique(
        np.column_stack([symbol[listed], timed.enter[row_of_member[listed]], ends[row_of_member[listed]]]), axis=0
    ).reshape(-1, 3)
    offsets = offsets_of(np.bincount(steps[:, 0], minlength=len(symbols)))
    return TimesOfRelease(enter, exit, offsets, steps[:, 1].copy(), _earliest_from_here(offsets, steps[:, 2]))


def _earliest_from_here(offsets: Int64s, exits: Int64s) -> Int64s:
    earliest = exits.copy()
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        earliest[first:last] = np.minimum.accumulate(exits[first:last][::-1])[::-1]
    return earliest
