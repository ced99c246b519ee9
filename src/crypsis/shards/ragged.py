"""Rows of different lengths in shards: sets and sequences as offsets and codes, one file for each part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.executors.scratch import Scratch, load


@dataclass(frozen=True)
class RaggedShard:
    """One part as codes. Its records are numbered from `first` on; those that are not empty also from `first_filled`
    on among their like."""

    file: str
    first: int
    rows: int
    first_filled: int

    def read(self) -> tuple[Int64s, Int32s]:
        """Offsets and codes: record r holds codes[offsets[r]:offsets[r + 1]]."""
        offsets, codes = load(self.file)
        return offsets, codes

    def persons(self) -> Int64s | None:
        """The person of each record, ascending; None where each record is one."""
        return None


def save_ragged(scratch: Scratch, parts: Iterable[tuple[Int64s, Int32s]]) -> tuple[RaggedShard, ...]:
    """Parts, in their order, as shards."""
    shards: list[RaggedShard] = []
    first = first_filled = 0
    for index, (offsets, codes) in enumerate(parts):
        file = scratch.save(f"shard-{index:06d}", (offsets, np.asarray(codes, np.int32)))
        shards.append(RaggedShard(file, first, len(offsets) - 1, first_filled))
        first += len(offsets) - 1
        first_filled += int(np.count_nonzero(np.diff(offsets)))
    return tuple(shards)


def cut_ragged(offsets: Int64s, codes: Int32s, bounds: Sequence[int]) -> list[tuple[Int64s, Int32s]]:
    """The records between each two bounds."""
    return [
        (offsets[first : last + 1] - offsets[first], codes[offsets[first] : offsets[last]])
        for first, last in pairwise(bounds)
    ]


def joined_rows(pieces: Sequence[tuple[Int64s, Int32s]]) -> tuple[Int64s, Int32s]:
    """Records of several pieces, one behind the other."""
    lengths = [np.diff(offsets) for offsets, _ in pieces]
    codes = [values for _, values in pieces]
    if not pieces:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    return offsets_of(np.concatenate(lengths)), np.concatenate(codes).astype(np.int32, copy=False)
