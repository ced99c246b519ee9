"""Intake: which events of a live stream count, and when a window is complete. Lateness, repeats, erasures.

Every event is offered once, in the order of arrival, and answered with one word; refused ones change nothing. Accepted
ones wait by timestamp until their window slides. What is remembered of a person for ever is a number and the sensitive
values; of an event, nothing once its timestamp is closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.errors import BadParameter, InternalError

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_VERSION = 2  # of the state
PLAIN = "sa"  # the attribute of values that are told without one
Told = str | tuple[str, str]  # a value of the plain attribute, or an attribute and its value
_NOTHING: frozenset[Told] = frozenset()
_REMEMBERED = 10_000
_MAY_END = ("accepted", "duplicate", "late")  # what the beginning of a visit was answered with when its end is told


class Intake:
    """The door of a stream. `sensitive` gives values known beforehand; `locations` the only ones that are accepted.

    `refused_places` are never locations: labels that are sensitive values. `attributes` are the named sensitive
    attributes that are read; others that an event tells are left out. `exits` is how many timestamps after its
    beginning the end of a visit can still be published; with 0 ends are not read. An event that says `exit` is a visit
    that ended then. It may come again for a visit that is known, as long as that timestamp is not closed.
    """

    def __init__(
        self,
        *,
        lateness: int = 0,
        multi_location: str = "allow",
        t0: int | None = None,
        locations: Sequence[str] | None = None,
        max_forward_jump: int = 70,
        sensitive: Mapping[str, Iterable[Told]] | None = None,
        refused_places: Iterable[str] = (),
        attributes: Iterable[str] = (),
        exits: int = 0,
    ) -> None:
        if multi_location not in ("allow", "first"):
            raise BadParameter(f"multi_location must be 'allow' or 'first', got {multi_location!r}.")
        self.lateness, self.first_only, self.max_forward_jump = lateness, multi_location == "first", max_forward_jump
        self.origin, self.declared_locations = t0, locations is not None
        self.max_t: int | None = None  # largest accepted timestamp or watermark
        self.counters: Counter[str] = Counter()
        self.attributes = frozenset(attributes) - {PLAIN}
        self._told: dict[str, frozenset[Told]] = {}  # sets of one value, made once
        self.people: dict[str, int] = {}
        self.names: list[str] = []  # by person
        self.places: dict[str, int] = {label: code for code, label in enumerate(locations or ())}
        self.classes: dict[frozenset[Told], int] = {_NOTHING: 0}
        self.class_of: list[int] = []  # by person
        self.refused_places = frozenset(refused_places)
        self._known = {person: frozenset(values) for person, values in (sensitive or {}).items()}
        self._erased: set[str] = set()
        self._waiting: dict[int, dict[tuple[int, int], None]] = {}  # by timestamp: (person, place), in order of arrival
        self._placed: dict[int, set[int]] = {}  # by timestamp: people with a location
        self.exits = exits
        self._visits: dict[int, set[tuple[int, int]]] = {}  # by timestamp: closed visits that may still end
        self._ends: dict[tuple[int, int, int], int] = {}  # by (person, timestamp, place): when the visit ended
        self._leaving: dict[
            int, dict[tuple[int, int, int], None]
        ] = {}  # by the timestamp of the end, until it is taken

    @property
    def closed(self) -> int | None:
        """No event up to this timestamp is accepted any more; None before the first."""
        return None if self.max_t is None else self.max_t - self.lateness - 1

    def offer(self, event: Any) -> str:
        """Take one event or refuse it: `accepted`, or the first reason that applies."""
        result = self._judge(event)
        if self.exits and result in _MAY_END and event.get("exit") is not None:
            result = self._note_end(event, result)
        self.counters[result] += 1
        return result

    def _judge(self, event: Any) -> str:
        if not isinstance(event, dict):
            return "malformed"
        person: Any = event.get("id")
        place: Any = event.get("loc")
        t: Any = event.get("t")
        if type(person) is not str or type(place) is not str or t is None:
            return "malformed"
        number = self.people.get(person)
        code = self.places.get(place)
        if (number is None and not is_label(person)) or (code is None and not is_label(place)):
            return "malformed"
        sa: Any = event.get("sa")
        distinct: frozenset[Told] | None = _NOTHING if sa is None else self._told.get(sa) if type(sa) is str else None
        if distinct is None:
            values = _named_values(sa, self.attributes) if isinstance(sa, dict) else _values(sa)
            if values is None:
                return "malformed"
            distinct = frozenset(values)
            if type(sa) is str and len(self._told) < _REMEMBERED:
                self._told[sa] = distinct
        if type(t) is not int or not _SMALLEST <= t <= _LARGEST:
            return "bad_timestamp"
        if self.exits:
            exit: Any = event.get("exit")
            if exit is not None and (type(exit) is not int or not t <= exit < _LARGEST):
                return "bad_timestamp"
        origin = t if self.origin is None else self.origin
        if t < origin:
            return "before_origin"
        if t > (origin if self.max_t is None else self.max_t) + self.max_forward_jump:
            return "future"
        if code is None and (self.declared_locations or place in self.refused_places):
            return "unknown_location"
        closed = self.closed
        if closed is not None and t <= closed:
            return "late"
        if person in self._erased:
            return "erased"
        fixed = self._known.get(person) if number is None else None
        if number is not None:
            if distinct and self.classes.get(distinct) != self.class_of[number]:
                return "sa_conflict"
        elif fixed is not None and distinct and distinct != fixed:
            return "sa_conflict"
        waiting = self._waiting.get(t)
        if waiting is not None and number is not None:
            if code is not None and (number, code) in waiting:
                return "duplicate"
            if self.first_only and number in self._placed[t]:
                return "second_location"
        if number is None:
            number = self.people[person] = len(self.names)
            self.names.append(person)
            kept = distinct if fixed is None else fixed
            self.class_of.append(self.classes.setdefault(kept, len(self.classes)))
        if code is None:
            code = self.places[place] = len(self.places)
        if waiting is None:
            waiting = self._waiting[t] = {}
        waiting[number, code] = None
        if self.first_only:
            self._placed.setdefault(t, set()).add(number)
        if self.max_t is None or t > self.max_t:
            self.max_t = t
            self.origin = origin
        return "accepted"

    def _note_end(self, event: Mapping[str, Any], result: str) -> str:
        """Keep the end of a visit until its timestamp is closed, if that is not closed already."""
        t, exit = event["t"], event["exit"]
        number, code = self.people.get(event["id"]), self.places.get(event["loc"])
        if number is None or code is None:
            return result
        if event["id"] in self._erased:
            return "erased"
        closed = self.closed
        known = (number, code) in self._waiting.get(t, ()) or (number, code) in self._visits.get(t, ())
        if not known or (closed is not None and exit <= closed):
            return result
        visit = number, t, code
        if visit in self._ends:
            return "duplicate" if self._ends[visit] == exit else "exit_conflict"
        self._ends[visit] = exit
        if exit - t < self.exits:  # else the visit leaves the window before it ends
            self._leaving.setdefault(exit, {})[visit] = None
        return "accepted"

    def watermark(self, t: int) -> None:
        """The source announces that time has come to t; it may close a gap of any length."""
        self.max_t = t if self.max_t is None else max(self.max_t, t)
        if self.origin is None:
            self.origin = t

    def erase(self, person: str) -> int | None:
        """Refuse this person from now on, waiting events included; returns the number to erase from the window."""
        self._erased.add(person)
        number = self.people.get(person)
        if number is not None:
            for waiting in self._waiting.values():
                for event in [event for event in waiting if event[0] == number]:
                    del waiting[event]
            for leaving in self._leaving.values():
                for visit in [visit for visit in leaving if visit[0] == number]:
                    del leaving[visit]
        return number

    def is_complete(self, end: int) -> bool:
        """No event up to `end` can come any more."""
        return self.closed is not None and end <= self.closed

    def take(self, end: int) -> tuple[Int32s, Int32s, Int64s, Int32s]:
        """The waiting events up to `end` for the window: people, places, times, classes. They wait no longer."""
        people: list[int] = []
        places: list[int] = []
        times: list[int] = []
        for t in sorted(t for t in self._waiting if t <= end):
            waiting = self._waiting.pop(t)
            if self.exits:
                self._visits[t] = set(waiting)
            for person, place in waiting:
                people.append(person)
                places.append(place)
                times.append(t)
            self._placed.pop(t, None)
        classes = [self.class_of[person] for person in people]
        return (
            np.array(people, np.int32),
            np.array(places, np.int32),
            np.array(times, np.int64),
            np.array(classes, np.int32),
        )

    def take_ends(self, end: int) -> Int64s:
        """The ends up to `end` as rows (person, timestamp, place, exit), sorted. They wait no longer."""
        rows = [
            (*visit, exit)
            for exit in [exit for exit in self._leaving if exit <= end]
            for visit in self._leaving.pop(exit)
        ]
        for t in [t for t in self._visits if t + self.exits <= end]:
            del self._visits[t]
        for visit in [visit for visit in self._ends if visit[1] + self.exits <= end]:
            del self._ends[visit]
        return np.array(sorted(rows), np.int64).reshape(-1, 4)

    def ranks(self) -> Int64s:
        """The order of the places: as declared, else by the code points of their labels."""
        rank = np.arange(len(self.places), dtype=np.int64)
        if not self.declared_locations:
            rank[[self.places[label] for label in sorted(self.places)]] = np.arange(len(self.places))
        return rank

    @property
    def waiting(self) -> int:
        """Events that were accepted and belong to no window yet."""
        return sum(map(len, self._waiting.values())) + sum(map(len, self._leaving.values()))

    # Checkpoints.

    def state(self) -> dict[str, Any]:
        """What was learned from events, as numbers, lists of words and arrays; settings are not part of it."""
        times = sorted(self._waiting)
        waiting = [event for t in times for event in self._waiting[t]]
        classes = [sorted(map(token, values)) for values in self.classes]
        return {
            "version": _VERSION,
            "origin": self.origin,
            "max_t": self.max_t,
            "counters": dict(self.counters),
            "names": list(self.names),
            "places": list(self.places),
            "class_attributes": [attribute for values in classes for attribute, _ in values],
            "class_values": [value for values in classes for _, value in values],
            "class_sizes": np.array([len(values) for values in classes], np.int64),
            "class_of": np.array(self.class_of, np.int32),
            "erased": sorted(self._erased),
            "waiting_times": np.repeat(
                np.array(times, np.int64), np.array([len(self._waiting[t]) for t in times], np.int64)
            ),
            "waiting_events": np.array(waiting, np.int32).reshape(-1, 2),
            **({} if not self.exits else self._state_of_ends()),
        }

    def _state_of_ends(self) -> dict[str, Any]:
        visits = sorted((t, *visit) for t, there in self._visits.items() for visit in there)
        leaving = sorted((*visit, exit) for exit, visits in self._leaving.items() for visit in visits)
        ends = sorted((*visit, exit) for visit, exit in self._ends.items())
        return {
            "visits": np.array(visits, np.int64).reshape(-1, 3),
            "leaving": np.array(leaving, np.int64).reshape(-1, 4),
            "ends": np.array(ends, np.int64).reshape(-1, 4),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`, as if nothing had happened; the settings must be those of then."""
        if state.get("version") != _VERSION:
            raise InternalError(f"This checkpoint has version {state.get('version')!r}, {_VERSION} is understood.")
        self.origin, self.max_t = state["origin"], state["max_t"]
        self.counters = Counter(state["counters"])
        self.names = list(state["names"])
        self.people = {name: index for index, name in enumerate(self.names)}
        self.places = {label: code for code, label in enumerate(state["places"])}
        ends = np.cumsum(state["class_sizes"]).tolist()
        values = [
            value if attribute == PLAIN else (attribute, value)
            for attribute, value in zip(state["class_attributes"], state["class_values"], strict=True)
        ]
        self.classes = {
            frozenset(values[end - size : end]): index
            for index, (end, size) in enumerate(zip(ends, state["class_sizes"].tolist(), strict=True))
        }
        self.class_of = state["class_of"].tolist()
        self._erased = set(state["erased"])
        self._waiting, self._placed = {}, {}
        events = zip(state["waiting_times"].tolist(), state["waiting_events"].tolist(), strict=True)
        for t, (person, place) in events:
            self._waiting.setdefault(t, {})[person, place] = None
            if self.first_only:
                self._placed.setdefault(t, set()).add(person)
        if self.exits:
            self._visits, self._leaving, self._ends = {}, {}, {}
            for t, person, place in state["visits"].tolist():
                self._visits.setdefault(t, set()).add((person, place))
            for person, t, place, exit in state["leaving"].tolist():
                self._leaving.setdefault(exit, {})[person, t, place] = None
            for person, t, place, exit in state["ends"].tolist():
                self._ends[person, t, place] = exit


def is_label(value: Any) -> bool:
    """Text that can be written: not empty, in one line, and no half of a pair of surrogates."""
    if not isinstance(value, str) or not value or "\n" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _values(told: Any) -> tuple[str, ...] | None:
    """The sensitive values of an event; None where they are no text."""
    if told is None:
        return ()
    values = tuple(told) if isinstance(told, (list, tuple)) else (told,)
    return values if all(map(is_label, values)) else None


def _named_values(told: Mapping[Any, Any], attributes: frozenset[str]) -> list[Told] | None:
    """The sensitive values of several attributes; None where they are no text."""
    named: list[Told] = []
    for attribute, listed in told.items():
        if attribute != PLAIN and attribute not in attributes:
            continue
        values = _values(listed)
        if values is None:
            return None
        named += values if attribute == PLAIN else [(attribute, value) for value in values]
    return named


def token(told: Told) -> tuple[str, str]:
    """The attribute and the value."""
    return (PLAIN, told) if isinstance(told, str) else told
