"""A metro of any size: passengers board by the flow of their station, ride along a line one stop a minute, and leave.

Lines of equal length cross in one station. Where somebody boards follows the flow rates, when is even over the minutes;
rides are short more often than long. The fare is what must not be learned about a passenger.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.stream import Attribute, Events
from crypsis.data.trajectory import Locations
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter
from crypsis.samples.numbering import numbered

FARES = ("concession", "full")


def metro_flow(
    passengers: int = 100_000,
    seed: int = 1,
    *,
    stations: int = 65,
    lines: int = 4,
    minutes: int = 60,
    mean_stops: float = 8.0,
    flows: Sequence[float] | None = None,
    concessions: float = 0.1,
) -> Events:
    """A stream in order of time. `flows` weighs the stations, evenly falling unless given; `concessions` is the share
    of passengers with the sensitive fare."""
    line, place_on_line = _map(stations, lines)
    weights = 1.0 / np.sqrt(1.0 + np.arange(stations)) if flows is None else np.asarray(flows, np.float64)
    if len(weights) != stations or not (weights >= 0).all() or weights.sum() <= 0:
        raise BadParameter(f"metro_flow: flows must be {stations} weights, not negative and not all 0.")
    random = np.random.Generator(np.random.PCG64(seed))
    people, t, station = _rides(random, passengers, line, place_on_line, weights / weights.sum(), minutes, mean_stops)
    fare = (random.random(passengers) >= concessions).astype(np.int32)
    order = np.argsort(t, kind="stable")
    people, t, station = people[order], t[order], station[order]
    width = len(str(max(stations - 1, 1)))
    return Events(
        people,
        station,
        t,
        Vocabulary(numbered("passenger", passengers)),
        Locations(Vocabulary(f"station {code:0{width}d}" for code in range(stations))),
        (Attribute("fare", fare[people], Vocabulary(FARES)),),
    )


def metro_flow_frame(passengers: int = 100_000, seed: int = 1) -> pl.DataFrame:
    """The same as a table: id, location, t, fare."""
    return metro_flow(passengers, seed).to_frame()


def _map(stations: int, lines: int) -> tuple[Int32s, Int64s]:
    """Stations of each line in order, the crossing (station 0) in its middle; and where each line begins."""
    if lines < 1 or stations < 2 * lines + 1:
        raise BadParameter(f"metro_flow: {lines} lines need at least {2 * lines + 1} stations, got {stations}.")
    parts = [part.tolist() for part in np.array_split(np.arange(1, stations), lines)]
    routes = [[*part[: len(part) // 2], 0, *part[len(part) // 2 :]] for part in parts]
    flat = np.array([station for route in routes for station in route], np.int32)
    return flat, offsets_of(np.array([len(route) for route in routes], np.int64))


def _rides(
    random: np.random.Generator,
    passengers: int,
    line: Int32s,
    begins: Int64s,
    shares: Float64s,
    minutes: int,
    mean_stops: float,
) -> tuple[Int32s, Int64s, Int32s]:
    board = random.choice(len(line), passengers, p=shares[line] / shares[line].sum())
    route = np.searchsorted(begins, board, side="right") - 1
    forward = random.random(passengers) < 0.5
    left = np.where(forward, begins[route + 1] - 1 - board, board - begins[route])
    stops = np.minimum(1 + random.geometric(1.0 / max(mean_stops - 1.0, 1.0), passengers), left + 1)
    start = 1 + (random.random(passengers) * np.maximum(minutes - stops + 1, 1)).astype(np.int64)
    offsets = offsets_of(stops)
    people = np.repeat(np.arange(passengers, dtype=np.int32), stops)
    step = np.arange(len(people)) - offsets[:-1][people]
    at = board[people] + np.where(forward[people], step, -step)
    t = start[people] + step
    inside = t <= minutes
    return people[inside], t[inside], line[at[inside]]
