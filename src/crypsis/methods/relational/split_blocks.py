"""Blocks of records that are alike in their columns: the nodes of a split tree, as Mondrian's first splits make it.

Blocks depend on the data and on the largest size alone, never on how the data are divided into shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.executors.executor import Executor
from crypsis.methods.relational.mondrian_blocks import Problem
from crypsis.methods.relational.split_tree import grow_split_tree
from crypsis.run_context import RunContext
from crypsis.shards.table import EncodedTable

Files = tuple[str, ...]


@dataclass(frozen=True)
class Cut:
    """How rows come to their blocks: `send` yields those of a shard by target, `deal` those of a node that is too large
    for a block by one of several."""

    shards: Sequence[Any]
    send: Callable[..., Iterator[tuple[int, Any]]]
    deal: Callable[..., Iterator[tuple[int, Any]]]


def split_blocks(
    data: EncodedTable, problem: Problem, largest: int, executor: Executor, context: RunContext, cut: Cut
) -> list[Files]:
    """Files of the rows of each block: the nodes of a split tree; one that is too large is dealt out like cards."""
    widths = [len(data.columns[place].domain) for place in problem.layout.sensitive]
    tree = grow_split_tree(
        data.shards, len(data), problem.layout, problem.attributes, problem.constraints, widths,
        max(2 * problem.k, largest // 16), largest, False, executor, context,
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


def dealt(order: Int64s, several: int) -> Iterator[tuple[int, Int64s]]:
    """Rows in this order, one after another to each of several blocks; those of a block in the order of the input."""
    for target in range(several):
        own = np.sort(order[target::several])
        if len(own):
            yield target, own
