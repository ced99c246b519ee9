"""Trajectories split in two: the visits an adversary may know, and the sensitive locations that each row holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Trajectories


@dataclass(frozen=True, eq=False)
class SplitTrajectories:
    """`known` is the nonsensitive projection, row by row; row r holds the sensitive locations
    held[held_offsets[r]:held_offsets[r + 1]], each once, in ascending code. `groups` says whom a row counts for."""

    data: Trajectories
    known: Trajectories
    sensitive: Bools
    held_offsets: Int64s
    held: Int32s
    groups: Int32s

    @classmethod
    def of(cls, data: Trajectories, unit: str) -> SplitTrajectories:
        locations = data.locations
        marked = locations.sensitive
        sensitive = np.zeros(len(locations), np.bool_) if marked is None else marked
        is_known = ~sensitive[data.codes]
        row_of_visit = np.repeat(np.arange(len(data)), data.lengths)
        offsets = offsets_of(np.bincount(row_of_visit[is_known], minlength=len(data)))
        known = Trajectories(offsets, data.codes[is_known], locations)
        hidden = np.unique(row_of_visit[~is_known] * len(locations) + data.codes[~is_known])
        rows, held = np.divmod(hidden, max(len(locations), 1))
        held_offsets = offsets_of(np.bincount(rows, minlength=len(data)))
        return cls(data, known, sensitive, held_offsets, held.astype(np.int32), data.groups(unit))

    def __len__(self) -> int:
        return len(self.data)
