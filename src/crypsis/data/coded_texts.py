"""Texts that repeat as positions in a sorted list of them: a tenth of the size, and the way to a domain.

The list is made of the first cells. A text is looked up by some bits of its hash, and what was found is compared with
the text itself; texts that the first cells do not hold are added once. Where that is not enough, polars does it.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

_SAMPLE, _MOST_CODES, _LONG = 10_000, 1 << 16, 64
_FEW = 1000  # of more texts some two have the same 16 bits of their hashes
_PARTS = 4  # of 16 bits in a hash
_SLICE = 1 << 17


def with_coded_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of texts that repeat as Enum."""
    texts = [cells for cells in frame.iter_columns() if cells.dtype == pl.String and _repeats(cells)]
    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(texts)))) as threads:
        return frame.with_columns(threads.map(_coded, texts))


def _repeats(texts: pl.Series) -> bool:
    """Whether few texts stand in many rows; long ones are left to the check of how much they are."""
    sample = texts.head(_SAMPLE)
    return sample.n_unique() * 4 < len(sample) and int(texts.str.len_bytes().sum()) <= _LONG * len(texts)


def sorted_texts(texts: pl.Series) -> tuple[pl.Series, np.ndarray[Any, Any]] | None:
    """The distinct texts of a long column, sorted, and the place of each cell; None where they are many, or with gaps.

    Every distinct text occurs.
    """
    known = texts.head(_SAMPLE).unique().sort()
    for _ in range(0 if texts.has_nulls() or len(texts) < _SAMPLE else 2):
        table = _Table.of(known)
        if table is None:
            break
        codes, others = table.look_up(texts)
        if not others:
            return known, codes
        known = pl.concat([known, *others]).unique().sort()
    return None


def _coded(texts: pl.Series) -> pl.Series:
    found = sorted_texts(texts)
    if found is not None:
        return pl.Series(texts.name, found[1]).cat.to(pl.Enum(found[0]))
    distinct = texts.drop_nulls().unique().sort()
    return texts if len(distinct) > _MOST_CODES else texts.cast(pl.Enum(distinct))


@dataclass(frozen=True)
class _Table:
    """Where a text stands in a list, by 16 bits of its hash that tell all texts of the list apart."""

    known: pl.Series
    part: int
    codes: np.ndarray[Any, Any]

    @classmethod
    def of(cls, known: pl.Series) -> Self | None:
        """None where no part of the hash tells the texts apart."""
        for part in range(_PARTS if len(known) <= _FEW else 0):
            slots = _bits(known, part)
            if len(np.unique(slots)) == len(slots):
                codes = np.zeros(1 << 16, np.uint8 if len(known) <= 1 << 8 else np.uint16)
                codes[slots] = np.arange(len(known))
                return cls(known, part, codes)
        return None

    def look_up(self, texts: pl.Series) -> tuple[np.ndarray[Any, Any], list[pl.Series]]:
        """The codes of all texts, and the texts that are not in the list; a slice at a time stays in the cache."""
        found, others = np.empty(len(texts), self.codes.dtype), []
        for start in range(0, len(texts), _SLICE):
            cells = texts.slice(start, _SLICE)
            codes = self.codes.take(_bits(cells, self.part), out=found[start : start + _SLICE], mode="clip")
            wrong = self.known.gather(pl.Series(codes)) != cells
            if wrong.any():
                others.append(cells.filter(wrong).unique())
        return found, others


def _bits(texts: pl.Series, part: int) -> np.ndarray[Any, Any]:
    return texts.hash().to_numpy().view(np.uint16)[part::_PARTS]
