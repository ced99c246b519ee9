"""Symbols: what is published in place of codes. A symbol is a non-empty set of codes, read as "one of these".

Symbol s has the members `members[offsets[s]:offsets[s + 1]]`, ascending. A singleton is intact, a larger one is
generalized. In JSON an intact symbol is its label, a generalized one the ascending list of its labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from crypsis.arrays import FrozenArrays, Int32s, Int64s, frozen, offsets_of
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadLabel, InputError

SymbolText = str | list[str]


@dataclass(frozen=True, eq=False)
class Symbols(FrozenArrays):
    """Distinct sets of codes over one vocabulary."""

    vocabulary: Vocabulary
    offsets: Int64s
    members: Int32s

    @classmethod
    def of_partition(cls, vocabulary: Vocabulary, representative: Int32s) -> tuple[Symbols, Int32s]:
        """One symbol per distinct representative, and the symbol of every code; -1 marks codes that do not occur."""
        occurring = np.flatnonzero(representative >= 0)
        order = occurring[np.argsort(representative[occurring], kind="stable")]
        distinct, counts = np.unique(representative[occurring], return_counts=True)
        symbol_of_code = np.full(len(representative), -1, np.int32)
        symbol_of_code[occurring] = np.searchsorted(distinct, representative[occurring])
        return cls(vocabulary, offsets_of(counts), order.astype(np.int32)), symbol_of_code

    @classmethod
    def parse(cls, rows: Iterable[Sequence[SymbolText]]) -> tuple[Symbols, Int64s, Int32s]:
        """Symbols, row offsets and symbol codes of rows written as in JSON."""
        lengths: list[int] = []
        codes: list[int] = []
        seen: dict[tuple[str, ...], int] = {}
        for index, row in enumerate(rows):
            if not isinstance(row, (list, tuple)):
                raise InputError(f"A published row must be a list of symbols, got {row!r}.", where=f"row {index}")
            for element in row:
                labels = _labels_of(element, index)
                codes.append(seen.setdefault(labels, len(seen)))
            lengths.append(len(row))
        vocabulary = Vocabulary(sorted({label for labels in seen for label in labels}))
        members = [sorted(vocabulary.code(label) for label in labels) for labels in seen]
        symbols = cls(
            vocabulary,
            offsets_of(np.fromiter(map(len, members), np.int64, len(members))),
            np.array([code for symbol in members for code in symbol], np.int32),
        )
        return symbols, offsets_of(np.array(lengths, np.int64)), np.array(codes, np.int32)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def sizes(self) -> Int64s:
        """Number of members of each symbol; 1 is intact."""
        return frozen(np.diff(self.offsets))

    @cached_property
    def label_lists(self) -> tuple[tuple[str, ...], ...]:
        """Sorted labels of each symbol, its canonical name."""
        labels = self.vocabulary.labels
        bounds = self.offsets.tolist()
        members = self.members.tolist()
        return tuple(tuple(sorted(labels[code] for code in members[start:end])) for start, end in pairwise(bounds))

    @cached_property
    def texts(self) -> tuple[SymbolText, ...]:
        """Symbols as JSON writes them."""
        return tuple(names[0] if len(names) == 1 else list(names) for names in self.label_lists)

    @cached_property
    def rank(self) -> Int32s:
        """Rank of each symbol by its sorted label list: the canonical order of published data."""
        order = sorted(range(len(self)), key=self.label_lists.__getitem__)
        rank = np.empty(len(self), np.int32)
        rank[order] = np.arange(len(self), dtype=np.int32)
        return frozen(rank)

    def are_disjoint(self) -> bool:
        """No code belongs to two symbols: the recoding is one function of the location or item."""
        return len(np.unique(self.members)) == len(self.members)


def _labels_of(element: object, row: int) -> tuple[str, ...]:
    if isinstance(element, str):
        labels = [element]
    elif isinstance(element, (list, tuple)) and element and all(isinstance(label, str) for label in element):
        labels = sorted(element)
    else:
        raise BadLabel(f"A symbol must be a label or a non-empty list of labels, got {element!r}.", where=f"row {row}")
    if "" in labels:
        raise BadLabel("A symbol has an empty label.", where=f"row {row}")
    if len(set(labels)) != len(labels):
        raise BadLabel(f"A symbol lists a label twice: {element!r}.", where=f"row {row}")
    return tuple(labels)


@dataclass(frozen=True, eq=False)
class SymbolRows:
    """Rows of symbols, of trajectories or of sets: row r holds `codes[offsets[r]:offsets[r + 1]]`."""

    offsets: Int64s
    codes: Int32s
    symbols: Symbols
    words: tuple[str, str]  # one and many of what a symbol stands for
