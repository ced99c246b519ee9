"""Distinct rows of a sliding window, and the people who have them.

Row r is codes[offsets[r]:offsets[r + 1]], doublet numbers in ascending (canonical) order. held[r, 0] people have it,
held[r, 1 + token] of them have the token. Row 0 is the empty row, which is not counted. Slot s is a person in the
window: people[s] is who, slots[s, 0] when they were last seen, slots[s, 1] their row and, times 2**32, their class of
sensitive tokens (tokens of class g: tokens[bounds[g]:bounds[g + 1]]). slot_of[person] is -1 for whoever has no slot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.open_addressing import MIX, enlarge, key_slot

_ROW = 0xFFFFFFFF  # the part of slots[s, 1] that is the row
_TOGETHER = 64  # events whose slots are fetched from memory together


@njit
def renumbered_rows(
    offsets: Int64s, codes: Int32s, held: Int64s, renumber: Int32s
) -> tuple[Int64s, Int32s, Int64s, Int32s]:
    """Rows with each doublet renumbered, dropped where its number is -1; equal rows become one.

    Returns offsets, codes, what is held, and the new row of each old one; rows that nobody has are left out.
    """
    n_rows, width = held.shape
    entries = 16
    while entries < 2 * n_rows + 2:
        entries *= 2
    mask = np.uint64(entries - 1)
    table = np.full(entries, -1, np.int32)
    hashes = np.empty(n_rows + 1, np.uint64)
    new_offsets = np.zeros(n_rows + 2, np.int64)
    new_codes = np.empty(len(codes), np.int32)
    new_held = np.zeros((n_rows + 1, width), np.int64)
    becomes = np.zeros(n_rows, np.int32)
    n_new, end = 1, 0
    mixes = np.empty(_TOGETHER, np.uint64)
    fetched = np.empty(_TOGETHER, np.int64)
    for row in range(n_rows):
        if row % _TOGETHER == 0:
            _fetch(offsets, codes, renumber, row, table, new_offsets, new_codes, new_held, mixes, fetched)
        if held[row, 0] == 0:
            continue
        length = 0
        for position in range(offsets[row], offsets[row + 1]):
            code = renumber[codes[position]]
            if code >= 0:
                new_codes[end + length] = code
                length += 1
        if length == 0:
            continue
        mixed = mixes[row % _TOGETHER]
        place = mixed & mask
        target = np.int64(table[place])
        while target >= 0:
            start = new_offsets[target]
            if hashes[target] == mixed and new_offsets[target + 1] - start == length:
                same = 0
                while same < length and new_codes[start + same] == new_codes[end + same]:
                    same += 1
                if same == length:
                    break
            place = (place + np.uint64(1)) & mask
            target = np.int64(table[place])
        if target < 0:
            target = np.int64(n_new)
            table[place] = target
            hashes[target] = mixed
            n_new += 1
            end += length
            new_offsets[n_new] = end
        becomes[row] = target
        for column in range(width):
            new_held[target, column] += held[row, column]
    return new_offsets[: n_new + 1].copy(), new_codes[:end].copy(), new_held[:n_new].copy(), becomes


@njit
def _fetch(
    offsets: Int64s,
    codes: Int32s,
    renumber: Int32s,
    first: int,
    table: Int32s,
    new_offsets: Int64s,
    new_codes: Int32s,
    new_held: Int64s,
    mixes: Any,
    fetched: Int64s,
) -> None:
    """Hash the next rows, and read what each will be compared with: reads that wait for nothing overlap."""
    mask = np.uint64(len(table) - 1)
    n_rows = min(len(mixes), len(offsets) - 1 - first)
    for index in range(n_rows):
        mixed = np.uint64(1)
        for position in range(offsets[first + index], offsets[first + index + 1]):
            code = renumber[codes[position]]
            if code >= 0:
                mixed = (mixed ^ np.uint64(code + 1)) * np.uint64(MIX)
                mixed ^= mixed >> np.uint64(32)
        mixes[index] = mixed
        fetched[index] = np.int64(table[mixed & mask])
    for index in range(n_rows):
        target = max(fetched[index], 0)
        fetched[index] = new_held[target, 0] + new_offsets[target]
    for index in range(n_rows):
        target = np.int64(table[mixes[index] & mask])
        if target > 0:
            fetched[index] += new_codes[new_offsets[target]]


@njit
def move_and_evict(
    people: Int32s, slots: Int64s, n_slots: int, becomes: Int32s, x: int, slot_of: Int32s
) -> tuple[int, int]:
    """Give every slot its new row; free those with nothing left, neither in the rows nor since `x`.

    A freed slot is filled with the last one. Returns the number of slots in use, and how many were seen since `x`.
    """
    slot, seen = 0, 0
    while slot < n_slots:
        row = slots[slot, 1] & _ROW
        current = np.int64(becomes[row])
        if current == 0 and slots[slot, 0] < x:
            slot_of[people[slot]] = -1
            n_slots -= 1
            if slot < n_slots:
                people[slot] = people[n_slots]
                slots[slot, 0] = slots[n_slots, 0]
                slots[slot, 1] = slots[n_slots, 1]
                slot_of[people[slot]] = slot
            continue
        slots[slot, 1] += current - row
        seen += slots[slot, 0] >= x
        slot += 1
    return n_slots, seen


@njit
def count_new_doublets(
    cell: Int64s, n_cells: int, group: Int32s, bounds: Int64s, tokens: Int32s, n_tokens: int
) -> tuple[Int64s, Int64s]:
    """For each cell: its first event (-1: none), and how many events are in it, in all and by token."""
    first = np.full(n_cells, -1, np.int64)
    held = np.zeros((n_cells, 1 + n_tokens), np.int64)
    for event in range(len(cell)):
        at = cell[event]
        held[at, 0] += 1
        if first[at] < 0:
            first[at] = event
        if n_tokens > 0:
            for index in range(bounds[group[event]], bounds[group[event] + 1]):
                held[at, 1 + tokens[index]] += 1
    return first, held


@njit
def append_events(
    persons: Int32s,
    groups: Int32s,
    times: Int64s,
    cell: Int64s,
    code_of: Int32s,
    first_code: int,
    n_codes: int,
    held: Int64s,
    people: Int32s,
    slots: Int64s,
    n_slots: int,
    slot_of: Int32s,
    x: int,
    bounds: Int64s,
    tokens: Int32s,
    dense_entries: int,
) -> tuple[int, Int64s, Int32s, Int32s, int, int]:
    """Add each event's doublet to the row of its person, who gets a slot at the first event; in any order.

    The doublet of an event is code_of[cell[event]], from first_code to n_codes - 1 and in no row yet; -1 where it must
    not reach one. There are slots for everybody. Returns the number of slots, what is held of the rows, what each new
    row extends by which doublet, how many events repeat another, and how many people had not been seen since `x`.
    The row that follows another is found in a plain array of up to `dense_entries`, else by hashing.
    """
    first_new = n_rows = len(held)
    n_new, width = n_codes - first_code, held.shape[1]
    room = n_rows + 1024
    held = _longer_table(held, room)
    extends = np.empty(room, np.int32)  # for rows from first_new on
    by = np.empty(room, np.int32)
    dense = first_new if first_new * n_new <= dense_entries else 0  # rows whose followers stand in the array
    followers = np.full(dense * n_new, -1, np.int32)
    keys = np.full(64, -1, np.int64)  # of (row, doublet): the row with the doublet
    hashed = np.empty(64, np.int32)
    n_hashed = 0
    later = np.empty(n_new + 1, np.int32)
    repeated, seen = 0, 0
    fetched = np.empty(_TOGETHER, np.int64)
    for event in range(len(persons)):
        if event % _TOGETHER == 0:  # reads that wait for nothing overlap; one by one each waits for the one before it
            for index in range(min(_TOGETHER, len(persons) - event)):
                fetched[index] = slots[np.uint64(max(slot_of[np.uint64(persons[event + index])], 0)), 1]
        person = np.uint64(persons[event])
        time = times[event]
        if slot_of[person] < 0:
            slot_of[person] = n_slots
            people[n_slots] = persons[event]
            slots[n_slots, 0] = time
            slots[n_slots, 1] = np.int64(groups[event]) << 32
            n_slots += 1
            seen += 1
        slot = np.uint64(slot_of[person])
        if slots[slot, 0] < time:
            seen += slots[slot, 0] < x
            slots[slot, 0] = time
        doublet = np.int64(code_of[np.uint64(cell[event])])
        if doublet < 0:
            continue
        state = slots[slot, 1]
        here = state & _ROW
        there = here
        n_later = 0
        while there >= first_new and by[there - first_new] >= doublet:  # it comes before what is there
            later[n_later] = by[there - first_new]
            n_later += 1
            there = np.int64(extends[there - first_new])
        if n_later > 0 and later[n_later - 1] == doublet:
            repeated += 1
            continue
        for step in range(n_later, -1, -1):
            code = doublet if step == n_later else np.int64(later[step])
            before = there
            place = np.int64(0)
            if before < dense:
                place = before * n_new + code - first_code
                there = np.int64(followers[np.uint64(place)])
            else:
                place = key_slot(keys, before * n_codes + code)
                there = np.int64(hashed[place]) if keys[place] != -1 else np.int64(-1)
            if there >= 0:
                continue
            if n_rows == room:
                room *= 2
                held = _longer_table(held, room)
                extends = _longer(extends, room)
                by = _longer(by, room)
            there = np.int64(n_rows)
            extends[there - first_new] = before
            by[there - first_new] = code
            n_rows += 1
            if before < dense:
                followers[place] = there
                continue
            if 2 * n_hashed >= len(keys):
                keys, hashed = enlarge(keys, hashed)
                place = key_slot(keys, before * n_codes + code)
            n_hashed += 1
            keys[place] = before * n_codes + code
            hashed[place] = there
        slots[slot, 1] = state + there - here
        held[np.uint64(there), 0] += 1
        held[np.uint64(here), 0] -= 1
        group = state >> 32
        if group > 0 and width > 1:
            for at in range(bounds[group], bounds[group + 1]):
                held[there, 1 + tokens[at]] += 1
                held[here, 1 + tokens[at]] -= 1
    held[0] = 0
    created = n_rows - first_new
    return n_slots, held[:n_rows].copy(), extends[:created].copy(), by[:created].copy(), repeated, seen


@njit
def _longer(values: Int32s, room: int) -> Int32s:
    """Return an array with more room."""
    longer = np.empty(room, values.dtype)
    longer[: len(values)] = values
    return longer


@njit
def _longer_table(values: Int64s, room: int) -> Int64s:
    """Return a table with more rows."""
    longer = np.zeros((room, values.shape[1]), values.dtype)
    longer[: len(values)] = values
    return longer


@njit
def extended_rows(offsets: Int64s, codes: Int32s, extends: Int32s, by: Int32s) -> tuple[Int64s, Int32s]:
    """The rows, then those that each extend an earlier one by one doublet."""
    n_old, n_new = len(offsets) - 1, len(extends)
    grown = np.empty(n_old + n_new + 1, np.int64)
    grown[: n_old + 1] = offsets
    for index in range(n_new):
        of = extends[index]
        grown[n_old + index + 1] = grown[n_old + index] + grown[of + 1] - grown[of] + 1
    longer = np.empty(grown[-1], np.int32)
    longer[: len(codes)] = codes
    for index in range(n_new):
        start, to = grown[extends[index]], grown[n_old + index]
        length = grown[extends[index] + 1] - start
        for position in range(length):
            longer[to + position] = longer[start + position]
        longer[to + length] = by[index]
    return grown, longer


@njit
def remove_people(chosen: Int64s, slots: Int64s, held: Int64s, bounds: Int64s, tokens: Int32s) -> None:
    """Take the people of these slots out of what is held of their rows."""
    for slot in chosen:
        row, group = slots[slot, 1] & _ROW, slots[slot, 1] >> 32
        if row == 0:
            continue
        held[row, 0] -= 1
        if held.shape[1] > 1:
            for at in range(bounds[group], bounds[group + 1]):
                held[row, 1 + tokens[at]] -= 1


@njit
def held_by_doublet(offsets: Int64s, codes: Int32s, held: Int64s, n_doublets: int) -> Int64s:
    """People who have each doublet, in all and by token."""
    among = np.zeros((n_doublets, held.shape[1]), np.int64)
    for row in range(len(held)):
        for position in range(offsets[row], offsets[row + 1]):
            for column in range(held.shape[1]):
                among[codes[position], column] += held[row, column]
    return among
