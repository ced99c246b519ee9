"""Recheck that times are part of what was counted: whoever knows when a visit was finds exactly one timed place.

A count of symbols bounds an adversary who knows instants if every instant falls into one bin, every bin with its place
is one location, and no place stands there with and without times: then a symbol fits a known visit exactly if it holds
one location. What the other visits of a row exclude is counted in `timed_candidates`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from crypsis.data.timed_places import CYCLES, MERGE, NO_TIME, TimedPlaces
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import Guarantee, KlmAnonymity, KmAnonymity, Verdict, Witness
from crypsis.verifiers.overlapping_symbols import overlap_within
from crypsis.verifiers.timed_candidates import (
    REMEDIES,
    REMEDIES_AFTERWARDS,
    excludes_nothing,
    times_of_symbols,
    too_few_candidates,
)


def problem_of_times(published: PublishedTrajectories, promised: Guarantee, original: Any = None) -> str | None:
    """What is wrong with the times of a release; None where nothing is, or where it has no times."""
    timed = published.timed
    known = getattr(promised, "knows", "order") == "time"
    if timed is None and known:
        return "The adversary is said to know times, and the release does not say which times locations have."
    if timed is None:
        return None
    if not known:
        return "The release publishes times, and its guarantee is about an adversary who knows none."
    problem = _problem_of_labels(published, timed) or _problem_of_bins(timed) or _problem_of_overlap(timed)
    if problem is not None:
        return problem
    for label in published.sensitive:
        if label in timed.number_of and timed.enter[timed.number_of[label]] != NO_TIME:
            return f"The sensitive location {label!r} has a time, so its share was counted for that time only."
    if isinstance(original, Trajectories):
        return _problem_with_original(timed, original)
    return None


def verify_known_times(verdict: Verdict, published: PublishedTrajectories, original: Any = None) -> Verdict:
    """The verdict on symbols, and whether it also holds for somebody who sees which times a row cannot have."""
    promised, timed = verdict.promised, published.timed
    assert timed is not None
    remedies = REMEDIES if timed.way == MERGE else REMEDIES_AFTERWARDS
    if not verdict.holds:
        return verdict if timed.way == MERGE else replace(verdict, problem=f"{verdict.problem} {remedies}")
    how = f"{verdict.counted}; every location is one place with its times"
    steps = times_of_symbols(published, timed)
    if excludes_nothing(steps):
        return replace(verdict, counted=how)
    required = promised.parameters()["k"]
    if not isinstance(promised, (KmAnonymity, KlmAnonymity)):
        problem = f"A symbol stands for several times, for which {promised.model} is not proven. {remedies}"
        return replace(verdict, holds=False, achieved=None, counted=how, problem=problem)
    share = promised.l if isinstance(promised, KlmAnonymity) else 1
    individuals = published.groups(promised.unit)
    if share > 1 and overlap_within(published.offsets, published.codes, individuals, published.symbols) is not None:
        problem = (
            "Somebody has two symbols that share a location and stand for several times, for which the share of "
            f"sensitive locations is not proven. {remedies}"
        )
        return replace(verdict, holds=False, achieved=None, counted=how, problem=problem)
    if promised.unit == "owner" and published.owners is None:
        raise OriginalRequired(
            "Published rows do not say whose they are, so owners can only be counted by the publisher, before the "
            "release is written."
        )
    found = too_few_candidates(published, steps, individuals, required, promised.m, share)
    if found is None:
        return replace(verdict, counted=f"{how}, and every combination of times that a row can have was counted")
    symbols = tuple(published.symbols.label_lists[symbol] for symbol, _ in found.known)
    witness = Witness(symbols, found.support, 1)
    times = ", ".join(_when(timed, step) for _, step in found.known)
    problem = f"{witness} at {times} can have been visited in "
    problem += (
        f"{found.support} of the rows that hold it, {required} are required. {remedies}"
        if found.sensitive is None
        else f"{found.support} rows, and {found.count} of these visited {found.sensitive!r}. {remedies}"
    )
    return replace(verdict, holds=False, achieved=found.support, counted=how, witness=witness, problem=problem)


def _when(timed: TimedPlaces, step: tuple[int, int]) -> str:
    return f"{step[0]} s" if timed.exit is None else f"{step[0]} to {step[1]} s"


def _problem_of_labels(published: PublishedTrajectories, timed: TimedPlaces) -> str | None:
    """Every label that is published is listed once, and no other."""
    lists = published.symbols.label_lists
    shown = {label for code in np.unique(published.codes).tolist() for label in lists[code]}
    if len(timed.number_of) < len(timed.labels):
        return "A location is listed twice among the timed places."
    missing = sorted(shown - set(timed.labels))
    if missing:
        return f"The published location {missing[0]!r} is not listed among the timed places."
    extra = sorted(set(timed.labels) - shown)
    return f"The location {extra[0]!r} is listed among the timed places and is not published." if extra else None


def _problem_of_bins(timed: TimedPlaces) -> str | None:
    """Every bin lies on the grid, no visit ends before it begins, and time within a cycle begins inside it."""
    length = CYCLES[timed.cycle]
    for row, label in enumerate(timed.labels):
        enter = int(timed.enter[row])
        exit = enter if timed.exit is None else int(timed.exit[row])
        if (enter == NO_TIME) != (exit == NO_TIME):
            return f"The location {label!r} has only one of both times."
        if enter == NO_TIME:
            continue
        if enter % timed.width or exit % timed.width:
            return f"The times of location {label!r} are no steps of {timed.width} seconds."
        if exit < enter:
            return f"Visits to location {label!r} end before they begin."
        if length and not 0 <= enter < length:
            return f"Visits to location {label!r} begin outside the {timed.cycle}."
    return None


def _problem_of_overlap(timed: TimedPlaces) -> str | None:
    """Place and bins name one location, and a place has times always or never."""
    seen: dict[tuple[str, int, int], str] = {}
    with_times: dict[str, bool] = {}
    for row, label in enumerate(timed.labels):
        place, enter = timed.places[row], int(timed.enter[row])
        exit = enter if timed.exit is None else int(timed.exit[row])
        if (place, enter, exit) in seen:
            return f"The locations {seen[place, enter, exit]!r} and {label!r} have one place and the same times."
        seen[place, enter, exit] = label
        if with_times.setdefault(place, enter != NO_TIME) != (enter != NO_TIME):
            return f"The place {place!r} is published with times and without, so visits to it cannot be told apart."
    return None


def _problem_with_original(timed: TimedPlaces, original: Trajectories) -> str | None:
    """The published places and times are those of the original."""
    known = original.locations.times
    if known is None:
        raise NotApplicable(
            "The release publishes times; read the original with them, too: say which column holds them "
            "(enter='COLUMN', and exit='COLUMN' where ends are known)."
        )
    if known.grid != timed.grid:
        return f"The times of the release are {timed.words}, those of the original {known.words}."
    for row, label in enumerate(timed.labels):
        there = known.number_of.get(label)
        if there is None or _row(timed, row) != _row(known, there):
            return f"The location {label!r} does not have the place and the times of the original."
    return None


def _row(timed: TimedPlaces, row: int) -> tuple[str, int, int | None]:
    return timed.places[row], int(timed.enter[row]), None if timed.exit is None else int(timed.exit[row])
