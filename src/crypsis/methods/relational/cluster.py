"""Cluster: k-anonymous tables from clusters of k records that are cheap to generalize together.

Guarantees k-anonymity, on request with l-diversity and t-closeness. Costs n^2 d / k simple steps at worst; records that
share values are looked at together, so it is usually far less.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. ECML PKDD 2013; after Byun et al. 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.relational import PublishedTable
from crypsis.executors.executor import Executor
from crypsis.kernels.attribute_costs import NUMBERS, TREE, pair_cost
from crypsis.kernels.class_cells import (
    NONE,
    ClassCells,
    absorb,
    cheapest_partner,
    class_cells,
    class_costs,
    nearest_class,
    union_cost,
)
from crypsis.kernels.common_nodes import common_nodes
from crypsis.kernels.nearest_records import seeded_clusters
from crypsis.kernels.row_classes import row_classes
from crypsis.methods.method import RandomSeed
from crypsis.methods.relational.cluster_blocks import cluster_blocks
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.mondrian_blocks import problem_of
from crypsis.methods.relational.publishing import published_classes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import RelationalMethod
from crypsis.methods.scaling import BlockSize, RecodedBlocks, Scaling
from crypsis.parameters import OneOf
from crypsis.run_context import RunContext
from crypsis.shards.table import EncodedTable

SEED_RECORDS = OneOf(random="any record", first="the first record", farthest="the farthest record")


@dataclass(frozen=True, kw_only=True)
class Cluster(RelationalMethod):
    """Take a record and the k - 1 records that are cheapest to generalize with it, until fewer than k are left.

    Those left over join the cluster in which they lose least. Clusters with equal cells are one. Where diversity is
    asked for, a cluster that lacks it is united with the one that costs least, until none lacks it.
    Time grows with n^2 * d / k for n records and d quasi-identifiers, in the worst case.
    Differs from the paper: losses are compared exactly, and equal ones are settled by the order of the records.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 41, 22, 38], "ill": ["flu", "cold", "flu", "cold"]})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "ill": "sensitive"})
    >>> release = crypsis.anonymize(table, crypsis.Cluster(k=2))
    >>> release.data.to_frame()["age"].to_list()
    ['[20:22]', '[38:41]', '[20:22]', '[38:41]']
    >>> release.verify().holds
    True

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013: CLUSTER; after Byun, Kamra, Bertino, Li. Efficient k-anonymization using clustering techniques.
    DASFAA 2007.
    """

    choose_when: ClassVar[str] = "When the loss matters most and there are up to some hundred thousand records."
    costs: ClassVar[str] = "The smallest loss of these methods; time grows with the square of the records."
    stages: ClassVar[tuple[str, ...]] = ("prepare", "cluster", "publish")
    scaling: ClassVar[Scaling] = Scaling.BLOCKS
    randomized: ClassVar[bool] = True

    seeds: Annotated[str, SEED_RECORDS, "Which record starts a cluster: any, the first, the farthest one."] = "random"
    seed: RandomSeed = 0

    def generalized(self, quasi: QuasiIdentifiers, diversity: Diversity, context: RunContext) -> PublishedTable:
        diversity.refuse_hopeless(self.k)
        with context.stage("cluster"):
            class_of, context.private["clusters_formed"] = self.diverse_clusters(quasi, diversity)
        with context.stage("publish"):
            n_classes = int(class_of.max(initial=-1)) + 1
            context.private["classes"] = n_classes
            return published_classes(quasi, class_cells(quasi.codes, class_of, n_classes, quasi.bit_start), class_of)

    def anonymize_parts(
        self, data: EncodedTable, executor: Executor, context: RunContext, block: BlockSize
    ) -> RecodedBlocks:
        problem = problem_of(self, data, executor, context, in_halves=False)
        return cluster_blocks(self, data, problem, block, executor, context)

    def diverse_clusters(self, quasi: QuasiIdentifiers, diversity: Diversity) -> tuple[Int64s, int]:
        """The class of every record, and how many clusters were formed before those that lack diversity were united."""
        class_of = self.clusters(quasi)
        formed = int(class_of.max(initial=-1)) + 1
        if not diversity.asks_nothing or diversity.person is not None:
            class_of = united_until_diverse(quasi, class_of, diversity, self.k)
        return class_of, formed

    def clusters(self, quasi: QuasiIdentifiers) -> Int64s:
        """The cluster of every record, clusters in the order in which they were formed."""
        n_records = len(quasi.codes)
        if self.seeds == "random":
            order = np.random.default_rng(self.seed).permutation(n_records)
        else:
            order = np.arange(n_records if self.seeds == "first" else 0)
        return with_equal_cells_united(quasi, nearest_clusters(quasi, self.k, order))


def nearest_clusters(quasi: QuasiIdentifiers, k: int, order: Int64s) -> Int64s:
    """Clusters of k records around the seeds in `order` (empty: each the farthest); the rest where it loses least."""
    if not len(quasi.codes):
        return np.zeros(0, np.int64)
    arranged, block_of, shared = _blocks(quasi)
    codes = np.ascontiguousarray(quasi.codes[:, arranged])
    attributes = quasi.attributes
    # Only the order of the attributes changes; their trees and keys stay where they lie.
    turned = attributes._replace(
        kind=attributes.kind[arranged],
        unit=attributes.unit[arranged],
        full=attributes.full[arranged],
        key_start=attributes.key_start[arranged],
        node_start=attributes.node_start[arranged],
    )
    class_of = seeded_clusters(codes, turned, k, block_of, int(block_of.max()) + 1, shared, order)
    left = np.flatnonzero(class_of < 0)
    n_classes = int(class_of.max()) + 1
    cells = class_cells(quasi.codes, class_of, n_classes, quasi.bit_start)
    alone = class_cells(quasi.codes[left], np.arange(len(left)), len(left), quasi.bit_start)
    for index, record in enumerate(left.tolist()):
        chosen = nearest_class(attributes, cells, alone, index)
        class_of[record] = chosen
        absorb(cells, chosen, alone, index)
    return class_of


def with_equal_cells_united(quasi: QuasiIdentifiers, class_of: Int64s) -> Int64s:
    """Clusters with the same cells in every attribute are one, in the place of the earlier."""
    n_classes = int(class_of.max(initial=-1)) + 1
    cells = class_cells(quasi.codes, class_of, n_classes, quasi.bit_start)
    united, _ = row_classes(cell_keys(quasi, cells))
    return united[class_of]


def cell_keys(quasi: QuasiIdentifiers, cells: ClassCells) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """One row per class: rows are equal where all cells are the same text."""
    parts = []
    for index, one in enumerate(quasi.columns):
        low, high = cells.low[:, index].copy(), cells.high[:, index].copy()
        empty, absent = low == NONE, cells.absent[:, index]
        members = [high]
        if one.kind == TREE:
            nodes = common_nodes(quasi.attributes, index, low, high)
            assert one.tree is not None
            # a chain of nodes over the same leaves is one text
            low, members = one.tree.first_leaf[nodes].astype(np.int32), [one.tree.last_leaf[nodes].astype(np.int32)]
        elif one.kind != NUMBERS:
            words = np.ascontiguousarray(cells.bits[:, cells.bit_start[index] : cells.bit_start[index + 1]])
            members = list(words.view(np.int32).T)
        for column in (low, *members):
            column = column.copy()
            column[absent] = -2
            column[empty] = -3
            parts.append(column)
    return np.ascontiguousarray(np.stack(parts, axis=1).astype(np.int32))


def united_until_diverse(quasi: QuasiIdentifiers, class_of: Int64s, diversity: Diversity, k: int) -> Int64s:
    """The first cluster that lacks diversity is united with the cheapest one, until none lacks it."""
    n_classes = int(class_of.max()) + 1
    cells = class_cells(quasi.codes, class_of, n_classes, quasi.bit_start)
    costs = class_costs(quasi.attributes, cells)
    sizes = np.bincount(class_of, minlength=n_classes).astype(np.int64)
    lowest = np.full(n_classes, len(class_of), np.int64)
    np.minimum.at(lowest, class_of, np.arange(len(class_of)))
    members = [np.flatnonzero(class_of == one) for one in range(n_classes)] if n_classes < 64 else _members(class_of)
    failing = diversity.bad(class_of, n_classes, k)
    while failing.any():
        one = int(np.argmax(failing))
        other = int(cheapest_partner(quasi.attributes, cells, costs, sizes, lowest, one))
        kept, gone = min(one, other), max(one, other)
        absorb(cells, kept, cells, gone)
        members[kept] = np.concatenate([members[kept], members[gone]])
        sizes[kept] += sizes[gone]
        sizes[gone] = 0
        lowest[kept] = min(lowest[kept], lowest[gone])
        costs[kept] = union_cost(quasi.attributes, cells, kept, cells, kept)
        alone = diversity.of_records(members[kept])
        failing[kept] = alone.bad(np.zeros(len(members[kept]), np.int64), 1, k)[0]
        failing[gone] = False
    merged = np.empty(len(class_of), np.int64)
    alive = np.flatnonzero(sizes)
    for index, one in enumerate(alive.tolist()):
        merged[members[one]] = index
    return with_equal_cells_united(quasi, merged)


def _members(class_of: Int64s) -> list[Int64s]:
    order = np.argsort(class_of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(class_of))[:-1])


def _dearest_first(quasi: QuasiIdentifiers) -> Int64s:
    """Attributes by what a pair of records costs in them on average, judged from neighbours in a shuffled sample."""
    sample = np.random.default_rng(0).permutation(len(quasi.codes))[:400]
    means = []
    for attribute in range(len(quasi)):
        codes = quasi.codes[sample, attribute].astype(np.int64).tolist()
        pairs = pairwise(codes)
        means.append(sum(int(pair_cost(quasi.attributes, attribute, one, other)) for one, other in pairs))
    return np.argsort(-np.array(means), kind="stable")


def _blocks(quasi: QuasiIdentifiers) -> tuple[Int64s, Int64s, int]:
    """The attributes arranged so that the records of a block agree in the first; the block of each record, and in how
    many they agree.

    The dearest attributes come first, without those that would not leave a handful of records in a block: a number
    with very many values does not keep the others from making blocks.
    """
    n_records = len(quasi.codes)
    block_of = np.zeros(n_records, np.int64)
    shared: list[int] = []
    left: list[int] = []
    for attribute in _dearest_first(quasi).tolist():
        pairs = np.stack([block_of.astype(np.int32), quasi.codes[:, attribute] + 1], axis=1)
        finer, first = row_classes(np.ascontiguousarray(pairs.astype(np.int32)))
        if len(first) * 5 > n_records:
            left.append(attribute)
        else:
            shared.append(attribute)
            block_of = finer
    return np.array([*shared, *left], np.int64), block_of, len(shared)
