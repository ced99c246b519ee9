"""Home and work attack: the adversary knows the two locations that a person visits most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.attacks.attack import Attack, AttackResult, Confrontation
from crypsis.attacks.individuals import CandidateUnit, per_individual
from crypsis.attacks.matching import slots_of, target_of
from crypsis.attacks.tracks_in_cells import longest_stays, points_in_cells
from crypsis.attacks.visits_without_order import visited_locations
from crypsis.compilation import njit
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories

NONE = -1


@dataclass(frozen=True, kw_only=True)
class HomeWorkAttack(Attack):
    """Knows the two locations that a person visits most: home and work.

    A published row is a candidate if its visits can be read so that no location has more of them than these two. Among
    equally visited locations of a person those that come first in the location table are taken. Most visited means that
    everything else is visited less, which k^m-anonymity does not speak of. Of GPS tracks they are the two cells in
    which a person spends most time, on all tracks; published cells tell no times, so a row is a candidate if it has
    both, or the one of them that was published.

    Pellungrini, Pappalardo, Pratesi, Monreale. A data mining approach to assess privacy risk in human mobility data.
    ACM Transactions on Intelligent Systems and Technology 9, 2017: home and work attack.
    """

    name = "home-work"

    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> AttackResult:
        seen = self.confront(published, original)
        if isinstance(original, Tracks):
            people = _of_tracks(seen, original, points_in_cells(original, published))
            return AttackResult(self.name, seen.parameters, people, first_size=2, assumed=seen.notes)
        target = target_of(seen.published, seen.original, seen.unit)
        slots = slots_of(target, type(self).__name__)
        atoms = np.append(target.atom_of_location, NONE)[_most_visited(seen.original)]
        places = np.sort(atoms, axis=1)[:, ::-1]  # a suppressed one, which cannot be looked for, comes last
        distinct, number = np.unique(places, axis=0, return_inverse=True)
        by_atom = np.argsort(slots.atoms, kind="stable")
        published_rows = _Rows(
            offsets_of(np.bincount(slots.atoms, minlength=target.n_atoms)),
            by_atom,
            np.repeat(np.arange(len(slots.offsets) - 1), np.diff(slots.offsets)),
            slots.atoms,
            slots.group,
            slots.offsets,
            slots.visits,
            slots.sizes,
            _groups_of_rows(target.offsets, target.codes, len(target.symbol_sizes)),
            target.individuals,
            target.n_individuals,
        )
        counts = _candidates(distinct.astype(np.int64), published_rows)
        fewest = counts[number.ravel()].reshape(-1, 1)
        people = per_individual(fewest, seen.original, seen.unit)
        return AttackResult(self.name, seen.parameters, people, first_size=2, assumed=seen.notes)


def _of_tracks(seen: Confrontation, tracks: Tracks, points: Trajectories) -> Int64s:
    """How many individuals have a row with the two cells in which each individual spends most time."""
    individuals = seen.original.groups(seen.unit)
    target = target_of(seen.published, seen.original, seen.unit, tell_apart=True)
    cells = np.append(target.atom_of_location, NONE)[longest_stays(tracks, points, individuals, 2)]
    row = np.repeat(np.arange(len(target.offsets) - 1), np.diff(target.offsets))
    atom = target.atoms[target.atom_offsets[target.codes]]  # a published cell is one location
    rows_of: dict[int, Int64s] = {}
    for known in np.unique(cells[cells >= 0]).tolist():
        rows_of[known] = np.unique(row[atom == known])
    fewest = np.zeros((len(cells), 1), np.int64)
    counted: dict[tuple[int, ...], int] = {}
    for person, pair in enumerate(cells.tolist()):
        known = tuple(sorted({cell for cell in pair if cell >= 0}))
        if known and known not in counted:
            sets = [rows_of[cell] for cell in known]
            both = sets[0] if len(sets) == 1 else np.intersect1d(sets[0], sets[1])
            options = [both] if len(both) else sets  # home and work may lie on different tracks
            counted[known] = min(len(np.unique(target.individuals[rows])) for rows in options)
        fewest[person] = counted.get(known, 0)
    return fewest


def _most_visited(original: Trajectories) -> Int64s:
    """The two most visited locations of each trajectory, -1 where there are not so many."""
    whose, location, visits = visited_locations(original)
    order = np.lexsort((location, -visits, whose))
    offsets = offsets_of(np.bincount(whose, minlength=len(original)))
    ranked = np.append(location[order], NONE)
    places = np.full((len(original), 2), NONE, np.int64)
    for rank in (0, 1):
        has = np.diff(offsets) > rank
        places[has, rank] = ranked[offsets[:-1][has] + rank]
    return places


def _groups_of_rows(offsets: Int64s, codes: Int32s, n_symbols: int) -> Int64s:
    """The symbols of row r are the groups from groups[r] up to groups[r + 1]."""
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    pairs = np.unique(row * max(n_symbols, 1) + codes)
    return offsets_of(np.bincount(pairs // max(n_symbols, 1), minlength=len(offsets) - 1))


class _Rows(NamedTuple):
    """Published rows. Atom a stands in the slots slots_by_atom[i] for i in atom_offsets[a]:atom_offsets[a + 1], a slot
    in its row; the symbols of row r are the groups from groups[r] up to groups[r + 1]."""

    atom_offsets: Int64s
    slots_by_atom: Int64s
    row_of_slot: Int64s
    slot_atoms: Int32s
    group: Int64s
    slot_offsets: Int64s
    visits: Int64s
    sizes: Int64s
    groups: Int64s
    individuals: Int32s
    n_individuals: int


@njit
def _candidates(pairs: Int64s, rows: _Rows) -> Int64s:
    """For each pair of atoms (-1: unknown), the individuals with a row in which nothing need be visited more often."""
    atom_offsets, slots_by_atom, row_of_slot, slot_atoms, group, slot_offsets, visits, sizes, groups = rows[:9]
    individuals, n_individuals = rows.individuals, rows.n_individuals
    counts = np.zeros(len(pairs), np.int64)
    for pair in range(len(pairs)):
        home, work = pairs[pair, 0], pairs[pair, 1]
        if home == NONE:
            counts[pair] = n_individuals
            continue
        last = -1
        for index in range(atom_offsets[home], atom_offsets[home + 1]):
            # Rows that hold the home, once for each individual.
            slot = slots_by_atom[index]
            row = row_of_slot[slot]
            if individuals[row] == last:
                continue
            first_group = group[slot]
            second_group = -1
            if work != NONE:
                for other in range(slot_offsets[row], slot_offsets[row + 1]):
                    if slot_atoms[other] == work:
                        second_group = group[other]
                if second_group < 0:
                    continue
            # Visits of another symbol are spread most thinly when its members share them evenly.
            largest, second = 0, 0
            for one in range(groups[row], groups[row + 1]):
                if one != first_group and one != second_group:
                    least = (visits[one] + sizes[one] - 1) // sizes[one]
                    if least > largest:
                        largest, second = least, largest
                    elif least > second:
                        second = least
            # The visits to home and work must suffice for what is left over to be visited less.
            if second_group == -1:
                fits = visits[first_group] >= second
            elif first_group == second_group:
                fits = visits[first_group] // 2 >= max(largest, 1)
            else:
                fits = min(visits[first_group], visits[second_group]) >= largest
            if fits:
                counts[pair] += 1
                last = individuals[row]
    return counts
