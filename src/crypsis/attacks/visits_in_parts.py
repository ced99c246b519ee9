"""Known visits, in their order or not, looked for in published trajectories in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Bools, Int64s, offsets_of
from crypsis.attacks.attack import Attack, PartsAttackResult
from crypsis.attacks.matching import SUPPRESSED, Target, target_of
from crypsis.attacks.ordered_knowledge import OrderedRows, fewest_candidates_in_order
from crypsis.attacks.pieces_in_parts import (
    KnownShards,
    Pieces,
    PublishedFiles,
    Rows,
    ShownRows,
    count_fewest,
    show_rows,
)
from crypsis.attacks.visits_without_order import fewest_of_visits
from crypsis.attacks.whose_rows import OWNER, TRAJECTORY
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.data.workers import Workers
from crypsis.errors import NotApplicable


@dataclass(frozen=True, eq=False)
class VisitsInOrder:
    """Visits in their order; `hidden` locations are never known."""

    target: Target
    hidden: Bools | None
    largest: int

    whole_rows: ClassVar[bool] = False
    bytes_per_entry: ClassVar[int] = 64  # 16 for a row in each of two lists, which double when they are full

    @property
    def pieces(self) -> Pieces:
        return _pieces(self.target)

    def known(self, rows: Rows) -> Rows:
        offsets, codes = rows
        atoms = self.target.atom_of_location[codes]
        kept = atoms != SUPPRESSED
        if self.hidden is not None:
            kept &= ~self.hidden[codes]
        return np.append(0, np.cumsum(kept))[offsets], atoms[kept]

    def fewest(self, rows: Rows, known: Rows, n_rows: int, first: int, end: int) -> Int64s:
        published = OrderedRows.of(_with_rows(self.target, rows), n_rows)
        found: Int64s = fewest_candidates_in_order(published, *known, self.largest, first, end)
        return found


@dataclass(frozen=True, eq=False)
class VisitsWithoutOrder:
    """Visits without their order; where they are `different`, one to each location."""

    target: Target
    different: bool
    largest: int
    needed_by: str

    whole_rows: ClassVar[bool] = True

    @property
    def bytes_per_entry(self) -> int:
        return 32 * (1 + self.largest)  # a row has its number and a place for each piece

    @property
    def pieces(self) -> Pieces:
        return _pieces(self.target)

    def known(self, rows: Rows) -> Rows:
        offsets, codes = rows
        if self.different:
            n_locations = len(self.target.atom_of_location)
            keys = np.unique(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * n_locations + codes)
            offsets = offsets_of(np.bincount(keys // n_locations, minlength=len(offsets) - 1))
            codes = (keys % n_locations).astype(np.int32)
        atoms = self.target.atom_of_location[codes]
        kept = atoms != SUPPRESSED
        return np.append(0, np.cumsum(kept))[offsets], atoms[kept]

    def fewest(self, rows: Rows, known: Rows, n_rows: int, first: int, end: int) -> Int64s:
        target = _with_rows(self.target, rows)
        return fewest_of_visits(target, *known, self.largest, self.needed_by, n_rows, (first, end))


def attack_in_order(
    attack: Any, largest: int, hidden: Bools | None, published: PublishedFiles, original: KnownShards, workers: Workers
) -> PartsAttackResult:
    """Everything of up to so many visits in their order is tried for every record."""
    rows, target = _seen(attack, published, original, workers)
    return _result(attack, VisitsInOrder(target, hidden, largest), rows, original.shards, workers)


def attack_without_order(
    attack: Any, largest: int, different: bool, published: PublishedFiles, original: KnownShards, workers: Workers
) -> PartsAttackResult:
    """Everything of up to so many visits in whatever order is tried for every record."""
    rows, target = _seen(attack, published, original, workers)
    search = VisitsWithoutOrder(target, different, largest, type(attack).__name__)
    return _result(attack, search, rows, original.shards, workers)


def _seen(attack: Any, published: PublishedFiles, original: KnownShards, workers: Workers) -> tuple[ShownRows, Target]:
    """The published rows, and the original's locations as they can be told apart in them."""
    if attack.unit == OWNER:
        raise NotApplicable("On parts trajectories are counted; leave the unit out, or read the data into memory.")
    if isinstance(published.described.get("times"), dict):
        raise NotApplicable("Times are not compared on parts; attack the release without an executor.")
    rows = show_rows(published, workers)
    n_symbols = len(rows.symbols)
    every = PublishedTrajectories(np.array([0, n_symbols]), np.arange(n_symbols, dtype=np.int32), rows.symbols)
    return rows, target_of(every, original.one_of_each, TRAJECTORY)


def _result(attack: Attack, search: Any, rows: ShownRows, shards: Sequence[Any], workers: Workers) -> PartsAttackResult:
    counted = count_fewest(search, rows, shards, workers)
    return PartsAttackResult(attack.name, {**attack.parameters(), "unit": TRAJECTORY}, counted)


def _pieces(target: Target) -> Pieces:
    return Pieces(target.atom_offsets, target.atoms, target.n_atoms)


def _with_rows(target: Target, rows: Rows) -> Target:
    offsets, codes = rows
    return replace(target, offsets=offsets, codes=codes, individuals=np.arange(len(offsets) - 1, dtype=np.int32))
