"""Shards of sets under one recoding for all records: every item has one symbol, or is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.executors.executor import Executor
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.scaling import RecodedRecords
from crypsis.shards.ragged import RaggedShard, joined_rows
from crypsis.shards.records import EncodedTransactions


class Spread(NamedTuple):
    """Records in shards, and what runs work on these."""

    encoded: EncodedTransactions
    executor: Executor


def recode_shards(
    symbols: PublishedTransactions, symbol_of_item: Int32s, spread: Spread
) -> tuple[PublishedTransactions | RecodedRecords, dict[str, int]]:
    """The records in the symbols that were made, of many the shards; and how the records of the input are found again.

    `symbols` is what is published of one record with every item; -1 in `symbol_of_item` marks items left out.
    """
    data = spread.encoded
    filled = sum(spread.executor.map(count_filled, data.shards, symbol_of_item))
    accounting = record_accounting(data.n_records, data.n_records - filled)
    accounting["repeated_items_collapsed"] = data.collapsed
    if data.is_large:
        known = data.one_of_each
        return RecodedRecords(data.shards, recode_shard, symbols, known, (symbols, symbol_of_item, known)), accounting
    offsets, codes = joined_rows([recoded_rows(shard, symbol_of_item) for shard in data.shards])
    return replace(symbols, offsets=offsets, codes=codes, person=data.whole.person), accounting


def recode_shard(
    shard: RaggedShard, symbols: PublishedTransactions, symbol_of_item: Int32s, known: Transactions
) -> tuple[PublishedTransactions, Transactions, Int64s]:
    """The records of a shard as they are published, as they were, and their numbers in the input."""
    offsets, codes = recoded_rows(shard, symbol_of_item)
    published = replace(symbols, offsets=offsets, codes=codes)
    rows = shard.first + np.arange(shard.rows)
    return published, Transactions(*shard.read(), known.vocabulary, known.sensitive), rows


def recoded_rows(shard: RaggedShard, symbol_of_item: Int32s) -> tuple[Int64s, Int32s]:
    """The symbols of each record, ascending."""
    offsets, items = shard.read()
    codes = symbol_of_item[items].astype(np.int64)
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    stays = codes >= 0
    width = int(symbol_of_item.max(initial=0)) + 1
    keys = pl.Series(rows[stays] * width + codes[stays]).unique().sort().to_numpy()
    return offsets_of(np.bincount(keys // width, minlength=len(offsets) - 1)), (keys % width).astype(np.int32)


def count_filled(shard: RaggedShard, symbol_of_item: Int32s) -> int:
    """Records that are published at least in part."""
    offsets, items = shard.read()
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return int(np.count_nonzero(np.bincount(rows[symbol_of_item[items] >= 0], minlength=len(offsets) - 1)))
