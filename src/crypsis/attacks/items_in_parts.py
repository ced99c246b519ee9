"""Known sets of items looked for in published sets in parts.

Atoms are ranked, those that the fewest records fit first. What may be known of a record begins with its rarest atom, so
the records that fit it are few, and are the only ones in which the others are looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.arrays.record_bits import record_bits
from crypsis.attacks.attack import Counted
from crypsis.attacks.known_items import NO_PERSONS, atoms_of, fewest_candidates, refuse_too_much
from crypsis.attacks.matching import equal_rows
from crypsis.attacks.pieces_in_parts import (
    KnownShards,
    Pieces,
    PublishedFiles,
    Rows,
    ShownRows,
    count_fewest,
    show_rows,
)
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load


@dataclass(frozen=True, eq=False)
class ItemsByRank:
    """Sets of atoms, numbered by their rank; item i is the atom rank_of_item[i], -1 where it cannot be known."""

    rank_of_item: Int64s
    n_atoms: int
    largest: int
    rarest: int

    whole_rows: ClassVar[bool] = False
    bytes_per_entry: ClassVar[int] = 32

    @property
    def pieces(self) -> Pieces:
        return Pieces(np.arange(self.n_atoms + 1), np.arange(self.n_atoms, dtype=np.int32), self.n_atoms)

    def known(self, rows: Rows) -> Rows:
        """The rarest atoms of each record."""
        offsets, ranks = _ascending(rows, self.rank_of_item, self.n_atoms)
        lengths = np.diff(offsets)
        kept = np.arange(len(ranks)) - np.repeat(offsets[:-1], lengths) < self.rarest
        return offsets_of(np.minimum(lengths, self.rarest)), ranks[kept]

    def fewest(self, rows: Rows, known: Rows, n_rows: int, first: int, end: int) -> Int64s:
        fewest = np.full((len(known[0]) - 1, self.largest), n_rows, np.int64)
        shown = dict(_by_first(rows, first, end))
        for atom, (people, people_begin) in _by_first(known, first, end):
            holders, holders_begin = shown[atom]
            rest = _rest(known, people, people_begin)
            found = np.full((len(people), self.largest), len(holders), np.int64)
            if len(holders) > 1 and self.largest > 1:
                found = _fewest_beside(_rest(rows, holders, holders_begin), rest, self.largest - 1)
            fewest[people] = np.minimum(fewest[people], found)
        return fewest


def count_items(
    largest: int, rarest: int, published: PublishedFiles, original: KnownShards, workers: Workers
) -> tuple[Counted, ...]:
    """By number of known items: how many records have how many candidates."""
    rows = show_rows(published, workers)
    number, atom_of = atoms_of(rows.symbols, original.one_of_each)
    held = Pieces(*_atoms_of_symbols(number, len(rows.symbols)), len(number))
    supports = np.sum(workers.map(count_atoms, rows.files, held), axis=0, dtype=np.int64)
    order = np.lexsort((np.arange(len(number)), supports))
    rank = np.empty(len(number), np.int64)
    rank[order] = np.arange(len(number))
    search = ItemsByRank(np.where(atom_of < 0, -1, np.append(rank, -1)[atom_of]), len(number), largest, rarest)
    ranked = workers.exchange(rank_rows, list(enumerate(rows.files)), len(rows.files), held, rank)
    files = tuple(file for own in ranked for file in own)
    return count_fewest(search, ShownRows(files, rows.symbols, rows.n_rows), original.shards, workers)


def count_atoms(file: str, held: Pieces) -> Int64s:
    """How many records of a part fit each atom."""
    supports = np.zeros(held.n_pieces, np.int64)
    for _, atom, _ in held.met_in(load(file)):
        supports += np.bincount(atom, minlength=held.n_pieces)
    return supports


def rank_rows(numbered: tuple[int, str], held: Pieces, rank: Int64s) -> Iterator[tuple[int, Rows]]:
    """The records of a part as the ranks of the atoms that they fit, ascending."""
    number, file = numbered
    rows = load(file)
    lengths = np.zeros(len(rows[0]) - 1, np.int64)
    ranks = [np.zeros(0, np.int32)]
    for row, atom, _ in held.met_in(rows):
        order = np.lexsort((rank[atom], row))
        ranks.append(rank[atom][order].astype(np.int32))
        lengths += np.bincount(row, minlength=len(lengths))
    yield number, (offsets_of(lengths), np.concatenate(ranks))


def _atoms_of_symbols(number: dict[tuple[int, ...], int], n_symbols: int) -> tuple[Int64s, Int32s]:
    pairs = sorted((symbol, atom) for symbols, atom in number.items() for symbol in symbols)
    symbol = np.array([pair[0] for pair in pairs], np.int64)
    return offsets_of(np.bincount(symbol, minlength=n_symbols)), np.array([pair[1] for pair in pairs], np.int32)


def _ascending(rows: Rows, rank_of_item: Int64s, n_atoms: int) -> Rows:
    """The different ranks of each record."""
    offsets, items = rows
    ranks = rank_of_item[items]
    kept = ranks >= 0
    width = max(n_atoms, 1)
    keys = np.unique(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[kept] * width + ranks[kept])
    return offsets_of(np.bincount(keys // width, minlength=len(offsets) - 1)), (keys % width).astype(np.int32)


def _by_first(rows: Rows, first: int, end: int) -> Iterator[tuple[int, tuple[Int64s, Int64s]]]:
    """For each atom of a range the rows that hold it, and where in each what follows it begins."""
    offsets, ranks = rows
    places = np.flatnonzero((ranks >= first) & (ranks < end))
    places = places[np.argsort(ranks[places], kind="stable")]
    row = np.searchsorted(offsets, places, side="right") - 1
    atoms, begins = np.unique(ranks[places], return_index=True)
    for atom, begin, last in zip(atoms.tolist(), begins, np.append(begins[1:], len(places)), strict=True):
        yield atom, (row[begin:last], places[begin:last] + 1)


def _rest(rows: Rows, chosen: Int64s, begins: Int64s) -> Rows:
    """What the chosen rows hold from these places on."""
    offsets, ranks = rows
    lengths = offsets[chosen + 1] - begins
    taken = offsets_of(lengths)
    return taken, ranks[np.arange(taken[-1]) + np.repeat(begins - taken[:-1], lengths)]


def _fewest_beside(rows: Rows, known: Rows, largest: int) -> Int64s:
    """The fewest of these rows that fit up to 0, 1, … `largest` of the known atoms of each record."""
    atoms, codes = np.unique(known[1], return_inverse=True)
    index = np.minimum(np.searchsorted(atoms, rows[1]), max(len(atoms) - 1, 0))
    looked_for: Bools = atoms[index] == rows[1] if len(atoms) else np.zeros(len(rows[1]), np.bool_)
    offsets = np.append(0, np.cumsum(looked_for))[rows[0]]
    n_rows = len(offsets) - 1
    bits = record_bits(offsets, index[looked_for].astype(np.int32), max(len(atoms), 1))
    everybody = record_bits(np.arange(n_rows + 1), np.zeros(n_rows, np.int32), 1)
    number = equal_rows(known[0], codes.astype(np.int32))
    _, example, of_record = np.unique(number, return_index=True, return_inverse=True)
    taken, positions = take_records(known[0], example)
    refuse_too_much(taken, largest, n_rows)
    found: Int64s = fewest_candidates(
        taken,
        codes[positions].astype(np.int32),
        bits,
        largest,
        np.array([0, 1]),
        np.zeros(1, np.int64),
        np.zeros(len(example), np.int64),
        everybody,
        NO_PERSONS,
    )
    return found[of_record]
