"""Attacks on sets and mixed data by person: candidates are people, and any record of a person may be known."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import crypsis
from crypsis import COAT, PCTA, RumBound, Transactions
from crypsis.attacks.itemset import ItemsetAttack
from crypsis.attacks.linkage import LinkageAttack
from crypsis.data.cells import Cell, CellKind
from tests.methods.mixed import people as mixed_people
from tests.methods.transaction.people import most_of_one_person, people_of


@pytest.mark.parametrize("seed", range(4))
def test_candidates_of_an_itemset_are_people(seed: int) -> None:
    rows, person = most_of_one_person(seed)
    data = Transactions.from_lists(rows, person=person)
    release = crypsis.anonymize(data, COAT(k=3, m=2))
    shown = release.data.to_lists()
    result = ItemsetAttack(knowledge=2, beyond=0).run(release.data, data)
    expected = np.full((data.people, 2), len(rows))
    for record, whose in enumerate(data.person.tolist()):
        for size in (1, 2):
            for known in combinations(rows[record], size):
                fitting = len(people_of(shown, person, known))
                expected[whose, size - 1 :] = np.minimum(expected[whose, size - 1 :], fitting)
    assert result.candidates.tolist() == expected.tolist()
    assert result.candidates.min() >= 3
    # From a folder nothing says whose the records are; the original tells it where each item has one symbol.
    forgotten = replace(release.data, person=None).take(np.random.default_rng(0).permutation(len(rows)))
    assert ItemsetAttack(knowledge=2, beyond=0).run(forgotten, data).candidates.tolist() == expected.tolist()


def test_records_of_one_person_hide_nobody() -> None:
    rows, person = most_of_one_person(0)
    by_records = crypsis.anonymize(Transactions.from_lists(rows), PCTA(k=3, m=2))
    attacked = ItemsetAttack(knowledge=2, beyond=0).run(by_records.data, Transactions.from_lists(rows, person=person))
    assert attacked.candidates.min() < 3


@pytest.mark.parametrize("seed", range(2))
def test_linkage_with_items_counts_people(seed: int) -> None:
    frame, _ = mixed_people.most_of_one_person(seed)
    data = mixed_people.read(frame, person="who")
    release = crypsis.anonymize(data, RumBound(k=3, m=2, delta=0.9))
    result = LinkageAttack(known_items=2).run(release.data, data)
    assert len(result.candidates) == data.transactions.people
    assert result.candidates.min() >= 3
    by_records = crypsis.anonymize(mixed_people.read(frame, each_row_is_a_person=True), RumBound(k=3, m=2, delta=0.9))
    owned = replace(by_records.data, table=replace(by_records.data.table, person=data.person))
    assert LinkageAttack(known_items=2).run(owned, data).candidates.min() < 3


@pytest.mark.parametrize("seed", range(3))
def test_linkage_with_items_matches_brute_force_by_person(seed: int) -> None:
    """Every record of everybody, every set of up to two of its items, every published record."""
    frame, person = mixed_people.most_of_one_person(seed, records=40)
    data = mixed_people.read(frame, person="who")
    released = crypsis.anonymize(mixed_people.read(frame, each_row_is_a_person=True), RumBound(k=2, m=1)).data
    owned = replace(released, table=replace(released.table, person=data.person))
    rows, columns = released.transactions.to_lists(), [released.table.column(name) for name in ("age", "town")]
    published = {item for row in rows for item in mixed_people.ITEMS if mixed_people.fits(row, (item,))}
    expected = np.full((data.transactions.people, 3), len(frame))
    for record, known in enumerate(frame.iter_rows(named=True)):
        fitting = [
            row
            for row in range(len(rows))
            if all(holds(one.cells[int(one.codes[row])], known[one.name]) for one in columns)
        ]
        for size in range(3):
            for items in combinations([item for item in known["codes"] if item in published], size):
                people = {person[row] for row in fitting if mixed_people.fits(rows[row], items)}
                whose = int(data.person[record])
                expected[whose, size:] = np.minimum(expected[whose, size:], len(people))
    assert LinkageAttack(known_items=2).run(owned, data).candidates.tolist() == expected.tolist()


def holds(cell: Cell, value: object) -> bool:
    if cell.kind == CellKind.RANGE:
        return bool(cell.members[0] <= value <= cell.members[1])
    return cell.kind == CellKind.ANY or (cell.kind != CellKind.SUPPRESSED and value in cell.members)
