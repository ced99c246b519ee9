"""Which events of a recorded stream are accepted, in the order in which they arrived.

Event e: person persons[e], class of sensitive values classes[e] (-1: the event does not tell), time times[e];
same[e] is equal for equal (person, place, time), together[e] for equal (person, time).
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int8s, Int32s, Int64s
from crypsis.compilation import njit

ACCEPTED, BEFORE_ORIGIN, FUTURE, LATE, SA_CONFLICT, DUPLICATE, SECOND_LOCATION = 0, 1, 2, 3, 4, 5, 6
RESULTS = ("accepted", "before_origin", "future", "late", "sa_conflict", "duplicate", "second_location")
_UNSET = -2


@njit
def judge_events(
    persons: Int32s,
    classes: Int32s,
    times: Int64s,
    same: Int64s,
    together: Int64s,
    n_people: int,
    origin: int,
    declared: bool,
    lateness: int,
    jump: int,
    first_only: bool,
) -> tuple[Int8s, Int32s, int]:
    """The result of each event, the class that each person keeps (-2: nobody seen), and the origin.

    Without a declared origin it is the time of the first event. An event counts under the first reason that applies and
    changes nothing else.
    """
    result = np.empty(len(persons), np.int8)
    fixed = np.full(n_people, _UNSET, np.int32)
    taken = np.zeros(len(persons) + 1, np.bool_)
    placed = np.zeros(len(persons) + 1, np.bool_)
    latest, any_yet = origin, False
    for event in range(len(persons)):
        t, person = times[event], persons[event]
        if not declared and not any_yet:
            origin = latest = t
        if t < origin:
            result[event] = BEFORE_ORIGIN
        elif t - latest > jump:
            result[event] = FUTURE
        elif any_yet and t <= latest - lateness - 1:
            result[event] = LATE
        elif fixed[person] != _UNSET and classes[event] >= 0 and classes[event] != fixed[person]:
            result[event] = SA_CONFLICT
        elif taken[same[event]]:
            result[event] = DUPLICATE
        elif first_only and placed[together[event]]:
            result[event] = SECOND_LOCATION
        else:
            result[event] = ACCEPTED
            taken[same[event]] = True
            placed[together[event]] = True
            if fixed[person] == _UNSET:
                fixed[person] = max(classes[event], 0)
            latest = max(latest, t) if any_yet else t
            any_yet = True
    return result, fixed, origin
