"""Recount what published sets in parts promise, in bounded memory.

The verdicts are those on all records in memory, witness and figures included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.transaction import Transactions
from crypsis.encrypted_files import load
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import Guarantee, ItemsetDiversity, ItemsetKmAnonymity, PolicyAnonymity, Verdict, Witness
from crypsis.verifiers.counted_rows import CountedRows, Rows
from crypsis.verifiers.itemset_diversity import (
    broken_share,
    generalized_secret,
    secret_symbols,
    share_in_words,
    undeclared,
)
from crypsis.verifiers.itemset_km_anonymity import how_counted, verdict_by_size
from crypsis.verifiers.itemset_supports import RarestSet
from crypsis.verifiers.policy_anonymity import COUNTED, Constraints, itemsets_of
from crypsis.verifiers.published_sets import are_disjoint, items_of_symbols, rows_as_items
from crypsis.verifiers.subsequence_supports import gathered

COMPARED = "and every record recodes its original"
RECORDS_AT_ONCE = 1 << 16


def verify_set_parts(
    counted: CountedRows, promised: Guarantee, sensitive: Sequence[str] = (), original: Transactions | None = None
) -> Verdict:
    """The verdict on what was counted. `sensitive` is what the release declares; `original` is given where records
    were compared with it: one record that holds every item that occurs."""
    if getattr(promised, "unit", "record") == "person":
        raise OriginalRequired("Published records do not say whose they are, so people cannot be counted on parts.")
    compared = "" if original is None else COMPARED
    if isinstance(promised, PolicyAnonymity):
        constraints = Constraints.of(itemsets_of(promised.policy, original), counted.names)
        supports = np.sum(counted.workers.map(count_policy, counted.coded, constraints), axis=0)
        return constraints.verdict(promised, supports, f"{COUNTED}, {compared}" if compared else COUNTED)
    if isinstance(promised, ItemsetDiversity):
        problem = None if original is None else undeclared(sensitive, original)
        if problem is not None:
            return Verdict(promised, False, None, promised.k, "compared with the original", problem=problem)
        return _verify_diversity(counted, promised, sensitive, compared)
    if isinstance(promised, ItemsetKmAnonymity):
        return _verdict(_readable(counted), counted.names, promised, promised.k, promised.m, compared)
    raise NotApplicable(f"{promised.model} is not counted on parts; verify the release without an executor.")


def _readable(counted: CountedRows) -> CountedRows:
    """Where symbols overlap, the records as the items that may be in them."""
    if are_disjoint(counted.names):
        return counted
    names, starts, members = items_of_symbols(counted.names)
    return counted.recoded(rows_of_items, [(name,) for name in names], starts, members)


def _verdict(
    counted: CountedRows, symbols: Sequence[tuple[str, ...]], promised: Guarantee, k: int, m: int, compared: str
) -> Verdict:
    def rarest_of_size(size: int) -> RarestSet | None:
        rarest = counted.rarest_of_size(size, k)
        return None if rarest is None else RarestSet(rarest.support, rarest.symbols, rarest.violations)

    overlap = not are_disjoint(symbols)
    how = how_counted(overlap, False, compared)
    return verdict_by_size(promised, k, counted.names, min(m, counted.longest), rarest_of_size, how, overlap)


def _verify_diversity(
    counted: CountedRows, promised: ItemsetDiversity, sensitive: Sequence[str], compared: str
) -> Verdict:
    generalized = generalized_secret(counted.names, sensitive, promised)
    if generalized is not None:
        return generalized
    secret = secret_symbols(counted.names, sensitive)
    usual = _readable(counted.recoded(rows_without, counted.names, secret))
    verdict = _verdict(usual, counted.names, promised, promised.k, promised.m, compared)
    if not verdict.holds:
        return verdict
    worst = _worst_share(counted, usual, secret, promised)
    return verdict if worst is None else broken_share(verdict, *worst)


def _worst_share(
    counted: CountedRows, usual: CountedRows, secret: Bools, promised: ItemsetDiversity
) -> tuple[Witness, str] | None:
    """The first set, by size, that makes a secret more likely than one in l."""
    secrets = np.flatnonzero(secret).astype(np.int32)
    filled = int(counted.lengths[1:].sum())
    for code in secrets.tolist():
        if int(counted.supports[code]) * promised.l > filled:
            return share_in_words((), counted.names[code][0], int(counted.supports[code]), filled, promised, False)
    pairs = list(zip(usual.coded, counted.coded, strict=True))
    for size in range(1, min(promised.m, usual.longest) + 1):
        bounds = usual.ranges(size)
        pieces = usual.workers.exchange(send_shares, pairs, len(bounds), size, bounds, len(usual.names), secrets)
        found = [one for one in usual.workers.map(worst_in_range, pieces, promised.l) if one is not None]
        if found:
            code, symbols, both, alone = min(found)
            names = tuple(usual.names[symbol] for symbol in symbols)
            return share_in_words(names, counted.names[code][0], both, alone, promised, False)
    return None


def rows_of_items(rows: Rows, starts: Int64s, members: Int64s) -> Rows:
    """Records as the items that may be in them, each once."""
    offsets, codes = rows
    records, items = rows_as_items(offsets, codes, starts, members)
    width = int(members.max(initial=0)) + 1
    keys = np.unique(records * width + items)
    return offsets_of(np.bincount(keys // width, minlength=len(offsets) - 1)), (keys % width).astype(np.int32)


def rows_without(rows: Rows, hidden: Bools) -> Rows:
    """Records without some symbols."""
    offsets, codes = rows
    stays = ~hidden[codes]
    records = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return offsets_of(np.bincount(records[stays], minlength=len(offsets) - 1)), codes[stays]


def count_policy(file: str, constraints: Constraints) -> Int64s:
    """How many records of a part each itemset of a policy fits."""
    offsets, codes = load(file)
    supports = np.zeros(len(constraints.offsets) - 1, np.int64)
    for first in range(0, len(offsets) - 1, RECORDS_AT_ONCE):
        own = offsets[first : first + RECORDS_AT_ONCE + 1]
        supports += constraints.supports(constraints.fits(own - own[0], codes[own[0] : own[-1]]))
    return supports


def send_shares(
    files: tuple[str, str], size: int, bounds: Sequence[tuple[int, int]], n_names: int, secrets: Int32s
) -> Iterator[tuple[int, pl.DataFrame]]:
    """How many records hold each set, and how many of them each sensitive item (-1: all), by the first symbol."""
    offsets, codes = load(files[0])
    all_offsets, all_codes = load(files[1])
    records = np.repeat(np.arange(len(all_offsets) - 1), np.diff(all_offsets))
    everyone = np.arange(len(offsets) - 1, dtype=np.int32)
    groups = [(-1, everyone), *((code, records[all_codes == code]) for code in secrets.tolist())]
    for target, (lowest, highest) in enumerate(bounds):
        columns, who = gathered(offsets, codes, everyone, n_names, size, lowest, highest)
        if not len(who):
            continue
        frame = pl.DataFrame({str(index): column for index, column in enumerate(columns)})
        inside = np.zeros(len(everyone), np.bool_)
        counts = []
        for code, holders in groups:
            inside[:] = False
            inside[holders] = True
            grouped = (
                frame.filter(pl.Series(inside[who])).group_by(frame.columns).agg(pl.len().cast(pl.Int64).alias("n"))
            )
            counts.append(grouped.with_columns(pl.lit(code, pl.Int32).alias("secret")))
        yield target, pl.concat(counts)


def worst_in_range(files: Sequence[str], l: int) -> Any:  # noqa: E741
    """The first sensitive item of which somebody can be too sure, the first set that tells it, and both counts."""
    if not files:
        return None
    whole = pl.concat([load(file) for file in files])
    symbols = whole.columns[:-2]
    counted = whole.group_by([*symbols, "secret"]).agg(pl.col("n").sum())
    alone = counted.filter(pl.col("secret") == -1).select(*symbols, pl.col("n").alias("alone"))
    sure = (
        counted.filter(pl.col("secret") >= 0)
        .join(alone, on=symbols, how="left")
        .filter(pl.col("n") * l > pl.col("alone"))
        .sort(["secret", *symbols])
    )
    if not len(sure):
        return None
    first = sure.row(0, named=True)
    return first["secret"], tuple(first[name] for name in symbols), first["n"], first["alone"]
