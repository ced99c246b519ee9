"""Supports of all sets of up to m items inside each class, and the share of their records that hold one secret.

Written from the definition: every set that occurs in a class is visited once, with the records that hold it; nothing
is sampled or skipped. Record r holds `codes[offsets[r]:offsets[r + 1]]`, ascending and distinct, and the sensitive
items `secrets[secret_offsets[r]:secret_offsets[r + 1]]`. The records of class g are rows[starts[g]:starts[g + 1]].

Where people are counted, `person[r]` tells whose record r is, the records of a person stand together in each class, and
a set has as many people as have a record with it; a person counts once for each secret of these records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s


class Supports(NamedTuple):
    """For each size of set: how many sets occur, how many have fewer than k records, and the rarest one.

    Row s of `rarest` is the class and the s items of the rarest set of size s, the first among equals. `most_alike` is
    the set with the greatest share of records with one secret: (class, size, secret, records with it, records, items…);
    `alike` counts sets and secrets with more than one record in l.
    """

    occurring: Int64s
    violations: Int64s
    lowest: Int64s
    rarest: Int64s
    alike: int
    most_alike: Int64s


@njit
def class_supports(
    starts: Int64s,
    rows: Int64s,
    offsets: Int64s,
    codes: Int32s,
    secret_offsets: Int64s,
    secrets: Int32s,
    n_codes: int,
    n_secrets: int,
    m: int,
    k: int,
    l: int,  # noqa: E741
    person: Int64s,
) -> Supports:
    """Walk the sets of each class from small to large: the records of a set are sorted by the next item they hold."""
    n_classes = len(starts) - 1
    most_entries = 1
    for one in range(n_classes):
        entries = starts[one + 1] - starts[one]
        for place in range(starts[one], starts[one + 1]):
            entries += offsets[rows[place] + 1] - offsets[rows[place]]
        most_entries = max(most_entries, entries)
    occurring, violations = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    lowest = np.full(m + 1, -1, np.int64)
    rarest = np.zeros((m + 1, m + 1), np.int64)
    most_alike = np.full(m + 5, -1, np.int64)
    alike = 0
    # Level s holds the sets of size s that extend the current set of size s - 1: for each the records that hold it, and
    # from where on their items may extend it further.
    entry_row = np.empty((m + 1, most_entries), np.int64)
    entry_next = np.empty((m + 1, most_entries), np.int64)
    n_buckets, at = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    widest = min(n_codes, most_entries) + 1
    bucket_code = np.empty((m + 1, widest), np.int64)
    bucket_start = np.empty((m + 1, widest + 1), np.int64)
    counts = np.zeros(n_codes, np.int64)
    secret_counts = np.zeros(n_secrets, np.int64)
    last_person = np.full(n_secrets, -1, np.int64)
    chosen = np.zeros(m + 1, np.int64)
    for one in range(n_classes):
        size = starts[one + 1] - starts[one]
        if size == 0:
            continue
        for place in range(size):
            row = rows[starts[one] + place]
            entry_row[0, place] = row
            entry_next[0, place] = offsets[row]
        n_buckets[0], at[0] = 1, 0
        bucket_start[0, 0], bucket_start[0, 1] = 0, size
        chosen[0] = one
        level = 0
        while level >= 0:
            if at[level] == n_buckets[level]:
                level -= 1
                continue
            bucket = at[level]
            at[level] += 1
            low, high = bucket_start[level, bucket], bucket_start[level, bucket + 1]
            if level > 0:
                chosen[level] = bucket_code[level, bucket]
            support = high - low
            if len(person) > 0:
                support, last = 0, np.int64(-1)
                for entry in range(low, high):
                    if person[entry_row[level, entry]] != last:
                        last = person[entry_row[level, entry]]
                        support += 1
            occurring[level] += 1
            violations[level] += support < k
            if lowest[level] < 0 or support < lowest[level]:
                lowest[level] = support
                rarest[level, : level + 1] = chosen[: level + 1]
            if n_secrets:
                for entry in range(low, high):
                    row = entry_row[level, entry]
                    for position in range(secret_offsets[row], secret_offsets[row + 1]):
                        if len(person) > 0:
                            if secret_counts[secrets[position]] and last_person[secrets[position]] == person[row]:
                                continue
                            last_person[secrets[position]] = person[row]
                        secret_counts[secrets[position]] += 1
                for entry in range(low, high):
                    row = entry_row[level, entry]
                    for position in range(secret_offsets[row], secret_offsets[row + 1]):
                        secret = secrets[position]
                        held = secret_counts[secret]
                        if held == 0:
                            continue  # told already
                        alike += held * l > support
                        # held / support > the greatest share so far, without division
                        if most_alike[3] < 0 or held * most_alike[4] > most_alike[3] * support:
                            most_alike[0], most_alike[1], most_alike[2] = one, level, secret
                            most_alike[3], most_alike[4] = held, support
                            most_alike[5 : 5 + level] = chosen[1 : level + 1]
                        secret_counts[secret] = 0
            if level == m:
                continue
            # Extend: records by their next items.
            above = level + 1
            n_touched = 0
            for entry in range(low, high):
                row = entry_row[level, entry]
                for position in range(entry_next[level, entry], offsets[row + 1]):
                    code = codes[position]
                    if counts[code] == 0:
                        bucket_code[above, n_touched] = code
                        n_touched += 1
                    counts[code] += 1
            bucket_code[above, :n_touched] = np.sort(bucket_code[above, :n_touched])
            bucket_start[above, 0] = 0
            for touched in range(n_touched):
                bucket_start[above, touched + 1] = bucket_start[above, touched] + counts[bucket_code[above, touched]]
                counts[bucket_code[above, touched]] = bucket_start[above, touched]
            for entry in range(low, high):
                row = entry_row[level, entry]
                for position in range(entry_next[level, entry], offsets[row + 1]):
                    code = codes[position]
                    entry_row[above, counts[code]] = row
                    entry_next[above, counts[code]] = position + 1
                    counts[code] += 1
            for touched in range(n_touched):
                counts[bucket_code[above, touched]] = 0
            n_buckets[above], at[above] = n_touched, 0
            level = above
    return Supports(occurring, violations, lowest, rarest, alike, most_alike)
