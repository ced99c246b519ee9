"""Cluster on shards: Mondrian's first splits cut the table into blocks, and each is clustered by itself.

Every block keeps the promise by itself, and together they keep it: classes with equal cells unite, their sizes add up,
and diversity of each is diversity of the union as long as it is measured against the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crypsis.errors import Infeasible
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.guarantees import Guarantee
from crypsis.kernels.attribute_costs import TREE
from crypsis.kernels.class_cells import class_cells
from crypsis.methods.joined_blocks import try_blocks
from crypsis.methods.relational.diversity import Diversity, diverse_promises
from crypsis.methods.relational.mondrian_blocks import Problem, people_by_target, publish_block, rows_by_target
from crypsis.methods.relational.publishing import nodes_of_classes
from crypsis.methods.relational.split_blocks import Cut, Files, deal_people, dealt, split_blocks
from crypsis.methods.scaling import BlockSize, RecodedBlocks
from crypsis.run_context import RunContext
from crypsis.shards.table import EncodedTable

if TYPE_CHECKING:
    from crypsis.methods.relational.cluster import Cluster

BYTES_PER_RECORD = 256
BYTES_PER_CELL = 64


def cluster_blocks(
    method: Cluster, data: EncodedTable, problem: Problem, block: BlockSize, executor: Executor, context: RunContext
) -> RecodedBlocks:
    """Classes of all records, block by block; of one block they are those of a table in memory."""
    block.check_fits(BYTES_PER_RECORD + BYTES_PER_CELL * len(data.columns), len(data), executor)
    folder = str(executor.scratch.below("blocks").folder)
    asked = tuple(diverse_promises(method.promised_parts()))
    with context.stage("split"):
        send = rows_by_target if data.person is None else people_by_target
        cut = Cut(data.whole_people, send, deal_rows)
        blocks = split_blocks(data, problem, block.rows, executor, context, cut)

    def attempt(chosen: Sequence[Files]) -> list[dict[str, Any] | None]:
        return executor.map(cluster_block, list(chosen), folder, problem, method, asked)

    with context.stage("cluster"):
        done = try_blocks(blocks, attempt, lambda one, other: (*one, *other)) if len(blocks) > 1 else None
        if done is None:
            every = tuple(file for files in blocks for file in files)
            results = executor.map(cluster_block, [every] if every else [], folder, problem, method, asked, True)
        else:
            results = [result for _, result in done]
    if len(results) > 1:
        context.private["block_sizes"] = [one["rows"] for one in results]
    context.private["clusters_formed"] = sum(one["formed"] for one in results)
    context.private["classes"] = sum(one["classes"] for one in results)
    nodes = [
        np.unique(np.concatenate([one["nodes"][index] for one in results])) if results else np.zeros(0, np.int64)
        for index in range(len(problem.quasi))
    ]
    return RecodedBlocks([one["file"] for one in results], publish_block, (problem, nodes))


def deal_rows(files: Files, problem: Problem, several: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows in the order of their codes, then of the input, one after another to each of several blocks."""
    held = _rows_of(files)
    codes, rows = held["codes"], held["rows"]
    quasi, sensitive = problem.layout.quasi_codes(codes), problem.layout.sensitive_codes(codes)
    order = np.lexsort((rows, *sensitive.T[::-1], *quasi.T[::-1]))
    shared_out = dealt(order, several) if problem.people is None else deal_people(held["person"], order, several)
    for target, own in shared_out:
        yield target, {name: values[own] for name, values in held.items()}


def _rows_of(files: Files) -> dict[str, Any]:
    """Rows in the order of the input, with their persons and shares where people are counted."""
    pieces = [load(file) for file in files]
    held = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0] if name != "node"}
    order = np.argsort(held["rows"], kind="stable")
    return {name: values[order] for name, values in held.items()}


def cluster_block(
    files: Files, folder: str, problem: Problem, method: Cluster, asked: Sequence[Guarantee], must: bool = False
) -> dict[str, Any] | None:
    """Cluster the rows of a block and find the cells of each class; None where no release of it exists."""
    held = _rows_of(files)
    codes, rows = held["codes"], held["rows"]
    quasi = problem.identifiers(codes)
    diversity = Diversity(problem.constraints, problem.layout.sensitive_codes(codes), tuple(asked))
    if problem.people is not None:
        diversity = replace(diversity, person=held["person"], share=held["share"], table=problem.people.table)
    try:
        diversity.refuse_hopeless(problem.k)
    except Infeasible:
        if must:
            raise
        return None
    class_of, formed = method.diverse_clusters(quasi, diversity)
    n_classes = int(class_of.max(initial=-1)) + 1
    cells = class_cells(quasi.codes, class_of, n_classes, quasi.bit_start)
    nodes = [np.zeros(0, np.int64)] * len(problem.quasi)
    if any(column.kind == TREE for column in problem.quasi):
        nodes = nodes_of_classes(quasi, cells)
    content = {"codes": codes, "rows": rows, "class_of": class_of, "cells": tuple(cells)}
    file = Scratch.at(folder).save(f"block-{int(rows[0]) if len(rows) else 0}-{len(rows)}", content)
    return {"file": file, "formed": formed, "classes": n_classes, "nodes": nodes, "rows": len(rows)}
