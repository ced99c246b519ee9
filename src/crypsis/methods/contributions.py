"""What one person contributes: at most so many records, by a rule that looks at no other person's.

Neighbouring datasets differ in one person. If at most m records of each count, a person moves every count by at most m,
so noise is drawn for m records.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.relational import Table
from crypsis.parameters import Between

RecordsPerPerson = Annotated[
    int, Between(1, 1000), "Records of one person that count, the first so many; noise grows with it."
]


def bounded(data: Any, most: int) -> Any:
    """The first so many records of each person in the order of the data; all where each record is a person."""
    person = persons_of(data)
    if person is None:
        return data
    by_person = np.argsort(person, kind="stable")
    arranged = person[by_person]
    rank = np.arange(len(arranged)) - np.searchsorted(arranged, arranged)
    return data.take(np.sort(by_person[rank < most]))


def persons_of(data: Any) -> Int64s | None:
    """The person of each record; None where each is one.

    Where nobody said who a person is, the only identifier of a table tells, if it repeats; a record without one is a
    person of its own.
    """
    told: Int64s | None = getattr(data, "person", None)
    if told is not None or not isinstance(data, Table) or data.person_like is None:
        return told
    identifiers = data.with_role("identifier")
    if len(identifiers) != 1 or identifiers[0].name != data.person_like.column:
        return None
    codes = identifiers[0].codes.astype(np.int64)
    return np.where(codes >= 0, codes, len(identifiers[0].domain) + np.arange(len(codes)))
