"""Recount LKC-privacy of published windows: every set of up to L doublets, without pruning.

Written from the definition: group equal rows, list the i-subsets of each distinct row, add up the people and their
sensitive values (`doublet_subsets`), and test in integers. Sizes come one after another and are cut by their first
doublet, so memory is bounded; no cut changes a count. Nothing is sampled, pruned or skipped: where there are too many
subsets to list, the verdict is unknown, which is not a promise kept.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.sensitive_values import SensitiveValues
from crypsis.data.stream import OPEN, Events
from crypsis.data.windows import PublishedWindow, PublishedWindows
from crypsis.errors import OriginalRequired
from crypsis.guarantees import LKCPrivacy, Verdict, Witness
from crypsis.verifiers.doublet_subsets import subset_supports
from crypsis.verifiers.itemset_supports import codes_of
from crypsis.verifiers.visit_values import (
    ends_of,
    in_words,
    problem_of_exits,
    problem_over_time,
    problem_with_ends,
    rows_of_values,
)

MAX_SUBSETS = 5 * 10**8
ENTRIES_AT_ONCE = 6_000_000
LISTED = 100
_WHOLE = 2**62

Doublet = tuple[int, ...]  # time, index of the location, and where ends are published the exit


@dataclass
class Findings:
    """What was counted in one table."""

    private: bool | None = True  # None: unknown
    smallest: int | None = None  # support
    by_size: dict[int, int] = field(default_factory=dict)
    by_cause: dict[str, int] = field(default_factory=dict)  # "support", or the name of a token
    listed: list[tuple[Doublet, ...]] = field(default_factory=list)  # the first violations in canonical order
    support: int = 0  # of the first
    subsets: int = 0

    @property
    def violations(self) -> int:
        return sum(self.by_size.values())


@dataclass(frozen=True)
class Table:
    """Rows of doublet codes, and the tokens that each row's person has."""

    doublets: Sequence[Doublet]  # by code, in canonical order
    offsets: Int64s
    codes: Int64s
    tokens: Sequence[Sequence[int]]  # by class
    classes: Int32s

    @classmethod
    def of(cls, rows: Iterable[Iterable[Doublet]], tokens_of: Iterable[Iterable[int]] | None = None) -> Table:
        """From sets of doublets and, for each, the tokens of its person."""
        sets = [sorted(set(row)) for row in rows]
        doublets = sorted({one for row in sets for one in row})
        code_of = {doublet: code for code, doublet in enumerate(doublets)}
        held = [tuple(sorted(set(tokens))) for tokens in (tokens_of or [()] * len(sets))]
        known = sorted(set(held))
        return cls(
            doublets,
            offsets_of(np.array([len(row) for row in sets], np.int64)),
            np.array([code_of[one] for row in sets for one in row], np.int64),
            known,
            np.array([known.index(tokens) for tokens in held], np.int32),
        )


def lkc_findings(
    table: Table, L: int, K: int, bounds: Sequence[Fraction], names: Sequence[str], max_subsets: int = MAX_SUBSETS
) -> Findings:
    """All violations of a table: sets of up to L doublets that too few have, or that tell a token too surely."""
    findings = Findings()
    starts, codes, held = _distinct_rows(table, len(bounds))
    lengths = np.diff(starts)
    longest = int(lengths.max(initial=0))
    for size in range(1, min(L, longest) + 1):
        findings.subsets += sum(comb(length, size) * rows for length, rows in enumerate(np.bincount(lengths).tolist()))
        if findings.subsets > max_subsets:
            findings.private = None
            return findings
        for lowest, highest in _ranges(starts, codes, size):
            subsets, sums = _supports(starts, codes, held, size, lowest, highest, len(table.doublets))
            if len(sums):
                _judge(findings, table, subsets, sums, size, K, bounds, names)
    return findings


def _distinct_rows(table: Table, n_tokens: int) -> tuple[Int64s, Int64s, Int64s]:
    """Equal rows as one: offsets, codes, and per row the people and how many of them have each token."""
    lengths = np.diff(table.offsets)
    has = np.zeros((len(table.tokens), n_tokens), np.int64)
    for index, tokens in enumerate(table.tokens):
        has[index, list(tokens)] = 1
    kept_codes, kept_lengths, kept_held = [], [], []
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows = np.flatnonzero(lengths == length)
        cells = table.codes[table.offsets[rows][:, None] + np.arange(length)]
        order = np.lexsort(cells.T[::-1])
        cells, rows = cells[order], rows[order]
        new = np.ones(len(rows), np.bool_)
        new[1:] = (cells[1:] != cells[:-1]).any(axis=1)
        firsts = np.flatnonzero(new)
        each = np.column_stack([np.ones(len(rows), np.int64), has[table.classes[rows]]])
        kept_codes.append(cells[firsts].ravel())
        kept_lengths.append(np.full(len(firsts), length, np.int64))
        kept_held.append(np.add.reduceat(each, firsts, axis=0))
    if not kept_codes:
        return np.zeros(1, np.int64), np.empty(0, np.int64), np.empty((0, 1 + n_tokens), np.int64)
    return offsets_of(np.concatenate(kept_lengths)), np.concatenate(kept_codes), np.concatenate(kept_held)


def _ranges(starts: Int64s, codes: Int64s, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of doublets such that the subsets beginning with one of them fit in memory."""
    lengths = np.diff(starts)
    after = np.repeat(starts[1:], lengths) - np.arange(len(codes)) - 1
    choices = np.array([min(comb(left, size - 1), _WHOLE) for left in range(int(after.max(initial=0)) + 1)], np.float64)
    load = np.bincount(codes, weights=choices[after])
    start, gathered = 0, 0.0
    for code in range(len(load)):
        if gathered and gathered + load[code] > ENTRIES_AT_ONCE:
            yield start, code
            start, gathered = code, 0.0
        gathered += load[code]
    yield start, len(load)


def _supports(
    starts: Int64s, codes: Int64s, held: Int64s, size: int, lowest: int, highest: int, n_doublets: int
) -> tuple[Int64s, Int64s]:
    """Distinct subsets that begin within the range, in canonical order, and what is held of each.

    A subset is a number in base `n_doublets`, or a row of codes where that would be too large.
    """
    if n_doublets**size < _WHOLE:
        return subset_supports(starts, codes, held, size, lowest, highest, n_doublets)
    lengths = np.diff(starts)
    blocks, owners = [], []
    for length in np.unique(lengths[lengths >= size]).tolist():
        rows = np.flatnonzero(lengths == length)
        cells = codes[starts[rows][:, None] + np.arange(length)]
        for chosen in combinations(range(length), size):
            inside = (cells[:, chosen[0]] >= lowest) & (cells[:, chosen[0]] < highest)
            blocks.append(cells[inside][:, list(chosen)])
            owners.append(rows[inside])
    subsets, who = np.concatenate(blocks), np.concatenate(owners)
    if len(who) == 0:
        return subsets, np.empty((0, held.shape[1]), np.int64)
    order = np.lexsort(subsets.T[::-1])
    changes = (np.diff(subsets[order], axis=0) != 0).any(axis=1)
    firsts = np.flatnonzero(np.concatenate([[True], changes]))
    return subsets[order[firsts]], np.add.reduceat(held[who[order]], firsts, axis=0)


def _judge(
    found: Findings,
    table: Table,
    subsets: Int64s,
    sums: Int64s,
    size: int,
    K: int,
    bounds: Sequence[Fraction],
    names: Sequence[str],
) -> None:
    support = sums[:, 0]
    found.smallest = min(int(support.min()), int(support.min()) if found.smallest is None else found.smallest)
    few = support < K
    broken = few.copy()
    if few.any():
        found.by_cause["support"] = found.by_cause.get("support", 0) + int(few.sum())
    for token, (bound, name) in enumerate(zip(bounds, names, strict=True), 1):
        sure = sums[:, token] * bound.denominator > bound.numerator * support
        broken |= sure
        if sure.any():
            found.by_cause[name] = found.by_cause.get(name, 0) + int(sure.sum())
    at = np.flatnonzero(broken)
    if len(at) == 0:
        return
    found.by_size[size] = found.by_size.get(size, 0) + len(at)
    if found.private:
        found.private, found.support = False, int(support[at[0]])
    for subset in subsets[at[: LISTED - len(found.listed)]].tolist():
        chosen = codes_of(subset, len(table.doublets), size) if isinstance(subset, int) else subset
        found.listed.append(tuple(table.doublets[code] for code in chosen))


def window_table(published: PublishedWindows, window: PublishedWindow, promised: LKCPrivacy) -> Table:
    """The records of one window."""
    if window.exits is not None:
        rows = np.repeat(np.arange(len(window)), np.diff(window.offsets))
        values, owners, offsets, codes = rows_of_values(rows, window.times, window.places, window.exits)
        return Table(values, offsets, codes, _tokens(published, promised), window.classes[owners])
    return _table(published, promised, window.offsets, window.places, window.times, window.classes)


def joined_table(
    published: PublishedWindows, windows: Sequence[PublishedWindow], promised: LKCPrivacy, after: int | None, until: int
) -> Table:
    """Windows joined by person: the doublets after < t <= until that were published in any of them."""
    who, places, times, classes, exits = [], [], [], [], []
    names: dict[Any, int] = {}
    for window in windows:
        theirs = window.people.tolist() if window.people is not None else window.pseudonyms
        person = np.array([names.setdefault(name, len(names)) for name in theirs], np.int64)
        who.append(np.repeat(person, np.diff(window.offsets)))
        classes.append(np.repeat(window.classes, np.diff(window.offsets)))
        places.append(window.places)
        times.append(window.times)
        exits.append(np.full(len(window.times), OPEN) if window.exits is None else window.exits)
    if not who:
        return _table(published, promised, *(np.zeros(1, np.int64), *(np.empty(0, np.int64),) * 3))
    person, place, time = np.concatenate(who), np.concatenate(places), np.concatenate(times)
    of = np.concatenate(classes)
    kept = time <= until if after is None else (time <= until) & (time > after)
    person, place, time, of = person[kept], place[kept], time[kept], of[kept]
    if promised.exits:
        values, owners, offsets, codes = rows_of_values(person, time, place, np.concatenate(exits)[kept])
        class_of = dict(zip(person.tolist(), of.tolist(), strict=True))
        held = np.array([class_of[owner] for owner in owners.tolist()], np.int32)
        return Table(values, offsets, codes, _tokens(published, promised), held)
    order = np.lexsort((place, time, person))
    person, place, time, of = person[order], place[order], time[order], of[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(person) != 0) | (np.diff(time) != 0) | (np.diff(place) != 0)
    person, place, time, of = person[new], place[new], time[new], of[new]
    firsts = np.flatnonzero(np.diff(person, prepend=-1)) if len(person) else np.empty(0, np.int64)
    return _table(published, promised, np.append(firsts, len(person)), place, time, of[firsts])


def _table(
    published: PublishedWindows, promised: LKCPrivacy, offsets: Int64s, places: Any, times: Any, classes: Any
) -> Table:
    tokens = _tokens(published, promised)
    moments, moment = _ranked(np.asarray(times, np.int64))
    width = max(len(published.locations), 1)
    keys, codes = _ranked(moment * width + np.asarray(places, np.int64))
    doublets = list(zip(moments[keys // width].tolist(), (keys % width).tolist(), strict=True))
    return Table(doublets, offsets, codes, tokens, np.asarray(classes, np.int32))


def _tokens(published: PublishedWindows, promised: LKCPrivacy) -> list[list[int]]:
    """By class, the sensitive values that count."""
    token_of = {token: index for index, token in enumerate(_values(published, promised).tokens)}
    return [sorted(token_of[token] for token in known if token in token_of) for known in published.classes]


def _values(published: PublishedWindows, promised: LKCPrivacy) -> SensitiveValues:
    """The sensitive values; of those that nobody listed the ones that are published, the others cannot be learnt."""
    listed = promised.sensitive_values
    values = listed if isinstance(listed, SensitiveValues) else SensitiveValues({}, origin=str(listed))
    return values.on(token for known in published.classes for token in known)


def _ranked(numbers: Int64s) -> tuple[Int64s, Int64s]:
    """The distinct numbers, ascending, and which of them each one is."""
    if len(numbers) and int(numbers.max()) - int(numbers.min()) < 4 * len(numbers):  # few values: no need to sort
        lowest = int(numbers.min())
        occurs = np.zeros(int(numbers.max()) - lowest + 1, np.bool_)
        occurs[numbers - lowest] = True
        return np.flatnonzero(occurs) + lowest, (np.cumsum(occurs) - 1)[numbers - lowest]
    distinct, which = np.unique(numbers, return_inverse=True)
    return distinct, which.reshape(-1).astype(np.int64)


def verify_lkc_privacy(
    published: PublishedWindows,
    promised: LKCPrivacy,
    original: Events | None = None,
    *,
    max_subsets: int = MAX_SUBSETS,
) -> Verdict:
    """Every window by itself; where more is promised, also all windows joined by person.

    Windows can be joined where a person has one pseudonym in all of them, or while the publisher knows who is who. With
    the original, also: nobody is published with a doublet or a sensitive value that is not theirs, and a doublet is
    published for all who have it or for none.
    """
    how = (
        f"every set of up to L {'visits with their ends' if promised.exits else 'doublets'} of every window was counted"
    )
    if original is not None and published.key is not None:
        published = _recognised(published, original, published.key)
    for window in published:
        problem = _malformed(window) or problem_of_exits(window, promised.exits)
        if problem is not None:
            return Verdict(promised, False, None, promised.K, how, problem=problem)
    joinable = published.linkable or all(window.people is not None for window in published)
    if promised.exits and joinable:
        problem = problem_over_time(published.windows, published.locations.labels)
        if problem is not None:
            return Verdict(promised, False, None, promised.K, how, problem=problem)
        how += ", and no end was changed or taken back"
    tables: Iterator[tuple[str, Table]] = (
        (f"window {window.seq}", window_table(published, window, promised)) for window in published
    )
    if promised.covers != "window" and len(published):
        if not published.linkable and any(window.people is None for window in published):
            raise OriginalRequired(
                "What all windows say together cannot be counted: each has pseudonyms of its own, only the publisher "
                "can join them: give the original and the private report. Publish with stable pseudonyms where that "
                "must be checked from outside."
            )
        how += ", and of all windows joined by person"
        tables = chain(tables, _joined_tables(published, promised))
    values = _values(published, promised)
    bounds = values.shares(promised.C)
    names = [f"{attribute}={value}" for attribute, value in values.tokens]
    smallest: list[int] = []
    subsets = 0
    for where, table in tables:
        findings = lkc_findings(table, promised.L, promised.K, bounds, names, max_subsets)
        subsets += findings.subsets
        smallest += [] if findings.smallest is None else [findings.smallest]
        if not findings.private:
            return _broken(published, promised, how, where, findings, min(smallest, default=None))
    if original is not None:
        problem = _not_from(published, original)
        if problem is not None:
            return Verdict(promised, False, min(smallest, default=None), promised.K, how, problem=problem)
        how += ", and no record holds what its person has not"
    figures = {"windows": len(published), "subsets": subsets}
    return Verdict(promised, True, min(smallest, default=None), promised.K, how, figures=figures)


def _recognised(published: PublishedWindows, original: Events, key: bytes) -> PublishedWindows:
    """The windows with who each record is about, by making the pseudonyms of all people again; -1 for a stranger."""
    names = [name.encode() for name in original.people.labels]
    person_of: dict[str, int] = {}
    windows = []
    for index, window in enumerate(published):
        if window.people is None:
            if index == 0 or not published.linkable:
                scope = (0 if published.linkable else window.seq).to_bytes(8, "big")
                made = (hmac.digest(key, scope + name, "sha256")[:8].hex() for name in names)
                person_of = {pseudonym: person for person, pseudonym in enumerate(made)}
            people = np.array([person_of.get(pseudonym, -1) for pseudonym in window.pseudonyms], np.int32)
            window = replace(window, people=people)
        windows.append(window)
    return replace(published, windows=tuple(windows))


def _joined_tables(published: PublishedWindows, promised: LKCPrivacy) -> Iterator[tuple[str, Table]]:
    windows = list(published)
    if promised.covers == "everything":
        until = max(window.y for window in windows)
        yield "all windows together", joined_table(published, windows, promised, None, until)
        return
    assert promised.H is not None
    for index, window in enumerate(windows):
        after = window.y - promised.H
        seen = [one for one in windows[: index + 1] if one.y > after]
        yield f"the {promised.H} timestamps up to {window.y}", joined_table(published, seen, promised, after, window.y)


def _malformed(window: PublishedWindow) -> str | None:
    """Why this is no window at all."""
    if len(set(window.pseudonyms)) < len(window):
        return f"Window {window.seq} has two records with one pseudonym."
    if window.people is not None and (window.people < 0).any():
        return f"Window {window.seq} has a record of nobody in the original."
    if len(window.times) and not (window.x <= int(window.times.min()) and int(window.times.max()) <= window.y):
        return f"Window {window.seq} holds a doublet from outside [{window.x}, {window.y}]."
    if _has_repeats(window):
        return f"Window {window.seq} has a record with a doublet twice."
    return None


def _has_repeats(window: PublishedWindow) -> bool:
    """Some record has a doublet twice; records in canonical order, as they are written, need no sorting."""
    rows = np.repeat(np.arange(len(window)), np.diff(window.offsets))
    later, same_time = np.diff(window.times) > 0, np.diff(window.times) == 0
    if ((np.diff(rows) > 0) | later | (same_time & (np.diff(window.places) > 0))).all():
        return False
    order = np.lexsort((window.places, window.times, rows))
    columns = (rows[order], window.times[order], window.places[order])
    return bool(np.logical_and.reduce([np.diff(column) == 0 for column in columns]).any())


def _broken(
    published: PublishedWindows, promised: LKCPrivacy, how: str, where: str, found: Findings, smallest: int | None
) -> Verdict:
    if found.private is None:
        problem = f"unknown: {where} has more than {found.subsets:,} sets of doublets, too many to count."
        return Verdict(promised, False, None, promised.K, how, problem=problem, figures={"unknown": True})
    labels = published.locations.labels
    listed = tuple((in_words(labels, value),) for value in found.listed[0])
    witness = Witness(listed, found.support, found.violations)
    causes = ", ".join(f"{cause}: {count}" for cause, count in sorted(found.by_cause.items()))
    if found.support < promised.K:
        said = f"{witness} fits {found.support} people, {promised.K} are required."
    else:
        said = f"{witness} fits {found.support} people, too many of whom have one sensitive value."
    figures = {"violations_by_size": {str(size): count for size, count in found.by_size.items()}}
    return Verdict(
        promised,
        False,
        smallest,
        promised.K,
        how,
        witness,
        f"in {where}, {said} Violations by cause: {causes}.",
        figures,
    )


def _not_from(published: PublishedWindows, original: Events) -> str | None:
    """What the windows say that the original does not; None where they agree."""
    code_of = {label: code for code, label in enumerate(original.locations.labels)}
    place_codes = np.array([code_of.get(label, -1) for label in published.locations.labels], np.int64)
    moments, when = np.unique(original.t, return_inverse=True)
    width = max(len(original.locations), 1)
    n_doublets = max(len(moments), 1) * width
    events = np.unique(
        original.persons.astype(np.int64) * n_doublets + when.reshape(-1) * width + original.location_codes
    )
    holders = np.bincount(events % n_doublets, minlength=n_doublets)
    values = _values_of_people(original)
    ends = ends_of(original)
    for window in published:
        if window.people is None or len(window) == 0:
            continue
        moment = np.minimum(np.searchsorted(moments, window.times), len(moments) - 1)
        place = place_codes[window.places]
        if (place < 0).any() or (moments[moment] != window.times).any():
            return f"Window {window.seq} has a doublet that nobody has."
        told = moment * width + place
        owned = np.repeat(window.people.astype(np.int64), np.diff(window.offsets)) * n_doublets + told
        if (events[np.minimum(np.searchsorted(events, owned), len(events) - 1)] != owned).any():
            return f"Window {window.seq} has a record with a doublet that its person does not have."
        for one, index in {*zip(window.people.tolist(), window.classes.tolist(), strict=True)}:
            if not published.classes[index] <= values[one]:
                return f"Window {window.seq} has a record with a sensitive value that its person does not have."
        if window.exits is not None:
            problem = problem_with_ends(window, place_codes, ends, published.refused == 0)
            if problem is not None:
                return problem
        if published.refused == 0 and int(holders[np.unique(told)].sum()) != len(told):
            return f"Window {window.seq} publishes a doublet for some who have it and not for others."
    return None


def _values_of_people(original: Events) -> list[set[tuple[str, str]]]:
    values: list[set[tuple[str, str]]] = [set() for _ in range(len(original.people))]
    for part in original.sensitive:
        labels = part.vocabulary.labels
        for person, code in set(zip(original.persons.tolist(), part.codes.tolist(), strict=True)):
            if code >= 0:
                values[person].add((part.name, labels[code]))
    return values
