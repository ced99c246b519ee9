"""Search for people of whom some visits are known in their order.

Row r is codes[offsets[r]:offsets[r + 1]]; symbol s may stand for the atoms atoms[atom_offsets[s]:atom_offsets[s + 1]].
Of person v the adversary may know any subsequence of known[known_offsets[v]:known_offsets[v + 1]]. Everything that may
be known is walked as a tree of prefixes; each prefix carries the rows it fits, at the end of its leftmost embedding,
and the people of whom it may be known. Meeting a known visit as early as possible is never a mistake, so leftmost
embeddings suffice.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def fewest_candidates_in_order(
    offsets: Int64s,
    codes: Int32s,
    atom_offsets: Int64s,
    atoms: Int32s,
    n_atoms: int,
    individuals: Int32s,
    n_individuals: int,
    known_offsets: Int64s,
    known: Int32s,
    largest: int,
) -> Int64s:
    """fewest[v, s - 1]: the fewest individuals whose rows fit up to s visits that may be known of person v.

    Rows of one individual follow each other and count once. Knowledge that fits nowhere is passed over.
    """
    n_people = len(known_offsets) - 1
    fewest = np.full((n_people, largest), n_individuals, np.int64)

    # Per atom, for the prefix being extended; `met` lists the atoms whose counters are in use.
    support = np.zeros(n_atoms, np.int64)
    entries = np.zeros(n_atoms, np.int64)
    wanted = np.zeros(n_atoms, np.int64)
    last_counted = np.full(n_atoms, -1, np.int64)
    seen_in = np.full(n_atoms, -1, np.int64)
    fill_rows = np.zeros(n_atoms, np.int64)
    fill_people = np.zeros(n_atoms, np.int64)
    met = np.empty(n_atoms, np.int64)
    serial = 0

    # A stack of prefixes. What lies above a prefix in the two lists of places belongs to prefixes already finished.
    depths = np.empty(64, np.int64)
    row_start, row_end = np.empty(64, np.int64), np.empty(64, np.int64)
    person_start, person_end = np.empty(64, np.int64), np.empty(64, np.int64)
    rows, row_places = np.arange(len(offsets) - 1), offsets[:-1].copy()
    people, people_places = np.arange(n_people), known_offsets[:-1].copy()
    depths[0], row_start[0], row_end[0], person_start[0], person_end[0] = 0, 0, len(rows), 0, len(people)
    height = 1

    while height > 0:
        height -= 1
        size = depths[height] + 1
        first_row, end_row = row_start[height], row_end[height]
        first_person, end_person = person_start[height], person_end[height]
        n_met = 0
        for entry in range(first_row, end_row):
            row = rows[entry]
            serial += 1
            for place in range(row_places[entry], offsets[row + 1]):
                symbol = codes[place]
                for index in range(atom_offsets[symbol], atom_offsets[symbol + 1]):
                    atom = atoms[index]
                    if seen_in[atom] == serial:
                        continue
                    seen_in[atom] = serial
                    if entries[atom] == 0:
                        met[n_met] = atom
                        n_met += 1
                    entries[atom] += 1
                    if last_counted[atom] != individuals[row]:
                        last_counted[atom] = individuals[row]
                        support[atom] += 1

        for entry in range(first_person, end_person):
            person = people[entry]
            for place in range(people_places[entry], known_offsets[person + 1]):
                found = support[known[place]]
                if 0 < found < fewest[person, size - 1]:
                    for more in range(size - 1, largest):
                        fewest[person, more] = min(fewest[person, more], found)

        if size < largest:
            # A person found for certain cannot be found any better, so only the others are followed further.
            n_wanted = 0
            for entry in range(first_person, end_person):
                person = people[entry]
                if fewest[person, size] == 1:
                    continue
                serial += 1
                for place in range(people_places[entry], known_offsets[person + 1]):
                    atom = known[place]
                    if seen_in[atom] != serial and support[atom] > 0:
                        seen_in[atom] = serial
                        wanted[atom] += 1
                        n_wanted += 1
            n_row_places, n_person_places = end_row, end_person
            for index in range(n_met):
                atom = met[index]
                if wanted[atom] == 0:
                    continue
                if height == len(depths):
                    depths, row_start, row_end = _longer(depths), _longer(row_start), _longer(row_end)
                    person_start, person_end = _longer(person_start), _longer(person_end)
                depths[height] = size
                fill_rows[atom], fill_people[atom] = n_row_places, n_person_places
                row_start[height], person_start[height] = n_row_places, n_person_places
                n_row_places += entries[atom]
                n_person_places += wanted[atom]
                row_end[height], person_end[height] = n_row_places, n_person_places
                height += 1
            while n_row_places > len(rows):
                rows, row_places = _longer(rows), _longer(row_places)
            while n_person_places > len(people):
                people, people_places = _longer(people), _longer(people_places)
            if n_wanted > 0:
                for entry in range(first_row, end_row):
                    row = rows[entry]
                    serial += 1
                    for place in range(row_places[entry], offsets[row + 1]):
                        symbol = codes[place]
                        for index in range(atom_offsets[symbol], atom_offsets[symbol + 1]):
                            atom = atoms[index]
                            if wanted[atom] > 0 and seen_in[atom] != serial:
                                seen_in[atom] = serial
                                rows[fill_rows[atom]] = row
                                row_places[fill_rows[atom]] = place + 1
                                fill_rows[atom] += 1
                for entry in range(first_person, end_person):
                    person = people[entry]
                    if fewest[person, size] == 1:
                        continue
                    serial += 1
                    for place in range(people_places[entry], known_offsets[person + 1]):
                        atom = known[place]
                        if wanted[atom] > 0 and seen_in[atom] != serial:
                            seen_in[atom] = serial
                            people[fill_people[atom]] = person
                            people_places[fill_people[atom]] = place + 1
                            fill_people[atom] += 1

        for index in range(n_met):
            atom = met[index]
            support[atom] = 0
            entries[atom] = 0
            wanted[atom] = 0
            last_counted[atom] = -1
    return fewest


@njit
def _longer(values: Int64s) -> Int64s:
    longer = np.empty(2 * len(values) + 64, np.int64)
    longer[: len(values)] = values
    return longer
