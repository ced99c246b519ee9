"""SyntheticFacts: the manifest and the rows of a private release of records that were made up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.synthetic_rows import SyntheticRows
from crypsis.reports.private_facts import PrivateFacts

_MOST_DRAWN = 2_000_000


@dataclass(frozen=True, eq=False)
class SyntheticFacts(PrivateFacts):
    """The manifest and the rows."""

    published: SyntheticRows

    @property
    def lengths(self) -> Int64s:
        """The length of every row, of very many only in proportion."""
        return in_proportion(self.published.lengths, self.published.copies)


def in_proportion(values: Int64s, copies: Int64s) -> Int64s:
    """Each value as often as it has copies; of very many copies only a share."""
    scale = max(1, -(-int(copies.sum()) // _MOST_DRAWN))
    return np.repeat(values, copies if scale == 1 else -(-copies // scale)).astype(np.int64)
