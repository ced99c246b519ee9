"""l^m-ANON, ZGA and SGA word for word: sets of rows are looked up again whenever they are needed.

Trajectories are sequences of location codes; a symbol is a frozenset of codes; sensitive codes stay as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import NamedTuple

from tests.reference.seq_anon import Symbol, image_of, infeasible_length, nearest, symbols_of
from tests.reference.subsequences import contains

Path = Sequence[int]


class Failed(Exception):
    """`code` is the error; `size` the smallest size that cannot be had."""

    def __init__(self, code: str, size: int) -> None:
        super().__init__(code, size)
        self.code, self.size = code, size


class Result(NamedTuple):
    """Rows in the order given: symbols, sensitive codes standing alone; merges; removed pairs (row, code)."""

    rows: list[tuple[Symbol, ...]]
    merges: list[Symbol]
    removed: list[tuple[int, int]]


class Rows:
    """Rows as symbols, with whom they count for and which sensitive codes they hold."""

    def __init__(self, paths: Sequence[Path], who: Sequence[Hashable], sensitive: set[int]) -> None:
        self.who = list(who)
        self.known = [tuple(frozenset([code]) for code in path if code not in sensitive) for path in paths]
        self.held = [{code for code in path if code in sensitive} for path in paths]

    def sharing(self, found: Sequence[Symbol]) -> list[int]:
        return [row for row, known in enumerate(self.known) if contains(known, found)]

    def support(self, found: Sequence[Symbol]) -> int:
        return len({self.who[row] for row in self.sharing(found)})

    def count(self, found: Sequence[Symbol], code: int) -> int:
        return len({self.who[row] for row in self.sharing(found) if code in self.held[row]})

    def violates(self, found: Sequence[Symbol], k: int, l: int) -> bool:  # noqa: E741
        support = self.support(found)
        return support < k or any(l * self.count(found, code) > support for code in set().union(*self.held))

    def listed(self, size: int, k: int, l: int) -> list[tuple[Symbol, ...]]:  # noqa: E741
        found = {found for known in self.known for found in combinations(known, size)}
        bad = [one for one in found if self.violates(one, k, l)]
        return sorted(bad, key=lambda one: (self.support(one), tuple(map(min, one))))


def lm_anon(
    paths: Sequence[Path],
    points: Sequence[tuple[float, float]],
    sensitive: set[int],
    k: int,
    l: int,  # noqa: E741
    m: int,
    *,
    labels: Sequence[str],
    individuals: Sequence[Hashable] | None = None,
    suppress: bool = False,
) -> Result:
    who = list(range(len(paths)) if individuals is None else individuals)
    known_paths = [[code for code in path if code not in sensitive] for path in paths]
    infeasible = infeasible_length(known_paths, who, k, m)
    if infeasible is not None and infeasible[1] > 0:
        raise Failed("infeasible-length", infeasible[0])
    rows = Rows(paths, who, sensitive)
    merges: list[Symbol] = []
    changed = True
    unresolved: list[tuple[Symbol, ...]] = []
    while changed:
        changed, unresolved = False, []
        for size in range(1, m + 1):
            for listed in rows.listed(size, k, l):
                found = image_of(listed, rows.known)
                while rows.violates(found, k, l):
                    rarest = min(found, key=lambda symbol: (rows.support([symbol]), min(symbol)))
                    if len(symbols_of(rows.known)) == 1:
                        unresolved.append(found)
                        break
                    merged = rarest | nearest(rarest, symbols_of(rows.known), points)
                    rows.known = [tuple(merged if symbol <= merged else symbol for symbol in row) for row in rows.known]
                    merges.append(merged)
                    changed = True
                    found = image_of(found, rows.known)
    removed: list[tuple[int, int]] = []
    if unresolved:
        if not suppress:
            raise Failed("infeasible-diversity", len(unresolved[0]))
        removed = remove_excess(rows, sorted(sensitive, key=lambda code: labels[code]), l, m)
    image = {code: symbol for symbol in symbols_of(rows.known) for code in symbol}
    image |= {code: frozenset([code]) for code in sensitive}
    gone = set(removed)
    recoded = [tuple(image[code] for code in path if (row, code) not in gone) for row, path in enumerate(paths)]
    return Result(recoded, merges, removed)


def remove_excess(rows: Rows, sensitive: Sequence[int], l: int, m: int) -> list[tuple[int, int]]:  # noqa: E741
    """Sizes ascending, then (support, representatives), then by label: the last rows lose the location."""
    removed = []
    for size in range(1, m + 1):
        every = {found for known in rows.known for found in combinations(known, size)}
        for found in sorted(every, key=lambda one: (rows.support(one), tuple(map(min, one)))):
            for code in sensitive:
                holders = [row for row in rows.sharing(found) if code in rows.held[row]]
                last = {rows.who[row]: row for row in holders}  # rows ascend, so the last one stays
                excess = len(last) - rows.support(found) // l
                for person in sorted(last, key=lambda one: -last[one])[: max(excess, 0)]:
                    for row in holders:
                        if rows.who[row] == person:
                            rows.held[row].discard(code)
                            removed.append((row, code))
    return removed


def z_value(x: int, y: int) -> int:
    """Bit j of x is bit 2j, bit j of y is bit 2j + 1."""
    return sum(((x >> j & 1) << 2 * j) | ((y >> j & 1) << 2 * j + 1) for j in range(max(x, y).bit_length()))


def gray_rank(key: int) -> int:
    """The integer whose reflected Gray code is the key."""
    rank = 0
    while key:
        rank ^= key
        key >>= 1
    return rank


def best_subtrajectories(
    paths: Sequence[Path], individuals: Sequence[Hashable], wanted: int, max_size: int | None = None
) -> list[tuple[tuple[int, ...], int]]:
    """By support, then size, both descending, then codes; with the support."""
    found: dict[tuple[int, ...], set[Hashable]] = {}
    for path, person in zip(paths, individuals, strict=True):
        for size in range(1, min(len(path), max_size or len(path)) + 1):
            for part in combinations(path, size):
                found.setdefault(part, set()).add(person)
    best = sorted(found, key=lambda part: (-len(found[part]), -len(part), part))[:wanted]
    return [(part, len(found[part])) for part in best]


def clustered(
    paths: Sequence[Path],
    points: Sequence[tuple[float, float]],
    sensitive: set[int],
    k: int,
    l: int,  # noqa: E741
    m: int,
    clusters: int,
    selected: Sequence[Path],
    *,
    labels: Sequence[str],
    individuals: Sequence[Hashable] | None = None,
    suppress: bool = False,
) -> tuple[list[tuple[Symbol, ...]], list[list[int]], list[tuple[int, int]]]:
    """Organize and anonymize: recoded rows in input order, the final clusters of row numbers, removed pairs."""
    who = list(range(len(paths)) if individuals is None else individuals)
    people = list(dict.fromkeys(who))
    rows_of = {person: [row for row, owner in enumerate(who) if owner == person] for person in people}

    def key(person: Hashable) -> int:
        bits = 0
        for row in rows_of[person]:
            known = [code for code in paths[row] if code not in sensitive]
            bits |= sum(1 << j for j, part in enumerate(selected) if contains(known, part))
        return bits

    order = sorted(people, key=lambda person: (gray_rank(key(person)), people.index(person)))
    size, larger = divmod(len(order), clusters)
    parts, start = [], 0
    for number in range(clusters):
        end = start + size + (number < larger)
        parts.append([row for person in order[start:end] for row in rows_of[person]])
        start = end

    def attempt(rows: list[int], *, last: bool = False) -> Result:
        return lm_anon(
            [paths[row] for row in rows],
            points,
            sensitive,
            k,
            l,
            m,
            labels=labels,
            individuals=[who[row] for row in rows],
            suppress=suppress and last,
        )

    finished: list[tuple[list[int], Result]] = []
    current: list[int] = []
    for part in parts:
        current = current + part
        try:
            finished.append((current, attempt(current)))
            current = []
        except Failed:
            continue
    while current:
        if not finished:
            finished.append((current, attempt(current, last=True)))
            break
        current = finished.pop()[0] + current
        try:
            finished.append((current, attempt(current)))
            current = []
        except Failed:
            continue
    output: dict[int, tuple[Symbol, ...]] = {}
    removed = []
    for rows, result in finished:
        output |= dict(zip(rows, result.rows, strict=True))
        removed += [(rows[position], code) for position, code in result.removed]
    return [output[row] for row in range(len(paths))], [rows for rows, _ in finished], removed
