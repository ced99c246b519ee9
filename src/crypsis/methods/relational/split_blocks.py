"""Blocks of records that are alike in their columns: the nodes of a split tree, as Mondrian's first splits make it.

Blocks depend on the data and on the largest size alone, never on how the data are divided into shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapreplace
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.executors.executor import Executor
from crypsis.methods.relational.mondrian_blocks import Problem
from crypsis.methods.relational.split_tree import grow_split_tree
from crypsis.run_context import RunContext
from crypsis.shards.people import FirstRecords
from crypsis.shards.table import EncodedTable

Files = tuple[str, ...]


@dataclass(frozen=True)
class Cut:
    """How rows come to their blocks: `send` yields those of a shard by target, `deal` those of a node that is too large
    for a block by one of several. Where people are counted, the shards hold them whole, and `send` and `deal` keep them
    so."""

    shards: Sequence[Any]
    send: Callable[..., Iterator[tuple[int, Any]]]
    deal: Callable[..., Iterator[tuple[int, Any]]]


def split_blocks(
    data: EncodedTable, problem: Problem, largest: int, executor: Executor, context: RunContext, cut: Cut
) -> list[Files]:
    """Files of the rows of each block: the nodes of a split tree; one that is too large is dealt out like cards."""
    widths = [len(data.columns[slot].domain) for slot in problem.layout.sensitive]
    routed = data.shards
    if data.person is not None:
        routed = tuple(FirstRecords.of(shard, problem.layout.quasi) for shard in data.person.shards)
    tree = grow_split_tree(
        routed, len(data), problem.layout, problem.attributes, problem.constraints, widths,
        max(2 * problem.k, largest // 16), largest, False, executor, context,
        problem.people, 2 * problem.k,
    )  # fmt: skip
    leaves = tree.leaves
    targets = [(node, index, 1) for index, node in enumerate(leaves)]
    pieces = executor.exchange(cut.send, cut.shards, len(leaves), problem.layout, tree.flat(), targets, len(data))
    blocks: list[Files] = []
    for node, files in zip(leaves, pieces, strict=True):
        several = -(-tree.sizes[node] // largest)
        own = executor.exchange(cut.deal, [tuple(files)], several, problem, several) if several > 1 else [files]
        blocks += [tuple(block) for block in own if block]
    return blocks


def deal_people(persons: Int64s, order: Int64s, several: int) -> Iterator[tuple[int, Int64s]]:
    """The same for rows of people: each person, where its first row stands in this order, goes with all its rows to the
    block that has fewest, the first of several."""
    own, index, sizes = np.unique(persons, return_inverse=True, return_counts=True)
    _, first = np.unique(index[order], return_index=True)
    block_of_person = np.empty(len(own), np.int64)
    filled = [(0, target) for target in range(several)]
    for person in np.argsort(first, kind="stable").tolist():
        rows, target = filled[0]
        block_of_person[person] = target
        heapreplace(filled, (rows + int(sizes[person]), target))
    block_of_row = block_of_person[index]
    for target in range(several):
        rows_of_block = np.flatnonzero(block_of_row == target)
        if len(rows_of_block):
            yield target, rows_of_block


def dealt(order: Int64s, several: int) -> Iterator[tuple[int, Int64s]]:
    """Rows in this order, one after another to each of several blocks; those of a block in the order of the input."""
    for target in range(several):
        own = np.sort(order[target::several])
        if len(own):
            yield target, own
