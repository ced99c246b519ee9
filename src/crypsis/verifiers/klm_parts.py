"""Recount (k,l)^m-anonymity of published trajectories in parts, in bounded memory.

Known subsequences of each size are exchanged by ranges of their first symbol, with how many rows of a part hold each
and how many of these hold each sensitive location; one task adds up all counts of a subsequence. The verdict is the
one on all trajectories in memory, witness and figures included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.guarantees import KlmAnonymity, Verdict
from crypsis.verifiers.counted_rows import CountedRows, Rows, load_rows
from crypsis.verifiers.klm_anonymity import (
    COUNTED,
    overlaps_matter,
    sensitive_problem,
    verdict_by_size,
    verdict_with_overlap,
)
from crypsis.verifiers.overlapping_symbols import overlap_within
from crypsis.verifiers.sensitive_shares import Shares, joined_shares, judged_shares
from crypsis.verifiers.subsequence_supports import gathered

HELD_BY_ANYBODY = -1  # in place of a sensitive location: all rows with the subsequence
Overlap = tuple[int, int]


def verify_klm_parts(counted: CountedRows, promised: KlmAnonymity, symbols: PublishedTrajectories) -> Verdict:
    """`symbols` is one row that shows every symbol, and says which locations are sensitive."""
    sensitive = tuple(sorted(set(symbols.sensitive)))
    problem = sensitive_problem(symbols, None)
    if problem is not None:
        return Verdict(promised, False, None, promised.k, COUNTED, problem=problem + ".")
    names, workers = counted.names, counted.workers
    number_of = {label: number for number, label in enumerate(sensitive)}
    secret = np.array([number_of.get(name[0], -1) if len(name) == 1 else -1 for name in names], np.int32)
    known = counted.recoded(without_sensitive, names, secret < 0)
    pairs = list(zip(counted.coded, known.coded, strict=True))
    most_held = max(workers.map(most_sensitive, counted.coded, secret), default=0)
    l = min(promised.l, counted.n_records + 1)  # noqa: E741 (more than that demands the same: nobody)

    def shares_at(size: int) -> Shares | None:
        bounds = known.ranges(size, 1 + most_held)
        pieces = workers.exchange(send_shares, pairs, len(bounds), size, bounds, secret)
        found = [one for one in workers.map(judge_range, pieces, promised.k, l) if one is not None]
        return joined_shares(found)

    rows_with = dict(zip(names, counted.supports.tolist(), strict=True))
    rates = {label: rows_with.get((label,), 0) / max(counted.n_records, 1) for label in sensitive}
    verdict = verdict_by_size(promised, names, sensitive, rates, known.longest, shares_at, COUNTED)
    if not verdict.holds or not overlaps_matter(promised, len(sensitive)):
        return verdict
    of_names = PublishedTrajectories.from_lists([[*map(list, names)]]).symbols  # in the numbers of names
    overlap = next((one for one in workers.map(first_overlap, counted.coded, of_names) if one is not None), None)
    if overlap is None:
        return verdict
    return verdict_with_overlap(verdict, (names[overlap[0]], names[overlap[1]]), established=False)


def without_sensitive(rows: Rows, is_known: Bools) -> Rows:
    """The rows of a part without their sensitive elements."""
    offsets, codes = rows
    stays = is_known[codes]
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return offsets_of(np.bincount(row[stays], minlength=len(offsets) - 1)), codes[stays]


def most_sensitive(file: str, secret: Int32s) -> int:
    """The most sensitive locations that one row of a part holds."""
    return int(np.bincount(_held(load_rows(file), secret)[0]).max(initial=0))


def send_shares(
    files: tuple[str, str], size: int, bounds: Sequence[tuple[int, int]], secret: Int32s
) -> Iterator[tuple[int, pl.DataFrame]]:
    """How many rows of a part hold each known subsequence, and how many of these each sensitive location, by the range
    of its first symbol."""
    rows, (offsets, codes) = load_rows(files[0]), load_rows(files[1])
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
    whole = pl.concat([load_rows(file) for file in files])
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
    offsets, codes = load_rows(file)
    return overlap_within(offsets, codes, np.arange(len(offsets) - 1, dtype=np.int32), symbols)


def _held(rows: Rows, secret: Int32s) -> tuple[Int64s, Int64s]:
    """Rows with the sensitive locations that they hold, each once."""
    offsets, codes = rows
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    width = int(secret.max(initial=0)) + 1
    hidden = secret[codes] >= 0
    holder, held = np.divmod(np.unique(row[hidden] * width + secret[codes[hidden]]), width)
    return holder, held
