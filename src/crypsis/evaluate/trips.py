"""Trips from place to place: how a table with one row per trip is read as two visits each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crypsis.data.kinds_of_data import trip_ends
from crypsis.data.steps import STEP, Ends
from crypsis.data.usual_columns import LATITUDE_NAMES, LOCATION_NAMES, LONGITUDE_NAMES
from crypsis.evaluate.dataset_table import DatasetTable

SIDE = 500  # metres of a square; stations and addresses of a town are that far apart
_TIMES = ("time", "datetime", "timestamp", "date", "at", "d")  # `started_at` leaves `ed at`
_PLACES = (*LOCATION_NAMES, "name", "zone", "stop", "id")


def settings_of_trips(columns: Sequence[str]) -> DatasetTable | None:
    """The settings that read each row as a trip with two visits; None where no two columns are its ends.

    Where coordinates are known, visits are to squares of the map; else to the places that are named. Whose a trip is,
    is left to be asked.
    """
    both = trip_ends(columns)
    time = next((rest for rest in both if rest.split(" ")[-1] in _TIMES), None)
    lat, lon = (_ending(both, names) for names in (LATITUDE_NAMES, LONGITUDE_NAMES))
    place = _ending(both, _PLACES)
    if time is None or (place is None and (lat is None or lon is None)):
        return None
    to = {rest: rest.replace(" ", "_") or "place" for rest in both}
    if len({*to.values(), "trip"}) <= len(to) or {"trip", *to.values()} & _others(columns, both):
        return None
    step = Ends(
        starts=tuple(start for start, _ in both.values()),
        ends=tuple(end for _, end in both.values()),
        to=tuple(to.values()),
    )
    shaped: dict[str, Any] = {STEP: [step.to_dict()], "kind": "trajectories", "id": step.number}
    if lat is not None and lon is not None:
        return DatasetTable(shaped | {"grid": SIDE, "time": to[time], "lat": to[lat], "lon": to[lon]})
    return DatasetTable(shaped | {"position": to[time], "location": to[str(place)], "sort": True})


def _ending(both: dict[str, tuple[str, str]], words: Sequence[str]) -> str | None:
    """What the two ends tell, by the last of its words."""
    last_words = {rest.split(" ")[-1]: rest for rest in reversed(both)}
    return next((last_words[word] for word in words if word in last_words), None)


def _others(columns: Sequence[str], both: dict[str, tuple[str, str]]) -> set[str]:
    return {*columns} - {name for pair in both.values() for name in pair}
