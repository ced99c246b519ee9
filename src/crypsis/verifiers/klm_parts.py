"""Recount (k,l)^m-anonymity of published trajectories in parts, in bounded memory.

Known subsequences of each size are exchanged by ranges of their first symbol, with how many rows of a part hold each
and how many of these hold each sensitive location; one task adds up all counts of a subsequence. What an adversary may
know of the original is gathered from its shards, and looked for in every part. The verdict is the one on all
trajectories in memory, witness and figures included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load
from crypsis.guarantees import KlmAnonymity, Verdict
from crypsis.verifiers.containment_matching import LookedFor, Tried, even_choice, judged_matching
from crypsis.verifiers.counted_rows import BYTES_PER_ENTRY, CountedRows, Rows, loads_of_rows, ranges_of_loads
from crypsis.verifiers.klm_anonymity import (
    COMPARED,
    COUNTED,
    overlaps_matter,
    sensitive_codes,
    sensitive_problem,
    verdict_by_size,
    verdict_with_matching,
    verdict_with_overlap,
)
from crypsis.verifiers.overlapping_symbols import overlap_within
from crypsis.verifiers.sensitive_shares import Rows as ShownRows
from crypsis.verifiers.sensitive_shares import Shares, joined_shares, judged_shares
from crypsis.verifiers.subsequence_supports import ENTRIES_AT_ONCE, gathered

HELD_BY_ANYBODY = -1  # in place of a sensitive location: all rows with the subsequence
Overlap = tuple[int, int]


def verify_klm_parts(
    counted: CountedRows,
    promised: KlmAnonymity,
    symbols: PublishedTrajectories,
    original: Trajectories | None = None,
    shards: Sequence[Any] = (),
) -> Verdict:
    """`symbols` is one row that shows every symbol, and says which locations are sensitive; `original`, where each row
    was compared with its own, one that visits every location that occurs, and `shards` hold all."""
    how = COUNTED if original is None else f"{COUNTED}, and {COMPARED}"
    sensitive = tuple(sorted(set(symbols.sensitive)))
    problem = sensitive_problem(symbols, original)
    if problem is not None:
        return Verdict(promised, False, None, promised.k, COUNTED, problem=problem + ".")
    names, workers = counted.names, counted.workers
    number_of = {label: index for index, label in enumerate(sensitive)}
    secret = np.array([number_of.get(name[0], -1) if len(name) == 1 else -1 for name in names], np.int32)
    known = counted.recoded(without_sensitive, names, secret < 0)
    pairs = list(zip(counted.coded, known.coded, strict=True))
    most_held = max(workers.map(most_sensitive, counted.coded, secret), default=0)
    l = min(promised.l, counted.n_records + 1)  # noqa: E741 (more than that demands the same: nobody)

    def shares_at(size: int) -> Shares | None:
        bounds = known.ranges(size, 1 + most_held)
        pieces = workers.exchange(send_shares, pairs, len(bounds), size, bounds, secret)
        return joined_shares([one for one in workers.map(judge_range, pieces, promised.k, l) if one is not None])

    rows_with = dict(zip(names, counted.supports.tolist(), strict=True))
    rates = {label: rows_with.get((label,), 0) / max(counted.n_records, 1) for label in sensitive}
    verdict = verdict_by_size(promised, names, sensitive, rates, known.longest, shares_at, how)
    if not verdict.holds:
        return verdict
    of_names = PublishedTrajectories.from_lists([[*map(list, names)]]).symbols  # in the numbers of names
    overlap = None
    if overlaps_matter(promised, len(sensitive)):
        overlap = next((one for one in workers.map(first_overlap, counted.coded, of_names) if one is not None), None)
    if overlap is not None:
        pair = (names[overlap[0]], names[overlap[1]])
        verdict = verdict_with_overlap(verdict, pair, established=original is not None)
    if original is None:
        return verdict
    knowledge = Knowledge(
        shards,
        ~sensitive_codes(symbols, original),
        workers,
        None if overlap is not None else int(known.occurrences.sum()),
    )
    code_of_member = original.locations.vocabulary.encode(pl.Series(of_names.vocabulary.labels, dtype=pl.String))
    n_sensitive, n_codes = len(sensitive), len(original.locations)

    def tried_of_size(size: int) -> Iterator[Tried]:
        for index, chosen, complete in knowledge.of_size(size):
            for piece in np.array_split(
                chosen, 1 + len(chosen) * (1 + n_sensitive) * BYTES_PER_ENTRY // workers.memory
            ):
                answers = workers.map(
                    look_in_part, pairs, piece, secret, n_sensitive, of_names, code_of_member, n_codes
                )
                candidates = np.sum([one for one, _ in answers], axis=0)
                yield Tried(index, piece, candidates, np.sum([counts for _, counts in answers], axis=0), complete)

    longest = max(workers.map(longest_known, shards, knowledge.is_known), default=0)
    matching = judged_matching(tried_of_size, min(promised.m, longest), promised.k, l)
    return verdict_with_matching(verdict, matching, original.locations, sensitive)


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Subsequences of original locations that an adversary may know: an even choice for so many visits, else all."""

    shards: Sequence[Any]
    is_known: Bools
    workers: Workers
    n_visits: int | None

    def of_size(self, size: int) -> Iterator[tuple[int, Int32s, bool]]:
        """Distinct ones in ascending order in pieces: the number of the range, the piece, and whether the range has no
        others. Ranges are those of data in memory, and are divided further where a worker holds less."""
        work = self.workers
        loads = np.sum(work.map(load_by_location, self.shards, size, self.is_known), axis=0)
        ranges = ranges_of_loads(loads, ENTRIES_AT_ONCE)
        most = max(work.memory // BYTES_PER_ENTRY, 1)
        divided = [
            (position, first + start, first + end)
            for position, (first, last) in enumerate(ranges)
            for start, end in ranges_of_loads(loads[first:last], most)
        ]
        bounds = [(start, end) for _, start, end in divided]
        pieces = work.exchange(send_knowledge, self.shards, len(bounds), size, bounds, self.is_known)
        united = work.exchange(unite_knowledge, list(enumerate(pieces)), len(bounds))
        lengths = np.array(work.map(count_distinct, united), np.int64)
        range_of = np.array([position for position, _, _ in divided])
        for position in range(len(ranges)):
            slots = np.flatnonzero(range_of == position)
            ends = offsets_of(lengths[slots])
            total = int(ends[-1])
            chosen = np.arange(total) if self.n_visits is None else even_choice(total, self.n_visits)
            for index, slot in enumerate(slots.tolist()):
                own = chosen[(chosen >= ends[index]) & (chosen < ends[index + 1])] - ends[index]
                if len(own):
                    yield position, load(united[slot][0])[own], len(chosen) == total


def without_sensitive(rows: Rows, is_known: Bools) -> Rows:
    """The rows of a part without their sensitive elements."""
    offsets, codes = rows
    stays = is_known[codes]
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return offsets_of(np.bincount(row[stays], minlength=len(offsets) - 1)), codes[stays]


def most_sensitive(file: str, secret: Int32s) -> int:
    """The most sensitive locations that one row of a part holds."""
    return int(np.bincount(_held(load(file), secret)[0]).max(initial=0))


def send_shares(
    files: tuple[str, str], size: int, bounds: Sequence[tuple[int, int]], secret: Int32s
) -> Iterator[tuple[int, pl.DataFrame]]:
    """How many rows of a part hold each known subsequence, and how many of these each sensitive location, by the range
    of its first symbol."""
    rows, (offsets, codes) = load(files[0]), load(files[1])
    holder, held = _held(rows, secret)
    locations = pl.DataFrame({"row": holder.astype(np.int32), "held": held.astype(np.int32)})
    everyone = np.arange(len(offsets) - 1, dtype=np.int32)
    for target, (lowest, highest) in enumerate(bounds):
        columns, who = gathered(offsets, codes, everyone, len(secret), size, lowest, highest)
        if not len(who):
            continue
        symbols = {str(index): column for index, column in enumerate(columns)}
        each = pl.DataFrame({**symbols, "row": who}).unique()
        by_location = each.join(locations, on="row").group_by([*symbols, "held"]).len("rows")
        by_anybody = (
            each.group_by(list(symbols)).len("rows").with_columns(pl.lit(HELD_BY_ANYBODY, pl.Int32).alias("held"))
        )
        yield target, pl.concat([by_anybody.select(by_location.columns), by_location]).cast({"rows": pl.Int64})


def judge_range(files: Sequence[str], k: int, l: int) -> Shares | None:  # noqa: E741
    """What all subsequences of a range show."""
    if not files:
        return None
    whole = pl.concat([load(file) for file in files])
    symbols = whole.columns[:-2]
    added = whole.group_by([*symbols, "held"]).agg(pl.col("rows").sum()).sort([*symbols, "held"])
    by_anybody = (added["held"] == HELD_BY_ANYBODY).to_numpy()
    number = np.cumsum(by_anybody) - 1  # a subsequence stands before what is held with it
    subsequences = added.filter(pl.Series(by_anybody)).select(symbols)
    rows, held = added["rows"].to_numpy(), added["held"].to_numpy().astype(np.int64)

    def symbols_of(index: int) -> tuple[int, ...]:
        return tuple(map(int, subsequences.row(index)))

    with_secret = ~by_anybody
    return judged_shares(rows[by_anybody], number[with_secret], held[with_secret], rows[with_secret], k, l, symbols_of)


def first_overlap(file: str, symbols: Symbols) -> Overlap | None:
    """Two symbols that overlap in one row of a part."""
    offsets, codes = load(file)
    return overlap_within(offsets, codes, np.arange(len(offsets) - 1, dtype=np.int32), symbols)


def longest_known(shard: Any, is_known: Bools) -> int:
    """The most locations that an adversary may know of a trajectory of a shard."""
    return int(np.diff(without_sensitive(shard.read(), is_known)[0]).max(initial=0))


def load_by_location(shard: Any, size: int, is_known: Bools) -> Any:
    """How many subsequences of one size that an adversary may know begin with each location, at most."""
    return loads_of_rows(without_sensitive(shard.read(), is_known), size, len(is_known))


def send_knowledge(
    shard: Any, size: int, bounds: Sequence[tuple[int, int]], is_known: Bools
) -> Iterator[tuple[int, pl.DataFrame]]:
    """The distinct subsequences of a shard that an adversary may know, by the range of the first location."""
    offsets, codes = without_sensitive(shard.read(), is_known)
    nobody = np.zeros(len(offsets) - 1, np.int32)
    for target, (lowest, highest) in enumerate(bounds):
        columns, who = gathered(offsets, codes, nobody, len(is_known), size, lowest, highest)
        if len(who):
            yield target, pl.DataFrame({str(index): column for index, column in enumerate(columns)}).unique()


def unite_knowledge(numbered: tuple[int, Sequence[str]]) -> Iterator[tuple[int, Int32s]]:
    """The distinct subsequences of several shards in ascending order, as rows of a matrix."""
    number, files = numbered
    if files:
        whole = pl.concat([load(file) for file in files]).unique()
        yield number, np.ascontiguousarray(whole.sort(whole.columns).to_numpy())


def count_distinct(files: Sequence[str]) -> int:
    """How many subsequences a range has."""
    return sum(len(load(file)) for file in files)


def look_in_part(
    files: tuple[str, str],
    knowledge: Int32s,
    secret: Int32s,
    n_sensitive: int,
    symbols: Symbols,
    code_of_member: Int32s,
    n_codes: int,
) -> tuple[Int64s, Int64s]:
    """How many rows of a part fit each piece of knowledge, and how many of these hold each sensitive location."""
    whole, (offsets, codes) = load(files[0]), load(files[1])
    holder, held = _held(whole, secret)
    rows = ShownRows(
        offsets,
        codes.astype(np.int32),
        offsets_of(np.bincount(holder, minlength=len(offsets) - 1)),
        held.astype(np.int32),
        np.arange(len(offsets) - 1, dtype=np.int32),
        max(len(secret), 1),
        n_sensitive,
    )
    return LookedFor.of(rows, symbols, code_of_member, n_codes).counts(knowledge)


def _held(rows: Rows, secret: Int32s) -> tuple[Int64s, Int64s]:
    """Rows with the sensitive locations that they hold, each once."""
    offsets, codes = rows
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    width = int(secret.max(initial=0)) + 1
    hidden = secret[codes] >= 0
    holder, held = np.divmod(np.unique(row[hidden] * width + secret[codes[hidden]]), width)
    return holder, held
