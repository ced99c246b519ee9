"""Supports of all sets of up to m items inside each class, and the share of their records that hold one secret.

Written from the definition: every set that occurs in a class is visited once, with the records that hold it; nothing
is sampled or skipped. The sets of a class are walked from small to large: the records of a set are sorted by the next
item that they hold, which gives the sets with one item more.

Where people are counted, a set has as many people as have a record with it, and a person counts once for each secret of
these records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int64s, Lists
from crypsis.compilation import njit


class Supports(NamedTuple):
    """For each size of set: how many sets occur, how many have fewer than k records, and the rarest one.

    Row s of `rarest` is the class and the s items of the rarest set of size s, the first among equals. `most_alike` is
    the set with the greatest share of records with one secret: (class, size, secret, records with it, records, items…);
    `alike[0]` counts sets and secrets with more than one record in l.
    """

    occurring: Int64s
    violations: Int64s
    lowest: Int64s
    rarest: Int64s
    alike: Int64s
    most_alike: Int64s


class Classes(NamedTuple):
    """The records of class g are rows[starts[g]:starts[g + 1]].

    Where people are counted, person[r] is whose record r is, and the records of a person stand together in each class;
    elsewhere `person` is empty.
    """

    starts: Int64s
    rows: Int64s
    person: Int64s


class Required(NamedTuple):
    """For every set of up to m items: k records, and at most one in l of them with the same secret."""

    k: int
    m: int
    l: int  # noqa: E741 (the model's own name)


class _Levels(NamedTuple):
    """Level s holds the sets of size s that extend the current set of size s - 1, each in a *bucket* of entries.

    Bucket b of level s is the set with the item code[s, b] more; its entries are start[s, b] to start[s, b + 1] - 1. An
    entry is a record, row[s, entry], that holds the set; its items from next[s, entry] on may extend the set. `at` is
    the bucket that comes next, of n_buckets. The current set is current[1] to current[s]; current[0] is the class.
    `counts` is room to count items in.
    """

    row: Int64s
    next: Int64s
    code: Int64s
    start: Int64s
    n_buckets: Int64s
    at: Int64s
    current: Int64s
    counts: Int64s


class _Secrets(NamedTuple):
    """The sensitive items of each record, and, while a set is looked at, how many of its records hold each."""

    held: Lists
    counts: Int64s
    last_person: Int64s


@njit
def class_supports(
    classes: Classes, sets: Lists, secrets: Lists, n_codes: int, n_secrets: int, required: Required
) -> Supports:
    """Look at every set of every class. `sets` and `secrets` are ascending and distinct in each record."""
    m = required.m
    supports = Supports(
        occurring=np.zeros(m + 1, np.int64),
        violations=np.zeros(m + 1, np.int64),
        lowest=np.full(m + 1, -1, np.int64),
        rarest=np.zeros((m + 1, m + 1), np.int64),
        alike=np.zeros(1, np.int64),
        most_alike=np.full(m + 5, -1, np.int64),
    )
    levels = _new_levels(classes, sets, n_codes, m)
    told = _Secrets(secrets, np.zeros(n_secrets, np.int64), np.full(n_secrets, -1, np.int64))
    for one in range(len(classes.starts) - 1):
        if classes.starts[one] == classes.starts[one + 1]:
            continue
        _begin(levels, classes, sets, one)
        level = 0
        while level >= 0:
            if levels.at[level] == levels.n_buckets[level]:
                level -= 1
                continue
            bucket = levels.at[level]
            levels.at[level] += 1
            low, high = levels.start[level, bucket], levels.start[level, bucket + 1]
            if level > 0:
                levels.current[level] = levels.code[level, bucket]
            support = _count_support(levels, classes, level, low, high)
            supports.occurring[level] += 1
            supports.violations[level] += support < required.k
            if supports.lowest[level] < 0 or support < supports.lowest[level]:
                supports.lowest[level] = support
                for index in range(level + 1):
                    supports.rarest[level, index] = levels.current[index]
            if n_secrets:
                _look_at_secrets(supports, levels, told, classes.person, level, low, high, support, required.l)
            if level < m:
                _extend(levels, sets, level, low, high)
                level += 1
    return supports


@njit
def _new_levels(classes: Classes, sets: Lists, n_codes: int, m: int) -> _Levels:
    """Room for the class with most records and items."""
    most_entries = 1
    for one in range(len(classes.starts) - 1):
        entries = classes.starts[one + 1] - classes.starts[one]
        for index in range(classes.starts[one], classes.starts[one + 1]):
            entries += sets.offsets[classes.rows[index] + 1] - sets.offsets[classes.rows[index]]
        most_entries = max(most_entries, entries)
    most_buckets = min(n_codes, most_entries) + 1
    return _Levels(
        row=np.empty((m + 1, most_entries), np.int64),
        next=np.empty((m + 1, most_entries), np.int64),
        code=np.empty((m + 1, most_buckets), np.int64),
        start=np.empty((m + 1, most_buckets + 1), np.int64),
        n_buckets=np.zeros(m + 1, np.int64),
        at=np.zeros(m + 1, np.int64),
        current=np.zeros(m + 1, np.int64),
        counts=np.zeros(n_codes, np.int64),
    )


@njit
def _begin(levels: _Levels, classes: Classes, sets: Lists, one: int) -> None:
    """Level 0 of a class: the empty set, which all its records hold."""
    size = classes.starts[one + 1] - classes.starts[one]
    for entry in range(size):
        row = classes.rows[classes.starts[one] + entry]
        levels.row[0, entry] = row
        levels.next[0, entry] = sets.offsets[row]
    levels.n_buckets[0], levels.at[0] = 1, 0
    levels.start[0, 0], levels.start[0, 1] = 0, size
    levels.current[0] = one


@njit
def _count_support(levels: _Levels, classes: Classes, level: int, low: int, high: int) -> int:
    """The records of a bucket, or the people whose records they are."""
    if len(classes.person) == 0:
        return high - low
    people, last = 0, np.int64(-1)
    for entry in range(low, high):
        person = classes.person[levels.row[level, entry]]
        people += person != last
        last = person
    return people


@njit
def _look_at_secrets(
    found: Supports,
    levels: _Levels,
    secrets: _Secrets,
    person: Int64s,
    level: int,
    low: int,
    high: int,
    support: int,
    l: int,  # noqa: E741
) -> None:
    """Count the records of a bucket, or people, that hold each secret, and note which shares are too large."""
    for entry in range(low, high):
        row = levels.row[level, entry]
        for position in range(secrets.held.offsets[row], secrets.held.offsets[row + 1]):
            secret = secrets.held.values[position]
            if len(person) > 0:
                if secrets.counts[secret] and secrets.last_person[secret] == person[row]:
                    continue
                secrets.last_person[secret] = person[row]
            secrets.counts[secret] += 1
    for entry in range(low, high):
        row = levels.row[level, entry]
        for position in range(secrets.held.offsets[row], secrets.held.offsets[row + 1]):
            secret = secrets.held.values[position]
            holding = secrets.counts[secret]
            if holding == 0:
                continue  # looked at with a record before
            secrets.counts[secret] = 0
            found.alike[0] += holding * l > support
            # holding / support > the greatest share so far, without division
            worst = found.most_alike
            if worst[3] < 0 or holding * worst[4] > worst[3] * support:
                worst[0], worst[1], worst[2] = levels.current[0], level, secret
                worst[3], worst[4] = holding, support
                for index in range(level):
                    worst[5 + index] = levels.current[1 + index]


@njit
def _extend(levels: _Levels, sets: Lists, level: int, low: int, high: int) -> None:
    """Fill the next level: the records of a bucket by each item that may come next, items ascending."""
    above = level + 1
    counts, n_codes = levels.counts, 0
    for entry in range(low, high):
        row = levels.row[level, entry]
        for position in range(levels.next[level, entry], sets.offsets[row + 1]):
            code = sets.values[position]
            if counts[code] == 0:
                levels.code[above, n_codes] = code
                n_codes += 1
            counts[code] += 1
    levels.code[above, :n_codes] = np.sort(levels.code[above, :n_codes])
    # Each count becomes where the bucket of its item begins, and moves on as the bucket is filled.
    levels.start[above, 0] = 0
    for bucket in range(n_codes):
        code = levels.code[above, bucket]
        levels.start[above, bucket + 1] = levels.start[above, bucket] + counts[code]
        counts[code] = levels.start[above, bucket]
    for entry in range(low, high):
        row = levels.row[level, entry]
        for position in range(levels.next[level, entry], sets.offsets[row + 1]):
            code = sets.values[position]
            levels.row[above, counts[code]] = row
            levels.next[above, counts[code]] = position + 1
            counts[code] += 1
    for bucket in range(n_codes):
        counts[levels.code[above, bucket]] = 0
    levels.n_buckets[above], levels.at[above] = n_codes, 0
