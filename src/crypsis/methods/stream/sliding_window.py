"""The window of a stream while it slides: who has which doublets, which are suppressed, and what a slide decides.

Fed with the new events of each slide, it keeps the distinct rows of the window (of the horizon, in cumulative mode) and
one small slot per person in it. A slide costs the new events, the people in the window, and the sequences with a new
doublet in distinct rows; nothing else is looked at again. Everything is exact and repeats exactly; the whole state goes
into a checkpoint (`state`, `from_state`). Locations and people are codes; who they are is the caller's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int8s, Int32s, Int64s
from crypsis.errors import InternalError
from crypsis.kernels.critical_violations import critical_violations, rare_doublets
from crypsis.kernels.window_rows import (
    append_events,
    count_new_doublets,
    extended_rows,
    held_by_doublet,
    move_and_evict,
    remove_people,
    renumbered_rows,
)
from crypsis.kernels.winners import chosen_winners

MODES = {"itsa": "each window for itself", "cumulative": "all windows together", "static": "each from scratch"}
ALIVE, DEAD, RECALLED = 0, 1, 2  # of a doublet; recalled: published once, suppressed because of an erasure
ERASED = np.iinfo(np.int64).min  # as the time when somebody was last seen

_VERSION = 1
_ROW = 0xFFFFFFFF  # the part of a slot that is the row, as the kernels keep it
_PER_SLOT = ("people", "slots")
_PER_DOUBLET = ("time", "place", "raw", "support", "status")
_ROWS = ("offsets", "codes", "held")
_TOKENS = ("numerators", "denominators", "class_bounds", "class_tokens")
_SETTINGS = ("L", "K", "N", "step", "mode", "horizon", "prune", "origin", "seq", "x", "y", "active")
_DENSE = 1 << 16  # cells of a counting sort that are always affordable


@dataclass(frozen=True, eq=False)
class Slide:
    """One window as decided. Doublet d is place[d] at time[d]; it is published unless it is suppressed.

    Only `published` may leave the publisher; everything else is for certificates, metrics and audits.
    """

    seq: int
    x: int
    y: int
    time: Int64s
    place: Int32s
    status: Int8s
    raw: Int64s  # people who were there, suppressed or not, without the erased
    violation_starts: Int64s
    violation_members: Int32s
    winners: Int32s
    counted: int  # sequences that were counted
    active: int  # people with an event in the window
    erased: int
    regressed: int
    _people: Int32s
    _row: Int64s
    _last_seen: Int64s
    _offsets: Int64s
    _codes: Int32s
    _class: Int64s

    @cached_property
    def in_window(self) -> Bools:
        """Doublets of this window that somebody has; in cumulative mode there are older ones."""
        return (self.time >= self.x) & (self.raw > 0)

    @cached_property
    def suppressed(self) -> Int64s:
        """Doublets of this window that are not published."""
        return np.flatnonzero(self.in_window & (self.status != ALIVE))

    @property
    def instances(self) -> int:
        """Doublets of all people in the window, suppressed or not."""
        return int(self.raw[self.in_window].sum())

    @property
    def suppressed_instances(self) -> int:
        return int(self.raw[self.suppressed].sum())

    @property
    def violations(self) -> list[tuple[int, ...]]:
        """The critical violations as tuples of doublet numbers, by size, then in canonical order."""
        bounds = self.violation_starts.tolist()
        members = self.violation_members.tolist()
        records = [tuple(members[start:end]) for start, end in pairwise(bounds)]
        return sorted(records, key=lambda one: (len(one), one))

    @cached_property
    def published(self) -> tuple[Int32s, Int64s, Int32s]:
        """People with a doublet to publish, and theirs: those of the i-th are codes[offsets[i]:offsets[i + 1]]."""
        shown = (self.status == ALIVE) & (self.time >= self.x)
        kept = shown[self._codes]
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        row_starts = ends[self._offsets]
        codes = self._codes[kept]
        lengths = np.diff(row_starts)[self._row]
        chosen = np.flatnonzero((lengths > 0) & (self._last_seen != ERASED))
        lengths = lengths[chosen]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        positions = np.arange(offsets[-1]) + np.repeat(row_starts[self._row[chosen]] - offsets[:-1], lengths)
        return self._people[chosen], offsets, codes[positions]

    def holdings(self, *, everything: bool) -> tuple[Int64s, Int64s]:
        """Slot and doublet of all that the window publishes; with `everything` of all that is out within the horizon.

        What was published of people who were erased since is out all the same.
        """
        shown = self.status != DEAD if everything else (self.status == ALIVE) & (self.time >= self.x)
        lengths = np.diff(self._offsets)[self._row]
        if not everything:
            lengths = np.where(self._last_seen == ERASED, 0, lengths)
        slots = np.repeat(np.arange(len(lengths)), lengths)
        starts = np.cumsum(lengths) - lengths
        codes = self._codes[np.arange(len(slots)) + (self._offsets[self._row] - starts)[slots]].astype(np.int64)
        kept = shown[codes]
        return slots[kept], codes[kept]

    def classes_of(self, slots: Int64s) -> Int64s:
        """The class of sensitive values of the people in these slots."""
        return self._class[slots]

    @property
    def has_erased(self) -> bool:
        """Somebody was erased who is, or was a slide ago, in the window."""
        return self.erased > 0 or bool((self._last_seen == ERASED).any())

    @cached_property
    def emptied(self) -> Int32s:
        """People with events in the window for whom nothing is published."""
        here = self._people[self._last_seen >= self.x]
        return np.setdiff1d(here, self.published[0]).astype(np.int32)


class SlidingWindow:
    """The state of one stream. Bounds of tokens are given by `tokens`, classes of tokens by `declare_class`."""

    def __init__(
        self,
        *,
        L: int,
        K: int,
        N: int,
        step: int = 1,
        mode: str = "itsa",
        horizon: int | None = None,
        tokens: Sequence[Fraction] = (),
        origin: int = 0,
        prune: bool = False,
    ) -> None:
        self.L, self.K, self.N, self.step = L, K, N, step
        self.mode, self.horizon, self.prune, self.origin = mode, horizon, prune, origin
        self.seq, self.x, self.y = -1, origin, origin - 1  # no window yet
        self.numerators = np.array([bound.numerator for bound in tokens], np.int64)
        self.denominators = np.array([bound.denominator for bound in tokens], np.int64)
        self.class_bounds = np.zeros(2, np.int64)  # class 0: no sensitive value
        self.class_tokens = np.empty(0, np.int32)
        self.slot_of = np.full(1024, -1, np.int32)
        self.n_slots = 0
        self.people = np.empty(1024, np.int32)
        self.slots = np.empty((1024, 2), np.int64)
        self.active = 0  # people with an event in the window
        self._raw: dict[int, tuple[Int32s, Int32s, Int32s]] = {}  # by time: people, places, classes
        self._forget_rows()

    def _forget_rows(self) -> None:
        self.offsets, self.codes = np.zeros(2, np.int64), np.empty(0, np.int32)
        self.held = np.zeros((1, 1 + len(self.numerators)), np.int64)
        self.time, self.raw, self.support = (np.empty(0, np.int64) for _ in range(3))
        self.place, self.status = np.empty(0, np.int32), np.empty(0, np.int8)

    # What the caller declares before it is used.

    def declare_token(self, bound: Fraction) -> int:
        """A new sensitive token, of which nobody seen so far is a holder; returns its number."""
        self.numerators = np.append(self.numerators, np.int64(bound.numerator))
        self.denominators = np.append(self.denominators, np.int64(bound.denominator))
        self.held = np.column_stack([self.held, np.zeros(len(self.held), np.int64)])
        return len(self.numerators) - 1

    def declare_class(self, tokens: Iterable[int]) -> int:
        """A new set of tokens that a person can have; returns its number. Class 0 has none.

        A token whose bound is 1 can never be exceeded and is not counted.
        """
        counted = sorted(token for token in set(tokens) if self.numerators[token] < self.denominators[token])
        self.class_tokens = np.concatenate([self.class_tokens, np.array(counted, np.int32)])
        self.class_bounds = np.append(self.class_bounds, np.int64(len(self.class_tokens)))
        return len(self.class_bounds) - 2

    # The slide.

    @property
    def next_end(self) -> int:
        """Where the next full window ends; it takes the events after `y` up to there."""
        return self.y + self.N if self.seq < 0 else self.x + self.step + self.N - 1

    def slide(
        self,
        people: Int32s,
        places: Int32s,
        times: Int64s,
        classes: Int32s,
        *,
        erased: Sequence[int] = (),
        rank: Int64s | None = None,
        end: int | None = None,
    ) -> Slide:
        """Take the events after the last window and decide the next one.

        No (person, place, time) comes twice, a person's class never changes, and the arrays are not changed afterwards.
        `rank` orders the places; without it their codes do. `erased` people lose their events now and may not come
        back. `end` closes a last window early.
        """
        y_old = self.y
        if self.seq >= 0:
            self.x += self.step
        self.seq, self.y = self.seq + 1, self.x + self.N - 1 if end is None else end
        if len(times) and not (y_old < int(times.min()) and int(times.max()) <= self.y):
            raise InternalError(f"An event outside ({y_old}, {self.y}] was given to window {self.seq}.")
        gone = np.unique(np.asarray(erased, np.int64))
        if len(gone) and len(people):
            kept = ~np.isin(people, gone)
            people, places, times, classes = people[kept], places[kept], times[kept], classes[kept]
        before = self._published_doublets() if self.mode == "static" else set()

        self._slide_out()
        touched = self._erase(gone)
        first_row, first_new, rare = self._slide_in(people, places, times, classes, rank)
        seed = np.zeros(len(self.time), np.bool_)
        seed[first_new:] = True
        ignored = self.status == DEAD
        rechecks = bool(touched.any())
        if rechecks and self.mode == "itsa":
            seed[:first_new] |= touched
            rare = np.concatenate([rare, self._rare_among(touched, self.held)])
            first_row = 0
        ignored[rare] = True
        starts, members, counted = self._violations(self.held, first_row, seed, ignored)
        allowed = seed if self.mode == "cumulative" else np.ones(len(seed), np.bool_)
        winners = chosen_winners(starts, members, self.support, allowed, self.prune)
        winners = np.concatenate([rare, winners])
        starts, members = _joined(_singles(rare), (starts, members))
        recalled = np.empty(0, np.int32)
        if rechecks and self.mode == "cumulative":
            recalled, *found = self._recall(touched, first_new)
            starts, members = _joined((starts, members), found)
        self.status[winners] = DEAD
        self.status[recalled] = RECALLED
        regressed = len(recalled) + int((winners < first_new).sum())
        if before:
            regressed = len(before & self._doublets(np.flatnonzero(self.status != ALIVE)))
        return Slide(
            seq=self.seq,
            x=self.x,
            y=self.y,
            time=self.time,
            place=self.place,
            status=self.status,
            raw=self.raw,
            violation_starts=starts,
            violation_members=members,
            winners=np.concatenate([winners, recalled]),
            counted=counted + len(self.time) - first_new,
            active=int(self.active),  # a kernel that is interpreted answers in numpy's integers
            erased=len(gone),
            regressed=regressed,
            _people=self.people[: self.n_slots].copy(),
            _row=self.slots[: self.n_slots, 1] & _ROW,
            _last_seen=self.slots[: self.n_slots, 0].copy(),
            _offsets=self.offsets,
            _codes=self.codes,
            _class=self.slots[: self.n_slots, 1] >> 32,
        )

    def _slide_out(self) -> None:
        """Drop what is older than the window (than the horizon) and what is suppressed; evict who has nothing left."""
        for t in [t for t in self._raw if t < self.x]:
            del self._raw[t]
        if self.mode == "static":
            becomes = np.zeros(len(self.held), np.int32)
            self._forget_rows()
        else:
            kept = self.time >= self.x
            if self.mode == "cumulative":
                oldest = self.origin if self.horizon is None else self.y - self.horizon + 1
                kept |= (self.time >= oldest) & (self.status != DEAD)
            renumber = np.where(kept & (self.status != DEAD), np.cumsum(kept) - 1, -1).astype(np.int32)
            self.offsets, self.codes, self.held, becomes = renumbered_rows(
                self.offsets, self.codes, self.held, renumber
            )
            for name in _PER_DOUBLET:
                setattr(self, name, getattr(self, name)[kept])
        self.n_slots, self.active = move_and_evict(self.people, self.slots, self.n_slots, becomes, self.x, self.slot_of)

    def _erase(self, gone: Int64s) -> Bools:
        """Take people out of the raw data and, where it was not promised to keep them, out of the rows.

        Returns the alive doublets of the window that stood in one of their rows.
        """
        touched = np.zeros(len(self.time), np.bool_)
        known = gone[gone < len(self.slot_of)]
        slots = self.slot_of[known].astype(np.int64)
        slots = slots[slots >= 0]
        slots = slots[self.slots[slots, 0] != ERASED]
        if len(slots) == 0:
            return touched
        for row in (self.slots[slots, 1] & _ROW).tolist():
            touched[self.codes[self.offsets[row] : self.offsets[row + 1]]] = True
        touched &= (self.time >= self.x) & (self.status == ALIVE)
        self.active -= int((self.slots[slots, 0] >= self.x).sum())
        if self.mode != "cumulative":
            remove_people(slots, self.slots, self.held, self.class_bounds, self.class_tokens)
            self.slots[slots, 1] &= ~_ROW
        self.slots[slots, 0] = ERASED
        for t, (people, places, classes) in self._raw.items():
            theirs = np.isin(people, gone)
            if not theirs.any():
                continue
            self._raw[t] = people[~theirs], places[~theirs], classes[~theirs]
            here = np.flatnonzero(self.time == t)
            if len(here):  # in static mode nothing is carried over
                order = here[np.argsort(self.place[here])]
                at = order[np.searchsorted(self.place[order], places[theirs])]
                np.subtract.at(self.raw, at, 1)
                if self.mode != "cumulative":
                    np.subtract.at(self.support, at, 1)
        return touched

    def _slide_in(
        self, people: Int32s, places: Int32s, times: Int64s, classes: Int32s, rank: Int64s | None
    ) -> tuple[int, int, Int32s]:
        """Add the new events. Returns the first new row, the first new doublet, and which are violations alone."""
        if self.mode == "static" and self._raw:
            again = list(self._raw.items())
            people = np.concatenate([*(chunk[0] for _, chunk in again), people])
            places = np.concatenate([*(chunk[1] for _, chunk in again), places])
            classes = np.concatenate([*(chunk[2] for _, chunk in again), classes])
            times = np.concatenate([*(np.full(len(chunk[0]), t, np.int64) for t, chunk in again), times])
            self._raw.clear()
        first_row, first_new = len(self.held), len(self.time)
        if len(people) == 0:
            return first_row, first_new, np.empty(0, np.int32)
        self._keep_raw(people, places, times, classes)
        cell, n_cells = _cells(times, places, rank)
        first, held = count_new_doublets(
            cell, n_cells, classes, self.class_bounds, self.class_tokens, len(self.numerators)
        )
        occurs = first >= 0
        code_of = (first_new - 1 + np.cumsum(occurs)).astype(np.int32)
        first, held = first[occurs], held[occurs]
        rare = rare_doublets(held, self.K, self.numerators, self.denominators)
        code_of[np.flatnonzero(occurs)[rare]] = -1
        support = held[:, 0]
        self.time = np.concatenate([self.time, times[first]])
        self.place = np.concatenate([self.place, places[first]])
        self.raw = np.concatenate([self.raw, support])
        self.support = np.concatenate([self.support, support])
        self.status = np.concatenate([self.status, np.zeros(len(first), np.int8)])
        self._make_room(people)
        self.n_slots, self.held, extends, by, repeated, arrived = append_events(
            people,
            classes,
            times,
            cell,
            code_of,
            first_new,
            len(self.time),
            self.held,
            self.people,
            self.slots,
            self.n_slots,
            self.slot_of,
            self.x,
            self.class_bounds,
            self.class_tokens,
            8 * len(people) + _DENSE,
        )
        if repeated:
            raise InternalError(f"{repeated} events were given to window {self.seq} twice.")
        self.active += arrived
        self.offsets, self.codes = extended_rows(self.offsets, self.codes, extends, by)
        return first_row, first_new, (first_new + np.flatnonzero(rare)).astype(np.int32)

    def _keep_raw(self, people: Int32s, places: Int32s, times: Int64s, classes: Int32s) -> None:
        """Events by time, as long as they are in the window; an erasure and the static mode need them."""
        if int(times.min()) == int(times.max()):
            self._raw[int(times[0])] = people, places, classes
            return
        in_order = bool((times[1:] >= times[:-1]).all())
        order = np.arange(len(times)) if in_order else np.argsort(times, kind="stable")
        ordered = times if in_order else times[order]
        begins = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1)).tolist()
        for lower, upper in zip(begins, [*begins[1:], len(order)], strict=True):
            at = order[lower:upper]
            self._raw[int(ordered[lower])] = people[at], places[at], classes[at]

    def _make_room(self, people: Int32s) -> None:
        """Slots for all of these people, and a place where each can be looked up."""
        highest = int(people.max(initial=0)) + 1
        if highest > len(self.slot_of):
            more = np.full(max(highest, 2 * len(self.slot_of)) - len(self.slot_of), -1, np.int32)
            self.slot_of = np.concatenate([self.slot_of, more])
        needed = self.n_slots + min(len(people), highest)
        if needed > len(self.people):
            for name in _PER_SLOT:
                held = getattr(self, name)
                more = np.zeros((max(needed, 2 * len(held)) - len(held), *held.shape[1:]), held.dtype)
                setattr(self, name, np.concatenate([held, more]))

    def _violations(self, held: Int64s, first_row: int, seed: Bools, ignored: Bools) -> tuple[Int64s, Int32s, int]:
        if (self.K == 1 and not self._bounded) or self.L < 2 or len(held) <= max(first_row, 1):
            return np.zeros(1, np.int64), np.empty(0, np.int32), 0
        return critical_violations(
            self.offsets,
            self.codes,
            held,
            first_row,
            seed,
            ignored,
            self.L,
            self.K,
            self.numerators,
            self.denominators,
        )

    def _rare_among(self, chosen: Bools, held: Int64s) -> Int32s:
        """Which of the chosen doublets are violations alone."""
        among = held_by_doublet(self.offsets, self.codes, held, len(self.time))
        rare = rare_doublets(among, self.K, self.numerators, self.denominators)
        rare[: len(chosen)] &= chosen
        rare[len(chosen) :] = False
        return np.flatnonzero(rare).astype(np.int32)

    def _recall(self, touched: Bools, first_new: int) -> tuple[Int32s, Int64s, Int32s]:
        """After an erasure in cumulative mode: what of the published window must go, though it was published."""
        held = self.held.copy()
        erased = np.flatnonzero(self.slots[: self.n_slots, 0] == ERASED)
        remove_people(erased, self.slots, held, self.class_bounds, self.class_tokens)
        ignored = (self.status != ALIVE) | (self.time < self.x)
        ignored[first_new:] = True
        seed = np.zeros(len(self.time), np.bool_)
        seed[:first_new] = touched
        rare = self._rare_among(touched, held)
        ignored[rare] = True
        found = self._violations(held, 0, seed, ignored)
        winners = chosen_winners(found[0], found[1], self.raw, np.ones(len(seed), np.bool_), self.prune)
        return np.concatenate([rare, winners]), *_joined(_singles(rare), found[:2])

    @property
    def _bounded(self) -> bool:
        return bool((self.numerators < self.denominators).any())

    def _published_doublets(self) -> set[tuple[int, int]]:
        return self._doublets(np.flatnonzero((self.status == ALIVE) & (self.raw > 0)))

    def _doublets(self, numbers: Int64s) -> set[tuple[int, int]]:
        return set(zip(self.time[numbers].tolist(), self.place[numbers].tolist(), strict=True))

    # Checkpoints.

    def state(self) -> dict[str, Any]:
        """All of it as numbers, words and arrays; `from_state` goes on from there as if nothing had happened."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        arrays = {name: getattr(self, name).copy() for name in (*_ROWS, *_PER_DOUBLET, *_TOKENS)}
        slots = {name: getattr(self, name)[: self.n_slots].copy() for name in _PER_SLOT}
        times = np.array(sorted(self._raw), np.int64)
        chunks = [self._raw[t] for t in times.tolist()]
        raw = {
            "raw_times": np.repeat(times, [len(chunk[0]) for chunk in chunks]) if chunks else times,
            **{
                f"raw_{name}": np.concatenate([chunk[index] for chunk in chunks]) if chunks else np.empty(0, np.int32)
                for index, name in enumerate(("people", "places", "classes"))
            },
        }
        return {"version": _VERSION, **settings, **arrays, **slots, **raw, "known": len(self.slot_of)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SlidingWindow:
        """The window that `state` described."""
        if state.get("version") != _VERSION:
            raise InternalError(f"This checkpoint has version {state.get('version')!r}, {_VERSION} is understood.")
        window = cls(L=1, K=1, N=1)
        for name in _SETTINGS:
            setattr(window, name, state[name])
        for name in (*_ROWS, *_PER_DOUBLET, *_TOKENS, *_PER_SLOT):
            setattr(window, name, np.array(state[name]))
        window.n_slots = len(window.people)
        window.slot_of = np.full(state["known"], -1, np.int32)
        window.slot_of[window.people] = np.arange(window.n_slots, dtype=np.int32)
        for t in np.unique(state["raw_times"]).tolist():
            at = state["raw_times"] == t
            window._raw[t] = state["raw_people"][at], state["raw_places"][at], state["raw_classes"][at]
        return window


def _cells(times: Int64s, places: Int32s, rank: Int64s | None) -> tuple[Int64s, int]:
    """A number per event, equal for equal doublets and ascending in canonical order, and a bound of the numbers."""
    ranked = places.astype(np.int64) if rank is None else rank[places]
    base, width = int(times.min()), int(ranked.max()) + 1
    span = int(times.max()) - base + 1
    if span * width <= 4 * len(times) + _DENSE:
        return (times - base) * width + ranked, span * width
    ordered = np.lexsort((ranked, times))
    new = np.ones(len(ordered), np.bool_)
    new[1:] = (np.diff(times[ordered]) != 0) | (np.diff(ranked[ordered]) != 0)
    cell = np.empty(len(ordered), np.int64)
    cell[ordered] = np.cumsum(new) - 1
    return cell, int(new.sum())


def _singles(doublets: Int32s) -> tuple[Int64s, Int32s]:
    return np.arange(len(doublets) + 1, dtype=np.int64), doublets


def _joined(one: Sequence[Any], other: Sequence[Any]) -> tuple[Int64s, Int32s]:
    """Two lists of violations as one."""
    return np.concatenate([one[0], other[0][1:] + one[0][-1]]), np.concatenate([one[1], other[1]])
