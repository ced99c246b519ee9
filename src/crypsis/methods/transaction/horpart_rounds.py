"""HORPART on shards: large parts are split by rounds of counts, small ones in one task, and leftovers are pooled here.

Clusters, their order and the order of their records are those of records in memory, whatever the shards and blocks are.
A chain is what the records of one part are split into: those with the most frequent term, those of the rest with the
next one, and so on. Its last part, what is left, is an item like its small parts: the kernel goes on with the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.executors.executor import Executor, Resident
from crypsis.executors.near import resident_nearby
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.horizontal_partition import TRIES_OF_GUARDED, horizontal_partition
from crypsis.kernels.horpart_rounds import copy_rows, leave_with_term, post_terms, rows_without
from crypsis.shards.ragged import RaggedShard, joined_rows

Rows = tuple[Int64s, Int64s, Int32s]  # numbers, offsets, terms


@dataclass(frozen=True)
class Splitting:
    """What all tasks know. `rank` is the term of each item's code; `sensitive` is by term."""

    rank: Int32s = field(repr=False)
    sensitive: Bools = field(repr=False)
    k: int
    diversity: int
    max_size: int
    guarded: bool


@dataclass
class Chain:
    """The parts of a chain in order: an item is known by its node, a part above the size of a block is a chain."""

    parts: list[int | Chain] = field(default_factory=list)


@dataclass
class Layout:
    """All items: how many records each has, and the terms that these share and are no longer split by."""

    root: Chain
    sizes: dict[int, int] = field(default_factory=dict)
    shared: dict[int, tuple[int, ...]] = field(default_factory=dict)


class Pooled(NamedTuple):
    """A cluster: one of a task by its number, or records that were pooled here; `more` were added at its end."""

    size: int
    secrets: dict[int, int]
    task: int = -1
    number: int = -1
    more: tuple[Rows, ...] = ()


class HorpartShard:
    """The records of a shard that are not empty, and the node of each. They are read when a node is first opened."""

    def __init__(self, shard: RaggedShard, splitting: Splitting) -> None:
        self.shard, self.rank, self.hidden = shard, splitting.rank, splitting.sensitive
        self.node: Int32s | None = None

    def open(self, node: int, shared: tuple[int, ...]) -> Int64s:
        """Look at the records of a node, without the terms they share; how many hold each term."""
        if self.node is None:
            self.offsets, self.terms = ranked_rows(self.shard, self.rank)
            self.node = np.zeros(len(self.offsets) - 1, np.int32)
        self.records = np.flatnonzero(self.node == node)
        self.skipped = self.hidden.copy()
        self.skipped[list(shared)] = True
        self.starts, self.postings = post_terms(self.offsets, self.terms, self.records, self.skipped)
        self.gone = np.zeros(len(self.records), np.bool_)
        return np.diff(self.starts)

    def split(self, term: int, child: int) -> tuple[Int32s, Int64s]:
        """The records with the term leave for the child: the terms they hold, and how many hold each."""
        assert self.node is not None
        return leave_with_term(
            self.offsets, self.terms, self.records, self.skipped, self.starts, self.postings, term, self.gone,
            self.node, child,
        )  # fmt: skip

    def save_nodes(self, folder: str) -> str:
        """A file with the node of each record; none where all are in the root."""
        if self.node is None:
            return ""
        return Scratch.at(folder).save(f"nodes-{self.shard.first:012d}-{len(self.node)}", self.node)


def ranked_rows(shard: RaggedShard, rank: Int32s) -> tuple[Int64s, Int32s]:
    """The records of a shard that are not empty, by terms."""
    offsets, codes = shard.read()
    lengths = np.diff(offsets)
    return offsets_of(lengths[lengths > 0]), rank[codes].astype(np.int32, copy=False)


def lay_out_chains(resident: Resident, n_records: int, splitting: Splitting, largest: int) -> Layout:
    """Split by rounds until no item has more than `largest` records, or no term is left to split by."""
    layout = Layout(Chain())
    _lay_out(resident, layout, layout.root, 0, n_records, (), splitting, largest)
    return layout


def _lay_out(
    resident: Resident,
    layout: Layout,
    chain: Chain,
    node: int,
    alive: int,
    shared: tuple[int, ...],
    splitting: Splitting,
    largest: int,
) -> None:
    made: list[tuple[int, int, int]] = []  # child, records, term
    if alive > largest:
        counts: Int64s = np.sum(resident.call("open", node, shared), axis=0)
        while alive > largest:
            term = choose_term(counts, alive, splitting.k, splitting.guarded)
            if term < 0:
                break
            size, child = int(counts[term]), len(layout.sizes) + 1
            for terms, leaving in resident.call("split", term, child):
                counts[terms] -= leaving
            layout.sizes[child] = size
            made.append((child, size, term))
            alive -= size
    for child, size, term in made:
        below = (*shared, term)
        if size > largest:
            chain.parts.append(inner := Chain())
            _lay_out(resident, layout, inner, child, size, below, splitting, largest)
        else:
            chain.parts.append(child)
            layout.shared[child] = below
    chain.parts.append(node)
    layout.sizes[node], layout.shared[node] = alive, shared


def choose_term(counts: Int64s, alive: int, k: int, guarded: bool) -> int:
    """The most frequent term, the most frequent overall among equals; guarded, one of the first that leave k on both
    sides. -1 where no term is left."""
    most = int(np.argmax(counts)) if len(counts) else -1
    if most < 0 or counts[most] == 0:
        return -1
    for term in np.argsort(-counts, kind="stable")[:TRIES_OF_GUARDED].tolist() if guarded else ():
        left = alive - int(counts[term])
        if counts[term] >= k and (left == 0 or left >= k):
            return int(term)
    return most


def pack_items(layout: Layout, largest: int) -> tuple[dict[int, int], int]:
    """The task of each item, and how many tasks there are; a task has about as many records as a block."""
    task_of: dict[int, int] = {}
    number, room = -1, 0
    for node in layout.shared:
        size = layout.sizes[node]
        if number < 0 or size > room:
            number, room = number + 1, largest
        task_of[node] = number
        room -= size
    return task_of, number + 1


def send_items(
    work: tuple[RaggedShard, str], rank: Int32s, task_of: dict[int, int]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a shard by the task that works on them."""
    shard, nodes = work
    offsets, terms = ranked_rows(shard, rank)
    node_of_record = load(nodes) if nodes else np.zeros(len(offsets) - 1, np.int32)
    tasks = np.zeros(int(max(task_of, default=0)) + 1, np.int64)
    for node, task in task_of.items():
        tasks[node] = task
    task_of_record = tasks[node_of_record]
    for task in np.unique(task_of_record).tolist():
        rows = np.flatnonzero(task_of_record == task)
        yield (
            task,
            {"rows": (shard.first_filled + rows, *copy_rows(offsets, terms, rows)), "node": node_of_record[rows]},
        )


def partition_items(
    work: tuple[int, Sequence[str]], folder: str, splitting: Splitting, shared: dict[int, tuple[int, ...]]
) -> dict[str, Any]:
    """Clusters of each item of a task, in a file; sizes, sensitive counts and what no cluster took go to the driver.

    The file holds the records side by side in the order of the clusters, and where each cluster begins.
    """
    number, files = work
    pieces = [load(file) for file in files]
    nodes = np.concatenate([piece["node"] for piece in pieces])
    by_node = np.argsort(nodes, kind="stable")
    rows = join_pieces([piece["rows"] for piece in pieces])
    del pieces
    ends = np.flatnonzero(np.diff(nodes[by_node], append=-1)) + 1
    items: dict[int, dict[str, Any]] = {}
    clustered: list[Int64s] = []
    sizes: list[Int64s] = []
    n_clusters = first = 0
    for end in ends.tolist():
        node = int(nodes[by_node[first]])
        dropped = np.array(shared[node], np.int32)
        of_item = by_node[first:end]
        records, bounds, leftover = horizontal_partition(
            *rows_without(rows[1], rows[2], of_item, dropped), splitting.sensitive, splitting.k,
            splitting.diversity, splitting.max_size, splitting.guarded,
        )  # fmt: skip
        records, leftover = of_item[records], of_item[leftover]
        own = np.diff(bounds)
        items[node] = {
            "clusters": (n_clusters, own, _secrets_of(rows, records, bounds, splitting.sensitive)),
            "leftover": take_rows(rows, leftover),
        }
        clustered.append(records)
        sizes.append(own)
        n_clusters += len(own)
        first = end
    in_clusters = take_rows(rows, np.concatenate(clustered))
    file = Scratch.at(folder).save(f"clusters-{number:06d}", (in_clusters, offsets_of(np.concatenate(sizes))))
    return {"items": items, "file": file}


def _secrets_of(rows: Rows, records: Int64s, bounds: Int64s, sensitive: Bools) -> list[dict[int, int]]:
    """How many records of each cluster hold each sensitive term; nothing where no term is sensitive."""
    if not sensitive.any():
        return []
    return [secret_counts(rows, records[first:end], sensitive) for first, end in pairwise(bounds.tolist())]


def take_rows(rows: Rows, chosen: Int64s) -> Rows:
    """Some records, in the order given."""
    return rows[0][chosen], *copy_rows(rows[1], rows[2], chosen)


def join_pieces(pieces: Sequence[Rows]) -> Rows:
    """Records one behind the other."""
    numbers = np.concatenate([piece[0] for piece in pieces]) if pieces else np.zeros(0, np.int64)
    return numbers, *joined_rows([piece[1:] for piece in pieces])


def secret_counts(rows: Rows, chosen: Int64s, sensitive: Bools) -> dict[int, int]:
    """How many of some records hold each sensitive term."""
    if not sensitive.any():
        return {}
    _, _, terms = take_rows(rows, chosen)
    held, counts = np.unique(terms[sensitive[terms]], return_counts=True)
    return dict(zip(held.tolist(), counts.tolist(), strict=True))


def pool_chains(layout: Layout, tasks: Sequence[dict[str, Any]], splitting: Splitting) -> list[Pooled]:
    """All clusters in order, after leftovers of chains were pooled, and the last one joined a cluster."""
    items = {node: (index, item) for index, task in enumerate(tasks) for node, item in task["items"].items()}
    clusters, leftover = _pool(layout.root, items, splitting)
    while len(leftover[0]):
        secrets = secret_counts(leftover, np.arange(len(leftover[0])), splitting.sensitive)
        more = len(leftover[0])
        fitting = [
            (cluster.size, index)
            for index, cluster in enumerate(clusters)
            if _is_acceptable(cluster.size + more, _added(cluster.secrets, secrets, only=True), splitting)
        ]
        if fitting:
            _, slot = min(fitting)
            one = clusters[slot]
            joined = _added(one.secrets, secrets)
            clusters[slot] = Pooled(one.size + more, joined, one.task, one.number, (*one.more, leftover))
            break
        _, slot = min((cluster.size, index) for index, cluster in enumerate(clusters))
        dissolved = rows_of_clusters([clusters[slot]], [task["file"] for task in tasks])
        leftover = join_pieces([*dissolved, leftover])
        del clusters[slot]
    return clusters


def _pool(
    chain: Chain, items: dict[int, tuple[int, dict[str, Any]]], splitting: Splitting
) -> tuple[list[Pooled], Rows]:
    clusters: list[Pooled] = []
    leftovers: list[Rows] = []
    for part in chain.parts:
        if isinstance(part, Chain):
            inner, left = _pool(part, items, splitting)
            clusters += inner
            leftovers.append(left)
        elif part in items:
            task, item = items[part]
            first, sizes, secrets = item["clusters"]
            clusters += [
                Pooled(size, secrets[index] if secrets else {}, task, first + index)
                for index, size in enumerate(sizes.tolist())
            ]
            leftovers.append(item["leftover"])
        else:
            leftovers.append(join_pieces([]))
    pool = leftovers[-1]
    for left in reversed(leftovers[:-1]):
        pool = join_pieces([left, pool])
        secrets = secret_counts(pool, np.arange(len(pool[0])), splitting.sensitive)
        if _is_acceptable(len(pool[0]), secrets, splitting):
            clusters.append(Pooled(len(pool[0]), secrets, more=(pool,)))
            pool = join_pieces([])
    return clusters, pool


def _is_acceptable(size: int, secrets: dict[int, int], splitting: Splitting) -> bool:
    return size >= splitting.k and max(secrets.values(), default=0) * splitting.diversity <= size


def _added(one: dict[int, int], more: dict[int, int], only: bool = False) -> dict[int, int]:
    """Counts added up; `only` those that more are added to: others are no more frequent than before."""
    added = {term: one.get(term, 0) + count for term, count in more.items()}
    return added if only else {**one, **added}


def rows_of_clusters(clusters: Sequence[Pooled], files: Sequence[str]) -> list[Rows]:
    """The records of each cluster in order; `files` are those of the tasks."""
    held = {task: load(files[task]) for task in {cluster.task for cluster in clusters if cluster.task >= 0}}
    rows = []
    for cluster in clusters:
        own = [] if cluster.task < 0 else [_rows_of_cluster(held[cluster.task], cluster.number)]
        rows.append(join_pieces([*own, *cluster.more]) if cluster.more else own[0])
    return rows


def _rows_of_cluster(task: tuple[Rows, Int64s], number: int) -> Rows:
    rows, bounds = task
    first, end = bounds[number : number + 2].tolist()
    offsets = rows[1][first : end + 1]
    return rows[0][first:end], offsets - offsets[0], rows[2][offsets[0] : offsets[-1]]


def partition_shards(
    shards: Sequence[RaggedShard], n_records: int, splitting: Splitting, block_rows: int, executor: Executor
) -> tuple[list[Pooled], list[dict[str, Any]]]:
    """The clusters of all records that are not empty, in order, and the tasks that hold their records."""
    largest = max(block_rows, splitting.max_size)
    resident = resident_nearby(executor, HorpartShard, shards, splitting)
    layout = lay_out_chains(resident, n_records, splitting, largest)
    nodes = resident.call("save_nodes", str(executor.scratch.below("nodes").folder))
    resident.close()
    task_of, n_tasks = pack_items(layout, largest)
    pieces = executor.exchange(send_items, list(zip(shards, nodes, strict=True)), n_tasks, splitting.rank, task_of)
    folder = str(executor.scratch.below("clusters").folder)
    work = [(index, files) for index, files in enumerate(pieces) if files]
    tasks = executor.map(partition_items, work, folder, splitting, layout.shared)
    return pool_chains(layout, tasks, splitting), tasks


def runs_of_clusters(sizes: Sequence[int], block_rows: int) -> list[tuple[int, int]]:
    """Runs of clusters in their order, first and end: a run is closed as soon as it has as many records as a block."""
    runs: list[tuple[int, int]] = []
    first, records = 0, 0
    for index, size in enumerate(sizes, start=1):
        records += size
        if records >= block_rows:
            runs.append((first, index))
            first, records = index, 0
    return runs if first == len(sizes) else [*runs, (first, len(sizes))]
