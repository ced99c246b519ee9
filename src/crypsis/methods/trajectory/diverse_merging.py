"""l^m-ANON on one list of rows: merge nearby locations until every subsequence is shared and tells too little.

Merging takes unions of overlapping sets of rows, so it can raise the share of a sensitive location in what was fine
before. The sizes are therefore gone through again until a whole round finds nothing to merge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, Lists, offsets_of, take_records
from crypsis.errors import InternalError
from crypsis.methods.trajectory.feasibility import individuals_by_length, infeasible_size
from crypsis.methods.trajectory.merging import LocationMerging, Merges
from crypsis.methods.trajectory.sensitive_visits import SplitTrajectories
from crypsis.run_context import RunContext


@dataclass(frozen=True)
class Requirement:
    """What is asked of every subsequence: k individuals, at most one in l of them with the same sensitive location."""

    k: int
    l: int  # noqa: E741 (the model's own name)
    m: int


@dataclass(frozen=True)
class ShortLength:
    """Too few individuals are this long, whatever is merged."""

    size: int
    have: int


@dataclass(frozen=True)
class Unresolved:
    """With all locations merged, this many of those with `size` visits still hold one sensitive location."""

    size: int
    support: int
    count: int
    sensitive: str


@dataclass(frozen=True, eq=False)
class Recoding:
    """How the rows of one cluster are recoded: by location the smallest code of its symbol, -1 where it does not
    occur. Sensitive location removed[i, 1] is deleted from row removed[i, 0]."""

    rows: Int64s
    representatives: Int32s
    merges: Merges
    removed: Int64s


def make_diverse(
    split: SplitTrajectories, rows: Int64s, x: Float64s, y: Float64s, asked: Requirement
) -> Recoding | ShortLength | Unresolved:
    """Recode these rows by themselves, or say what stands against it."""
    return _Cluster(split, rows, x, y, asked).recode()


def suppress_excess(
    split: SplitTrajectories, rows: Int64s, x: Float64s, y: Float64s, asked: Requirement
) -> Recoding | ShortLength:
    """Recode these rows; where locations are all merged in vain, delete sensitive locations from the last rows."""
    cluster = _Cluster(split, rows, x, y, asked)
    recoding = cluster.recode()
    return cluster.fully_merged() if isinstance(recoding, Unresolved) else recoding


class _Cluster:
    def __init__(self, split: SplitTrajectories, rows: Int64s, x: Float64s, y: Float64s, asked: Requirement) -> None:
        self.split, self.rows, self.asked = split, rows, asked
        self.known = split.known.take(rows)
        self.groups = np.unique(split.groups[rows], return_inverse=True)[1].astype(np.int32)
        self.individuals = int(self.groups.max(initial=-1)) + 1
        self.largest = min(asked.m, int(self.known.lengths.max(initial=0)))
        self.places = (x, y)

    def recode(self) -> Recoding | ShortLength | Unresolved:
        asked = self.asked
        reached = individuals_by_length(self.known, self.groups, self.largest)
        size = infeasible_size(reached, asked.k)
        if size is not None:
            return ShortLength(size, int(reached[size - 1]))
        held, kinds = self._held()
        self.state = LocationMerging(self.known, *self.places, self.groups, held=held, kinds=kinds)
        merged = -1
        while merged < len(self.state.merges):
            merged = len(self.state.merges)
            for size in range(1, self.largest + 1):
                if not self.state.make_diverse(size, asked.k, min(asked.l, self.individuals + 1), RunContext()):
                    return self._unresolved()
        return self._recoding(np.empty((0, 2), np.int64))

    def fully_merged(self) -> Recoding:
        """With one symbol left, a subsequence of size i is shared by everybody with i visits: T_s is known."""
        removed: list[tuple[int, int]] = []
        holders = self._holders()
        for size in range(1, self.largest + 1):
            long_enough = self.known.lengths >= size
            most = len(np.unique(self.groups[long_enough])) // self.asked.l
            for code in self._by_label(holders):
                positions = holders[code][long_enough[holders[code]]]
                people, last = _last_positions(self.groups[positions], positions)
                excess = people[np.argsort(-last)][: max(len(people) - most, 0)]
                gone = positions[np.isin(self.groups[positions], excess)]
                holders[code] = np.setdiff1d(holders[code], gone)
                removed += [(int(self.rows[position]), code) for position in gone]
        return self._recoding(np.array(removed, np.int64).reshape(-1, 2))

    def _recoding(self, removed: Int64s) -> Recoding:
        return Recoding(self.rows, self.state.representatives(), self.state.merges, removed)

    def _unresolved(self) -> Unresolved:
        holders = self._holders()
        for size in range(1, self.largest + 1):
            long_enough = self.known.lengths >= size
            support = len(np.unique(self.groups[long_enough]))
            for code in self._by_label(holders):
                positions = holders[code][long_enough[holders[code]]]
                count = len(np.unique(self.groups[positions]))
                if self.asked.l * count > support:
                    return Unresolved(size, support, count, self.split.data.locations.labels[code])
        raise InternalError("Merging stopped early though nothing violates. This is a bug; please report it.")

    def _by_label(self, codes: dict[int, Int64s]) -> list[int]:
        return sorted(codes, key=lambda code: self.split.data.locations.labels[code])

    def _taken(self) -> tuple[Int64s, Int32s]:
        offsets, entries = take_records(self.split.held_offsets, self.rows)
        return offsets, self.split.held[entries]

    def _holders(self) -> dict[int, Int64s]:
        """The positions, within these rows, that hold each sensitive location."""
        offsets, held = self._taken()
        positions = np.repeat(np.arange(len(self.rows)), np.diff(offsets))
        return {int(code): positions[held == code] for code in np.unique(held)}

    def _held(self) -> tuple[Lists, int]:
        """Sensitive locations that can matter at all, numbered from 1, by row: held by more than k / l.

        Others cannot, as every support will be k or more. The second value is how many matter.
        """
        offsets, held = self._taken()
        whose = np.repeat(self.groups, np.diff(offsets))
        n_codes = len(self.split.data.locations)
        people = np.bincount(np.unique(held.astype(np.int64) * self.individuals + whose) // max(self.individuals, 1))
        if self.asked.l == 1:
            people = people[:0]
        matters = np.zeros(n_codes, np.bool_)
        matters[: len(people)] = people * min(self.asked.l, self.individuals + 1) > self.asked.k
        number = np.cumsum(matters).astype(np.int32)
        chosen = matters[held]
        record = np.repeat(np.arange(len(self.rows)), np.diff(offsets))[chosen]
        by_row = offsets_of(np.bincount(record, minlength=len(self.rows)))
        return Lists(by_row, number[held[chosen]]), int(matters.sum())


def _last_positions(people: Int32s, positions: Int64s) -> tuple[Int32s, Int64s]:
    """Distinct people with the last of their positions, which come in ascending order."""
    distinct, first_from_behind = np.unique(people[::-1], return_index=True)
    return distinct, positions[::-1][first_from_behind]
