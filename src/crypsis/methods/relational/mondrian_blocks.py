"""Mondrian on shards: the first splits by histograms, then every node that is small enough in one task.

The classes, cells and loss are those of a table in memory, whatever the shards and blocks are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.relational import PublishedTable, Table
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.attribute_costs import TREE, Attributes
from crypsis.kernels.class_cells import NONE, ClassCells, class_cells
from crypsis.kernels.class_diversity import NOT_COUNTED, Constraints, People
from crypsis.kernels.mondrian import mondrian_parts
from crypsis.kernels.row_routing import route_rows
from crypsis.methods.relational.diversity import (
    constraints_on,
    diverse_promises,
    refuse_hopeless_counts,
    refuse_hopeless_people,
    shares_of_all,
)
from crypsis.methods.relational.publishing import nodes_of_classes, published_classes
from crypsis.methods.relational.quasi_identifiers import (
    QuasiIdentifier,
    QuasiIdentifiers,
    warn_of_empty_columns,
    with_shown_leaves,
)
from crypsis.methods.relational.relational_method import RelationalMethod
from crypsis.methods.relational.split_tree import ShardLayout, SplitTree, cells_of_node, grow_split_tree
from crypsis.methods.relational.whole_columns import people_by_value, shares_by_value
from crypsis.methods.scaling import BlockSize, RecodedBlocks
from crypsis.run_context import RunContext
from crypsis.shards.people import FirstRecords, PersonShard, shares_of
from crypsis.shards.table import EncodedTable, table_of
from crypsis.shards.table_shard import TableShard

BYTES_PER_RECORD = 96
BYTES_PER_CELL = 28


@dataclass(frozen=True, eq=False)
class Problem:
    """What all tasks know: columns and quasi-identifiers with the facts of all records, and what is asked."""

    columns: tuple[Any, ...]
    quasi: tuple[QuasiIdentifier, ...]
    attributes: Attributes
    denominator: int
    exact: bool
    layout: ShardLayout
    constraints: Constraints
    k: int
    in_halves: bool
    people: People | None = None  # where they are counted: the shares of whole columns, and nobody yet

    @property
    def n_values(self) -> int:
        return max(self.layout.widths)

    def identifiers(self, codes: Int32s, quasi: Int32s | None = None) -> QuasiIdentifiers:
        """The quasi-identifiers of some records, with the costs and trees of all; `quasi` are their codes if known."""
        table = table_of(self.columns, codes)
        own = tuple(replace(column, column=table.column(column.column.name)) for column in self.quasi)
        made = self.layout.quasi_codes(codes) if quasi is None else quasi
        return QuasiIdentifiers(table, own, made, self.attributes, self.denominator, self.exact)


def problem_of(
    method: RelationalMethod, data: EncodedTable, executor: Executor, context: RunContext, *, in_halves: bool
) -> Problem:
    """What is asked of all records; refuses what no release can keep."""
    with context.stage("prepare"):
        _, quasi, attributes, denominator, exact = method.facts_of(data)
        wanted = diverse_promises(method.promised_parts())
        secrets = data.places("sensitive") if wanted else []
        constraints = constraints_on(wanted, [data.counts[index][:-1] for index in secrets], type(method).__name__)
        people = None
        if data.person is None:
            refuse_hopeless_counts(constraints, wanted, len(data), method.k)
        else:
            counts = people_by_value(data, secrets, executor)
            refuse_hopeless_people(constraints, wanted, len(data), len(data.person), method.k, counts)
            people = NOT_COUNTED._replace(table=shares_of_all(constraints, shares_by_value(data, secrets, executor)))
        warn_of_empty_columns(quasi, len(data), context)
        layout = layout_of(data, quasi, secrets)
        shown = tuple(
            with_shown_leaves(one, data.counts[index]) for one, index in zip(quasi, layout.quasi, strict=True)
        )
    context.private["exact_costs"] = exact
    return Problem(
        data.columns, shown, attributes, denominator, exact, layout, constraints, method.k, in_halves, people
    )


def layout_of(data: EncodedTable, quasi: Sequence[QuasiIdentifier], secrets: Sequence[int]) -> ShardLayout:
    """Where quasi-identifiers and sensitive columns are in shards."""
    return ShardLayout(
        tuple(data.places("quasi")),
        tuple(secrets),
        tuple(column.leaf_of_value for column in quasi),
        tuple(len(column.column.domain) if column.tree is None else len(column.tree.names) for column in quasi),
    )


def mondrian_blocks(
    data: EncodedTable, problem: Problem, block: BlockSize, executor: Executor, context: RunContext
) -> RecodedBlocks:
    """Classes of all records, in blocks."""
    block.check_fits(BYTES_PER_RECORD + BYTES_PER_CELL * len(data.columns), len(data), executor)
    widths = [len(data.columns[slot].domain) for slot in problem.layout.sensitive]
    with context.stage("split"):
        tree = grow_split_tree(
            data.whole_people, len(data), problem.layout, problem.attributes, problem.constraints, widths, problem.k,
            block.rows, problem.in_halves, executor, context, problem.people, problem.k,
        )  # fmt: skip
        targets, n_targets = packed_nodes(tree, block.rows)
        pieces: list[Any] = [list(data.whole_people)]  # of one block, as they are
        if n_targets != 1 or len(tree.leaves) != 1:
            pieces = executor.exchange(
                rows_by_target, data.whole_people, n_targets, problem.layout, tree.flat(), targets, len(data)
            )
        start, bit_start = (
            problem.layout.start,
            problem.identifiers(np.zeros((0, len(data.columns)), np.int32)).bit_start,
        )
        whole = {
            node: cells_of_node(histogram, start, NONE, bit_start)
            for node, histogram in tree.histograms.items()
            if tree.final[node]
        }
        folder = executor.scratch.below("blocks")
        work = [(index, files) for index, files in enumerate(pieces) if files]
        blocks = executor.map(classes_of_block, work, str(folder.folder), problem, whole)
        context.private["classes"] = sum(one["classes"] for one in blocks) + len(whole)
    nodes = [
        np.unique(np.concatenate([one["nodes"][index] for one in blocks])) if blocks else np.zeros(0, np.int64)
        for index in range(len(problem.quasi))
    ]
    return RecodedBlocks([one["file"] for one in blocks], publish_block, (problem, nodes))


def packed_nodes(tree: SplitTree, largest: int) -> tuple[list[tuple[int, int, int]], int]:
    """(node, first target, number of targets) of every leaf: small ones share a target, a large class has several."""
    targets, number, room = [], -1, 0
    for node in tree.leaves:
        size = tree.sizes[node]
        if size > largest:  # not split: it is one class, whose rows need not stand together
            several = -(-size // largest)
            targets.append((node, number + 1, several))
            number, room = number + several, 0
            continue
        if number < 0 or size > room:
            number, room = number + 1, largest
        targets.append((node, number, 1))
        room -= size
    return targets, number + 1


def rows_by_target(
    shard: TableShard,
    layout: ShardLayout,
    flat: tuple[Int64s, Int64s, Int32s],
    targets: Sequence[tuple[int, int, int]],
    n_records: int,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a shard by the task that works on them, with their node and number in the input."""
    codes = np.asarray(shard.codes())
    node_of_row = route_rows(layout.quasi_codes(codes), *flat)
    yield from _by_target(shard, codes, node_of_row, targets, n_records)


def people_by_target(
    shard: PersonShard,
    layout: ShardLayout,
    flat: tuple[Int64s, Int64s, Int32s],
    targets: Sequence[tuple[int, int, int]],
    n_records: int,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same for people that stay whole: all rows of a person go where the first one goes."""
    firsts = FirstRecords.of(shard, layout.quasi).codes()
    node_of_row = route_rows(layout.quasi_codes(firsts), *flat)
    yield from _by_target(shard, np.asarray(shard.codes()), node_of_row, targets, n_records)


def _by_target(
    shard: TableShard, codes: Int32s, node_of_row: Int32s, targets: Sequence[tuple[int, int, int]], n_records: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    n_nodes = 1 + max(node for node, _, _ in targets)
    numbers, persons = shard.numbers(), shard.persons()
    shares = None if persons is None else shares_of(persons)
    first, several = np.zeros(n_nodes, np.int64), np.ones(n_nodes, np.int64)
    for node, target, count in targets:
        first[node], several[node] = target, count
    target_of_row = first[node_of_row] + numbers * several[node_of_row] // max(n_records, 1)
    order = np.argsort(target_of_row, kind="stable")
    cuts = np.flatnonzero(np.diff(target_of_row[order])) + 1
    for rows in np.split(order, cuts):
        if len(rows):
            yield (
                int(target_of_row[rows[0]]),
                {"codes": codes[rows], "node": node_of_row[rows], "rows": numbers[rows]}
                | ({} if persons is None or shares is None else {"person": persons[rows], "share": shares[rows]}),
            )


def _rows_by_node(files: Sequence[str | TableShard]) -> dict[str, Any]:
    """Codes, nodes and numbers in the input of some rows, node by node, with their persons and shares where people are
    counted; rows of shards are all of the root."""
    pieces = [_of_root(file) if isinstance(file, TableShard) else load(file) for file in files]
    whole = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    node_of_row = whole["node"]
    if (node_of_row[1:] >= node_of_row[:-1]).all():
        return whole
    by_node = np.argsort(node_of_row, kind="stable")
    return {name: values[by_node] for name, values in whole.items()}


def _of_root(shard: TableShard) -> dict[str, Any]:
    held = {"codes": np.asarray(shard.codes()), "node": np.zeros(shard.rows, np.int64), "rows": shard.numbers()}
    persons = shard.persons()
    return held if persons is None else {**held, "person": persons, "share": shares_of(persons)}


def classes_of_block(
    work: tuple[int, Sequence[str | TableShard]], folder: str, problem: Problem, whole: dict[int, tuple[Any, ...]]
) -> dict[str, Any]:
    """Divide the nodes of a block into classes, and find the cells of each."""
    number, files = work
    whole_rows = _rows_by_node(files)
    codes, node_of_row, rows = whole_rows["codes"], whole_rows["node"], whole_rows["rows"]
    quasi = problem.layout.quasi_codes(codes)
    sensitive = problem.layout.sensitive_codes(codes)
    class_of = np.empty(len(codes), np.int64)
    n_classes = 0
    known: list[tuple[int, int]] = []  # class, node
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(node_of_row)) + 1, [len(codes)]])
    for start, stop in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        node = int(node_of_row[start])
        if node in whole:
            class_of[start:stop] = n_classes
            known.append((n_classes, node))
            n_classes += 1
            continue
        people = NOT_COUNTED
        if problem.people is not None:
            people = problem.people._replace(
                person=whole_rows["person"][start:stop], share=whole_rows["share"][start:stop]
            )
        order, bounds = mondrian_parts(
            np.ascontiguousarray(quasi[start:stop]), problem.attributes, problem.k,
            np.ascontiguousarray(sensitive[start:stop]), problem.constraints, people, problem.n_values,
            problem.in_halves,
        )  # fmt: skip
        class_of[start + order] = n_classes + np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        n_classes += len(bounds) - 1
    identifiers = problem.identifiers(codes, quasi)
    cells = class_cells(quasi, class_of, n_classes, identifiers.bit_start)
    for one, node in known:
        cells.low[one], cells.high[one], cells.absent[one], cells.bits[one] = whole[node]
    nodes = [np.zeros(0, np.int64)] * len(problem.quasi)
    if any(column.kind == TREE for column in problem.quasi):
        nodes = nodes_of_classes(identifiers, cells)
    as_they_are = all(isinstance(file, TableShard) for file in files)
    content = {
        "codes": list(files) if as_they_are else codes,
        "rows": rows,
        "class_of": class_of.astype(np.int32),
        "cells": tuple(cells),
    }
    file = Scratch.at(folder).save(f"block-{number:06d}", content)
    return {"file": file, "classes": n_classes - len(known), "nodes": nodes}


def publish_block(file: str, problem: Problem, nodes: Sequence[Int64s]) -> tuple[PublishedTable, Table, Int64s]:
    """The records of a block as they are published, as they were, and their numbers in the input."""
    content = load(file)
    codes = content["codes"]
    if isinstance(codes, list):  # those of shards
        codes = np.concatenate([shard.codes() for shard in codes])
    quasi = problem.identifiers(codes)
    published = published_classes(quasi, ClassCells(*content["cells"]), content["class_of"].astype(np.int64), nodes)
    return published, quasi.table, content["rows"]
