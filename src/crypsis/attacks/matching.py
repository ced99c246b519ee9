"""Original locations seen through a release: which published symbols may stand for what the adversary knows.

Locations that the same symbols hold cannot be told apart in the release; such a class of locations is an atom. Under
a global recoding every symbol holds one atom; where clusters were recoded separately a symbol may hold several. A
location that no published symbol holds was suppressed: the adversary drops it from the knowledge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Target:
    """The release as the adversary sees it: rows in an order in which those of one individual follow each other.

    Row r holds the symbols codes[offsets[r]:offsets[r + 1]]; symbol s may stand for the atoms
    atoms[atom_offsets[s]:atom_offsets[s + 1]], ascending; location v of the original belongs to atom_of_location[v].
    """

    offsets: Int64s
    codes: Int32s
    symbol_sizes: Int64s
    individuals: Int32s
    atom_offsets: Int64s
    atoms: Int32s
    n_atoms: int
    atom_of_location: Int32s

    @property
    def n_individuals(self) -> int:
        return int(self.individuals[-1]) + 1 if len(self.individuals) else 0


def target_of(
    published: PublishedTrajectories, original: Trajectories, unit: str, *, tell_apart: bool = False
) -> Target:
    """The release in terms of the original's locations; `tell_apart` keeps every location an atom of its own."""
    individuals = _individuals(published, unit)
    order = np.argsort(individuals, kind="stable")
    offsets, positions = take_records(published.offsets, order)
    symbols = published.symbols
    held_by = _holders(published, original)
    if tell_apart:
        held = np.diff(held_by[0]) > 0
        atom_of_location = np.where(held, np.cumsum(held) - 1, SUPPRESSED).astype(np.int32)
    else:
        atom_of_location = (equal_rows(*held_by) - 1).astype(np.int32)  # row number 0 is the empty list: no holder
    atom_offsets, atoms = _atoms_of_symbols(held_by, atom_of_location, len(symbols))
    return Target(
        offsets,
        published.codes[positions].astype(np.int32),
        symbols.sizes,
        individuals[order],
        atom_offsets,
        atoms,
        int(atom_of_location.max(initial=-1)) + 1,
        atom_of_location,
    )


def known_atoms(original: Trajectories, target: Target, hidden: Bools | None = None) -> tuple[Int64s, Int32s]:
    """What may be known of each trajectory, in order: its visits as atoms, without suppressed and hidden locations."""
    atoms = target.atom_of_location[original.codes]
    kept = atoms != SUPPRESSED
    if hidden is not None:
        kept &= ~hidden[original.codes]
    return np.append(0, np.cumsum(kept))[original.offsets], atoms[kept]


def equal_rows(offsets: Int64s, codes: Int32s) -> Int64s:
    """A number for each row, equal for equal rows; 0 is the empty row and the others follow without a gap."""
    lengths = np.diff(offsets)
    numbers = np.zeros(len(lengths), np.int64)
    n_codes = int(codes.max(initial=-1)) + 1
    rows = np.flatnonzero(lengths > 0)
    used, position = 1, 0
    while len(rows):
        # What a row is up to this position is told by its number so far and the next code.
        distinct, ranks = np.unique(numbers[rows] * n_codes + codes[offsets[rows] + position], return_inverse=True)
        numbers[rows] = used + ranks
        used += len(distinct)
        position += 1
        rows = rows[lengths[rows] > position]
    return _without_gaps(numbers)


def _without_gaps(numbers: Int64s) -> Int64s:
    distinct, ranks = np.unique(numbers, return_inverse=True)
    return ranks.astype(np.int64) + (0 if len(distinct) and distinct[0] == 0 else 1)


def _individuals(published: PublishedTrajectories, unit: str) -> Int32s:
    if unit == "owner" and published.owners is None:
        raise OriginalRequired(
            "A published file does not say whose rows are whose, so owners can be counted only in a release in memory; "
            "count trajectories instead."
        )
    return published.groups(unit)


def _holders(published: PublishedTrajectories, original: Trajectories) -> tuple[Int64s, Int32s]:
    """The occurring symbols that hold each location of the original, ascending."""
    symbols: Symbols = published.symbols
    occurs = np.zeros(len(symbols), np.bool_)
    occurs[published.codes] = True
    n_locations = len(original.locations)
    if symbols.vocabulary is original.locations.vocabulary:
        location_of_member = np.arange(n_locations, dtype=np.int32)
    else:
        location_of_member = original.locations.vocabulary.encode(symbols.vocabulary.series)
    symbol_of_slot = np.repeat(np.arange(len(symbols), dtype=np.int32), symbols.sizes)
    location_of_slot = location_of_member[symbols.members]
    used = occurs[symbol_of_slot] & (location_of_slot >= 0)
    symbol_of_slot, location_of_slot = symbol_of_slot[used], location_of_slot[used]
    order = np.lexsort((symbol_of_slot, location_of_slot))
    return offsets_of(np.bincount(location_of_slot, minlength=n_locations)), symbol_of_slot[order]


def _atoms_of_symbols(
    held_by: tuple[Int64s, Int32s], atom_of_location: Int32s, n_symbols: int
) -> tuple[Int64s, Int32s]:
    offsets, holders = held_by
    atom_of_slot = np.repeat(atom_of_location, np.diff(offsets)).astype(np.int64)
    n_atoms = int(atom_of_location.max(initial=-1)) + 1
    pairs = np.unique(holders.astype(np.int64) * max(n_atoms, 1) + atom_of_slot)
    symbol, atom = np.divmod(pairs, max(n_atoms, 1))
    return offsets_of(np.bincount(symbol, minlength=n_symbols)), atom.astype(np.int32)


@dataclass(frozen=True, eq=False)
class Slots:
    """The release without order. Row r has the slots offsets[r]:offsets[r + 1], one for each atom it may hold.

    Slot s belongs to group[s], one symbol of the row: visits[g] of the row's visits, which may be any of its sizes[g]
    members.
    """

    offsets: Int64s
    atoms: Int32s
    group: Int64s
    visits: Int64s
    sizes: Int64s


def slots_of(target: Target, needed_by: str) -> Slots:
    """Count the visits to each symbol of each row; symbols of one row must be equal or disjoint."""
    n_symbols = max(len(target.symbol_sizes), 1)
    row = np.repeat(np.arange(len(target.offsets) - 1), np.diff(target.offsets))
    pairs, visits = np.unique(row * n_symbols + target.codes, return_counts=True)
    row_of_group, symbol = np.divmod(pairs, n_symbols)
    n_slots = np.diff(target.atom_offsets)[symbol]
    group = np.repeat(np.arange(len(pairs)), n_slots)
    _, positions = take_records(target.atom_offsets, symbol)
    atoms = target.atoms[positions]
    row_of_slot = row_of_group[group]
    order = np.lexsort((atoms, row_of_slot))
    atoms, group, row_of_slot = atoms[order], group[order], row_of_slot[order]
    twice = (row_of_slot[1:] == row_of_slot[:-1]) & (atoms[1:] == atoms[:-1])
    if twice.any():
        raise NotApplicable(
            f"{needed_by} counts visits without their order, which needs symbols that are equal or disjoint within "
            "each published row; here two symbols of one row share a location. Use the location-sequence attack."
        )
    offsets = offsets_of(np.bincount(row_of_slot, minlength=len(target.offsets) - 1))
    return Slots(offsets, atoms, group, visits.astype(np.int64), target.symbol_sizes[symbol])
