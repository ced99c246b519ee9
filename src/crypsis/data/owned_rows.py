"""Rows of which one person may have several: trajectories and tracks."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.person_codes import persons_by_first_record
from crypsis.data.ragged import Ragged


class OwnedRows(Ragged):
    """Rows whose `owners` number the individual of each; None where each row is an individual of its own."""

    owners: Int32s | None

    @property
    def owner_repeats(self) -> bool:
        """Some individual has several rows."""
        return self.owners is not None and len(np.unique(self.owners)) < len(self)

    @property
    def person(self) -> Int64s | None:
        """The person of each row, numbered from 0; None where each row is a person of its own."""
        return None if self.owners is None else persons_by_first_record(self.owners.astype(np.int64), len(self))
