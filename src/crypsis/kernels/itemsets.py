"""All itemsets of one size that occur, each counted once, in the order of their items.

Record r is items[offsets[r]:offsets[r + 1]], ascending and distinct; offsets int64, items int32. A walk over prefixes:
the records with a prefix are known, and sorting the items that follow it in them by counting gives every longer prefix
with its records. The work is one step per itemset of each record, memory a few arrays as long as the items.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.plain_sorting import sort_first

NO_OFFSETS: Int64s = np.zeros(1, np.int64)
NO_ITEMS: Int32s = np.zeros(0, np.int32)
EACH_RECORD: Int64s = np.zeros(0, np.int64)  # in place of persons: every record is a person of its own


@njit
def itemsets(
    offsets: Int64s,
    items: Int32s,
    n_items: int,
    size: int,
    below: int,
    sensitive_offsets: Int64s,
    sensitive_items: Int32s,
    n_sensitive: int,
    l: int,  # noqa: E741
    person: Int64s,
) -> tuple[Int32s, Int64s]:
    """Itemsets with a support below a limit, and those where more than one record in l holds one sensitive item.

    Sensitive items stand apart: those of record r are sensitive_items[sensitive_offsets[r]:…]. With none the four
    arguments before the last are NO_OFFSETS, NO_ITEMS, 0, 1. Rows are itemsets; beside them their supports. `person`
    tells whose each record is, in ascending order; people are counted then. EACH_RECORD counts records.
    """
    found = np.empty((64, size), np.int32)
    supports = np.empty(64, np.int64)
    n_found = 0
    counts = np.zeros(n_items, np.int64)
    sensitive_counts = np.zeros(max(n_sensitive, 1), np.int64)
    counts_people = len(person) > 0
    last_person = np.full(max(n_sensitive, 1), -1, np.int64)
    kept = size if n_sensitive > 0 or counts_people else size - 1  # depths whose occurrences are looked at again
    record_at = np.empty((max(kept, 1), len(items)), np.int32)
    place_at = np.empty((max(kept, 1), len(items)), np.int64)
    item_of_group = np.empty((size, n_items), np.int64)
    start_of_group = np.empty((size, n_items + 1), np.int64)
    n_groups = np.zeros(size, np.int64)
    cursor = np.zeros(size, np.int64)
    n_groups[0] = _group(
        0, -1, 0, 0, offsets, items, counts, record_at, place_at, item_of_group[0], start_of_group[0], kept
    )
    depth = 0
    while depth >= 0:
        group = cursor[depth]
        if group == n_groups[depth]:
            depth -= 1
            continue
        cursor[depth] += 1
        begin, end = start_of_group[depth, group], start_of_group[depth, group + 1]
        if depth + 1 < size:
            n_groups[depth + 1] = _group(
                depth + 1,
                depth,
                begin,
                end,
                offsets,
                items,
                counts,
                record_at,
                place_at,
                item_of_group[depth + 1],
                start_of_group[depth + 1],
                kept,
            )
            depth += 1
            cursor[depth] = 0
            continue
        support = end - begin
        if counts_people:
            support = _people(record_at[depth, begin:end], person)
        listed = support < below
        if not listed and n_sensitive > 0:
            listed = _too_sure(
                record_at[depth, begin:end],
                sensitive_offsets,
                sensitive_items,
                sensitive_counts,
                support,
                l,
                person,
                last_person,
            )
        if listed:
            if n_found == len(found):
                wider = np.empty((2 * n_found, size), np.int32)
                wider[:n_found] = found
                found = wider
                more = np.empty(2 * n_found, np.int64)
                more[:n_found] = supports
                supports = more
            for element in range(size):
                found[n_found, element] = item_of_group[element, cursor[element] - 1]
            supports[n_found] = support
            n_found += 1
    return found[:n_found], supports[:n_found]


@njit
def _group(
    depth: int,
    above: int,
    begin: int,
    end: int,
    offsets: Int64s,
    items: Int32s,
    counts: Int64s,
    record_at: Int32s,
    place_at: Int64s,
    item_of_group: Int64s,
    start_of_group: Int64s,
    kept: int,
) -> int:
    """Sort the items that follow occurrences begin to end of the depth above (or all items) into groups."""
    n_groups = 0
    tails = len(offsets) - 1 if above < 0 else end - begin
    for tail in range(tails):
        record = tail if above < 0 else record_at[above, begin + tail]
        first = offsets[record] if above < 0 else place_at[above, begin + tail] + 1
        for index in range(first, offsets[record + 1]):
            item = items[index]
            if counts[item] == 0:
                item_of_group[n_groups] = item
                n_groups += 1
            counts[item] += 1
    sort_first(item_of_group, n_groups)
    start_of_group[0] = 0
    for group in range(n_groups):
        item = item_of_group[group]
        start_of_group[group + 1] = start_of_group[group] + counts[item]
        counts[item] = start_of_group[group]
    if depth < kept:
        for tail in range(tails):
            record = tail if above < 0 else record_at[above, begin + tail]
            first = offsets[record] if above < 0 else place_at[above, begin + tail] + 1
            for index in range(first, offsets[record + 1]):
                slot = counts[items[index]]
                record_at[depth, slot] = record
                place_at[depth, slot] = index
                counts[items[index]] = slot + 1
    for group in range(n_groups):
        counts[item_of_group[group]] = 0
    return n_groups


@njit
def _people(records: Int32s, person: Int64s) -> int:
    """How many people ascending records belong to."""
    count, last = 0, np.int64(-1)
    for record in records:
        if person[record] != last:
            last = person[record]
            count += 1
    return count


@njit
def _too_sure(
    records: Int32s,
    sensitive_offsets: Int64s,
    sensitive_items: Int32s,
    counts: Int64s,
    support: int,
    l: int,  # noqa: E741
    person: Int64s,
    last_person: Int64s,
) -> bool:
    """More than one in l of these records, or of their people, holds one and the same sensitive item."""
    found = False
    for record in records:
        for index in range(sensitive_offsets[record], sensitive_offsets[record + 1]):
            item = sensitive_items[index]
            if len(person) > 0:
                if counts[item] > 0 and last_person[item] == person[record]:
                    continue
                last_person[item] = person[record]
            counts[item] += 1
            if counts[item] * l > support:
                found = True
    for record in records:
        for index in range(sensitive_offsets[record], sensitive_offsets[record + 1]):
            counts[sensitive_items[index]] = 0
    return found
