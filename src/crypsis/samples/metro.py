"""A day of a small metro: who was at which station in which minute, and the fare they travel on.

Four lines cross in the middle. Passengers ride to work in the morning and home in the evening, one station
a minute; the fare (student, pensioner, job seeker, …) is what must not be learned about a passenger.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s, offsets_of
from crypsis.data.stream import Events
from crypsis.samples.numbering import numbered

_LINES: dict[str, list[str]] = {
    "red": ["Airport", "Fairground", "Northgate", "Museum", "Central", "Town Hall", "Southgate", "Docks"],
    "blue": ["University", "Botanic Garden", "Museum", "Opera", "Castle", "River Island", "Eastfield"],
    "green": ["Westpark", "Brewery", "Central", "Opera", "Cathedral", "Stadium", "Lakeside"],
    "yellow": ["Hospital", "Brewery", "Town Hall", "Cathedral", "Castle", "Old Mill", "Hilltop"],
}
_FARES = ["full", "commuter", "student", "pensioner", "job seeker", "disabled"]
_FARE_SHARES = np.array([0.34, 0.30, 0.17, 0.11, 0.05, 0.03])
_RETURNS = 0.7  # share of passengers who ride home the same way


def stations() -> list[str]:
    """The stations in the order of the lines."""
    return list(dict.fromkeys(station for line in _LINES.values() for station in line))


def metro(passengers: int = 3_000, seed: int = 1) -> Events:
    """The stream of a day: a passenger at a station in a minute, with the fare as the sensitive attribute."""
    return Events.from_frame(metro_frame(passengers, seed), sensitive=("fare",))


def metro_frame(passengers: int = 3_000, seed: int = 1) -> pl.DataFrame:
    """One row per passenger and minute, in order of time: id, location, t (minute of the day), fare."""
    passenger, minute, station, fare = _ride(passengers, np.random.Generator(np.random.PCG64(seed)))
    return pl.DataFrame(
        {
            "id": numbered("passenger", passengers).gather(passenger),
            "location": pl.Series(stations()).gather(station),
            "t": minute,
            "fare": pl.Series(_FARES).gather(fare[passenger]),
        }
    )


def _ride(passengers: int, random: np.random.Generator) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    next_stop, stops = _timetable()
    popularity = _popularity()
    home = random.choice(len(popularity), passengers, p=popularity)
    work = random.choice(len(popularity), passengers, p=popularity)
    work = np.where(work == home, (home + 1) % len(popularity), work)
    fare = random.choice(len(_FARES), passengers, p=_FARE_SHARES)
    out = np.clip(np.round(random.normal(8.2 * 60, 75, passengers)), 5 * 60, 12 * 60).astype(np.int64)
    back = np.clip(np.round(random.normal(17.4 * 60, 110, passengers)), 13 * 60, 23 * 60).astype(np.int64)
    returning = np.flatnonzero(random.random(passengers) < _RETURNS)

    rider = np.concatenate([np.arange(passengers), returning])
    start = np.concatenate([home, work[returning]])
    goal = np.concatenate([work, home[returning]])
    departure = np.concatenate([out, back[returning]])

    lengths = stops[start, goal] + 1
    offsets = offsets_of(lengths)
    trip = np.repeat(np.arange(len(rider)), lengths)
    minute = departure[trip] + np.arange(len(trip)) - offsets[trip]
    station = np.empty(len(trip), np.int64)
    riding, here = np.arange(len(rider)), start
    for step in range(int(lengths.max(initial=0))):
        station[offsets[riding] + step] = here
        going_on = lengths[riding] > step + 1
        riding = riding[going_on]
        here = next_stop[here[going_on], goal[riding]]
    order = np.lexsort((rider[trip], minute))
    return rider[trip][order], minute[order], station[order], fare


def _timetable() -> tuple[Int64s, Int64s]:
    """For each pair of stations: the next stop on a shortest way, and how many stops that way has."""
    names = stations()
    number = {name: code for code, name in enumerate(names)}
    stops = np.full((len(names), len(names)), len(names))
    np.fill_diagonal(stops, 0)
    for line in _LINES.values():
        for here, there in pairwise(line):
            stops[number[here], number[there]] = stops[number[there], number[here]] = 1
    neighbours = stops == 1
    for middle in range(len(names)):
        stops = np.minimum(stops, stops[:, [middle]] + stops[[middle], :])
    # From `here` towards `goal`: the neighbour that is nearest to the goal, the lowest number among equals.
    remaining = np.where(neighbours[:, :, None], stops[None, :, :], len(names))
    return remaining.argmin(axis=1), stops


def _popularity() -> Float64s:
    """Stations on several lines are busier, and so is the first half of each line."""
    names = stations()
    weights = np.zeros(len(names))
    for line in _LINES.values():
        for position, station in enumerate(line):
            weights[names.index(station)] += 1.0 if position < len(line) // 2 else 0.6
    return np.asarray(weights / weights.sum())
