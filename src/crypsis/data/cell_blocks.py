"""Tracks that were generalized in blocks: which cells and which tracks are of which block.

A fix lies in the cell of its block whose generator is nearest; cells of other blocks do not matter to it. Only the
publisher knows the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, FrozenArrays, Int32s, Int64s, offsets_of, take_records
from crypsis.data.track import Tracks
from crypsis.errors import BadRelease

CELLS, TRACKS = "cells_of_blocks", "blocks"  # in the private report
Nearest = Callable[[Tracks, Float64s, Float64s], Any]  # of each fix the number of the nearest point


@dataclass(frozen=True, eq=False)
class CellBlocks(FrozenArrays):
    """Block b has the cells `first_cells[b]:first_cells[b + 1]` and the tracks whose `block_of_track` is b."""

    first_cells: Int64s
    block_of_track: Int32s

    @classmethod
    def of(cls, cells: Sequence[int], tracks: Sequence[Int64s]) -> CellBlocks:
        """From the number of cells and the numbers of the tracks of each block."""
        block_of_track = np.full(sum(map(len, tracks)), -1, np.int32)
        for block, rows in enumerate(tracks):
            block_of_track[rows] = block
        return cls(offsets_of(np.array(cells, np.int64)), block_of_track)

    def __iter__(self) -> Iterator[tuple[Int64s, slice]]:
        """The tracks and the cells of each block."""
        for block, (first, end) in enumerate(pairwise(self.first_cells.tolist())):
            yield np.flatnonzero(self.block_of_track == block), slice(first, end)

    def to_facts(self) -> dict[str, Any]:
        """As the private report tells it."""
        return {TRACKS: [rows.tolist() for rows, _ in self], CELLS: np.diff(self.first_cells).tolist()}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], n_cells: int) -> CellBlocks | None:
        """What a private report tells; None where all tracks were generalized at once."""
        cells, tracks = facts.get(CELLS), facts.get(TRACKS)
        if cells is None:
            return None
        if (
            not _are_numbers(cells)
            or sum(cells) != n_cells
            or not isinstance(tracks, list)
            or len(tracks) != len(cells)
            or not all(map(_are_numbers, tracks))
            or sorted(row for rows in tracks for row in rows) != list(range(sum(map(len, tracks))))
        ):
            raise BadRelease("The private report does not say which tracks and cells belong to which block.")
        return cls.of(cells, [np.array(rows, np.int64) for rows in tracks])


def nearest_cells(tracks: Tracks, x: Float64s, y: Float64s, blocks: CellBlocks | None, nearest: Nearest) -> Int64s:
    """The cell of each fix, by the generators of all cells; `nearest` finds it among those of one block."""
    if blocks is None:
        return np.asarray(nearest(tracks, x, y), np.int64)
    if len(blocks.block_of_track) != len(tracks):
        raise BadRelease(
            f"The private report tells the blocks of {len(blocks.block_of_track):,} tracks; the original has "
            f"{len(tracks):,}."
        )
    cells = np.empty(tracks.points, np.int64)
    for rows, own in blocks:
        fixes = take_records(tracks.offsets, rows)[1]
        cells[fixes] = own.start + np.asarray(nearest(tracks.take(rows), x[own], y[own]), np.int64)
    return cells


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)
