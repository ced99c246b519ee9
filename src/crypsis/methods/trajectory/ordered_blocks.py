"""Blocks of rows in an order: their sizes differ by at most one, and the rows of an owner may have to stay together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.shards.ragged import RaggedShard
from crypsis.shards.ragged_sort import slices_of, take_rows

Block = tuple[Any, ...]  # slices of the order, or lists of files, with its rows; several where blocks were joined


def first_rows(owners: Int32s | None, n_rows: int) -> Bools | None:
    """Mark the first row of each owner, which stands for all of them in the order; None where each stands alone."""
    if owners is None:
        return None
    first = np.zeros(n_rows, np.bool_)
    first[np.unique(owners, return_index=True)[1]] = True
    return first


def cut_order(
    ranges: list[tuple[str, int]],
    shards: Sequence[RaggedShard],
    n_blocks: int,
    owners: Int32s | None,
    executor: Executor,
) -> list[Block]:
    """Cut sorted rows into blocks; with `owners`, sorted first rows, whose owners bring all their rows."""
    size, longer = divmod(sum(rows for _, rows in ranges), n_blocks)
    sizes = [size + (index < longer) for index in range(n_blocks)]
    if owners is None:
        return [(wanted,) for wanted in slices_of(ranges, list(pairwise(offsets_of(np.array(sizes)).tolist())))]
    firsts: Int64s = np.concatenate([load(file)[2] for file, _ in ranges])
    block_of_owner = np.zeros(int(owners.max()) + 1, np.int32)
    block_of_owner[owners[firsts]] = np.repeat(np.arange(n_blocks), sizes)
    pieces = executor.exchange(send_to_blocks, shards, n_blocks, block_of_owner[owners], owners)
    return [(files,) for files in pieces if files]


def send_to_blocks(shard: RaggedShard, block_of_row: Int32s, owners: Int32s) -> Iterator[tuple[int, Any]]:
    """The rows of a shard by their block, with their numbers and owners."""
    rows = (*shard.read(), shard.first + np.arange(shard.rows))
    block_of = block_of_row[rows[2]]
    for block in np.unique(block_of).tolist():
        chosen = take_rows(rows, np.flatnonzero(block_of == block))
        yield block, (*chosen, owners[chosen[2]])
