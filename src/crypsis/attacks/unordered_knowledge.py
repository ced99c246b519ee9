"""Search for people of whom some visits, or visits and their number, are known without their order.

Row r has the slots offsets[r]:offsets[r + 1], one for each atom that it may hold, ascending; slot s belongs to the
symbol group[s] of its row, which stands for visits[g] visits to any of its sizes[g] members. A piece of knowledge is an
item: atom a has the items item_offsets[a]:item_offsets[a + 1], each with a weight, ascending: the number of visits it
speaks of. Of person v the adversary may know any of the items known[known_offsets[v]:known_offsets[v + 1]], ascending,
each up to times[…] times. Everything that may be known is walked as a tree of ascending lists of items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.attacks.knowledge_tree import (
    clear,
    longer,
    longer_table,
    new_counters,
    new_stack,
    note_candidates,
    push_extensions,
)
from crypsis.attacks.matching import Slots
from crypsis.compilation import njit


class SlottedRows(NamedTuple):
    """Published rows as slots of atoms, the groups of these slots, and whose the rows are."""

    offsets: Int64s
    atoms: Int32s
    group: Int64s
    visits: Int64s
    sizes: Int64s
    individuals: Int32s
    n_individuals: int

    @classmethod
    def of(cls, slots: Slots, individuals: Int32s, n_individuals: int) -> SlottedRows:
        return cls(slots.offsets, slots.atoms, slots.group, slots.visits, slots.sizes, individuals, n_individuals)


class Items(NamedTuple):
    """What may be known of an atom: the items offsets[atom]:offsets[atom + 1], with the visits that each asks for."""

    offsets: Int64s
    weights: Int64s


class KnownItems(NamedTuple):
    """What may be known of person v: items[offsets[v]:offsets[v + 1]], each at most so many times."""

    offsets: Int64s
    items: Int64s
    times: Int64s


class Search(NamedTuple):
    """How many items are known at most, whether weights are all visits, and the atoms that knowledge begins with."""

    largest: int
    exact: bool
    first_atom: int
    end_atom: int


@njit
def fewest_candidates_without_order(
    published: SlottedRows, items: Items, people_know: KnownItems, search: Search
) -> Int64s:
    """fewest[v, s - 1]: the fewest individuals whose rows fit up to s items that may be known of person v.

    A row fits if the visits of each of its symbols suffice for what is known of the symbol's members; if `exact`,
    weights are all visits to a location, so a symbol whose members are all known must have no visit left, and no atom
    is known twice. Rows of one individual follow each other and count once. Knowledge that fits nowhere is passed over,
    and so is what does not begin with one of the atoms first_atom:end_atom.
    """
    offsets, slot_atoms, group, visits, sizes, individuals, n_individuals = published
    item_offsets, weights = items
    known_offsets, known, times = people_know
    largest, exact, first_atom, end_atom = search
    n_people, n_items = len(known_offsets) - 1, len(weights)
    fewest = np.full((n_people, largest), n_individuals, np.int64)
    counters = new_counters(n_items)
    support, entries, wanted, last_counted, fill_rows, fill_people, met = counters
    chosen = np.zeros(largest, np.int64)  # the list of items being extended
    n_rows = len(offsets) - 1
    rows, row_slots = np.arange(n_rows), np.zeros((n_rows, largest), np.int64)
    people, people_starts, people_times = np.arange(n_people), known_offsets[:-1].copy(), np.zeros(n_people, np.int64)
    stack, height = new_stack(n_rows, n_people), 1

    while height > 0:
        height -= 1
        depth = stack.depths[height]
        if depth > 0:
            chosen[depth - 1] = stack.pieces[height]
        first_row, end_row = stack.row_start[height], stack.row_end[height]
        first_person, end_person = stack.person_start[height], stack.person_end[height]
        n_met = 0
        for entry in range(first_row, end_row):
            row = rows[entry]
            for slot in range(_first_slot(offsets[row], row_slots[entry], depth, exact), offsets[row + 1]):
                atom = slot_atoms[slot]
                if depth == 0 and not first_atom <= atom < end_atom:
                    continue
                room, all_known = _room(group, visits, sizes, weights, row_slots[entry], chosen, depth, slot)
                for item in range(item_offsets[atom], item_offsets[atom + 1]):
                    if weights[item] > room:
                        break
                    if exact and all_known and weights[item] != room:
                        continue
                    if entries[item] == 0:
                        met[n_met] = item
                        n_met += 1
                    entries[item] += 1
                    if last_counted[item] != individuals[row]:
                        last_counted[item] = individuals[row]
                        support[item] += 1

        for entry in range(first_person, end_person):
            person = people[entry]
            for index in range(people_starts[entry], known_offsets[person + 1]):
                if index == people_starts[entry] and people_times[entry] >= times[index]:
                    continue
                note_candidates(fewest, person, depth, support[known[index]])

        if depth + 1 < largest:
            # A person found for certain cannot be found any better, so only the others are followed further.
            n_wanted = 0
            for entry in range(first_person, end_person):
                person = people[entry]
                if fewest[person, depth + 1] == 1:
                    continue
                for index in range(people_starts[entry], known_offsets[person + 1]):
                    if index == people_starts[entry] and people_times[entry] >= times[index]:
                        continue
                    if support[known[index]] > 0:
                        wanted[known[index]] += 1
                        n_wanted += 1
            stack, height, n_listed_rows, n_listed = push_extensions(
                stack, height, depth, counters, n_met, end_row, end_person
            )
            while n_listed_rows > len(rows):
                rows, row_slots = longer(rows), longer_table(row_slots)
            while n_listed > len(people):
                people, people_starts, people_times = longer(people), longer(people_starts), longer(people_times)
            if n_wanted > 0:
                for entry in range(first_row, end_row):
                    row = rows[entry]
                    for slot in range(_first_slot(offsets[row], row_slots[entry], depth, exact), offsets[row + 1]):
                        room, all_known = _room(group, visits, sizes, weights, row_slots[entry], chosen, depth, slot)
                        atom = slot_atoms[slot]
                        for item in range(item_offsets[atom], item_offsets[atom + 1]):
                            if weights[item] > room:
                                break
                            if wanted[item] == 0 or (exact and all_known and weights[item] != room):
                                continue
                            filled = fill_rows[item]
                            fill_rows[item] += 1
                            rows[filled] = row
                            for before in range(depth):
                                row_slots[filled, before] = row_slots[entry, before]
                            row_slots[filled, depth] = slot
                for entry in range(first_person, end_person):
                    person = people[entry]
                    if fewest[person, depth + 1] == 1:
                        continue
                    for index in range(people_starts[entry], known_offsets[person + 1]):
                        again = index == people_starts[entry]
                        if again and people_times[entry] >= times[index]:
                            continue
                        item = known[index]
                        if wanted[item] > 0:
                            filled = fill_people[item]
                            fill_people[item] += 1
                            people[filled], people_starts[filled] = person, index
                            people_times[filled] = people_times[entry] + 1 if again else 1
        clear(counters, n_met)
    return fewest


@njit
def _first_slot(start: int, slots: Int64s, depth: int, exact: bool) -> int:
    """Where the next item may be: at the slot of the last one or behind it; behind it only if it cannot be repeated."""
    if depth == 0:
        return start
    return slots[depth - 1] + 1 if exact else slots[depth - 1]  # type: ignore[no-any-return]


@njit
def _room(
    group: Int64s,
    visits: Int64s,
    sizes: Int64s,
    weights: Int64s,
    slots: Int64s,
    chosen: Int64s,
    depth: int,
    slot: int,
) -> tuple[int, bool]:
    """Visits of the slot's symbol that the chosen items leave, and whether it is the last unknown member."""
    symbol = group[slot]
    room = visits[symbol]
    unknown = sizes[symbol]
    for before in range(depth):
        if group[slots[before]] == symbol:
            room -= weights[chosen[before]]
            unknown -= 1
    return room, unknown == 1
