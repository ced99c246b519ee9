"""Rows that may belong to one person: trajectories and tracks."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.person_codes import persons_by_first_record
from crypsis.data.ragged import Ragged


class RowsOfIndividuals(Ragged):
    """Rows whose `owners` number the individual of each; None where each row is an individual of its own."""

    owners: Int32s | None

    def groups(self, unit: str) -> Int32s:
        """The number of the individual that each row counts for: itself, or its owner."""
        if unit == "owner" and self.owners is not None:
            return np.unique(self.owners, return_inverse=True)[1].astype(np.int32)
        return np.arange(len(self), dtype=np.int32)


class OwnedRows(RowsOfIndividuals):
    """The same, as collected."""

    @property
    def owner_repeats(self) -> bool:
        """Some individual has several rows."""
        return self.owners is not None and len(np.unique(self.owners)) < len(self)

    @property
    def person(self) -> Int64s | None:
        """The person of each row, numbered from 0; None where each row is a person of its own."""
        return persons_of(self.owners, len(self))


def persons_of(owners: Int32s | None, n_records: int) -> Int64s | None:
    """Owners numbered from 0 in the order of their first records; None where no owner has several."""
    return None if owners is None else persons_by_first_record(owners.astype(np.int64), n_records)
