"""Incognito: all minimal full-domain generalizations of a table that are k-anonymous, and the best of them.

Guarantees k-anonymity, on request with l-diversity and t-closeness. Costs a count of the distinct records for every
node of the lattice that cannot be decided by its neighbours; the lattice has one node for every choice of levels.

LeFevre, DeWitt, Ramakrishnan. ACM SIGMOD 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Annotated

import numpy as np

from crypsis.arrays import Bools, Int64s
from crypsis.data.relational import PublishedTable
from crypsis.errors import Infeasible, TooLarge
from crypsis.kernels.class_diversity import Constraints, bad_classes
from crypsis.kernels.lattice import GOOD, bad_records, classes_of_rows, minimal_nodes, node_levels, node_loss, search
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.publishing import published_nodes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import SuppressingMethod
from crypsis.methods.relational.value_trees import ValueTrees
from crypsis.methods.scaling import Scaling
from crypsis.parameters import OneOf
from crypsis.run_context import RunContext

LARGEST_LATTICE = 5_000_000
LARGEST_KEY = 1 << 62


@dataclass(frozen=True, kw_only=True)
class Incognito(SuppressingMethod):
    """Try every choice of one level per column; publish the k-anonymous one that loses least.

    All minimal good choices are found: those below which no choice is good. `publish="minimal"` takes the best of
    them, `"best"` the best of all good ones, which can be cheaper where records are suppressed.
    Time grows with the distinct records times the nodes of the lattice that have to be counted.
    Differs from the paper: chains of undecided nodes are bisected instead of going through subsets of the columns, with
    the same result; and with suppression and diversity, where a coarser node can be worse, every k-anonymous node is
    counted.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 22, 38, 41], "sex": ["f", "f", "m", "f"]})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "sex": "quasi"})
    >>> release = crypsis.anonymize(table, crypsis.Incognito(k=2))
    >>> release.data.to_frame().rows()
    [('[20:41]', 'f'), ('[20:41]', 'f'), ('[20:41]', 'm'), ('[20:41]', 'f')]
    >>> release.verify().holds
    True

    LeFevre, DeWitt, Ramakrishnan. Incognito: efficient full-domain k-anonymity. ACM SIGMOD 2005, 49-60.
    """

    choose_when = "When equal values must become equal cells, and the best such release is wanted."
    costs = "Whole columns become coarser. Time multiplies with columns and levels; up to eight or so columns."
    stages = ("prepare", "search", "choose", "publish")
    scaling = Scaling.EXACT

    publish: Annotated[
        str,
        OneOf(minimal="the best of the least general ones", best="the best of all good ones"),
        "Publish the best minimal node, or the best of all good ones.",
    ] = "minimal"

    def generalized(self, quasi: QuasiIdentifiers, diversity: Diversity, context: RunContext) -> PublishedTable:
        self.refuse_hopeless(diversity)
        lattice = Lattice.of(quasi, diversity, self.k, self.limit(quasi.n_records))
        with context.stage("search"):
            good = lattice.good_nodes()
            minimal = minimal_nodes(good, lattice.heights)
            context.private["good_nodes"] = int(np.count_nonzero(good))
            context.private["minimal_nodes"] = [
                lattice.levels(node).tolist() for node in np.flatnonzero(minimal).tolist()
            ]
        if not good.any():
            raise Infeasible(
                f"{type(self).__name__}: no choice of levels leaves at most {lattice.limit} records in bad classes. "
                "Raise max_suppressed, lower k or l, or raise t."
            )
        with context.stage("choose"):
            chosen = lattice.cheapest(np.flatnonzero(good if self.publish == "best" else minimal))
            levels = lattice.levels(chosen)
            context.private["published_levels"] = dict(zip(quasi.table.quasi, levels.tolist(), strict=True))
        with context.stage("publish"):
            suppressed = lattice.suppressed(levels)
            self.refuse_everything_suppressed(suppressed)
            nodes = [tree.at_level[level] for tree, level in zip(lattice.rows.trees, levels.tolist(), strict=True)]
            return published_nodes(quasi, nodes, suppressed)


@dataclass(frozen=True, eq=False)
class Lattice:
    """The choices of levels, as `kernels.lattice` takes them."""

    rows: ValueTrees
    heights: Int64s
    first_level: Int64s
    level_codes: np.ndarray[tuple[int, int], np.dtype[np.int32]]
    level_costs: np.ndarray[tuple[int, int], np.dtype[np.int64]]
    radix: Int64s
    full: int
    k: int
    limit: int
    diversity: Diversity

    @classmethod
    def of(cls, quasi: QuasiIdentifiers, diversity: Diversity, k: int, limit: int) -> Lattice:
        rows = ValueTrees.of(quasi, diversity)
        heights = np.array([tree.height for tree in rows.trees], np.int64)
        nodes = prod(height + 1 for height in heights.tolist())
        if nodes > LARGEST_LATTICE:
            raise TooLarge(
                f"The lattice of levels has {nodes:,} nodes, {LARGEST_LATTICE:,} can be searched. Use fewer "
                "quasi-identifiers or flatter hierarchies, or another method (TopDown, Mondrian).",
                nodes=nodes,
            )
        codes, costs, radix = [], [], []
        for index, tree in enumerate(rows.trees):
            for level in tree.at_level:
                _, compact = np.unique(level, return_inverse=True)
                codes.append(compact.astype(np.int32)[rows.values[:, index]])
                costs.append(tree.cost[level][rows.values[:, index]])
                radix.append(int(compact.max()) + 1)
        first = np.concatenate([[0], np.cumsum(heights + 1)[:-1]]).astype(np.int64)
        full = int(quasi.attributes.full.sum())
        largest = prod(radix[start] for start in first.tolist())
        if largest >= LARGEST_KEY:
            raise TooLarge(
                "The columns have too many values together for one key of 64 bits. Use fewer quasi-identifiers, or "
                "another method (TopDown, Mondrian).",
                nodes=nodes,
            )
        return cls(
            rows, heights, first, np.ascontiguousarray(np.stack(codes)), np.ascontiguousarray(np.stack(costs)),
            np.array(radix, np.int64), full, k, limit, diversity,
        )  # fmt: skip

    @property
    def constraints(self) -> Constraints:
        return self.diversity.constraints

    @property
    def scratch_size(self) -> int:
        return 1 << max(int(np.ceil(np.log2(max(len(self.rows.weights), 1)))) + 2, 4)

    def levels(self, node: int) -> Int64s:
        """The level vector of a node."""
        return node_levels(node, self.heights)

    def good_nodes(self) -> Bools:
        """Which nodes leave at most `limit` records in bad classes."""
        monotone = self.limit == 0 or self.diversity.grows_with_unions
        asked = self.constraints if monotone else self.diversity.without_constraints().constraints
        status, _ = search(
            self.heights, self.first_level, self.level_codes, self.radix, self.rows.weights, self.rows.sensitive,
            self.k, self.limit, asked, self.rows.people, self.scratch_size,
        )  # fmt: skip
        good: Bools = status == GOOD
        if monotone:
            return good
        scratch, class_of, sizes = self._scratch()
        for node in np.flatnonzero(good).tolist():  # k-good; whether they are diverse is no longer monotone
            bad = bad_records(
                self.levels(node), self.first_level, self.level_codes, self.radix, self.rows.weights,
                self.rows.sensitive, self.k, self.constraints, self.rows.people, scratch, class_of, sizes,
            )  # fmt: skip
            good[node] = bad <= self.limit
        return good

    def loss(self, node: int) -> tuple[int, int, int]:
        """Cost, discernibility and suppressed records of a node."""
        scratch, class_of, _ = self._scratch()
        cost, discernibility, suppressed = node_loss(
            self.levels(node), self.first_level, self.level_codes, self.radix, self.level_costs, self.rows.weights,
            self.rows.sensitive, self.k, self.constraints, self.rows.people, self.full, scratch, class_of,
        )  # fmt: skip
        return int(cost), int(discernibility), int(suppressed)

    def cheapest(self, nodes: Int64s) -> int:
        """The node with the least cost, then discernibility, height and level vector.

        What a node costs without suppression is a lower bound, so few nodes are looked at closely.
        """
        by_level = (self.level_costs * self.rows.weights).sum(axis=1)
        vectors = np.stack([self.levels(node) for node in nodes.tolist()])
        bounds = by_level[self.first_level + vectors].sum(axis=1)
        best: tuple[int, int, int, tuple[int, ...]] | None = None
        chosen = -1
        for index in np.argsort(bounds, kind="stable").tolist():
            if best is not None and bounds[index] > best[0]:
                break
            node, vector = int(nodes[index]), vectors[index]
            cost, discernibility, _ = self.loss(node)
            found = (cost, discernibility, int(vector.sum()), tuple(vector.tolist()))
            if best is None or found < best:
                best, chosen = found, node
        return chosen

    def suppressed(self, levels: Int64s) -> Bools:
        """Which records are in bad classes at these levels."""
        scratch, class_of, _ = self._scratch()
        n_classes = classes_of_rows(levels, self.first_level, self.level_codes, self.radix, scratch, class_of)
        weights, sensitive = self.rows.weights, self.rows.sensitive
        bad = bad_classes(class_of, n_classes, weights, sensitive, self.k, self.constraints, self.rows.people)
        return bad[class_of][self.rows.row_of]

    def _scratch(self) -> tuple[Int64s, Int64s, Int64s]:
        n_rows = len(self.rows.weights)
        return np.full(self.scratch_size, -1, np.int64), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
