"""LKC-privacy and ITSA in all modes, straight from their definitions: every sequence is listed, nothing is kept.

A doublet is (t, rank of the location); a row is a set of doublets; `tokens` are a person's sensitive values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

Doublet = tuple[int, int]
Sequence = tuple[Doublet, ...]
Table = Mapping[Any, Iterable[Doublet]]


def sequences(table: Table, size: int) -> dict[Sequence, list[Any]]:
    """Every sequence of that size that somebody holds, and who does."""
    held: dict[Sequence, list[Any]] = {}
    for person, row in table.items():
        for sequence in combinations(sorted(row), size):
            held.setdefault(sequence, []).append(person)
    return held


def is_violation(
    people: list[Any], tokens: Mapping[Any, Iterable[Any]], K: int, bounds: Mapping[Any, Fraction]
) -> bool:
    """Fewer than K hold it, or one sensitive value is too likely among them."""
    if len(people) < K:
        return True
    return any(
        Fraction(sum(token in tokens.get(person, ()) for person in people), len(people)) > bound
        for token, bound in bounds.items()
    )


def violations(
    table: Table, tokens: Mapping[Any, Iterable[Any]], L: int, K: int, bounds: Mapping[Any, Fraction]
) -> list[Sequence]:
    """All violations, by size, then in canonical order."""
    found = []
    for size in range(1, min(L, max((len(list(row)) for row in table.values()), default=0)) + 1):
        held = sequences(table, size)
        found += sorted(one for one, people in held.items() if is_violation(people, tokens, K, bounds))
    return found


def critical(found: list[Sequence]) -> list[Sequence]:
    """Those that contain no smaller violation."""
    known = set(found)
    return [
        one
        for one in found
        if not any(part in known for size in range(1, len(one)) for part in combinations(one, size))
    ]


def winners(
    found: list[Sequence], loss: Mapping[Doublet, int], allowed: set[Doublet] | None = None, prune: bool = False
) -> list[Doublet]:
    """The doublets to suppress, in the order in which they are chosen."""
    left, chosen = list(found), []
    while left:
        gain: dict[Doublet, int] = {}
        for one in left:
            for doublet in one:
                if allowed is None or doublet in allowed:
                    gain[doublet] = gain.get(doublet, 0) + 1
        best = min(gain, key=lambda doublet: (-Fraction(gain[doublet], loss[doublet]), -gain[doublet], doublet))
        chosen.append(best)
        left = [one for one in left if best not in one]
    if prune:
        for winner in list(chosen):
            others = set(chosen) - {winner}
            if all(others.intersection(one) for one in found):
                chosen.remove(winner)
    return chosen


def supports(table: Table) -> dict[Doublet, int]:
    counted: dict[Doublet, int] = {}
    for row in table.values():
        for doublet in row:
            counted[doublet] = counted.get(doublet, 0) + 1
    return counted


@dataclass
class Window:
    """What one window says, and what only its publisher knows."""

    x: int
    y: int
    critical: list[Sequence]
    suppressed: list[Doublet]
    published: dict[Any, list[Doublet]]
    empty: set[Any]
    distortion: Fraction
    regressed: list[Doublet]
    chosen: list[Doublet] = field(default_factory=list)


def itsa(
    events: Iterable[tuple[Any, int, int]],  # (person, rank of the location, t)
    tokens: Mapping[Any, Iterable[Any]],
    *,
    L: int,
    K: int,
    bounds: Mapping[Any, Fraction],
    N: int,
    step: int,
    t0: int,
    t_last: int,
    mode: str = "itsa",
    H: int | None = None,
    erase: Mapping[int, Iterable[Any]] | None = None,
    prune: bool = False,
    flush_partial: bool = False,
) -> list[Window]:
    """Every window of a stream. `erase[i]` are the people who are erased before window i."""
    raw: dict[Any, set[Doublet]] = {}
    for person, location, t in events:
        raw.setdefault(person, set()).add((t, location))
    erased: set[Any] = set()
    dead: set[Doublet] = set()  # suppressed, never published
    recalled: set[Doublet] = set()  # suppressed by an erasure after publication (cumulative mode)
    shown: dict[Any, set[Doublet]] = {}  # all that was ever published of a person
    before: set[Doublet] = set()  # doublets of the previous window
    out: list[Window] = []
    x, y_old = t0, t0 - 1
    while x + N - 1 <= t_last or (flush_partial and y_old < t_last and x <= t_last):
        y = min(x + N - 1, t_last)
        gone = set((erase or {}).get(len(out), ())) - erased
        erased_rows = {
            person: {one for one in raw.get(person, ()) if x <= one[0] <= y_old and one not in dead | recalled}
            for person in gone
        }
        erased |= gone
        window = {
            person: {one for one in row if x <= one[0] <= y} for person, row in raw.items() if person not in erased
        }
        window = {person: row for person, row in window.items() if row}
        new = {one for row in window.values() for one in row if one[0] > y_old}
        chosen: list[Doublet] = []
        if mode == "static":
            dead = set()
            found = critical(violations(window, tokens, L, K, bounds))
            chosen = winners(found, supports(window), prune=prune)
            dead = set(chosen)
        elif mode == "itsa":
            dead = {one for one in dead if one[0] >= x}
            table = {person: row - dead for person, row in window.items()}
            rechecked = {
                one
                for row in erased_rows.values()
                for size in range(1, L + 1)
                for one in combinations(sorted(row), size)
            }
            found = critical(violations(table, tokens, L, K, bounds))
            assert all(new.intersection(one) or one in rechecked for one in found), "a violation outside the candidates"
            chosen = winners(found, supports(table), prune=prune)
            dead |= set(chosen)
        else:
            horizon = y - (H if H is not None else y - t0 + 1)
            checked = {person: {one for one in row if one[0] > horizon} for person, row in shown.items()}
            for person, row in window.items():
                checked.setdefault(person, set()).update(row & new)
            found = critical(violations(checked, tokens, L, K, bounds))
            assert all(new.intersection(one) for one in found), "a violation of published doublets"
            chosen = winners(found, supports(checked), allowed=new, prune=prune)
            dead |= set(chosen)
            visible = {person: row - dead - recalled for person, row in window.items()}
            old = {person: {one for one in row if one[0] <= y_old} for person, row in visible.items()}
            rechecked_violations = [
                one
                for one in violations(old, tokens, L, K, bounds)
                if any(set(one) <= row for row in erased_rows.values())
            ]
            found_again = critical(rechecked_violations)
            again = winners(found_again, supports(visible), prune=prune)
            recalled |= set(again)
            found = sorted(set(found) | set(found_again), key=lambda one: (len(one), one))
            chosen += again
        hidden = dead | recalled
        published = {person: sorted(row - hidden) for person, row in window.items() if row - hidden}
        for person, row in published.items():
            shown.setdefault(person, set()).update(row)
        suppressed = sorted({one for row in window.values() for one in row} & hidden)
        instances = sum(len(row) for row in window.values())
        lost = sum(len(row & hidden) for row in window.values())
        out.append(
            Window(
                x,
                y,
                found,
                suppressed,
                published,
                set(window) - set(published),
                Fraction(lost, instances) if instances else Fraction(0),
                sorted(before & hidden),
                chosen,
            )
        )
        before = {one for row in published.values() for one in row}
        x, y_old = x + step, y
    return out


def union_of(windows: list[Window], after: int | None = None, until: int | None = None) -> dict[Any, set[Doublet]]:
    """All windows joined by person, of the timestamps after < t <= until."""
    joined: dict[Any, set[Doublet]] = {}
    for window in windows:
        for person, row in window.published.items():
            kept = {one for one in row if (after is None or one[0] > after) and (until is None or one[0] <= until)}
            joined.setdefault(person, set()).update(kept)
    return joined
