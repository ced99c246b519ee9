"""Count published rows of symbols in parts, in bounded memory: trajectories, and sets as ascending rows.

Every part is read once and written in the numbers of all symbols. Subsequences of each size are exchanged by ranges of
their first symbol, so that one task adds up all counts of a subsequence; those of an ascending row are its subsets.
Whoever runs the tasks only has to `map` and `exchange`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, mixed_bits, offsets_of
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load
from crypsis.verifiers.subsequence_supports import WHOLE, Rarest, gathered

BYTES_PER_ENTRY = 512  # of a subsequence while it is counted; 225 to 380 were measured where a range is sent
Read = Callable[[str], PublishedTrajectories | PublishedTransactions]
Rows = tuple[Int64s, Int32s]


@dataclass(frozen=True, eq=False)
class CountedRows:
    """What was counted: symbols by name in order, in how many rows each is, how often, and how long rows are."""

    names: list[tuple[str, ...]]
    supports: Int64s
    occurrences: Int64s
    lengths: Int64s  # by length: how many rows have it
    coded: tuple[str, ...]  # files with the rows of each part in numbers of names
    workers: Workers
    checksum: tuple[int, int] | None = None

    @property
    def n_records(self) -> int:
        return int(self.lengths.sum())

    @property
    def longest(self) -> int:
        return int(np.flatnonzero(self.lengths).max(initial=0))

    def rarest_of_size(self, size: int, required: int) -> Rarest | None:
        """The subsequence of `size` symbols with the lowest support, the first in symbol order among equals."""
        bounds = self.ranges(size)
        pieces = self.workers.exchange(send_subsequences, self.coded, len(bounds), size, bounds, len(self.names))
        found: list[Rarest] = [one for one in self.workers.map(count_range, pieces, required) if one is not None]
        if not found:
            return None
        least = min(found, key=lambda one: (one.support, one.symbols))
        return replace(least, violations=sum(one.violations for one in found))

    def ranges(self, size: int, entries: int = 1) -> list[tuple[int, int]]:
        """Ranges of first symbols whose subsequences a worker can hold, with so many entries for each."""
        loads = np.sum(self.workers.map(load_by_symbol, self.coded, size, len(self.names)), axis=0)
        return ranges_of_loads(loads, max(self.workers.memory // (entries * BYTES_PER_ENTRY), 1))

    def recoded(self, work: Any, names: Sequence[tuple[str, ...]], *common: Any) -> CountedRows:
        """The same rows in other symbols: `work(rows, *common)` gives those of a part."""
        pieces = self.workers.exchange(recode_rows, list(enumerate(self.coded)), len(self.coded), work, common)
        return _counted(tuple(file for piece in pieces for file in piece), list(names), self.workers, None)


def count_rows(files: Sequence[str], read: Read, workers: Workers, seeds: Sequence[int] | None = None) -> CountedRows:
    """Read every part, and count what single symbols tell. With `seeds`, rows are also added up to a checksum."""
    noted = workers.map(note_names, list(files), read)
    names = sorted({name for note in noted for name in note})
    pieces = workers.exchange(code_rows, list(enumerate(files)), len(files), read, names)
    coded = tuple(file for piece in pieces for file in piece)
    return _counted(coded, names, workers, seeds)


def _counted(
    coded: tuple[str, ...], names: list[tuple[str, ...]], workers: Workers, seeds: Sequence[int] | None
) -> CountedRows:
    counted = workers.map(count_symbols, coded, len(names), seeds)
    longest = max((len(count["lengths"]) for count in counted), default=1)
    lengths = [np.pad(count["lengths"], (0, longest - len(count["lengths"]))) for count in counted]
    checksum = None
    if seeds is not None:
        checksum = added_checksums([count["checksum"] for count in counted])
    return CountedRows(
        names,
        np.sum([count["supports"] for count in counted], axis=0),
        np.sum([count["occurrences"] for count in counted], axis=0),
        np.sum(lengths, axis=0),
        coded,
        workers,
        checksum,
    )


def note_names(file: str, read: Read) -> set[tuple[str, ...]]:
    """The symbols of a part."""
    published = read(file)
    lists = published.symbols.label_lists
    return {lists[code] for code in np.unique(published.codes).tolist()}


def code_rows(numbered: tuple[int, str], read: Read, names: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, Rows]]:
    """A part in the numbers of names."""
    number, file = numbered
    published = read(file)
    number_of = {name: index for index, name in enumerate(names)}
    numbers = np.array([number_of.get(name, -1) for name in published.symbols.label_lists], np.int32)
    offsets, codes = np.asarray(published.offsets), numbers[published.codes] if len(numbers) else published.codes
    yield number, ascending_rows(offsets, codes) if isinstance(published, PublishedTransactions) else (offsets, codes)


def ascending_rows(offsets: Int64s, codes: Int32s) -> Rows:
    """Rows as sets: ascending, each symbol once."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    width = int(codes.max(initial=0)) + 1
    keys = np.unique(rows * width + codes)
    return offsets_of(np.bincount(keys // width, minlength=len(offsets) - 1)), (keys % width).astype(np.int32)


def recode_rows(numbered: tuple[int, str], work: Any, common: Sequence[Any]) -> Iterator[tuple[int, Rows]]:
    """The rows of a part in other symbols."""
    number, file = numbered
    yield number, work(load(file), *common)


def count_symbols(file: str, n_names: int, seeds: Sequence[int] | None) -> dict[str, Any]:
    """In how many rows each symbol is, how often it occurs, and how long rows are."""
    offsets, codes = load(file)
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    held = np.unique(rows * max(n_names, 1) + codes) % max(n_names, 1)
    return {
        "supports": np.bincount(held, minlength=n_names).astype(np.int64),
        "occurrences": np.bincount(codes, minlength=n_names).astype(np.int64),
        "lengths": np.bincount(np.diff(offsets), minlength=1).astype(np.int64),
        "checksum": None if seeds is None else row_checksum(offsets, codes, seeds),
    }


def load_by_symbol(file: str, size: int, n_names: int) -> Any:
    """How many subsequences of one size of a part begin with each symbol, at most."""
    return loads_of_rows(load(file), size, n_names)


def loads_of_rows(rows: Rows, size: int, n_names: int) -> Any:
    """How many subsequences of one size begin with each symbol, at most."""
    offsets, codes = rows
    left = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(codes)) - 1  # visits after each one
    choices = [min(comb(after, size - 1), WHOLE) for after in range(int(left.max(initial=0)) + 1)]
    return np.bincount(codes, weights=np.array(choices, np.float64)[left], minlength=n_names)


def send_subsequences(
    file: str, size: int, bounds: Sequence[tuple[int, int]], n_names: int
) -> Iterator[tuple[int, pl.DataFrame]]:
    """How many rows of a part hold each subsequence, by the range of its first symbol."""
    offsets, codes = load(file)
    everyone = np.arange(len(offsets) - 1, dtype=np.int32)
    for target, (lowest, highest) in enumerate(bounds):
        columns, who = gathered(offsets, codes, everyone, n_names, size, lowest, highest)
        if len(who):
            frame = pl.DataFrame({**{str(index): column for index, column in enumerate(columns)}, "who": who})
            yield target, frame.unique().group_by(frame.columns[:-1]).agg(pl.len().cast(pl.Int64).alias("support"))


def count_range(files: Sequence[str], required: int) -> Rarest | None:
    """The rarest of all subsequences of a range, and how many are rarer than required."""
    if not files:
        return None
    whole = pl.concat([load(file) for file in files])
    symbols = whole.columns[:-1]
    counted = whole.group_by(symbols).agg(pl.col("support").sum())
    least = counted.filter(pl.col("support") == pl.col("support").min()).sort(symbols).row(0)
    violations = int((counted["support"] < required).sum())
    return Rarest(int(least[-1]), tuple(int(symbol) for symbol in least[:-1]), violations)


def row_checksum(offsets: Int64s, codes: Int32s, seeds: Sequence[int]) -> tuple[int, int]:
    """Two keyed sums of row hashes: equal for equal rows in any order."""
    first, second = (int(row_hashes(offsets, codes, seed).sum(dtype=np.uint64)) for seed in seeds)
    return first, second


def row_hashes(offsets: Int64s, codes: Int32s, seed: int) -> Any:
    """A keyed hash of each row."""
    place = np.arange(len(codes)) - np.repeat(offsets[:-1], np.diff(offsets))
    key = codes.astype(np.uint64) + (place.astype(np.uint64) << np.uint64(32))
    visits = np.append(mixed_bits(key ^ mixed_bits(np.array([seed], np.uint64))), np.uint64(0))
    ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(visits, dtype=np.uint64)])
    return mixed_bits((ends[offsets[1:]] - ends[offsets[:-1]]) ^ np.uint64(seed))


def added_checksums(sums: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The checksum of all rows by those of some each."""
    first, second = (sum(one[half] for one in sums) % (1 << 64) for half in range(2))
    return first, second


def ranges_of_loads(loads: Any, most: int) -> list[tuple[int, int]]:
    """Ranges of symbols with so many subsequences at most, or of a single symbol."""
    ranges: list[tuple[int, int]] = []
    start, load = 0, 0.0
    for symbol, own in enumerate(np.asarray(loads).tolist()):
        if load and load + own > most:
            ranges.append((start, symbol))
            start, load = symbol, 0.0
        load += own
    return [*ranges, (start, len(np.asarray(loads)))]
