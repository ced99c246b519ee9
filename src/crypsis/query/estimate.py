"""Expected counts: where nothing is certain, the likeliest number under stated assumptions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from crypsis.errors import BadParameter
from crypsis.fuzzytime.array import MODES
from crypsis.fuzzytime.interval import Number
from crypsis.query.bounds import Period, as_period, refuse_cycle
from crypsis.query.visits import PublishedVisits


def estimate_presence(
    visits: PublishedVisits, region: Collection[str], start: Number, end: Number, mode: str = "sometime"
) -> float | None:
    """The expected number of people, if endpoints are uniform within their bounds and cells are equally likely.

    None where a bound is infinite. An estimate, never a bound.
    """
    return estimate_presence_in(visits, region, (start, end), mode)


def estimate_presence_in(
    visits: PublishedVisits, region: Collection[str], period: Period, mode: str = "sometime"
) -> float | None:
    """The same for a period whose ends need not be exact; they are uniform within their bounds, too."""
    if mode not in MODES:
        raise BadParameter(f"mode must be one of {', '.join(MODES)}, got {mode!r}.", parameter="mode")
    refuse_cycle(visits, "An expected number")
    os, is_, ie, oe = (visits.times.as_floats(column) for column in visits.times.columns)
    asked = as_period(period)
    if not all(np.isfinite(bounds).all() for bounds in (os, is_, ie, oe, asked.bounds)):
        return None
    start, end = (asked.outer_start, asked.inner_start), (asked.inner_end, asked.outer_end)
    if mode == "sometime":
        chance = _below(os, is_, end) * (1 - _below(ie, oe, start, strict=True))
    elif mode == "throughout":
        chance = _below(os, is_, start) * (1 - _below(ie, oe, end, strict=True))
    else:
        chance = (1 - _below(os, is_, start, strict=True)) * _below(ie, oe, end)
    missed = np.ones(visits.n_people)
    np.multiply.at(missed, visits.person, 1 - chance * visits.place_shares(region))
    return float(np.sum(1 - missed))


def _below(low: Any, high: Any, between: tuple[Number, Number], *, strict: bool = False) -> Any:
    """The chance that a number between two bounds is at most another one, or below it; that lies between two, too."""
    first, last = between
    if first < last:
        return (_area_below(low, high, last) - _area_below(low, high, first)) / (last - first)
    width = high - low
    share = np.clip((first - low) / np.where(width > 0, width, 1), 0, 1)
    point = (low < first) if strict else (low <= first)
    return np.where(width > 0, share, point)


def _area_below(low: Any, high: Any, value: Number) -> Any:
    """The integral, up to a value, of the chance that a number between two bounds is at most that."""
    width = high - low
    inside = np.clip(value - low, 0, width)
    return inside * inside / (2 * np.where(width > 0, width, 1)) + np.maximum(0, value - high)
