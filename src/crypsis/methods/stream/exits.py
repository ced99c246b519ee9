"""Exits: which ends of visits a window tells. Every other visit is open, whether it goes on or its end is held back.

A visit is a doublet of a person; its value is the doublet together with the timestamp in which it ended, or open. An
end is decided once, in the slide in which it is observed: it is told for everybody who has the value, or for nobody,
and never taken back. What is told keeps LKC-privacy of values: what people who left have in common, and what those
who stay open have in common, is shared by K of them. A violation holds something that this slide tells: an end, a
visit that stays open where others end, or a new doublet. An end that is in one is held back, else the new doublet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int64s, offsets_of
from crypsis.data.stream import OPEN
from crypsis.kernels.critical_violations import critical_violations, rare_doublets
from crypsis.kernels.window_rows import held_by_doublet
from crypsis.methods.stream.sliding_window import DEAD, RECALLED, Slide, SlidingWindow

_PERSON, _TIME, _PLACE, _EXIT = range(4)
_NOTHING = np.empty((0, 4), np.int64)
_BEFORE_ALL = np.iinfo(np.int64).min

Ends = frozenset[tuple[int, int]]  # of a slide: doublet and exit


class Exits:
    """The ends that are told, as rows (person, time, place, exit), for as long as the promise looks back."""

    def __init__(self) -> None:
        self.told: Int64s = _NOTHING
        self.y = _BEFORE_ALL  # where the last window ended

    def decide(self, window: SlidingWindow, slide: Slide, observed: Int64s) -> Slide:
        """Choose among the ends observed since the last window, and suppress new doublets where these would not do.

        `observed` has rows (person, time, place, exit). Returns the slide with what was suppressed beside.
        """
        doublets = zip(slide.time.tolist(), slide.place.tolist(), strict=True)
        code_of = {doublet: code for code, doublet in enumerate(doublets)}
        here = (observed[:, _TIME] >= slide.x) & (observed[:, _EXIT] > self.y) & (observed[:, _EXIT] <= slide.y)
        observed = observed[here]
        new = slide.time > self.y
        suppressed: list[int] = []
        erasures = slide.has_erased
        ends = {(code_of.get((time, place), -1), exit) for _, time, place, exit in observed.tolist()}
        chosen: Ends = frozenset(end for end in ends if end[0] >= 0)
        while True:
            kept = _of_ends(observed, code_of, chosen)
            told = np.concatenate([self.told, kept])
            found = _Found(chosen, new, {})
            if window.mode == "cumulative":
                table = _values(window, slide, told, code_of, everything=True)
                found.add(window, table, recheck=False)
            if window.mode != "cumulative" or erasures:
                table = _values(window, slide, told, code_of, everything=False)
                found.add(window, table, recheck=erasures)
            ends_back, doublets_back = found.remedies(slide.raw)
            if not ends_back and not doublets_back:
                break
            chosen -= ends_back
            for code in sorted(doublets_back):
                out = window.mode == "cumulative" and not new[code]
                slide.status[code] = RECALLED if out else DEAD
                suppressed.append(code)
        self.told, self.y = told, slide.y
        self._forget(window, slide)
        regressed = sum(not new[code] for code in suppressed)
        winners = np.concatenate([slide.winners, np.array(suppressed, np.int32)])
        return replace(slide, winners=winners, regressed=slide.regressed + regressed)

    def of(self, people: Sequence[int], times: Sequence[int], places: Sequence[int]) -> Int64s:
        """The end that is told of each of these visits, or OPEN."""
        known = {(person, time, place): exit for person, time, place, exit in self.told.tolist()}
        return np.array([known.get(visit, OPEN) for visit in zip(people, times, places, strict=True)], np.int64)

    def _forget(self, window: SlidingWindow, slide: Slide) -> None:
        """Drop what no later window looks at."""
        first = slide.x
        if window.mode == "cumulative":
            first = window.origin if window.horizon is None else slide.y - window.horizon + 1
        self.told = self.told[self.told[:, _TIME] >= first]

    # Checkpoints.

    def state(self) -> dict[str, Any]:
        return {"told": self.told, "y": self.y}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.told, self.y = np.array(state["told"], np.int64).reshape(-1, 4), state["y"]


@dataclass(frozen=True)
class _Values:
    """Distinct rows of values, as the kernels read them; value v is doublet[v] with exit[v]."""

    doublet: Int64s
    exit: Int64s
    offsets: Int64s
    codes: Int64s
    held: Int64s


class _Found:
    """Violations as sets of values (doublet, exit), and what would mend them."""

    def __init__(self, chosen: Ends, new: Bools, supports: dict[tuple[int, int], int]) -> None:
        self.chosen, self.new, self.supports = chosen, new, supports
        self.ending = {doublet for doublet, _ in chosen}
        self.violations: list[tuple[tuple[int, int], ...]] = []

    def add(self, window: SlidingWindow, values: _Values, *, recheck: bool) -> None:
        """The critical violations of a table that hold something new; with `recheck` all of them."""
        if not len(values.doublet):
            return
        pairs = list(zip(values.doublet.tolist(), values.exit.tolist(), strict=True))
        touched = np.array([recheck or self._is_touched(pair) for pair in pairs])
        order = np.argsort(touched, kind="stable")  # the kernel looks for sequences whose last value is touched
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        codes = values.codes.copy()
        for start, end in pairwise(values.offsets.tolist()):
            codes[start:end] = np.sort(rank[codes[start:end]])
        ranked = codes.astype(np.int32)
        seed, bounds = touched[order], (window.K, window.numerators, window.denominators)
        among = held_by_doublet(values.offsets, ranked, values.held, len(order))
        for value, people in zip(order.tolist(), among[:, 0].tolist(), strict=True):
            self.supports[pairs[value]] = people
        rare = rare_doublets(among, *bounds) & seed
        self.violations += [(pairs[order[value]],) for value in np.flatnonzero(rare).tolist()]
        if window.L < 2 or (window.K == 1 and not len(window.numerators)):
            return
        starts, members, _ = critical_violations(values.offsets, ranked, values.held, 0, seed, rare, window.L, *bounds)
        named = [pairs[order[value]] for value in members.tolist()]
        self.violations += [tuple(named[start:end]) for start, end in pairwise(starts.tolist())]

    def _is_touched(self, value: tuple[int, int]) -> bool:
        doublet, exit = value
        return bool(self.new[doublet]) or value in self.chosen or (exit == OPEN and doublet in self.ending)

    def remedies(self, raw: Int64s) -> tuple[set[tuple[int, int]], set[int]]:
        """Ends to hold back and doublets to suppress, so that each violation loses something.

        The end of a visit that fewest people have goes first, and otherwise the doublet that fewest have.
        """
        ends: set[tuple[int, int]] = set()
        doublets: set[int] = set()
        for violation in sorted(self.violations, key=lambda values: (len(values), values)):
            choices: set[tuple[int, int]] = set()
            for doublet, exit in violation:
                if (doublet, exit) in self.chosen:
                    choices.add((doublet, exit))
                elif exit == OPEN:
                    choices.update(end for end in self.chosen if end[0] == doublet)
            if choices:
                if not choices & ends:
                    ends.add(min(choices, key=lambda end: (self.supports.get(end, 0), end)))
                continue
            known = [doublet for doublet, _ in violation]
            if doublets.isdisjoint(known):
                fresh = [doublet for doublet in known if self.new[doublet]] or known
                doublets.add(min(fresh, key=lambda doublet: (int(raw[doublet]), doublet)))
        return ends, doublets


def _of_ends(observed: Int64s, code_of: Mapping[tuple[int, int], int], chosen: Ends) -> Int64s:
    """The observed visits whose end is among the chosen ones."""
    kept = [(code_of.get((time, place), -1), exit) in chosen for _, time, place, exit in observed.tolist()]
    return observed[np.array(kept, np.bool_)]


def _values(
    window: SlidingWindow, slide: Slide, told: Int64s, code_of: Mapping[tuple[int, int], int], *, everything: bool
) -> _Values:
    """The table of values: of the published window, or of everything that is out within the horizon."""
    slots, codes = slide.holdings(everything=everything)
    n_doublets = max(len(slide.time), 1)
    keys = slots * n_doublets + codes
    exits = np.full(len(keys), OPEN, np.int64)
    known = told[told[:, _PERSON] < len(window.slot_of)]
    at = np.array([code_of.get((time, place), -1) for time, place in known[:, [_TIME, _PLACE]].tolist()], np.int64)
    slot = window.slot_of[known[:, _PERSON]].astype(np.int64)
    there = (at >= 0) & (slot >= 0)
    wanted, ends = slot[there] * n_doublets + at[there], known[there, _EXIT]
    order = np.argsort(keys)
    place = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    if len(keys):
        hit = keys[order[place]] == wanted
        exits[order[place[hit]]] = ends[hit]
    pairs, value = np.unique(np.column_stack([codes, exits]), axis=0, return_inverse=True)
    value = value.reshape(-1)
    order = np.lexsort((value, slots))
    slots, value = slots[order], value[order]
    firsts = np.flatnonzero(np.diff(slots, prepend=-1)) if len(slots) else np.empty(0, np.int64)
    has = np.zeros((len(window.class_bounds) - 1, 1 + len(window.numerators)), np.int64)
    has[:, 0] = 1
    for number, (start, end) in enumerate(pairwise(window.class_bounds.tolist())):
        has[number, 1 + window.class_tokens[start:end]] = 1
    rows: dict[bytes, int] = {}
    held: list[Any] = []
    kept: list[Int64s] = []
    classes = slide.classes_of(slots[firsts]).tolist()
    for (start, end), tokens in zip(pairwise([*firsts.tolist(), len(slots)]), classes, strict=True):
        theirs = value[start:end]
        number = rows.setdefault(theirs.tobytes(), len(rows))
        if number == len(held):
            held.append(np.zeros(has.shape[1], np.int64))
            kept.append(theirs)
        held[number] += has[tokens]
    lengths = np.array([0, *(len(row) for row in kept)], np.int64)  # row 0 is empty, as the kernels expect
    empty = np.zeros(has.shape[1], np.int64)
    return _Values(
        pairs[:, 0],
        pairs[:, 1],
        offsets_of(lengths),
        np.concatenate(kept) if kept else np.empty(0, np.int64),
        np.array([empty, *held]),
    )
