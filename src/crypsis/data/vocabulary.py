"""Vocabulary: the labels behind integer codes. The code of a label is its 0-based position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, frozen
from crypsis.data.coded_texts import sorted_texts

_LONG = 100_000  # cells; of fewer it does not matter how texts are looked up


class Vocabulary:
    """An immutable list of distinct labels; looks codes up in bulk."""

    def __init__(self, labels: Iterable[str] | pl.Series) -> None:
        series = labels if isinstance(labels, pl.Series) else pl.Series(list(labels), dtype=pl.String)
        self._labels = series.alias("label").rechunk()

    @classmethod
    def of(cls, values: pl.Series) -> Vocabulary:
        """The distinct labels of a column in Unicode code point order."""
        return cls(values.drop_nulls().unique().sort())

    @property
    def series(self) -> pl.Series:
        return self._labels

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._labels.to_list())

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def label_rank(self) -> Int32s:
        """Rank of each code's label in Unicode code point order."""
        rank = np.empty(len(self), np.int32)
        rank[self._labels.arg_sort().to_numpy()] = np.arange(len(self), dtype=np.int32)
        return frozen(rank)

    def code(self, label: str) -> int:
        """The code of one label; KeyError if it is not here."""
        return self._codes[label]

    def encode(self, values: pl.Series) -> Int32s:
        """Codes of a column of labels, -1 where a label is not in the vocabulary or missing."""
        coded = pl.DataFrame({"label": self._labels, "code": pl.Series(range(len(self)), dtype=pl.Int32)})
        joined = (
            values.cast(pl.String).alias("label").to_frame().join(coded, on="label", how="left", maintain_order="left")
        )
        return np.asarray(joined["code"].fill_null(-1).to_numpy(), dtype=np.int32)

    def decode(self, codes: Int32s) -> pl.Series:
        """Labels of codes; a negative code is a missing label."""
        wanted = pl.Series(codes, dtype=pl.Int32)
        if len(codes) and int(codes.min()) < 0:
            wanted = wanted.set(wanted < 0, None)
        return self._labels.gather(wanted)

    def __len__(self) -> int:
        return len(self._labels)

    def __contains__(self, label: object) -> bool:
        return label in self._codes

    def __getitem__(self, code: int) -> str:
        return self.labels[code]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._labels.equals(other._labels)

    def __hash__(self) -> int:
        return hash(self.labels)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.labels[:5]))
        return f"Vocabulary({len(self)} labels: {shown}{', …' if len(self) > 5 else ''})"


def distinct_texts(cells: pl.Series) -> tuple[pl.Series, Int32s]:
    """The distinct texts of a column, null last where there is one, and the place of each cell among them.

    Every text is looked up once: what follows works on numbers. Categories are taken as they are.
    """
    if cells.dtype == pl.Enum:
        return _distinct_categories(cells)
    found = sorted_texts(cells) if len(cells) >= _LONG else None
    if found is not None:
        return found[0].alias(cells.name), found[1].astype(np.int32)
    if len(cells) >= _LONG and not cells.has_nulls():
        begins = np.ones(len(cells), np.bool_)
        begins[1:] = (cells.slice(1) != cells.slice(0, len(cells) - 1)).to_numpy()
        starts = np.flatnonzero(begins)
        if 2 * len(starts) < len(cells):  # equal texts stand together, as in a file that is sorted
            distinct, codes = _in_order(cells.gather(starts))
            return distinct, np.repeat(codes, np.diff(starts, append=len(cells)))
    return _in_order(cells)


def _in_order(cells: pl.Series) -> tuple[pl.Series, Int32s]:
    """The distinct texts in the order in which they first come, and the place of each cell."""
    coded = cells.cast(pl.Categorical(pl.Categories.random()))
    numbers = coded.to_physical()
    many = 0 if numbers.null_count() == len(numbers) else cast(int, numbers.max()) + 1
    each = pl.int_range(many, eager=True).cast(numbers.dtype).cat.to(coded.dtype)
    distinct = each.cast(pl.String).alias(cells.name)
    if not cells.has_nulls():
        return distinct, np.asarray(numbers.to_numpy(), np.int32)
    codes = np.asarray(numbers.fill_null(many).to_numpy(), np.int32)
    return distinct.append(pl.Series([None], dtype=pl.String)), codes


def categories_of(cells: pl.Series) -> pl.Series:
    """The categories of an Enum, of which not all need to occur."""
    return cast(pl.Enum, cells.dtype).categories.alias(cells.name)


def _distinct_categories(cells: pl.Series) -> tuple[pl.Series, Int32s]:
    categories = categories_of(cells)
    numbers = cells.to_physical()
    absent = len(categories)
    if absent and not cells.has_nulls() and _all_occur(numbers.to_numpy(), absent):
        return categories, numbers.to_numpy().astype(np.int32)
    places = np.asarray((numbers.cast(pl.Int32).fill_null(absent) if cells.has_nulls() else numbers).to_numpy())
    occurs = np.zeros(absent + 1, np.bool_)
    occurs[places] = True
    distinct = pl.concat([categories, pl.Series(cells.name, [None], dtype=pl.String)]).filter(pl.Series(occurs))
    return distinct, (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[places]


def _all_occur(codes: np.ndarray[Any, Any], many: int) -> bool:
    """Whether every code below this number is there; mostly the first rows tell."""
    return any(bool(np.bincount(part, minlength=many).all()) for part in (codes[:_LONG], codes))


def encode_lists(sequences: Sequence[Sequence[str]]) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], pl.Series]:
    """Lengths of the sequences and their elements as one column."""
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    flat = pl.Series([label for sequence in sequences for label in sequence], dtype=pl.String)
    return lengths, flat
