"""Search for people of whom some visits are known in their order.

Row r is codes[offsets[r]:offsets[r + 1]]; symbol s may stand for the atoms atoms[atom_offsets[s]:atom_offsets[s + 1]].
The adversary may know any subsequence of known[known_offsets[v]:known_offsets[v + 1]] of person v. Everything that may
be known is walked as a tree of prefixes; each prefix carries the rows it fits, at the end of its leftmost embedding,
and the people of whom it may be known. Meeting a known visit as early as possible is never a mistake, so leftmost
embeddings suffice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.attacks.knowledge_tree import clear, longer, new_counters, new_stack, note_candidates, push_extensions
from crypsis.attacks.matching import Target
from crypsis.compilation import njit


class OrderedRows(NamedTuple):
    """Published rows, what their symbols may stand for, and whose they are."""

    offsets: Int64s
    codes: Int32s
    atom_offsets: Int64s
    atoms: Int32s
    n_atoms: int
    individuals: Int32s
    n_individuals: int

    @classmethod
    def of(cls, target: Target, n_individuals: int) -> OrderedRows:
        return cls(
            target.offsets,
            target.codes,
            target.atom_offsets,
            target.atoms,
            target.n_atoms,
            target.individuals,
            n_individuals,
        )


@njit
def fewest_candidates_in_order(
    published: OrderedRows, known_offsets: Int64s, known: Int32s, largest: int, first_atom: int, end_atom: int
) -> Int64s:
    """fewest[v, s - 1]: the fewest individuals whose rows fit up to s visits that may be known of person v.

    Rows of one individual follow each other and count once. Knowledge that fits nowhere is passed over, and so is what
    does not begin with one of the atoms first_atom:end_atom.
    """
    offsets, codes, atom_offsets, atoms, n_atoms, individuals, n_individuals = published
    n_people = len(known_offsets) - 1
    fewest = np.full((n_people, largest), n_individuals, np.int64)
    counters = new_counters(n_atoms)
    support, entries, wanted, last_counted, fill_rows, fill_people, met = counters
    seen_in = np.full(n_atoms, -1, np.int64)
    serial = 0
    rows, row_starts = np.arange(len(offsets) - 1), offsets[:-1].copy()  # where the rest of the row begins
    people, people_starts = np.arange(n_people), known_offsets[:-1].copy()
    stack, height = new_stack(len(rows), n_people), 1

    while height > 0:
        height -= 1
        depth = stack.depths[height]
        first_row, end_row = stack.row_start[height], stack.row_end[height]
        first_person, end_person = stack.person_start[height], stack.person_end[height]
        n_met = 0
        for entry in range(first_row, end_row):
            row = rows[entry]
            serial += 1
            for visit in range(row_starts[entry], offsets[row + 1]):
                symbol = codes[visit]
                for index in range(atom_offsets[symbol], atom_offsets[symbol + 1]):
                    atom = atoms[index]
                    if depth == 0 and not first_atom <= atom < end_atom:
                        continue
                    if seen_in[atom] != serial:
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
            for index in range(people_starts[entry], known_offsets[person + 1]):
                note_candidates(fewest, person, depth, support[known[index]])

        if depth + 1 < largest:
            # A person found for certain cannot be found any better, so only the others are followed further.
            n_wanted = 0
            for entry in range(first_person, end_person):
                person = people[entry]
                if fewest[person, depth + 1] == 1:
                    continue
                serial += 1
                for index in range(people_starts[entry], known_offsets[person + 1]):
                    atom = known[index]
                    if seen_in[atom] != serial and support[atom] > 0:
                        seen_in[atom] = serial
                        wanted[atom] += 1
                        n_wanted += 1
            stack, height, n_rows, n_listed = push_extensions(
                stack, height, depth, counters, n_met, end_row, end_person
            )
            while n_rows > len(rows):
                rows, row_starts = longer(rows), longer(row_starts)
            while n_listed > len(people):
                people, people_starts = longer(people), longer(people_starts)
            if n_wanted > 0:
                for entry in range(first_row, end_row):
                    row = rows[entry]
                    serial += 1
                    for visit in range(row_starts[entry], offsets[row + 1]):
                        symbol = codes[visit]
                        for index in range(atom_offsets[symbol], atom_offsets[symbol + 1]):
                            atom = atoms[index]
                            if wanted[atom] > 0 and seen_in[atom] != serial:
                                seen_in[atom] = serial
                                slot = fill_rows[atom]
                                fill_rows[atom] += 1
                                rows[slot], row_starts[slot] = row, visit + 1
                for entry in range(first_person, end_person):
                    person = people[entry]
                    if fewest[person, depth + 1] == 1:
                        continue
                    serial += 1
                    for index in range(people_starts[entry], known_offsets[person + 1]):
                        atom = known[index]
                        if wanted[atom] > 0 and seen_in[atom] != serial:
                            seen_in[atom] = serial
                            slot = fill_people[atom]
                            fill_people[atom] += 1
                            people[slot], people_starts[slot] = person, index + 1
        clear(counters, n_met)
    return fewest
