"""Which clusters are united: RMERGE within a bound on NCP, TMERGE until UL is within a bound.

A seed is the cluster whose records lose least in their cells; one whose items cannot be generalized comes before all
others. Its partners are ordered by the loss of the union's cells (r), by how different the union's items are (t), or by
the sum of both positions (rt).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.errors import TooLarge
from crypsis.kernels.class_cells import ClassCells, absorb, class_costs
from crypsis.kernels.cluster_merging import BY_BOTH, BY_CELLS, BY_ITEMS, merge_within_bound, union_costs
from crypsis.kernels.row_classes import row_classes
from crypsis.kernels.transaction_distance import distance_matrix
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_recoding import ItemRecoder, Recoded
from crypsis.methods.mixed.loss_bound import within
from crypsis.methods.relational.cluster import cell_keys
from crypsis.run_context import RunContext

HEURISTICS = {"r": BY_CELLS, "t": BY_ITEMS, "rt": BY_BOTH}
MOST_CLUSTERS = 30_000  # a matrix of distances of so many clusters has 7 GB


@dataclass(frozen=True)
class Order:
    """How partners are ordered: `merge` is r, t or rt; `score` how items are compared, btd, btd-or or ul."""

    merge: str
    score: str


def merged_within(
    clusters: Clusters, recoder: ItemRecoder, order: Order, delta: float, as_printed: bool, context: RunContext
) -> Clusters:
    """RMERGE: clusters united as long as NCP(D) stays within delta; those with equal cells are one in the end."""
    room = clusters.room(delta)
    # People of two clusters may be the same, so that those of a union are not counted by adding.
    if not recoder.needs_only_records or len(recoder.person) or (order.score == "ul" and order.merge != "r"):
        working = WorkingClusters.of(clusters, recoder, order)
        merged, merges = working.merged_within(room, as_printed, context)
    else:
        starts, rows = clusters.members()
        filled = np.add.reduceat(np.append(recoder.lengths[rows] > 0, False).astype(np.int64), starts[:-1])
        cells = clusters.cells()
        ended, rises = merge_within_bound(
            clusters.quasi.attributes,
            cells,
            class_costs(clusters.quasi.attributes, cells),
            clusters.sizes,
            rows[starts[:-1]],
            filled,
            distances_between(clusters, recoder, order),
            HEURISTICS[order.merge],
            as_printed,
            recoder.k,
            room,
        )
        merges = len(rises)
        kept = clusters.cluster_of >= 0
        _, number = np.unique(ended, return_inverse=True)
        merged = Clusters(clusters.quasi, np.where(kept, number[clusters.cluster_of], -1))
    context.private["merges"] = merges
    return merged.united()


def distances_between(clusters: Clusters, recoder: ItemRecoder, order: Order) -> Float64s:
    """BTD across clusters where the order of partners needs it."""
    if order.merge == "r" or order.score == "ul":
        return np.zeros((1, 1))
    if len(clusters) > MOST_CLUSTERS:
        raise TooLarge(
            f"The items of {len(clusters):,} clusters would be compared with each other; {MOST_CLUSTERS:,} are "
            "possible. Use merge='r', or a larger k."
        )
    return distance_matrix(recoder.offsets, recoder.items, *clusters.members(), order.score == "btd-or")


@dataclass(eq=False)
class WorkingClusters:
    """Clusters that are united one pair at a time, with the generalization of each cluster's items where it is known.

    The obvious version of `merge_within_bound`, for what that does not know: unions that cannot be generalized for
    reasons other than too few records, and scores that need the generalization of each union.
    """

    start: Clusters
    recoder: ItemRecoder
    order: Order
    members: list[Int64s] = field(init=False)
    alive: Int64s = field(init=False)
    version: Int64s = field(init=False)
    recoded: dict[int, Recoded | None] = field(default_factory=dict)
    unions: dict[tuple[int, int], Recoded | None] = field(default_factory=dict)

    @classmethod
    def of(cls, clusters: Clusters, recoder: ItemRecoder, order: Order) -> WorkingClusters:
        return cls(clusters, recoder, order)

    def __post_init__(self) -> None:
        self.attributes = self.start.quasi.attributes
        self.cells = self.start.cells()
        self.costs = class_costs(self.attributes, self.cells)
        self.members = self.start.lists()
        self.sizes = self.start.sizes
        self.lowest = np.array([rows[0] for rows in self.members], np.int64)
        self.alive = np.arange(len(self.members))
        self.version = np.arange(len(self.members))
        self.versions = len(self.members)
        self.distances = distances_between(self.start, self.recoder, self.order)
        self.number_of = self.start.cluster_of.copy()  # of each record the cluster that it is in, -1 where in none

    @property
    def clusters(self) -> Clusters:
        return self._clusters_of(self.number_of)

    def _clusters_of(self, number_of: Int64s) -> Clusters:
        """The clusters of the records as they were numbered, without the numbers that are gone."""
        kept = number_of >= 0
        cluster_of: Int64s = np.full(len(number_of), -1, np.int64)
        cluster_of[kept] = np.unique(number_of[kept], return_inverse=True)[1]
        return Clusters(self.start.quasi, cluster_of)

    def shown(self, one: int) -> Recoded | None:
        """The items of a cluster; None where they cannot be generalized."""
        version = self.version[one]
        if version not in self.recoded:
            self.recoded[version] = self.recoder.recoded(self.members[one])
        return self.recoded[version]

    def union_shown(self, one: int, other: int) -> Recoded | None:
        """The items of a union."""
        pair = (min(self.version[one], self.version[other]), max(self.version[one], self.version[other]))
        if pair not in self.unions:
            self.unions[pair] = self.recoder.recoded(np.sort(np.concatenate([self.members[one], self.members[other]])))
        return self.unions[pair]

    def lacks(self, one: int) -> bool:
        """The items of a cluster cannot be generalized."""
        version = self.version[one]
        if version not in self._lacking:
            enough = self.recoder.enough(self.members[one])
            self._lacking[version] = not enough or (not self._only_records and self.shown(one) is None)
        return self._lacking[version]

    def union_lacks(self, one: int, other: int) -> bool:
        """The items of a union cannot be generalized."""
        if self._only_records:
            return not self.recoder.enough(np.concatenate([self.members[one], self.members[other]]))
        return self.union_shown(one, other) is None

    def seeds(self, as_printed: bool) -> list[int]:
        """Clusters in the order in which they look for a partner."""
        by_cost: list[int] = self.alive[np.lexsort((self.lowest[self.alive], self.costs[self.alive]))].tolist()
        if as_printed:
            return by_cost
        lacking = {one: self.lacks(one) for one in by_cost}
        return sorted(by_cost, key=lambda one: not lacking[one])

    def partners(self, seed: int) -> list[int]:
        """All other clusters in the order in which they are tried."""
        others = self.alive[self.alive != seed]
        others = others[np.argsort(self.lowest[others], kind="stable")]
        by_cells = others[np.argsort(union_costs(self.attributes, self.cells, seed, others), kind="stable")]
        if self.order.merge == "r":
            return [*by_cells.tolist()]
        by_items = others[np.argsort(self._scores(seed, others), kind="stable")]
        if self.order.merge == "t":
            return [*by_items.tolist()]
        place = np.zeros(len(self.members), np.int64)
        place[by_items] = np.arange(len(by_items))
        positions = place[by_cells] + np.arange(len(by_cells))
        return [*by_cells[np.argsort(positions, kind="stable")].tolist()]

    def _scores(self, seed: int, others: Int64s) -> Float64s:
        if self.order.score != "ul":
            own = np.diagonal(self.distances)
            widest: Float64s = np.maximum(np.maximum(own[seed], own[others]), self.distances[seed, others])
            return widest
        return np.array([self._union_loss(seed, other) for other in others.tolist()])

    def _union_loss(self, one: int, other: int) -> float:
        found = self.union_shown(one, other)
        return inf if found is None else float(f"{found.losses(self.recoder.loss).mean():.12g}")

    def rise(self, seed: int, partner: int) -> int:
        """How much a union adds to the cost of all records."""
        union = int(union_costs(self.attributes, self.cells, seed, np.array([partner]))[0])
        apart = sum(int(self.sizes[one]) * int(self.costs[one]) for one in (seed, partner))
        return int(self.sizes[seed] + self.sizes[partner]) * union - apart

    def unite(self, seed: int, partner: int) -> None:
        """The seed becomes the union."""
        self.costs[seed] = union_costs(self.attributes, self.cells, seed, np.array([partner]))[0]
        absorb(self.cells, seed, self.cells, partner)
        self.number_of[self.members[partner]] = seed
        self.members[seed] = np.sort(np.concatenate([self.members[seed], self.members[partner]]))
        self.sizes[seed] += self.sizes[partner]
        self.lowest[seed] = min(self.lowest[seed], self.lowest[partner])
        self.alive = self.alive[self.alive != partner]
        self.recoded.pop(self.version[partner], None)
        pair = (min(self.version[seed], self.version[partner]), max(self.version[seed], self.version[partner]))
        gone = (self.version[seed], self.version[partner])
        if pair in self.unions:
            self.recoded[self.versions] = self.unions[pair]
        self.unions = {key: value for key, value in self.unions.items() if not set(key) & set(gone)}
        self.version[seed] = self.versions
        self.versions += 1
        if self.order.merge != "r" and self.order.score != "ul":
            widest = max(self.distances[seed, seed], self.distances[partner, partner], self.distances[seed, partner])
            self.distances[seed] = np.maximum(self.distances[seed], self.distances[partner])
            self.distances[:, seed] = self.distances[seed]
            self.distances[seed, seed] = widest

    def unite_equal(self) -> int:
        """Clusters with equal cells become one; how many disappear."""
        cells = self.cells
        picked = ClassCells(
            cells.low[self.alive],
            cells.high[self.alive],
            cells.absent[self.alive],
            cells.bits[self.alive],
            cells.bit_start,
        )
        slot, first = row_classes(cell_keys(self.start.quasi, picked))
        alive = self.alive
        for index in np.flatnonzero(first[slot] != np.arange(len(alive))).tolist():
            self.unite(int(alive[first[slot[index]]]), int(alive[index]))
        return len(alive) - len(self.alive)

    def merged_within(self, room: int, as_printed: bool, context: RunContext) -> tuple[Clusters, int]:
        """RMERGE: the clusters in the end, and the number of merges."""
        failed: set[tuple[int, int]] = set()
        merges = 0
        while len(self.alive) > 1:
            context.report_progress(None)
            found = None
            for seed in self.seeds(as_printed):
                found = self._fitting(seed, room, as_printed, failed)
                if found is not None or as_printed:
                    break
            if found is None:
                break
            room -= self.rise(*found)
            self.unite(*found)
            merges += 1
        return self.clusters, merges

    def _fitting(self, seed: int, room: int, as_printed: bool, failed: set[tuple[int, int]]) -> tuple[int, int] | None:
        """The seed with the first partner that fits."""
        second_best = None
        lacking = not as_printed and self.lacks(seed)
        ordered = [other for other in self.partners(seed) if self._pair(seed, other) not in failed]
        for other in ordered[:1] if as_printed and self.order.merge == "r" else ordered:
            if self.rise(seed, other) <= room:
                if as_printed or not self.union_lacks(seed, other):
                    return seed, other
                if (lacking or self.lacks(other)) and second_best is None:
                    second_best = (seed, other)
                if lacking or self.lacks(other):
                    continue
            failed.add(self._pair(seed, other))
        return second_best

    def _pair(self, one: int, other: int) -> tuple[int, int]:
        return min(self.version[one], self.version[other]), max(self.version[one], self.version[other])

    @cached_property
    def _suppressed(self) -> int:
        return self.start.suppressed

    @cached_property
    def _only_records(self) -> bool:
        return self.recoder.needs_only_records

    @cached_property
    def _lacking(self) -> dict[int, bool]:
        return {}

    def loss(self) -> float:
        """UL(D) with every cluster generalized; infinite while one cannot be."""
        self._look_at_changed()
        if self._lacks[self.alive].any():
            return inf
        losses = self._losses
        for one in self.alive[np.isnan(losses[self.alive])].tolist():
            found = self.shown(one)
            losses[one] = inf if found is None else float(found.losses(self.recoder.loss).sum())
        one_by_one = np.cumsum(np.append(float(self._suppressed), losses[self.alive]))  # numpy's sum has another order
        return float(one_by_one[-1]) / max(len(self.start.cluster_of), 1)

    @cached_property
    def _losses(self) -> Float64s:
        """Of the items of each cluster, where they are known."""
        return np.full(len(self.members), np.nan)

    @cached_property
    def _seen(self) -> Int64s:
        """The version of each cluster that was looked at last."""
        return np.full(len(self.members), -1, np.int64)

    @cached_property
    def _lacks(self) -> Bools:
        """The items of the cluster cannot be generalized, as far as it was looked at."""
        return np.zeros(len(self.members), np.bool_)

    def _look_at_changed(self) -> None:
        """See whether the items of those clusters can be generalized that have changed since the last look."""
        for one in self.alive[self._seen[self.alive] != self.version[self.alive]].tolist():
            self._lacks[one] = self.lacks(one)
            self._losses[one] = np.nan
            self._seen[one] = self.version[one]

    def next_seed(self) -> int:
        """The first of `seeds`."""
        self._look_at_changed()
        lacking = self.alive[self._lacks[self.alive]]
        among = lacking if len(lacking) else self.alive
        return int(among[np.lexsort((self.lowest[among], self.costs[among]))[0]])

    def is_within(self, loss: float, delta: float) -> bool:
        """UL(D) is at most delta, exactly."""
        if loss == inf:
            return False
        shown = (self.shown(one) for one in self.alive.tolist())
        return within(loss, delta, shown, self._suppressed, len(self.start.cluster_of), self.recoder.loss)

    def merged_until(self, delta: float, context: RunContext) -> tuple[Clusters, list[float]]:
        """TMERGE: the clusters with which UL(D) is within delta, else those with the smallest; and UL after each
        merge."""
        self.unite_equal()
        losses = [self.loss()]
        best, least = self.number_of.copy(), losses[0]
        while not self.is_within(losses[-1], delta) and len(self.alive) > 1:
            context.report_progress(None)
            seed = self.next_seed()
            partners = self.partners(seed)
            partner = partners[0]
            if self.lacks(seed):
                partner = next((one for one in partners if not self.union_lacks(seed, one)), partner)
            self.unite(seed, partner)
            self.unite_equal()
            losses.append(self.loss())
            if losses[-1] < least:
                best, least = self.number_of.copy(), losses[-1]
        return (self.clusters if self.is_within(losses[-1], delta) else self._clusters_of(best)), losses
