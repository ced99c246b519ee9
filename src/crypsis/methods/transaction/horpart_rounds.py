"""HORPART on shards: large parts are split by rounds of counts, small ones in one task, and leftovers are pooled here.

Clusters, their order and the order of their records are those of records in memory, whatever the shards and blocks are.
A chain is what the records of one part are split into: those with the most frequent term, those of the rest with the
next one, and so on. Its last part, what is left, is an item like its small parts: the kernel goes on with the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.executors.executor import Executor, Resident
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.horizontal_partition import TRIES_OF_GUARDED, horizontal_partition
from crypsis.kernels.horpart_rounds import leave_with_term, post_terms
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


@dataclass(frozen=True, eq=False)
class Pooled:
    """A cluster: one of a task by its number, or records that were pooled here; `more` were added at its end."""

    size: int
    secrets: dict[int, int]
    task: int = -1
    number: int = -1
    more: tuple[Rows, ...] = ()


class HorpartShard:
    """The records of a shard that are not empty, and the node of each."""

    def __init__(self, shard: RaggedShard, splitting: Splitting) -> None:
        self.offsets, self.terms = ranked_rows(shard, splitting.rank)
        self.first = shard.first
        self.hidden = splitting.sensitive
        self.node = np.zeros(len(self.offsets) - 1, np.int32)

    def open(self, node: int, shared: tuple[int, ...]) -> Int64s:
        """Look at the records of a node, without the terms they share; how many hold each term."""
        self.records = np.flatnonzero(self.node == node)
        self.skipped = self.hidden.copy()
        self.skipped[list(shared)] = True
        self.starts, self.postings = post_terms(self.offsets, self.terms, self.records, self.skipped)
        self.gone = np.zeros(len(self.records), np.bool_)
        return np.diff(self.starts)

    def split(self, term: int, child: int) -> tuple[Int32s, Int64s]:
        """The records with the term leave for the child: the terms they hold, and how many hold each."""
        return leave_with_term(
            self.offsets, self.terms, self.records, self.skipped, self.starts, self.postings, term, self.gone,
            self.node, child,
        )  # fmt: skip

    def save_nodes(self, folder: str) -> str:
        """A file with the node of each record."""
        return Scratch.at(folder).save(f"nodes-{self.first:012d}-{len(self.node)}", self.node)


def ranked_rows(shard: RaggedShard, rank: Int32s) -> tuple[Int64s, Int32s]:
    """The records of a shard that are not empty, by terms."""
    offsets, codes = shard.read()
    lengths = np.diff(offsets)
    return offsets_of(lengths[lengths > 0]), rank[codes].astype(np.int32)


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
    tried = np.argsort(-counts, kind="stable")[: TRIES_OF_GUARDED if guarded else 1].tolist() if len(counts) else []
    tried = [term for term in tried if counts[term] > 0]
    for term in tried if guarded else ():
        left = alive - int(counts[term])
        if counts[term] >= k and (left == 0 or left >= k):
            return int(term)
    return int(tried[0]) if tried else -1


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
    shard, node_of_record = work[0], load(work[1])
    offsets, terms = ranked_rows(shard, rank)
    tasks = np.zeros(int(max(task_of, default=0)) + 1, np.int64)
    for node, task in task_of.items():
        tasks[node] = task
    task_of_record = tasks[node_of_record]
    for task in np.unique(task_of_record).tolist():
        rows = np.flatnonzero(task_of_record == task)
        taken, positions = take_records(offsets, rows)
        yield (
            task,
            {"rows": (shard.first_filled + rows, taken, terms[positions]), "node": node_of_record[rows]},
        )


def partition_items(
    work: tuple[int, Sequence[str]], folder: str, splitting: Splitting, shared: dict[int, tuple[int, ...]]
) -> dict[str, Any]:
    """Clusters of each item of a task, in a file; sizes, sensitive counts and what no cluster took go to the driver."""
    number, files = work
    pieces = [load(file) for file in files]
    numbers, offsets, terms = join_pieces([piece["rows"] for piece in pieces])
    nodes = np.concatenate([piece["node"] for piece in pieces])
    items: dict[int, dict[str, Any]] = {}
    clustered: list[Int64s] = []
    n_clusters = 0
    for node in np.unique(nodes).tolist():
        rows = np.flatnonzero(nodes == node)
        taken, positions = take_records(offsets, rows)
        own = terms[positions]
        kept = ~np.isin(own, shared[node])
        lengths = np.bincount(np.repeat(np.arange(len(rows)), np.diff(taken))[kept], minlength=len(rows))
        records, bounds, leftover = horizontal_partition(
            offsets_of(lengths), own[kept], splitting.sensitive, splitting.k, splitting.diversity,
            splitting.max_size, splitting.guarded,
        )  # fmt: skip
        clusters = [rows[one] for one in np.split(records, bounds[1:-1])] if len(bounds) > 1 else []
        items[node] = {
            "clusters": [
                (
                    n_clusters + index,
                    len(cluster),
                    secret_counts((numbers, offsets, terms), cluster, splitting.sensitive),
                )
                for index, cluster in enumerate(clusters)
            ],
            "leftover": take_rows((numbers, offsets, terms), rows[leftover]),
        }
        n_clusters += len(clusters)
        clustered += clusters
    file = Scratch.at(folder).save(f"clusters-{number:06d}", ((numbers, offsets, terms), clustered))
    return {"items": items, "file": file}


def take_rows(rows: Rows, chosen: Int64s) -> Rows:
    """Some records, in the order given."""
    taken, positions = take_records(rows[1], chosen)
    return rows[0][chosen], taken, rows[2][positions]


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
            _, place = min(fitting)
            one = clusters[place]
            joined = _added(one.secrets, secrets)
            clusters[place] = Pooled(one.size + more, joined, one.task, one.number, (*one.more, leftover))
            break
        _, place = min((cluster.size, index) for index, cluster in enumerate(clusters))
        dissolved = rows_of_clusters([clusters[place]], [task["file"] for task in tasks])
        leftover = join_pieces([*dissolved, leftover])
        del clusters[place]
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
            clusters += [Pooled(size, secrets, task, number) for number, size, secrets in item["clusters"]]
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
    for one in clusters:
        own = [] if one.task < 0 else [take_rows(held[one.task][0], held[one.task][1][one.number])]
        rows.append(join_pieces([*own, *one.more]))
    return rows


def partition_shards(
    shards: Sequence[RaggedShard], n_records: int, splitting: Splitting, block_rows: int, executor: Executor
) -> tuple[list[Pooled], list[dict[str, Any]]]:
    """The clusters of all records that are not empty, in order, and the tasks that hold their records."""
    largest = max(block_rows, splitting.max_size)
    resident = executor.resident(HorpartShard, shards, splitting)
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
    for place, size in enumerate(sizes, start=1):
        records += size
        if records >= block_rows:
            runs.append((first, place))
            first, records = place, 0
    return runs if first == len(sizes) else [*runs, (first, len(sizes))]
