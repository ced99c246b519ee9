"""Published visits that end or are open, as values to count: a place, when the visit began, and when it ended or that
it is open.

Somebody who knows a visit sees which rows can hold it: those that tell its end, and those in which it is open. So the
value of a visit is all that its row shows of it, and people who share a set of values cannot be told apart by what is
known of these visits. Over several windows a row shows what the windows tell together. When an end was told must follow
from the end itself, or it would tell people apart: it is told as soon as a window reaches it, or never, and not taken
back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.stream import OPEN, Events
from crypsis.data.windows import PublishedWindow

Value = tuple[int, int, int]  # time, index of the location, exit


def problem_of_exits(window: PublishedWindow, promised: bool) -> str | None:
    """Why the ends of a window cannot be what a stream tells; None where they can."""
    if not len(window.times):
        return None
    if window.exits is None:
        return f"Window {window.seq} does not say whether visits ended, which is promised." if promised else None
    if not promised:
        return (
            f"Window {window.seq} tells when visits ended, and the guarantee is about an adversary who knows no ends."
        )
    if (window.exits < window.times).any():
        return f"Window {window.seq} has a visit that ends before it begins."
    if ((window.exits != OPEN) & (window.exits > window.y)).any():
        return f"Window {window.seq} has a visit that ends after the window."
    return None


def rows_of_values(owners: Any, times: Any, places: Any, exits: Any) -> tuple[list[Value], Int64s, Int64s, Int64s]:
    """The distinct values in canonical order; which owners have any, and the values of each as offsets and codes.

    A visit that is told several times counts once, with its end where it has one.
    """
    owners, times, places, exits = (np.asarray(column, np.int64) for column in (owners, times, places, exits))
    order = np.lexsort((exits, places, times, owners))
    owners, times, places, exits = owners[order], times[order], places[order], exits[order]
    first = np.ones(len(owners), np.bool_)
    first[1:] = (np.diff(owners) != 0) | (np.diff(times) != 0) | (np.diff(places) != 0)
    owners, times, places, exits = owners[first], times[first], places[first], exits[first]
    distinct, codes = np.unique(np.column_stack([times, places, exits]), axis=0, return_inverse=True)
    begins = np.flatnonzero(np.diff(owners, prepend=-1)) if len(owners) else np.empty(0, np.int64)
    values = [(time, place, exit) for time, place, exit in distinct.tolist()]
    return values, owners[begins], np.append(begins, len(owners)), codes.reshape(-1).astype(np.int64)


def problem_over_time(windows: Sequence[PublishedWindow], labels: Sequence[str]) -> str | None:
    """An end that was taken back, changed, or told later than it could have been; people are compared by their name.

    A later window may only narrow what an earlier one tells of a visit.
    """
    told: dict[tuple[Any, int, int], tuple[int, int]] = {}  # the end, and the last window that had the visit open
    for window in windows:
        if window.exits is None:
            continue
        names = window.pseudonyms if window.people is None else window.people.tolist()
        owners = np.repeat(np.arange(len(window)), np.diff(window.offsets)).tolist()
        columns = zip(owners, window.times.tolist(), window.places.tolist(), window.exits.tolist(), strict=True)
        for owner, time, place, exit in columns:
            visit = names[owner], time, place
            before, reached = told.get(visit, (OPEN, -OPEN))
            said = f"the visit to {labels[place]} that began in {time}"
            if before not in (OPEN, exit):
                now = "is open again" if exit == OPEN else f"ended in {exit}"
                return f"In window {window.seq} {said} {now}; an earlier window says that it ended in {before}."
            if exit != OPEN and exit <= reached:
                return f"Window {window.seq} tells that {said} ended in {exit}; an earlier window left it open."
            told[visit] = exit, window.y if exit == OPEN else reached
    return None


def problem_with_ends(
    window: PublishedWindow, place_codes: Int64s, ends: Mapping[tuple[int, int, int], list[int]], whole: bool
) -> str | None:
    """An end that is not that of the original; where no event was refused (`whole`) also one that is told for some who
    share it and not for others."""
    assert window.exits is not None
    assert window.people is not None
    owners = np.repeat(window.people, np.diff(window.offsets)).tolist()
    places = place_codes[window.places].tolist()
    told: dict[Value, bool] = {}
    for owner, time, place, exit in zip(owners, window.times.tolist(), places, window.exits.tolist(), strict=True):
        true = ends.get((owner, time, place), [])
        if exit != OPEN and exit not in true:
            return f"Window {window.seq} has a visit with an end that is not its own."
        if whole and true and told.setdefault((time, place, true[0]), exit != OPEN) != (exit != OPEN):
            return f"Window {window.seq} tells an end for some who share it and not for others."
    return None


def ends_of(original: Events) -> dict[tuple[int, int, int], list[int]]:
    """When each visit of the original ended, as events say."""
    ends: dict[tuple[int, int, int], list[int]] = {}
    if original.exits is None:
        return ends
    columns = (original.persons, original.t, original.location_codes, original.exits)
    for person, time, place, exit in zip(*(column.tolist() for column in columns), strict=True):
        if exit != OPEN:
            ends.setdefault((person, time, place), []).append(exit)
    return ends


def in_words(labels: Sequence[str], value: Sequence[int]) -> str:
    """A doublet, or a visit with its end."""
    time, place, *exit = value
    ended = "" if not exit else "-open" if exit[0] == OPEN else f"-{exit[0]}"
    return f"{labels[place]}.{time}{ended}"
