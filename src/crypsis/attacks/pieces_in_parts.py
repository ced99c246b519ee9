"""Adversaries who know pieces of records look for them in published rows in parts, in bounded memory.

Everything that may be known begins with some piece. Published rows and what may be known of each record are exchanged
by ranges of that first piece, so that one task finds all rows that fit what begins with a piece of its range, by the
search that is made in memory. The fewest candidates of a record are the least that any range found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, offsets_of, take_records
from crypsis.attacks.attack import Counted, count_candidates
from crypsis.data.symbols import Symbols
from crypsis.data.vocabulary import Vocabulary
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load
from crypsis.errors import TooLarge

AT_ONCE = 1 << 19  # pieces that rows may stand for, looked at together; each takes about 80 bytes
BATCH = 1 << 25  # bytes of known pieces that are looked for together
Rows = tuple[Int64s, Int32s]
Name = tuple[str, ...]


@dataclass(frozen=True)
class PublishedFiles:
    """The parts of a release, and what reads the rows of one."""

    files: tuple[str, ...]
    read: Callable[[str], Any]
    described: Mapping[str, Any]


@dataclass(frozen=True)
class KnownShards:
    """The original in shards: files with offsets and codes, and one record that holds every code that occurs."""

    shards: Sequence[Any]
    one_of_each: Any


@dataclass(frozen=True, eq=False)
class ShownRows:
    """Published rows in numbers of the symbols that occur, in files."""

    files: tuple[str, ...]
    symbols: Symbols
    n_rows: int


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which pieces a symbol may stand for: symbol s the pieces members[offsets[s]:offsets[s + 1]], ascending."""

    offsets: Int64s
    members: Int32s
    n_pieces: int

    def standing_for(self, first: int, end: int) -> Bools:
        """By symbol: whether it may stand for one of a range of pieces."""
        inside = np.append(0, np.cumsum((self.members >= first) & (self.members < end)))
        return np.asarray(inside[self.offsets[1:]] > inside[self.offsets[:-1]])

    def met_in(self, rows: Rows) -> Iterator[tuple[Int64s, Int64s, Int64s]]:
        """Every piece that a row may stand for, as row, piece and first place in all rows; some rows at a time."""
        offsets, codes = rows
        widths = np.diff(self.offsets)
        for first, last in _runs(np.append(0, np.cumsum(widths[codes]))[offsets]):
            places = np.arange(offsets[first], offsets[last])
            row = np.repeat(np.arange(first, last), np.diff(offsets[first : last + 1]))
            taken, positions = take_records(self.offsets, codes[places].astype(np.int64))
            wide = np.repeat(np.arange(len(places)), np.diff(taken))
            keys = row[wide] * max(self.n_pieces, 1) + self.members[positions]
            met, begins = np.unique(keys, return_index=True)
            yield met // max(self.n_pieces, 1), met % max(self.n_pieces, 1), places[wide[begins]]


class Search(Protocol):
    """What one adversary looks for, and how."""

    @property
    def largest(self) -> int: ...

    @property
    def bytes_per_entry(self) -> int: ...

    @property
    def pieces(self) -> Pieces: ...

    @property
    def whole_rows(self) -> bool:
        """Whether what comes before a piece in a row can matter."""
        ...

    def known(self, rows: Rows) -> Rows:
        """What may be known of each record, as pieces."""
        ...

    def fewest(self, rows: Rows, known: Rows, n_rows: int, first: int, end: int) -> Int64s:
        """fewest[v, s - 1]: the fewest rows that fit up to s pieces known of record v that begin in a range; `n_rows`
        where there are none."""
        ...


def show_rows(published: PublishedFiles, workers: Workers) -> ShownRows:
    """Read every part, and write its rows in numbers of the symbols of all."""
    noted = workers.map(note_symbols, published.files, published.read)
    names = sorted({name for one, _ in noted for name in one})
    pieces = workers.exchange(number_rows, list(enumerate(published.files)), len(noted), published.read, names)
    vocabulary = Vocabulary(sorted({label for name in names for label in name}))
    members = [sorted(vocabulary.code(label) for label in name) for name in names]
    lengths = np.fromiter(map(len, members), np.int64, len(members))
    flat = np.array([code for codes in members for code in codes], np.int32)
    symbols = Symbols(vocabulary, offsets_of(lengths), flat)
    return ShownRows(tuple(file for own in pieces for file in own), symbols, sum(rows for _, rows in noted))


def count_fewest(search: Search, rows: ShownRows, shards: Sequence[Any], workers: Workers) -> tuple[Counted, ...]:
    """By size of knowledge: how many records have how many candidates."""
    loads = np.sum(workers.map(load_by_piece, rows.files, search.pieces, search.whole_rows), axis=0)
    bounds = _ranges(np.atleast_1d(loads), search.bytes_per_entry, workers.memory)
    sent = workers.exchange(send_rows, rows.files, len(bounds), search.pieces, search.whole_rows, bounds)
    known = workers.exchange(send_known, list(enumerate(shards)), len(bounds), search, bounds)
    work = list(zip(bounds, sent, known, strict=True))
    answers = workers.exchange(search_range, work, len(shards), search, rows.n_rows)
    own = [(shard.rows, files) for shard, files in zip(shards, answers, strict=True)]
    counted = workers.map(count_shard, own, search.largest, rows.n_rows)
    return tuple(add_counts([count[size] for count in counted]) for size in range(search.largest))


def add_counts(counted: Sequence[Counted]) -> Counted:
    """How many of all individuals have how many candidates, by those of some each."""
    candidates = np.concatenate([np.zeros(0, np.int64), *(count[0] for count in counted)])
    individuals = np.concatenate([np.zeros(0, np.int64), *(count[1] for count in counted)])
    distinct, slot = np.unique(candidates, return_inverse=True)
    total = np.zeros(len(distinct), np.int64)
    np.add.at(total, slot, individuals)
    return distinct, total


def note_symbols(file: str, read: Callable[[str], Any]) -> tuple[set[Name], int]:
    """The symbols that occur in a part, and its rows."""
    published = read(file)
    names = published.symbols.label_lists
    return {names[code] for code in np.unique(published.codes).tolist()}, len(published)


def number_rows(
    numbered: tuple[int, str], read: Callable[[str], Any], names: Sequence[Name]
) -> Iterator[tuple[int, Rows]]:
    """The rows of a part in numbers of names."""
    number, file = numbered
    published = read(file)
    number_of = {name: index for index, name in enumerate(names)}
    numbers = np.array([number_of.get(name, -1) for name in published.symbols.label_lists], np.int32)
    codes = numbers[published.codes] if len(numbers) else np.zeros(0, np.int32)
    yield number, (np.asarray(published.offsets, np.int64), codes)


def load_by_piece(file: str, pieces: Pieces, whole_rows: bool) -> Float64s:
    """By piece: what a search that begins with it walks through in a part."""
    offsets, codes = rows = load(file)
    entries = np.append(0, np.cumsum(np.diff(pieces.offsets)[codes]))
    loads = np.zeros(pieces.n_pieces)
    for row, piece, index in pieces.met_in(rows):
        begin = entries[offsets[row]] if whole_rows else entries[index]
        loads += np.bincount(piece, weights=entries[offsets[row + 1]] - begin + 1.0, minlength=pieces.n_pieces)
    return loads


def send_rows(
    file: str, pieces: Pieces, whole_rows: bool, bounds: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, Rows]]:
    """The rows of a part by the ranges of the pieces that they may stand for, from the first such piece on."""
    rows = load(file)
    for target, (first, end) in enumerate(bounds):
        _, sent = _from_range(rows, pieces.standing_for(first, end)[rows[1]], whole_rows)
        if len(sent[0]) > 1:
            yield target, sent


def send_known(
    numbered: tuple[int, Any], search: Search, bounds: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, tuple[int, Int64s, Int64s, Int32s]]]:
    """What may be known of the records of a shard, by the ranges of its pieces."""
    number, shard = numbered
    rows = search.known(shard.read())
    for target, (first, end) in enumerate(bounds):
        records, (offsets, known) = _from_range(rows, (rows[1] >= first) & (rows[1] < end), search.whole_rows)
        if len(records):
            yield target, (number, records, offsets, known)


def search_range(
    work: tuple[tuple[int, int], Sequence[str], Sequence[str]], search: Search, n_rows: int
) -> Iterator[tuple[int, tuple[Int64s, Int64s]]]:
    """The fewest candidates of records for what begins with the pieces of a range, by the shard of the records."""
    (first, end), row_files, known_files = work
    rows = _joined([load(file) for file in row_files])
    for files in _batches(known_files):
        held = [load(file) for file in files]
        found = search.fewest(rows, _joined([(one[2], one[3]) for one in held]), n_rows, first, end)
        starts = offsets_of(np.array([len(one[1]) for one in held]))
        for one, begin, last in zip(held, starts[:-1], starts[1:], strict=True):
            yield one[0], (one[1], found[begin:last])


def count_shard(work: tuple[int, Sequence[str]], largest: int, n_rows: int) -> list[Counted]:
    """How many records of a shard have how many candidates."""
    records, files = work
    fewest = np.full((records, largest), n_rows, np.int64)
    for file in files:
        chosen, found = load(file)
        fewest[chosen] = np.minimum(fewest[chosen], found)
    return [count_candidates(column) for column in fewest.T]


def _from_range(rows: Rows, inside: Bools, whole_rows: bool) -> tuple[Int64s, Rows]:
    """The rows with a value inside, from the first such value on, or whole; and which these are."""
    offsets, codes = rows
    places = np.flatnonzero(inside)
    row_of, first = np.unique(np.searchsorted(offsets, places, side="right") - 1, return_index=True)
    begins = offsets[row_of] if whole_rows else places[first]
    lengths = offsets[row_of + 1] - begins
    taken = offsets_of(lengths)
    return row_of, (taken, codes[np.arange(taken[-1]) + np.repeat(begins - taken[:-1], lengths)])


def _joined(pieces: Sequence[Rows]) -> Rows:
    lengths = [np.diff(offsets) for offsets, _ in pieces]
    codes = [values for _, values in pieces]
    return (
        offsets_of(np.concatenate([np.zeros(0, np.int64), *lengths])),
        np.concatenate([np.zeros(0, np.int32), *codes]).astype(np.int32),
    )


def _runs(entries: Int64s) -> Iterator[tuple[int, int]]:
    """Runs of rows with so many entries together; `entries` are those before each row, and all."""
    first = 0
    while first < len(entries) - 1:
        last = max(int(np.searchsorted(entries, entries[first] + AT_ONCE, side="right")) - 1, first + 1)
        yield first, last
        first = last


def _batches(files: Sequence[str]) -> Iterator[list[str]]:
    """Files that are read together."""
    batch: list[str] = []
    size = 0
    for file in files:
        own = Path(file).stat().st_size
        if batch and size + own > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += own
    if batch:
        yield batch


def _ranges(loads: Float64s, bytes_per_entry: int, memory: int) -> list[tuple[int, int]]:
    """Ranges of pieces whose search a worker can hold."""
    most = memory / (2 * bytes_per_entry)
    if loads.max(initial=0.0) > 2 * most:
        needed = int(loads.max() * bytes_per_entry)
        raise TooLarge(
            f"The rows that fit one piece of knowledge need about {needed >> 20:,} MiB; there are {memory >> 20:,} "
            "MiB. Give more (`memory`), or let less be known (`knowledge`)."
        )
    ranges: list[tuple[int, int]] = []
    first, load = 0, 0.0
    for piece, own in enumerate(loads.tolist()):
        if load and load + own > most:
            ranges.append((first, piece))
            first, load = piece, 0.0
        load += own
    return [*ranges, (first, len(loads))]
