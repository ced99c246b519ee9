"""The projection of degrees in parts: the UTM zone of all of them together, found from counts by zones.

So no list of degrees is gathered, and the zone is that of the median, as it is in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.projection import utm_zone
from crypsis.data.scanned import Part
from crypsis.data.sources import TrackSource, TrajectorySource
from crypsis.executors.executor import Executor

_ZONES = 61  # of longitudes, the last for 180 degrees alone
_HEMISPHERES = 2


def zone_of_parts(source: TrackSource | TrajectorySource, parts: Sequence[Part], executor: Executor) -> str | None:
    """The UTM zone in which the middle of all degrees lies; None where there are none."""
    counted: CountedDegrees | None = executor.fold(count_degrees, add_degrees, parts, source)
    if counted is None or not len(counted.longitude) or not len(counted.latitude):
        return None
    return utm_zone(np.array([counted.longitude.middle()]), np.array([counted.latitude.middle()]))


@dataclass(frozen=True)
class CountedRanges:
    """How many values lie in each of some ranges, in order, and the lowest and highest of each."""

    counts: Int64s
    lowest: Float64s
    highest: Float64s

    @classmethod
    def of(cls, values: Float64s, ranges: Int64s, n_ranges: int) -> CountedRanges:
        lowest, highest = np.full(n_ranges, np.inf), np.full(n_ranges, -np.inf)
        np.minimum.at(lowest, ranges, values)
        np.maximum.at(highest, ranges, values)
        return cls(np.bincount(ranges, minlength=n_ranges).astype(np.int64), lowest, highest)

    def middle(self) -> float:
        """The median; where it does not lie between two ranges, some value of its range."""
        ends = np.cumsum(self.counts)
        last, first = (int(np.searchsorted(ends, rank, "right")) for rank in ((len(self) - 1) // 2, len(self) // 2))
        if last == first:
            return float(self.lowest[first])
        return float(np.median([self.highest[last], self.lowest[first]]))

    def __len__(self) -> int:
        return int(self.counts.sum())

    def __add__(self, other: CountedRanges) -> CountedRanges:
        lowest, highest = np.minimum(self.lowest, other.lowest), np.maximum(self.highest, other.highest)
        return CountedRanges(self.counts + other.counts, lowest, highest)


@dataclass(frozen=True)
class CountedDegrees:
    """Longitudes by UTM zones and latitudes by hemispheres."""

    longitude: CountedRanges
    latitude: CountedRanges


def count_degrees(part: Part, source: TrackSource | TrajectorySource) -> CountedDegrees | None:
    """The degrees of a part; None where its coordinates are planar. What is no place on Earth is refused later."""
    degrees = part.read_with(source.degrees)
    if degrees is None:
        return None
    longitude, latitude = (values[np.abs(values) <= most] for values, most in zip(degrees, (180.0, 90.0), strict=True))
    return CountedDegrees(
        CountedRanges.of(longitude, ((longitude + 180) // 6).astype(np.int64), _ZONES),
        CountedRanges.of(latitude, (latitude >= 0).astype(np.int64), _HEMISPHERES),
    )


def add_degrees(one: CountedDegrees | None, other: CountedDegrees | None) -> CountedDegrees | None:
    """The degrees of both."""
    if one is None or other is None:
        return one or other
    return CountedDegrees(one.longitude + other.longitude, one.latitude + other.latitude)
