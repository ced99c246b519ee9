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

from crypsis.data.arrays import Int32s, Int64s
from crypsis.errors import BadParameter

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class Intake:
    """The door of a stream. `sensitive` gives values known beforehand; `locations` the only ones that are accepted."""

    def __init__(
        self,
        *,
        lateness: int = 0,
        multi_location: str = "allow",
        t0: int | None = None,
        locations: Sequence[str] | None = None,
        max_forward_jump: int = 70,
        sensitive: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        if multi_location not in ("allow", "first"):
            raise BadParameter(f"multi_location must be 'allow' or 'first', got {multi_location!r}.")
        self.lateness, self.first_only, self.max_forward_jump = lateness, multi_location == "first", max_forward_jump
        self.origin, self.declared_locations = t0, locations is not None
        self.max_t: int | None = None  # largest accepted timestamp or watermark
        self.counters: Counter[str] = Counter()
        self.people: dict[str, int] = {}
        self.places: dict[str, int] = {label: code for code, label in enumerate(locations or ())}
        self.classes: dict[frozenset[str], int] = {frozenset(): 0}
        self.class_of: list[int] = []  # by person
        self._known = {person: frozenset(values) for person, values in (sensitive or {}).items()}
        self._erased: set[str] = set()
        self._waiting: dict[int, dict[tuple[int, int], None]] = {}  # by timestamp: (person, place), in order of arrival
        self._placed: dict[int, set[int]] = {}  # by timestamp: people with a location

    @property
    def closed(self) -> int | None:
        """No event up to this timestamp is accepted any more; None before the first."""
        return None if self.max_t is None else self.max_t - self.lateness - 1

    def offer(self, event: Any) -> str:
        """Take one event or refuse it: `accepted`, or the first reason that applies."""
        result = self._judge(event)
        self.counters[result] += 1
        return result

    def _judge(self, event: Any) -> str:
        if not isinstance(event, dict):
            return "malformed"
        person: Any = event.get("id")
        place: Any = event.get("loc")
        t: Any = event.get("t")
        if not (_is_label(person) and _is_label(place)) or "t" not in event or t is None:
            return "malformed"
        values = _values(event.get("sa"))
        if values is None:
            return "malformed"
        if type(t) is not int or not _SMALLEST <= t <= _LARGEST:
            return "bad_timestamp"
        origin = t if self.origin is None else self.origin
        if t < origin:
            return "before_origin"
        if t > (origin if self.max_t is None else self.max_t) + self.max_forward_jump:
            return "future"
        if self.declared_locations and place not in self.places:
            return "unknown_location"
        closed = self.closed
        if closed is not None and t <= closed:
            return "late"
        if person in self._erased:
            return "erased"
        number = self.people.get(person)
        fixed = self._known.get(person) if number is None else None
        told = frozenset(values)
        if number is not None:
            if told and self.classes.get(told) != self.class_of[number]:
                return "sa_conflict"
        elif fixed is not None and told and told != fixed:
            return "sa_conflict"
        code = self.places.get(place)
        waiting = self._waiting.get(t)
        if waiting is not None and number is not None:
            if code is not None and (number, code) in waiting:
                return "duplicate"
            if self.first_only and number in self._placed[t]:
                return "second_location"
        self._accept(person, place, t, told if fixed is None else fixed)
        return "accepted"

    def _accept(self, person: str, place: str, t: int, values: frozenset[str]) -> None:
        if self.origin is None:
            self.origin = t
        if person not in self.people:
            self.people[person] = len(self.people)
            self.class_of.append(self.classes.setdefault(values, len(self.classes)))
        number, code = self.people[person], self.places.setdefault(place, len(self.places))
        self._waiting.setdefault(t, {})[number, code] = None
        if self.first_only:
            self._placed.setdefault(t, set()).add(number)
        self.max_t = t if self.max_t is None else max(self.max_t, t)

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
            for person, place in self._waiting.pop(t):
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

    def ranks(self) -> Int64s:
        """The order of the places: as declared, else by the code points of their labels."""
        rank = np.arange(len(self.places), dtype=np.int64)
        if not self.declared_locations:
            rank[[self.places[label] for label in sorted(self.places)]] = np.arange(len(self.places))
        return rank


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\n" not in value


def _values(told: Any) -> tuple[str, ...] | None:
    """The sensitive values of an event; None where they are no text."""
    if told is None:
        return ()
    values = tuple(told) if isinstance(told, (list, tuple)) else (told,)
    return values if all(isinstance(value, str) and value for value in values) else None
