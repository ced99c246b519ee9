"""GPS tracks of cars on the street grid of a small town: a fix every quarter block, waits at crossings."""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s, offsets_of
from crypsis.data.track import Tracks
from crypsis.samples.numbering import numbered

_STREETS = 21  # in either direction, one block apart
_BLOCK = 100.0  # metres
_CAR_PARKS = np.array([(4, 5), (15, 4), (10, 10), (6, 16), (16, 15)])
_FROM_CAR_PARK = 0.7
_FEWEST_BLOCKS, _MOST_BLOCKS = 4, 19
_FIXES_PER_BLOCK = 4
_TURNS = 0.3
_WAITS = 0.25
_BLUR = 4.0  # metres of GPS error
_CARS_AT_ONCE = 50_000


def tracks(cars: int = 400, seed: int = 1) -> Tracks:
    """One drive of each car: metres east and north, seconds since it started."""
    random = np.random.Generator(np.random.PCG64(seed))
    starts = range(0, max(cars, 1), _CARS_AT_ONCE)
    parts = [_drive(min(_CARS_AT_ONCE, cars - start), random) for start in starts]
    fixes, x, y, t = map(np.concatenate, zip(*parts, strict=True))
    return Tracks(offsets_of(fixes), x, y, t, ids=numbered("car", cars))


def tracks_frame(cars: int = 400, seed: int = 1) -> pl.DataFrame:
    """The same as a long table, one row per fix: track_id, x, y, t."""
    return tracks(cars, seed).to_frame()


def _drive(cars: int, random: np.random.Generator) -> tuple[Int64s, Float64s, Float64s, Float64s]:
    """How many fixes each car has, and x, y and t of all of them, car after car."""
    blocks = random.integers(_FEWEST_BLOCKS, _MOST_BLOCKS + 1, cars)
    crossing_x, crossing_y = _crossings(cars, random)
    fixes = blocks * _FIXES_PER_BLOCK + 1
    offsets = offsets_of(fixes)
    car = np.repeat(np.arange(cars), fixes)
    block, quarter = np.divmod(np.arange(len(car)) - offsets[car], _FIXES_PER_BLOCK)
    following = np.minimum(block + 1, blocks[car])

    def along(crossing: Int64s) -> Float64s:
        here, there = crossing[car, block], crossing[car, following]
        exact = _BLOCK * (here + quarter / _FIXES_PER_BLOCK * (there - here))
        return np.asarray(np.round(exact + random.normal(0.0, _BLUR, len(car)), 1))

    x, y = along(crossing_x), along(crossing_y)
    return fixes, x, y, _clock(offsets, car, quarter, random)


def _crossings(cars: int, random: np.random.Generator) -> tuple[Int64s, Int64s]:
    """The crossings that each car passes, as numbers of the street across and along."""
    parked = _CAR_PARKS[random.integers(0, len(_CAR_PARKS), cars)]
    anywhere = random.integers(0, _STREETS, (cars, 2))
    start = np.where((random.random(cars) < _FROM_CAR_PARK)[:, None], parked, anywhere)
    turns = random.choice([-1, 0, 1], (cars, _MOST_BLOCKS), p=[_TURNS / 2, 1 - _TURNS, _TURNS / 2])
    turns[:, 0] = random.integers(0, 4, cars)
    heading = np.cumsum(turns, axis=1) % 4
    path_x = np.cumsum(np.column_stack([start[:, 0], np.array([1, 0, -1, 0])[heading]]), axis=1)
    path_y = np.cumsum(np.column_stack([start[:, 1], np.array([0, 1, 0, -1])[heading]]), axis=1)
    return _folded(path_x), _folded(path_y)


def _folded(street: Int64s) -> Int64s:
    """Turn back at the edge of the town: a number outside is mirrored inside, so a step stays one block."""
    last = _STREETS - 1
    return np.asarray(last - np.abs(last - street % (2 * last)))


def _clock(offsets: Int64s, car: Int64s, quarter: Int64s, random: np.random.Generator) -> Float64s:
    """Seconds since the start: each car at its own pace, some waiting at a crossing."""
    pace = random.uniform(2.0, 6.0, len(offsets) - 1)[car]
    waits = (quarter == 0) & (random.random(len(car)) < _WAITS)
    pause = np.where(waits, random.uniform(5.0, 45.0, len(car)), 0.0)
    elapsed = np.cumsum(np.round(pace + pause))
    return np.asarray(elapsed - elapsed[offsets[:-1]][car])
