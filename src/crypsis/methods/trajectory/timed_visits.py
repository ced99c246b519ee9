"""From events to the records that a private tree reads. Each record is prepared by itself, so privacy is not touched.

Visits outside the domains are dropped, the others ordered, repeats removed, and the first `height` of each person kept.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.methods.trajectory.walking_records import Visits


def timed_visits(
    data: Events, locations: LocationDomain, times: TimeDomain, order: str, height: int | None = None
) -> Visits:
    """One record per person who has a visit in the domains, by person; without a height, none is cut short."""
    persons, places, moments = visits_inside(data, locations, times)
    return visits_by_person(persons, places, moments, len(locations), len(times), order, height)


def visits_inside(data: Events, locations: LocationDomain, times: TimeDomain) -> tuple[Int64s, Int32s, Int32s]:
    """Person, place and moment of the visits in the domains, in the order of arrival."""
    places = locations.vocabulary.encode(data.locations.vocabulary.series)[data.location_codes]
    moments = times.encode(data.t)
    inside = (places >= 0) & (moments >= 0)
    return data.persons[inside].astype(np.int64), places[inside], moments[inside]


def visits_by_person(
    persons: Int64s, places: Int32s, moments: Int32s, n_locations: int, n_times: int, order: str, height: int | None
) -> Visits:
    """The records of people by their visits, which come in the order of arrival."""
    if order == "canonical":
        persons, places, moments = _sorted_pairs(persons, places, moments, n_locations, n_times)
    else:
        persons, places, moments = _in_order_of_arrival(persons, places, moments, n_times, order == "strict")
    starts = np.flatnonzero(_changes(persons))
    rank = np.arange(len(persons)) - np.repeat(starts, np.diff(np.append(starts, len(persons))))
    if height is not None:
        kept = rank < height
        persons, places, moments = persons[kept], places[kept], moments[kept]
        starts = np.flatnonzero(_changes(persons))
    lengths = np.diff(np.append(starts, len(persons)))
    return Visits(offsets_of(lengths), places, moments, n_locations, n_times, order)


def send_visits(data: Events, locations: LocationDomain, times: TimeDomain) -> tuple[pl.Series, tuple[Int32s, Int32s]]:
    """The person, the place and the moment of each visit of a part that lies in the domains."""
    persons, places, moments = visits_inside(data, locations, times)
    return data.people.decode(persons.astype(np.int32)), (places, moments)


def keep_visits(
    persons: Int64s, places: Int32s, moments: Int32s, n_locations: int, n_times: int, order: str, height: int
) -> tuple[int, Visits]:
    """The records of the people of a shard: how many they are, and their visits."""
    visits = visits_by_person(persons, places, moments, n_locations, n_times, order, height)
    return len(visits.offsets) - 1, visits


def _sorted_pairs(
    persons: Int64s, places: Int32s, moments: Int32s, n_locations: int, n_times: int
) -> tuple[Int64s, Int32s, Int32s]:
    """By person, time and place, each once."""
    width = n_locations * n_times
    keys = persons * width + moments.astype(np.int64) * n_locations + places
    keys.sort()
    keys = keys[_changes(keys)]
    persons, pairs = np.divmod(keys, width)
    moments64, places64 = np.divmod(pairs, n_locations)
    return persons, places64.astype(np.int32), moments64.astype(np.int32)


def _in_order_of_arrival(
    persons: Int64s, places: Int32s, moments: Int32s, n_times: int, strict: bool
) -> tuple[Int64s, Int32s, Int32s]:
    """By person and time; at one time as they arrived, each once, or only the first where times must rise."""
    by_time = np.argsort(persons * n_times + moments, kind="stable")
    persons, places, moments = persons[by_time], places[by_time], moments[by_time]
    group = np.cumsum(_changes(persons * n_times + moments)) - 1 if len(persons) else persons
    key = group if strict else group * (int(places.max(initial=0)) + 1) + places
    first = np.zeros(len(persons), np.bool_)
    first[np.unique(key, return_index=True)[1]] = True
    return persons[first], places[first], moments[first]


def _changes(values: Int64s) -> Bools:
    """Where a value differs from the one before it."""
    changed = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changed[1:])
    return changed
