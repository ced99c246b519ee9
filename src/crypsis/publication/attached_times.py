"""Publish times with a result that was made of places alone, and verify that it holds for somebody who knows times.

The rows stay as the method made them. What a symbol stands for is told again, with times: in bins, a symbol is its
places in one bin of beginnings and one of ends; by cluster, it is whatever visits of its cluster it stands for, so that
all members of the cluster have one span of time for it. Only timed places that occur are named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.attached_times import CLUSTER
from crypsis.data.symbols import Symbols
from crypsis.data.timed_places import TimedPlaces
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, TooLarge
from crypsis.guarantees import Verdict
from crypsis.run_context import RunContext

WIDTHS_TRIED = "time_widths_tried"
_INSTEAD = "Choose times='merge', which merges places and times together"


def with_attached_times(
    published: PublishedTrajectories,
    data: Trajectories,
    check: Callable[[PublishedTrajectories, Trajectories], Verdict],
    context: RunContext,
) -> tuple[PublishedTrajectories, Trajectories]:
    """What is published with times, and the original in the same steps of time: those of the first width that holds,
    of the last where none does."""
    plan = data.attached
    assert plan is not None
    visits = _kept_visits(published, data, context.private)
    clusters = _clusters(data, context.private) if plan.way == CLUSTER else None
    tried = []
    with context.stage("times"):
        for width in plan.widths:
            bound = data.bind_times(width=width, cycle=plan.cycle, weight=0.0)
            timed = bound.locations.times
            assert timed is not None
            bound = replace(bound, locations=replace(bound.locations, times=replace(timed, way=plan.way)))
            result = _retold(published, data, bound, visits, clusters)
            tried.append(width)
            try:
                holds = check(result, bound).holds
            except TooLarge:
                if width == plan.widths[-1]:
                    raise
                holds = False
            if holds:
                break
    context.private[WIDTHS_TRIED] = tried
    return result, bound


def _retold(
    published: PublishedTrajectories,
    data: Trajectories,
    bound: Trajectories,
    visits: Int64s,
    clusters: Int64s | None,
) -> PublishedTrajectories:
    """The same rows, each visit with a symbol that stands for timed places."""
    timed = bound.locations.times
    assert timed is not None
    codes = bound.codes[visits].astype(np.int64)
    if clusters is None:
        apart = _steps(timed)[codes]
    else:
        apart = clusters[np.repeat(np.arange(len(data)), data.lengths)[visits]]
    width = int(apart.max(initial=0)) + 1
    _, symbol_of_visit = np.unique(published.codes.astype(np.int64) * width + apart, return_inverse=True)
    pairs = np.unique(symbol_of_visit * max(len(bound.locations), 1) + codes)
    symbol, member = np.divmod(pairs, max(len(bound.locations), 1))
    offsets = offsets_of(np.bincount(symbol, minlength=int(symbol_of_visit.max(initial=-1)) + 1))
    members = member.astype(np.int32)
    numbers: dict[bytes, int] = {}
    number_of = np.array(
        [numbers.setdefault(members[first:last].tobytes(), len(numbers)) for first, last in pairwise(offsets.tolist())],
        np.int32,
    )
    kept = [np.frombuffer(number, np.int32) for number in numbers]
    hidden = set(published.suppressed or ())
    return replace(
        published,
        codes=number_of[symbol_of_visit] if len(number_of) else published.codes,
        symbols=Symbols(
            bound.locations.vocabulary,
            offsets_of(np.array([len(one) for one in kept], np.int64)),
            np.concatenate([*kept, np.zeros(0, np.int32)]).astype(np.int32),
        ),
        suppressed=tuple(
            sorted(label for label, place in zip(timed.labels, timed.places, strict=True) if place in hidden)
        ),
    )


def _steps(timed: TimedPlaces) -> Int64s:
    """A number for the times of each timed place: equal ones have equal numbers."""
    ends = timed.enter if timed.exit is None else timed.exit
    return np.unique(np.column_stack([timed.enter, ends]), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _kept_visits(published: PublishedTrajectories, data: Trajectories, private: dict[str, Any]) -> Int64s:
    """The original visit of each published one; refused where the method does not publish visits one by one."""
    missing = private.get("suppressed_occurrences")
    if missing is not None and published.places is None and len(published) == len(data):
        kept = np.ones(data.visits, np.bool_)
        kept[[int(data.offsets[row]) + position for row, position in missing]] = False
        visits = np.flatnonzero(kept)
        if np.array_equal(np.diff(np.append(0, np.cumsum(kept))[data.offsets]), published.lengths):
            return visits
    raise NotApplicable(
        "This method replaces sequences or leaves parts of them out, so times cannot be attached to what it publishes. "
        f"{_INSTEAD}."
    )


def _clusters(data: Trajectories, private: dict[str, Any]) -> Int64s:
    """The cluster of each trajectory."""
    clusters = private.get("clusters")
    if clusters is None:
        raise NotApplicable(
            "times='cluster' needs a method that recodes clusters of trajectories by themselves (zga, sga). Choose one "
            "of them, or times='bin' or 'merge'."
        )
    number = np.zeros(len(data), np.int64)
    for cluster, rows in enumerate(clusters):
        number[np.asarray(rows, np.int64)] = cluster
    return number
