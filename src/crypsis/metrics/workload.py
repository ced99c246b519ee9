"""Workloads: sequences of original locations that an analyst asks for, given or drawn from the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass
from math import comb

import numpy as np

from crypsis.arrays import FrozenArrays, Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, TooLarge, UnknownLocation, did_you_mean
from crypsis.kernels.subsequence_keys import subsequence_keys
from crypsis.parameters import AtLeast, Parameter

LONGEST_BITMAP = 2**27
LARGEST_ENUMERATION = 2_000_000_000
_BLOCK = 2**22  # keys collected before they are folded into the set of distinct ones

_SIZE = Parameter("sizes", int, False, (AtLeast(1),), "Locations in a subtrajectory.", MISSING)
_N_QUERIES = Parameter("n_queries", int, False, (AtLeast(1),), "Subtrajectories to draw.", MISSING)
_SEED = Parameter("seed", int, False, (AtLeast(0),), "Seed of the draw.", MISSING)


@dataclass(frozen=True, eq=False)
class Workload(FrozenArrays):
    """Queries over one vocabulary: query q asks for codes[offsets[q]:offsets[q + 1]] in this order."""

    vocabulary: Vocabulary
    offsets: Int64s
    codes: Int32s

    @classmethod
    def from_lists(cls, queries: Iterable[Sequence[str]], vocabulary: Vocabulary) -> Workload:
        """From lists of labels."""
        rows = [list(query) for query in queries]
        for index, row in enumerate(rows):
            if not row:
                raise BadParameter("A query must ask for at least one location.", where=f"query {index}")
            for label in row:
                if label not in vocabulary:
                    raise UnknownLocation(
                        f"A query asks for {label!r}, which is not a location of the original data."
                        f"{did_you_mean(label, vocabulary.labels)}",
                        where=f"query {index}",
                        location=label,
                    )
        codes = np.array([vocabulary.code(label) for row in rows for label in row], np.int32)
        return cls(vocabulary, offsets_of(np.fromiter(map(len, rows), np.int64, len(rows))), codes)

    @classmethod
    def drawn(
        cls,
        original: Trajectories,
        n_queries: int = 100,
        sizes: Sequence[int] = (1, 2),
        seed: int = 0,
        *,
        exclude_sensitive: bool = False,
    ) -> Workload:
        """`n_queries` distinct subtrajectories of the given sizes, equally likely; all if there are fewer."""
        n_queries = _N_QUERIES.check(n_queries, "Workload")
        seed = _SEED.check(seed, "Workload")
        wanted = sorted({_SIZE.check(size, "Workload") for size in sizes})
        if exclude_sensitive:
            original = _without_sensitive(original)
        codes_of_rank = np.flatnonzero(original.occurring)
        keys = [distinct_subtrajectories(original, size) for size in wanted]
        bounds = offsets_of(np.array([len(found) for found in keys], np.int64))
        chosen = np.arange(bounds[-1])
        if n_queries < len(chosen):
            chosen = np.random.Generator(np.random.PCG64(seed)).choice(len(chosen), n_queries, replace=False)
        which = np.searchsorted(bounds, chosen, side="right") - 1
        queries = [
            codes_of_rank[_unpacked(keys[index][slot - bounds[index]], wanted[index], len(codes_of_rank))]
            for index, slot in zip(which.tolist(), chosen.tolist(), strict=True)
        ]
        codes = np.concatenate(queries) if queries else np.empty(0, np.int64)
        return cls(
            original.locations.vocabulary,
            offsets_of(np.fromiter(map(len, queries), np.int64, len(queries))),
            codes.astype(np.int32),
        )

    @classmethod
    def of_locations(cls, original: Trajectories, *, exclude_sensitive: bool = False) -> Workload:
        """One query for each location that occurs."""
        occurring = original.occurring
        if exclude_sensitive and original.locations.sensitive is not None:
            occurring = occurring & ~original.locations.sensitive
        codes = np.flatnonzero(occurring).astype(np.int32)
        return cls(original.locations.vocabulary, np.arange(len(codes) + 1), codes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def to_lists(self) -> list[list[str]]:
        """Labels of each query."""
        labels = self.vocabulary.labels
        return [
            [labels[code] for code in self.codes[start:end]]
            for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)
        ]


def distinct_subtrajectories(original: Trajectories, size: int) -> Int64s:
    """Every subtrajectory of `size` locations that occurs, in the order of its codes.

    A subtrajectory is packed into one integer: its codes, counted among the occurring ones, are its digits.
    """
    n_ranks = int(np.count_nonzero(original.occurring))
    if n_ranks == 0:
        return np.empty(0, np.int64)
    _check_enumeration(original, size, n_ranks)
    ranks = (np.cumsum(original.occurring) - 1).astype(np.int32)[original.codes]
    n_keys = n_ranks**size
    if n_keys <= LONGEST_BITMAP:
        present = np.zeros(n_keys, np.bool_)
        row = 0
        while row < len(original):
            keys, row = subsequence_keys(original.offsets, ranks, n_ranks, size, row, _BLOCK)
            present[keys] = True
        return np.flatnonzero(present)
    distinct = np.empty(0, np.int64)
    waiting: list[Int64s] = []
    row = 0
    while row < len(original):
        keys, row = subsequence_keys(original.offsets, ranks, n_ranks, size, row, _BLOCK)
        waiting.append(_distinct(keys))
        if sum(map(len, waiting)) > max(len(distinct), _BLOCK):
            distinct = _distinct(np.concatenate([distinct, *waiting]))
            waiting = []
    return _distinct(np.concatenate([distinct, *waiting]))


def _distinct(keys: Int64s) -> Int64s:
    """Sorted distinct keys; the array is sorted in place. Much quicker than np.unique on millions of keys."""
    keys.sort()
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def _check_enumeration(original: Trajectories, size: int, n_ranks: int) -> None:
    if n_ranks**size >= 2**63:
        raise TooLarge(f"Subtrajectories of {size} out of {n_ranks} locations cannot be listed; ask for smaller sizes.")
    lengths, counts = np.unique(original.lengths, return_counts=True)
    largest = sum(
        min(comb(length, size), n_ranks**size) * count
        for length, count in zip(lengths.tolist(), counts.tolist(), strict=True)
    )
    if largest > LARGEST_ENUMERATION:
        raise TooLarge(
            f"These trajectories have up to {largest:.3g} subtrajectories of {size} locations, and at most "
            f"{LARGEST_ENUMERATION:.3g} are listed; ask for smaller sizes, or give the queries."
        )


def _without_sensitive(original: Trajectories) -> Trajectories:
    if original.locations.sensitive is None:
        return original
    kept = ~original.locations.sensitive[original.codes]
    return Trajectories(np.append(0, np.cumsum(kept))[original.offsets], original.codes[kept], original.locations)


def _unpacked(key: int, size: int, base: int) -> list[int]:
    digits = []
    for _ in range(size):
        key, digit = divmod(int(key), base)
        digits.append(digit)
    return digits[::-1]
