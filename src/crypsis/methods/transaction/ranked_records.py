"""Records as disassociation sees them: empty ones set aside, terms numbered by how frequent they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.term_rank import term_rank
from crypsis.data.transaction import Transactions


@dataclass(frozen=True)
class RankedRecords:
    """Record r holds terms[offsets[r]:offsets[r + 1]]; term 0 is the most frequent, and `codes` are the data's own."""

    offsets: Int64s
    terms: Int32s
    sensitive: Bools
    codes: Int32s
    empty: int

    @classmethod
    def of(cls, data: Transactions) -> RankedRecords:
        rank = term_rank(data)
        codes = np.empty(len(rank), np.int32)
        codes[rank] = np.arange(len(rank))
        lengths = data.lengths[data.lengths > 0]
        sensitive = np.zeros(len(rank), np.bool_)
        if data.sensitive is not None:
            sensitive[rank] = data.sensitive
        return cls(
            offsets_of(lengths),
            rank.astype(np.int32)[data.items],
            sensitive,
            codes,
            len(data) - len(lengths),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def supports(self) -> Int64s:
        """By term: the records that hold it."""
        return np.bincount(self.terms, minlength=len(self.codes)).astype(np.int64)

    @property
    def lengths(self) -> Int64s:
        return np.diff(self.offsets)
