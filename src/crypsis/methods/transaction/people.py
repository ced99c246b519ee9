"""Whose records are: what methods that count people need to know of it."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, take_records
from crypsis.data.transaction import Transactions
from crypsis.kernels.itemsets import EACH_RECORD


def unit_of(data: Transactions) -> str:
    """What a promise about these data counts: people where one of them has several records."""
    return "person" if data.person_repeats else "record"


def persons_to_count(data: Transactions) -> Int64s:
    """Whose each record is, or EACH_RECORD where nobody has several."""
    return data.person if data.person is not None and data.person_repeats else EACH_RECORD


def count_people(person: Int64s, chosen: Bools) -> int:
    """How many people the chosen records belong to."""
    return int(np.count_nonzero(chosen)) if not len(person) else len(np.unique(person[chosen]))


def arrange_by_person(offsets: Int64s, items: Int32s, person: Int64s) -> tuple[Int64s, Int32s, Int64s]:
    """Records so that those of a person stand together, as kernels count people."""
    if not len(person):
        return offsets, items, person
    order = np.argsort(person, kind="stable")
    arranged, positions = take_records(offsets, order)
    return arranged, items[positions], person[order]


def holders(offsets: Int64s, items: Int32s, n_items: int, person: Int64s) -> Int64s:
    """How many records hold each item, or how many people have one that does."""
    if not len(person):
        return np.bincount(items, minlength=n_items).astype(np.int64)
    whose = np.repeat(person, np.diff(offsets))
    pairs = np.unique(whose * max(n_items, 1) + items)
    return np.bincount(pairs % max(n_items, 1), minlength=n_items).astype(np.int64)
