"""LRA on shards: records are sorted over all shards, cut into parts, and each part is raised by itself.

The parts, their cuts and what is published are those of records in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.gray_order import gray_lists, items_of_lists
from crypsis.kernels.itemsets import EACH_RECORD
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.scaling import RecodedRecords
from crypsis.methods.transaction.hierarchy_recoding import Part, Raised, TreeRecords, raise_part
from crypsis.run_context import RunContext
from crypsis.shards.ragged import RaggedShard
from crypsis.shards.ragged_sort import Run, Slice, load_slice, merge_runs, save_run, slices_of
from crypsis.shards.records import EncodedTransactions

if TYPE_CHECKING:
    from crypsis.methods.transaction.lra import LRA


@dataclass(frozen=True, eq=False)
class RaisedPart:
    """A file with the records of a part and its cut, its steps, the nodes that are published, which leaves were deleted
    and which stay, and of how many records something is published."""

    file: str
    raised: Raised
    used: Int64s
    deleted: Int32s
    shown: Int32s
    filled: int


def recode_sorted(
    method: LRA, data: EncodedTransactions, records: TreeRecords, executor: Executor, context: RunContext
) -> RecodedRecords:
    """What is published of each part, in the symbols of all. `records` is the tree, with one record of every item."""
    folder, tree = str(executor.scratch.below("gray").folder), records.tree
    with context.stage("sort"):
        runs = executor.map(sort_shard, list(enumerate(data.shards)), folder, tree.node_of_item, len(tree))
        ranges = merge_runs(runs, executor, folder)
        size, longer = divmod(data.n_filled, method.n_parts(data.n_filled))
        ends = np.cumsum([0, *(size + (index < longer) for index in range(method.n_parts(data.n_filled)))])
        wanted = slices_of(ranges, list(pairwise(ends.tolist())))
    with context.stage("raise the cuts"):
        bare = records.without_records()
        parts: list[RaisedPart] = executor.map(raise_slice, list(enumerate(wanted)), folder, bare, method)
    used = np.unique(np.concatenate([part.used for part in parts]))
    deleted = np.unique(np.concatenate([part.deleted for part in parts]))
    shown = np.unique(np.concatenate([part.shown for part in parts]))
    symbols = records.symbols_of(used, deleted, shown, np.zeros(0, np.int32))
    filled = sum(part.filled for part in parts)
    context.private.update(
        steps=[records.named_steps(part.raised) for part in parts],
        accounting=record_accounting(data.n_records, data.n_records - filled)
        | {"repeated_items_collapsed": data.collapsed},
    )
    item_of_node = np.full(len(tree), -1, np.int32)
    known = np.flatnonzero(tree.node_of_item >= 0)
    item_of_node[tree.node_of_item[known]] = known
    work: list[Any] = [*(part.file for part in parts), *data.shards]
    common = (symbols, used, item_of_node, data.one_of_each)
    return RecodedRecords(work, publish_part, symbols, data.one_of_each, common)


def sort_shard(numbered: tuple[int, RaggedShard], folder: str, node_of_item: Int32s, n_nodes: int) -> Run:
    """The records of a shard that are not empty, over leaves, in Gray order."""
    number, shard = numbered
    offsets, items = shard.read()
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    keys = np.sort(rows * n_nodes + node_of_item[items])
    filled = np.flatnonzero(lengths)
    lists = gray_lists(offsets_of(lengths[filled]), (keys % n_nodes).astype(np.int32), n_nodes)
    return save_run(folder, number, *lists, shard.first + filled)[0]


def raise_slice(numbered: tuple[int, Slice], folder: str, records: TreeRecords, method: LRA) -> RaisedPart:
    """Apriori anonymization of one part."""
    number, wanted = numbered
    list_offsets, listed, rows = load_slice(wanted)
    offsets, items = items_of_lists(list_offsets, listed, len(records.tree))
    raised = raise_part(Part(offsets, items, EACH_RECORD), records, method)
    nodes = raised.cut[items]
    stays = nodes >= 0
    record = np.repeat(np.arange(len(rows)), np.diff(offsets))
    return RaisedPart(
        Scratch.at(folder).save(f"part-{number:06d}", (offsets, items, rows, raised.cut)),
        raised,
        np.unique(nodes[stays]).astype(np.int64),
        np.unique(items[~stays]),
        np.unique(items[stays]),
        len(np.unique(record[stays])),
    )


def publish_part(
    work: str | RaggedShard, symbols: PublishedTransactions, used: Int64s, item_of_node: Int32s, known: Transactions
) -> tuple[PublishedTransactions, Transactions, Int64s]:
    """The records of a part as they are published, as they were, and their numbers in the input; of a shard its empty
    records, which are in no part."""
    if isinstance(work, str):
        offsets, leaves, rows, cut = load(work)
        records, nodes = np.repeat(np.arange(len(rows)), np.diff(offsets)), cut[leaves]
    else:
        rows = work.first + np.flatnonzero(np.diff(work.read()[0]) == 0)
        offsets, leaves = np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int32)
        records = nodes = np.zeros(0, np.int64)
    stays = nodes >= 0
    width = max(len(used), 1)
    keys = np.unique(records[stays] * width + np.searchsorted(used, nodes[stays]))
    published = replace(
        symbols,
        offsets=offsets_of(np.bincount(keys // width, minlength=len(rows))),
        codes=(keys % width).astype(np.int32),
    )
    n_items = max(len(known.vocabulary), 1)
    items = np.sort(records * n_items + item_of_node[leaves]) % n_items
    return published, Transactions(offsets, items.astype(np.int32), known.vocabulary), rows
