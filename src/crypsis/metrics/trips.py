"""Trips: what persons visited, one after another, in the original and in a release of synthetic trajectories.

The original is looked at with the release's domains and order of visits: what lies outside is not there. Trip r visits
`places[offsets[r]:offsets[r + 1]]`, codes of the release's locations, and counts `weights[r]` times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crypsis.arrays import Int64s, frozen, offsets_of
from crypsis.data.stream import Events
from crypsis.data.synthetic import POSITIONS, SyntheticTrajectories


@dataclass(frozen=True, eq=False)
class Trips:
    """Trips of at least one visit."""

    offsets: Int64s
    places: Int64s
    weights: Int64s
    n_places: int

    @classmethod
    def of_events(cls, data: Events, release: SyntheticTrajectories) -> Trips:
        """One trip per person."""
        coded = release.locations.vocabulary.encode(data.locations.vocabulary.series)
        places = coded.astype(np.int64)[data.location_codes]
        timeless = release.times.unit == POSITIONS
        moments = data.t if timeless else release.times.encode(data.t).astype(np.int64)
        inside = (places >= 0) if timeless else (places >= 0) & (moments >= 0)
        persons, places, moments = data.persons[inside].astype(np.int64), places[inside], moments[inside]
        by_place = release.order == "canonical"
        order = np.lexsort((places, moments, persons) if by_place else (moments, persons))
        persons, places, moments = persons[order], places[order], moments[order]
        kept = np.ones(len(persons), np.bool_)
        if len(persons) and not timeless:
            same = (persons[1:] == persons[:-1]) & (moments[1:] == moments[:-1])
            kept[1:] = ~same if release.order == "strict" else ~(same & (places[1:] == places[:-1]))
        persons, places = persons[kept], places[kept]
        lengths = np.bincount(persons, minlength=1) if len(persons) else np.zeros(0, np.int64)
        lengths = lengths[lengths > 0]
        return cls(offsets_of(lengths), places, np.ones(len(lengths), np.int64), len(release.locations))

    @classmethod
    def of_release(cls, release: SyntheticTrajectories) -> Trips:
        return cls(release.offsets, release.location_codes.astype(np.int64), release.copies, len(release.locations))

    @cached_property
    def lengths(self) -> Int64s:
        return frozen(np.diff(self.offsets))

    @property
    def total(self) -> int:
        return int(self.weights.sum())

    def ends(self) -> tuple[Int64s, Int64s]:
        """Pairs of first and last place as one number each, ascending, and how many trips have them."""
        pairs = self.places[self.offsets[:-1]] * self.n_places + self.places[self.offsets[1:] - 1]
        return _summed(pairs, self.weights)

    def runs(self, length: int) -> tuple[Int64s, Int64s]:
        """Runs of so many places as one number each, ascending, and how many trips have them, each counted once."""
        owner = np.repeat(np.arange(len(self.weights)), self.lengths)
        keys, owners = self.places.copy(), owner
        for index in range(1, length):
            size = max(len(self.places) - index, 0)
            keys, owners = keys[:size] * self.n_places + self.places[index:], owners[:size]
        whole = owners == owner[length - 1 :] if len(owners) else np.zeros(0, np.bool_)
        keys, owners = keys[whole], owners[whole]
        order = np.lexsort((keys, owners))
        keys, owners = keys[order], owners[order]
        first = np.ones(len(keys), np.bool_)
        first[1:] = (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1])
        return _summed(keys[first], self.weights[owners[first]])


def matched(keys: Int64s, counts: Int64s, wanted: Int64s) -> Int64s:
    """The counts of some keys, 0 for those that are not there; `keys` ascend."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64)
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[index] == wanted, counts[index], 0)


def _summed(keys: Int64s, weights: Int64s) -> tuple[Int64s, Int64s]:
    distinct, inverse = np.unique(keys, return_inverse=True)
    totals = np.zeros(len(distinct), np.int64)
    np.add.at(totals, inverse, weights)
    return distinct, totals
