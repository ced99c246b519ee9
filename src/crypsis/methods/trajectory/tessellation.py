"""A division of the plane into Voronoi cells, with what tracks do in it: visits, moves, displacements.

Everything here is private. Generators may be somebody's exact position, and flows are raw counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crypsis.arrays import Bools, Float64s, FrozenArrays, Int32s, Int64s, frozen, offsets_of
from crypsis.data.track import Tracks
from crypsis.methods.trajectory.cell_sequences import cell_sequences
from crypsis.methods.trajectory.voronoi import (
    are_neighbours,
    nearest_generators,
    tolerance,
    tree_of,
    without_duplicates,
)


@dataclass(frozen=True)
class Flow:
    """`count` individuals moved directly from cell `origin` to cell `target`."""

    origin: int
    target: int
    count: int


@dataclass(frozen=True)
class CellFigures:
    """How many fixes lie in a cell, and how far from its generator: on average and at most."""

    points: int
    mean_displacement: float
    max_displacement: float


@dataclass(frozen=True, eq=False)
class Tessellation(FrozenArrays):
    """Generators `x`, `y` and the cell of every fix. `individuals` numbers whom each track counts for."""

    tracks: Tracks
    individuals: Int32s
    x: Float64s
    y: Float64s
    cell_of_point: Int32s

    @classmethod
    def of(cls, tracks: Tracks, individuals: Int32s, x: Float64s, y: Float64s) -> Tessellation:
        """Every fix in the cell of its nearest generator; repeated generators are dropped."""
        stays = without_duplicates(x, y)
        x, y = x[stays], y[stays]
        return cls(tracks, individuals, x, y, nearest_generators(x, y, tracks.x, tracks.y))

    def __len__(self) -> int:
        return len(self.x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tessellation) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("x", "y", "cell_of_point")
        )

    __hash__ = None  # type: ignore[assignment]

    def bare(self) -> Tessellation:
        """The same without anything computed from it, to be remembered."""
        return Tessellation(self.tracks, self.individuals, self.x, self.y, self.cell_of_point)

    @cached_property
    def sequences(self) -> tuple[Int64s, Int32s]:
        """Offsets and cells of each track's sequence."""
        return cell_sequences(self.tracks.offsets, self.cell_of_point)

    @cached_property
    def distances(self) -> Float64s:
        """Distance of each fix from the generator of its cell."""
        cell = self.cell_of_point
        return frozen(np.hypot(self.tracks.x - self.x[cell], self.tracks.y - self.y[cell]))

    @cached_property
    def sizes(self) -> Int64s:
        """Number of fixes in each cell."""
        return frozen(np.bincount(self.cell_of_point, minlength=len(self)).astype(np.int64))

    @cached_property
    def max_displacements(self) -> Float64s:
        """Largest distance of a fix from its generator, by cell; 0 where a cell has none."""
        largest = np.zeros(len(self))
        np.maximum.at(largest, self.cell_of_point, self.distances)
        return frozen(largest)

    @cached_property
    def mean_displacements(self) -> Float64s:
        """Mean distance of the fixes from their generator, by cell; 0 where a cell has none."""
        total = np.bincount(self.cell_of_point, weights=self.distances, minlength=len(self))
        return frozen(total / np.maximum(self.sizes, 1))

    @property
    def figures(self) -> list[CellFigures]:
        """Fixes and displacement of each cell."""
        return [
            CellFigures(*row)
            for row in zip(
                self.sizes.tolist(), self.mean_displacements.tolist(), self.max_displacements.tolist(), strict=True
            )
        ]

    @cached_property
    def coordinate_sums(self) -> tuple[Float64s, Float64s]:
        """Sums of x and of y over the fixes of each cell."""
        return (
            np.bincount(self.cell_of_point, weights=self.tracks.x, minlength=len(self)).astype(np.float64),
            np.bincount(self.cell_of_point, weights=self.tracks.y, minlength=len(self)).astype(np.float64),
        )

    @cached_property
    def points_by_cell(self) -> tuple[Int64s, Int64s]:
        """Offsets, and the fixes of each cell in order."""
        return offsets_of(self.sizes), np.argsort(self.cell_of_point, kind="stable")

    @cached_property
    def _moves(self) -> tuple[Int64s, Int64s, Int64s]:
        """Origin, target and number of individuals of each direct move between neighbours, in order."""
        offsets, cells = self.sequences
        if len(cells) < 2:
            return (np.zeros(0, np.int64),) * 3
        origin, target = cells[:-1].astype(np.int64), cells[1:].astype(np.int64)
        within = np.ones(len(origin), np.bool_)
        ends = offsets[1:-1] - 1
        within[ends[(ends >= 0) & (ends < len(within))]] = False
        mover = np.repeat(self.individuals, np.diff(offsets))[:-1]
        pair, who = (origin * len(self) + target)[within], mover[within].astype(np.int64)
        crowd = int(self.individuals.max(initial=0)) + 1
        if len(self) ** 2 < 2**62 // crowd:
            pair = np.unique(pair * crowd + who) // crowd
        else:
            pair = np.unique(np.column_stack((pair, who)), axis=0)[:, 0]
        pair, count = np.unique(pair, return_counts=True)
        origin, target = pair // len(self), pair % len(self)
        low, high = np.minimum(origin, target), np.maximum(origin, target)
        either, which = np.unique(low * len(self) + high, return_inverse=True)
        touching: Bools = are_neighbours(self.x, self.y, either // len(self), either % len(self))[which]
        return origin[touching], target[touching], count[touching].astype(np.int64)

    @property
    def flows(self) -> list[Flow]:
        """Direct moves between neighbouring cells, each individual counted once, by origin and target."""
        return [Flow(*row) for row in zip(*(column.tolist() for column in self._moves), strict=True)]

    @cached_property
    def _connections(self) -> tuple[Int64s, Int64s, Int64s]:
        """Lower cell, higher cell and strength: the weaker direction if both occur, else the one that does."""
        origin, target, count = self._moves
        pair = np.minimum(origin, target) * len(self) + np.maximum(origin, target)
        distinct, which = np.unique(pair, return_inverse=True)
        both = np.zeros((2, len(distinct)), np.int64)
        both[(origin > target).astype(np.int64), which] = count
        strength = np.where((both > 0).all(axis=0), both.min(axis=0), both.max(axis=0))
        return distinct // len(self), distinct % len(self), strength

    def weak_connections(self, k: int) -> list[tuple[int, int, int]]:
        """Pairs of neighbours between which some but fewer than k individuals move: (lower, higher, strength).

        The weakest come first, then those with the lowest cells.
        """
        low, high, strength = self._connections
        weak = np.flatnonzero(strength < k)
        weak = weak[np.lexsort((high[weak], low[weak], strength[weak]))]
        return list(zip(low[weak].tolist(), high[weak].tolist(), strength[weak].tolist(), strict=True))

    def merged(self, used: Bools, new_x: Sequence[float], new_y: Sequence[float]) -> Tessellation:
        """The tessellation without the used generators and with the new ones behind the others.

        Only fixes that may have changed cells are looked at again: those of used cells, and those of cells that a new
        generator comes close to.
        """
        kept = np.flatnonzero(~used)
        x = np.concatenate((self.x[kept], np.asarray(new_x)))
        y = np.concatenate((self.y[kept], np.asarray(new_y)))
        stays = without_duplicates(x, y)
        number = np.cumsum(stays) - 1  # of a generator after the duplicates are gone
        cell_after = np.full(len(self), -1, np.int32)
        cell_after[kept] = np.where(stays[: len(kept)], number[: len(kept)], -1)
        x, y = x[stays], y[stays]
        n_old = int(stays[: len(kept)].sum())
        cells = cell_after[self.cell_of_point]
        asked = cells < 0
        if n_old < len(x):
            nearest_new = tree_of(x[n_old:], y[n_old:])
            near = np.zeros(len(self), np.bool_)
            distance, _ = nearest_new.query(np.column_stack((self.x, self.y)))
            near = distance <= 2 * self.max_displacements * (1 + 1e-6) + 1e-6
            touched = np.flatnonzero(near[self.cell_of_point] & ~asked)
            distance, _ = nearest_new.query(np.column_stack((self.tracks.x[touched], self.tracks.y[touched])))
            # Where both are about equally near the order of the generators decides, so all of them are asked.
            own = self.distances[touched]
            asked[touched[distance <= own + 4 * tolerance(own)]] = True
        again = np.flatnonzero(asked)
        cells[again] = nearest_generators(x, y, self.tracks.x[again], self.tracks.y[again])
        return Tessellation(self.tracks, self.individuals, x, y, cells)
