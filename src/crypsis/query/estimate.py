"""Expected counts: where nothing is certain, the likeliest number under stated assumptions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from crypsis.errors import BadParameter
from crypsis.fuzzytime.array import MODES
from crypsis.fuzzytime.interval import Number
from crypsis.query.bounds import refuse_cycle
from crypsis.query.visits import PublishedVisits


def estimate_presence(
    visits: PublishedVisits, region: Collection[str], start: Number, end: Number, mode: str = "sometime"
) -> float | None:
    """The expected number of people, if endpoints are uniform within their bounds and cells are equally likely.

    None where a bound is infinite. An estimate, never a bound.
    """
    if mode not in MODES:
        raise BadParameter(f"mode must be one of {', '.join(MODES)}, got {mode!r}.", parameter="mode")
    refuse_cycle(visits, "An expected number")
    os, is_, ie, oe = (visits.times.as_floats(column) for column in visits.times.columns)
    if not all(np.isfinite(bounds).all() for bounds in (os, is_, ie, oe)):
        return None
    if mode == "sometime":
        chance = _below(os, is_, end) * (1 - _below(ie, oe, start, strict=True))
    elif mode == "throughout":
        chance = _below(os, is_, start) * (1 - _below(ie, oe, end, strict=True))
    else:
        chance = (1 - _below(os, is_, start, strict=True)) * _below(ie, oe, end)
    missed = np.ones(visits.n_people)
    np.multiply.at(missed, visits.person, 1 - chance * visits.place_shares(region))
    return float(np.sum(1 - missed))


def _below(low: Any, high: Any, value: float, *, strict: bool = False) -> Any:
    """The chance that a number between two bounds is at most a value, or below it."""
    width = high - low
    share = np.clip((value - low) / np.where(width > 0, width, 1), 0, 1)
    point = (low < value) if strict else (low <= value)
    return np.where(width > 0, share, point)
