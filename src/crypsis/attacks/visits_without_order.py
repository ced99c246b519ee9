"""Visits that are known without their order, by person: how many there are to each atom."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.attacks.matching import Target, slots_of
from crypsis.attacks.unordered_knowledge import Items, KnownItems, Search, SlottedRows, fewest_candidates_without_order
from crypsis.data.trajectory import Trajectories


def fewest_of_visits(
    target: Target,
    offsets: Int64s,
    known: Int32s,
    largest: int,
    needed_by: str,
    n_individuals: int,
    atoms: tuple[int, int],
) -> Int64s:
    """Fewest candidates for 1, 2, … `largest` of the given atoms of each person, in whatever order: of knowledge whose
    first atom is one of the range `atoms`."""
    slots = slots_of(target, needed_by)
    n_people, n_atoms = len(offsets) - 1, max(target.n_atoms, 1)
    person = np.repeat(np.arange(n_people), np.diff(offsets))
    pairs, times = np.unique(person * n_atoms + known, return_counts=True)
    whose, atom = np.divmod(pairs, n_atoms)
    every_visit = Items(np.arange(target.n_atoms + 1), np.ones(target.n_atoms, np.int64))  # one item for each atom
    return fewest_candidates_without_order(
        SlottedRows.of(slots, target.individuals, n_individuals),
        every_visit,
        KnownItems(offsets_of(np.bincount(whose, minlength=n_people)), atom, times.astype(np.int64)),
        Search(largest, False, *atoms),
    )


def visited_locations(original: Trajectories) -> tuple[Int64s, Int64s, Int64s]:
    """Trajectory, location and number of visits of every distinct pair, by trajectory, then by location."""
    n_locations = max(len(original.locations), 1)
    row = np.repeat(np.arange(len(original)), original.lengths)
    pairs, visits = np.unique(row * n_locations + original.codes, return_counts=True)
    whose, location = np.divmod(pairs, n_locations)
    return whose, location, visits.astype(np.int64)
