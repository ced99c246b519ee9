"""Search for people of whom some visits, or visits and their number, are known without their order.

Row r has the slots offsets[r]:offsets[r + 1], one for each atom that it may hold, ascending; slot s belongs to the
symbol group[s] of its row, which stands for visits[g] visits to any of its sizes[g] members. A piece of knowledge is an
item: atom a has the items item_offsets[a]:item_offsets[a + 1], each with a weight, ascending: the number of visits it
speaks of. Of person v the adversary may know any of the items known[known_offsets[v]:known_offsets[v + 1]], ascending,
each up to times[…] times. Everything that may be known is walked as a tree of ascending lists of items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def fewest_candidates_without_order(
    offsets: Int64s,
    slot_atoms: Int32s,
    group: Int64s,
    visits: Int64s,
    sizes: Int64s,
    item_offsets: Int64s,
    weights: Int64s,
    individuals: Int32s,
    n_individuals: int,
    known_offsets: Int64s,
    known: Int64s,
    times: Int64s,
    largest: int,
    exact: bool,
) -> Int64s:
    """fewest[v, s - 1]: the fewest individuals whose rows fit up to s items that may be known of person v.

    A row fits if the visits of each of its symbols suffice for what is known of the symbol's members; if `exact`,
    weights are all visits to a location, so a symbol whose members are all known must have no visit left, and no atom
    is known twice. Rows of one individual follow each other and count once. Knowledge that fits nowhere is passed over.
    """
    n_people, n_items = len(known_offsets) - 1, len(weights)
    fewest = np.full((n_people, largest), n_individuals, np.int64)

    # Per item, for the list being extended; `met` lists the items whose counters are in use.
    support = np.zeros(n_items, np.int64)
    entries = np.zeros(n_items, np.int64)
    wanted = np.zeros(n_items, np.int64)
    last_counted = np.full(n_items, -1, np.int64)
    fill_rows = np.zeros(n_items, np.int64)
    fill_people = np.zeros(n_items, np.int64)
    met = np.empty(n_items, np.int64)
    chosen = np.zeros(largest, np.int64)  # the list of items being extended

    depths, last_items = np.empty(64, np.int64), np.empty(64, np.int64)
    row_start, row_end = np.empty(64, np.int64), np.empty(64, np.int64)
    person_start, person_end = np.empty(64, np.int64), np.empty(64, np.int64)
    n_rows = len(offsets) - 1
    rows, row_slots = np.arange(n_rows), np.zeros((n_rows, largest), np.int64)
    people, people_places, people_times = np.arange(n_people), known_offsets[:-1].copy(), np.zeros(n_people, np.int64)
    depths[0], row_start[0], row_end[0], person_start[0], person_end[0] = 0, 0, n_rows, 0, n_people
    height = 1

    while height > 0:
        height -= 1
        depth = depths[height]
        if depth > 0:
            chosen[depth - 1] = last_items[height]
        first_row, end_row = row_start[height], row_end[height]
        first_person, end_person = person_start[height], person_end[height]
        n_met = 0
        for entry in range(first_row, end_row):
            row = rows[entry]
            for slot in range(_first_slot(offsets[row], row_slots[entry], depth, exact), offsets[row + 1]):
                room, all_known = _room(group, visits, sizes, weights, row_slots[entry], chosen, depth, slot)
                atom = slot_atoms[slot]
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
            for place in range(people_places[entry], known_offsets[person + 1]):
                if place == people_places[entry] and people_times[entry] >= times[place]:
                    continue
                found = support[known[place]]
                if 0 < found < fewest[person, depth]:
                    for more in range(depth, largest):
                        fewest[person, more] = min(fewest[person, more], found)

        if depth + 1 < largest:
            # A person found for certain cannot be found any better, so only the others are followed further.
            n_wanted = 0
            for entry in range(first_person, end_person):
                person = people[entry]
                if fewest[person, depth + 1] == 1:
                    continue
                for place in range(people_places[entry], known_offsets[person + 1]):
                    if place == people_places[entry] and people_times[entry] >= times[place]:
                        continue
                    if support[known[place]] > 0:
                        wanted[known[place]] += 1
                        n_wanted += 1
            n_row_places, n_person_places = end_row, end_person
            for index in range(n_met):
                item = met[index]
                if wanted[item] == 0:
                    continue
                if height == len(depths):
                    depths, last_items = _longer(depths), _longer(last_items)
                    row_start, row_end = _longer(row_start), _longer(row_end)
                    person_start, person_end = _longer(person_start), _longer(person_end)
                depths[height], last_items[height] = depth + 1, item
                fill_rows[item], fill_people[item] = n_row_places, n_person_places
                row_start[height], person_start[height] = n_row_places, n_person_places
                n_row_places += entries[item]
                n_person_places += wanted[item]
                row_end[height], person_end[height] = n_row_places, n_person_places
                height += 1
            while n_row_places > len(rows):
                rows, row_slots = _longer(rows), _longer_table(row_slots)
            while n_person_places > len(people):
                people, people_places, people_times = _longer(people), _longer(people_places), _longer(people_times)
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
                            place = fill_rows[item]
                            fill_rows[item] += 1
                            rows[place] = row
                            for before in range(depth):
                                row_slots[place, before] = row_slots[entry, before]
                            row_slots[place, depth] = slot
                for entry in range(first_person, end_person):
                    person = people[entry]
                    if fewest[person, depth + 1] == 1:
                        continue
                    for place in range(people_places[entry], known_offsets[person + 1]):
                        again = place == people_places[entry]
                        if again and people_times[entry] >= times[place]:
                            continue
                        item = known[place]
                        if wanted[item] > 0:
                            filled = fill_people[item]
                            fill_people[item] += 1
                            people[filled] = person
                            people_places[filled] = place
                            people_times[filled] = people_times[entry] + 1 if again else 1

        for index in range(n_met):
            item = met[index]
            support[item] = 0
            entries[item] = 0
            wanted[item] = 0
            last_counted[item] = -1
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


@njit
def _longer(values: Int64s) -> Int64s:
    longer = np.empty(2 * len(values) + 64, np.int64)
    longer[: len(values)] = values
    return longer


@njit
def _longer_table(values: NDArray[Any]) -> NDArray[Any]:
    longer = np.empty((2 * len(values) + 64, values.shape[1]), np.int64)
    longer[: len(values)] = values
    return longer
