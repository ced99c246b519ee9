"""Published and original sequences in one numbering of items, and the search for the one that breaks a promise.

Both supports of a sequence are at least those of anything longer that contains it. So whatever is shown for the
distinct published rows holds for every subsequence of them, and only the rows themselves are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, take_records
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.guarantees import Witness
from crypsis.verifiers.containing_rows import Rows, distinct_rows


@dataclass(frozen=True)
class PublishedSequences:
    """The distinct published rows, not the empty ones: row u is codes[offsets[u]:offsets[u + 1]].

    Codes number the symbols (as sorted label lists) of published and original data in their order.
    """

    names: list[tuple[str, ...]]
    all_offsets: Int64s
    all_codes: Int32s
    offsets: Int64s
    codes: Int32s
    original_codes: Int32s

    @classmethod
    def of(cls, published: PublishedTrajectories, original: Trajectories | None) -> PublishedSequences:
        lists = published.symbols.label_lists
        labels = () if original is None else original.locations.labels
        names = sorted({*lists, *((label,) for label in labels)})
        number = {name: index for index, name in enumerate(names)}
        of_symbol = np.array([number[name] for name in lists], np.int32)
        of_label = np.array([number[(label,)] for label in labels], np.int32)
        codes = of_symbol[published.codes] if len(published.codes) else np.zeros(0, np.int32)
        offsets, positions = take_records(published.offsets, distinct_rows(published.offsets, codes)[0])
        known = np.zeros(0, np.int32) if original is None or not original.visits else of_label[original.codes]
        return cls(names, published.offsets, codes, offsets, codes[positions], known)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def published_support(self, individuals: Int32s) -> Int64s:
        """Individuals with a published row that contains each sequence."""
        rows = Rows.of(self.all_offsets, self.all_codes, individuals, len(self.names))
        return rows.supports(self.offsets, self.codes)

    def original_support(self, original: Trajectories, individuals: Int32s) -> Int64s:
        """The same in the original data."""
        rows = Rows.of(original.offsets, self.original_codes, individuals, len(self.names))
        return rows.supports(self.offsets, self.codes)

    def witness(self, breaks: Bools, support: Int64s) -> tuple[int, Witness]:
        """The sequence that breaks the promise: the shortest, the least supported, the first in order."""
        sizes = np.diff(self.offsets)
        chosen = np.flatnonzero(breaks)
        chosen = chosen[sizes[chosen] == sizes[chosen].min()]
        chosen = chosen[support[chosen] == support[chosen].min()]
        first = min(chosen.tolist(), key=lambda sequence: self.symbols_of(sequence))
        return first, Witness(self.symbols_of(first), int(support[first]), int(breaks.sum()))

    def symbols_of(self, sequence: int) -> tuple[tuple[str, ...], ...]:
        codes = self.codes[self.offsets[sequence] : self.offsets[sequence + 1]].tolist()
        return tuple(self.names[code] for code in codes)


def counted(support: int, unit: str, which: str) -> str:
    """`1 published trajectory`, `3 owners of original trajectories`."""
    if unit == "owner":
        return f"{support} {'owner' if support == 1 else 'owners'} of {which} trajectories"
    return f"{support} {which} {'trajectory' if support == 1 else 'trajectories'}"
