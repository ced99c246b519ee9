"""Blocks of mixed data that are published one by one: what is known of all of them, and the records of each.

Clusters of several blocks may publish the same class with different recodings of items. Only of these the symbols go to
the driver, which numbers their scopes as it does for records in memory; of all others it has a digest of their cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.kernels.attribute_costs import TREE
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_recoding import Recoded
from crypsis.methods.mixed.mixed_blocks import MixedProblem, rows_of_block
from crypsis.methods.mixed.publishing import held_items, published_clusters
from crypsis.methods.mixed.recoded_clusters import Prepared
from crypsis.methods.mixed.separate_recodings import separate_recodings
from crypsis.methods.relational.cluster import cell_keys
from crypsis.methods.relational.publishing import nodes_of_classes
from crypsis.methods.relational.split_blocks import Files
from crypsis.methods.scaling import RecodedBlocks


@dataclass(frozen=True)
class MixedBlock:
    """The records of a block, what was found for it, and the scope of each recoding (cluster, its own scope) in it."""

    files: Files
    content: str
    scopes: Mapping[tuple[int, int], int] = field(default_factory=dict)


def published_blocks(problem: MixedProblem, done: Sequence[Mapping[str, Any]], executor: Executor) -> RecodedBlocks:
    """The blocks with what their publication needs to know of all of them."""
    blocks = [MixedBlock(one["files"], one["file"]) for one in done]
    noted = executor.map(note_clusters, blocks, problem)
    held = None
    if all(note["held"] is not None for note in noted):
        held = frozenset().union(*(note["held"] for note in noted))
    nodes = [
        np.unique(np.concatenate([note["nodes"][index] for note in noted])) for index in range(len(problem.table.quasi))
    ]
    scoped = _with_scopes(blocks, [note["digests"] for note in noted], executor)
    return RecodedBlocks(scoped, publish_block, (problem, held, nodes))


def _with_scopes(blocks: Sequence[MixedBlock], digests: Sequence[Any], executor: Executor) -> list[MixedBlock]:
    """The blocks, with new scopes for clusters whose class other blocks have, too."""
    every = np.concatenate(digests)
    _, first, class_of = np.unique(every, return_index=True, return_inverse=True)
    block_of = np.repeat(np.arange(len(blocks)), [len(own) for own in digests])
    shared = np.zeros(len(first), np.bool_)
    shared[class_of[block_of != block_of[first[class_of]]]] = True  # another block than the first that has the class
    chosen = np.flatnonzero(shared[class_of])
    if not len(chosen):
        return list(blocks)
    starts = offsets_of(np.array([len(own) for own in digests], np.int64))
    wanted = [chosen[block_of[chosen] == index] - starts[index] for index in range(len(blocks))]
    shown = executor.map(show_recodings, list(zip(blocks, wanted, strict=True)))
    before = [one for own in shown for one in own]
    after = separate_recodings(class_of[chosen], block_of[chosen], before)
    scopes: list[dict[tuple[int, int], int]] = [{} for _ in blocks]
    clusters = (chosen - starts[block_of[chosen]]).tolist()
    for block, cluster, old, new in zip(block_of[chosen].tolist(), clusters, before, after, strict=True):
        pairs = zip(old.scopes.tolist(), new.scopes.tolist(), strict=True)
        scopes[block] |= {(cluster, one): other for one, other in pairs}
    return [replace(block, scopes=own) for block, own in zip(blocks, scopes, strict=True)]


def note_clusters(block: MixedBlock, problem: MixedProblem) -> dict[str, Any]:
    """A digest of the cells of each cluster, the nodes that they are published as, and the items that are shown."""
    prepared, clusters, _, _ = _loaded(block, problem)
    keys = cell_keys(clusters.quasi, clusters.cells())
    nodes = [np.zeros(0, np.int64)] * len(clusters.quasi)
    if any(column.kind == TREE for column in clusters.quasi.columns):
        nodes = nodes_of_classes(clusters.quasi, clusters.cells())
    held = held_items(clusters, prepared.recoder)
    digests = b"".join(blake2b(key.tobytes(), digest_size=16).digest() for key in keys)
    return {"digests": np.frombuffer(digests, "S16"), "nodes": nodes, "held": held}


def show_recodings(work: tuple[MixedBlock, Int64s]) -> list[Recoded]:
    """The recodings of some clusters, with one record for each scope that shows all its symbols."""
    block, wanted = work
    recoded: list[Recoded] = load(block.content)["recoded"]
    return [_one_of_each_scope(recoded[cluster]) for cluster in wanted.tolist()]


def _one_of_each_scope(recoded: Recoded) -> Recoded:
    scope_of_code = np.repeat(recoded.scopes, np.diff(recoded.offsets))
    scopes = np.unique(recoded.scopes)
    codes = [np.unique(recoded.codes[scope_of_code == scope]) for scope in scopes.tolist()]
    offsets = offsets_of(np.array([len(own) for own in codes], np.int64))
    return Recoded(offsets, np.concatenate(codes).astype(np.int32), recoded.symbols, scopes)


def publish_block(
    block: MixedBlock, problem: MixedProblem, held: frozenset[str] | None, nodes: Sequence[Int64s]
) -> tuple[PublishedMixed, Mixed, Int64s]:
    """The records of a block as they are published, as they were, and their numbers."""
    prepared, clusters, recoded, rows = _loaded(block, problem)
    renumbered = []
    for cluster, one in enumerate(recoded):
        scopes = [block.scopes.get((cluster, scope), scope) for scope in one.scopes.tolist()]
        renumbered.append(one._replace(scopes=np.array(scopes, np.int64)))
    published = published_clusters(prepared.data, clusters, prepared.recoder, renumbered, held, nodes)
    return published, prepared.data, rows


def _loaded(block: MixedBlock, problem: MixedProblem) -> tuple[Prepared, Clusters, list[Recoded], Int64s]:
    read, offsets, items = rows_of_block(block.files, problem.table)
    content = load(block.content)
    prepared = problem.prepare(read["codes"], offsets, items, read.get("person"))
    return prepared, Clusters(prepared.quasi, content["cluster_of"]), content["recoded"], content["rows"]
