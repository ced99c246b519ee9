"""BottomUp: k-anonymous tables by full-subtree recoding, from the values upwards.

Guarantees k-anonymity, on request with l-diversity and t-closeness. Costs, for each step, one look at every class for
every quasi-identifier.

After Iyengar 2002 and Wang, Yu, Chakraborty 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.relational import PublishedTable
from crypsis.errors import Infeasible
from crypsis.kernels.class_diversity import bad_classes
from crypsis.kernels.row_classes import row_classes
from crypsis.kernels.subtree_merging import class_hashes, merged_classes, records_saved
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.publishing import published_nodes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import SuppressingMethod
from crypsis.methods.relational.top_down import suppressed_by
from crypsis.methods.relational.value_trees import ValueTree, ValueTrees, cut_above
from crypsis.methods.scaling import Scaling
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class BottomUp(SuppressingMethod):
    """Start with the values as they are, then replace all children of the most rewarding node by it, again and again.

    The most rewarding node takes most records out of classes below k for what it adds to the loss of the table. It
    ends as soon as few enough records are left in such classes.
    Time grows with the number of classes, the quasi-identifiers and the steps.
    Differs from the papers: rewards are compared as exact fractions, equal ones are settled by the smaller loss and
    then by the order of columns and nodes, and suppression and diversity are added.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 20, 38, 41], "sex": ["f", "f", "m", "m"]})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "sex": "quasi"})
    >>> tree = crypsis.Hierarchy({"20": "young", "38": "older", "41": "older", "young": "*", "older": "*"})
    >>> release = crypsis.anonymize(table, crypsis.BottomUp(k=2, hierarchy=crypsis.Hierarchies({"age": tree})))
    >>> release.data.to_frame().rows()
    [('20', 'f'), ('20', 'f'), ('older', 'm'), ('older', 'm')]
    >>> release.verify().holds
    True

    Wang, Yu, Chakraborty. Bottom-up generalization: a data mining solution to privacy protection. IEEE ICDM 2004;
    full-subtree recoding after Iyengar. Transforming data to satisfy privacy constraints. ACM KDD 2002.
    """

    choose_when = "As a second opinion beside TopDown; it keeps more detail where k is small."
    costs = "Whole subtrees of the hierarchies become one value, some records may be left out."
    stages = ("prepare", "generalize", "publish")
    scaling = Scaling.EXACT

    def generalized(self, quasi: QuasiIdentifiers, diversity: Diversity, context: RunContext) -> PublishedTable:
        self.refuse_hopeless(diversity)
        rows = ValueTrees.of(quasi, diversity)
        limit = self.limit(quasi.n_records)
        with context.stage("generalize"):
            merging = SubtreeMerging(rows, diversity, self.k)
            while merging.n_bad > limit:
                if not merging.step():
                    raise Infeasible(
                        f"{type(self).__name__}: with everything generalized to the roots {merging.n_bad} records are "
                        f"in classes that are too small or not diverse, {limit} may be suppressed. Raise "
                        "max_suppressed, lower k or l, or raise t."
                    )
            context.private["generalizations"] = merging.steps
        with context.stage("publish"):
            cuts = merging.cuts()
            suppressed = suppressed_by(rows, cuts, diversity, self.k)
            self.refuse_everything_suppressed(suppressed)
            return published_nodes(quasi, cuts, suppressed)


class SubtreeMerging:
    """The cuts, the classes under them, and the records in bad classes."""

    def __init__(self, rows: ValueTrees, diversity: Diversity, k: int) -> None:
        self.rows, self.diversity, self.k = rows, diversity, k
        self.trees = rows.trees
        self.node_start = offsets_of(np.array([len(tree.parent) for tree in self.trees], np.int64))
        self.marks = np.random.default_rng(0).integers(-(2**62), 2**62, int(self.node_start[-1]))
        self.in_cut = [_leaves(tree) for tree in self.trees]
        self.records = [self._records_below(index) for index in range(len(self.trees))]
        self.steps = 0
        leaves = [tree.leaf_of_value[rows.values[:, index]] for index, tree in enumerate(self.trees)]
        self.class_of, first = row_classes(np.ascontiguousarray(np.stack(leaves, axis=1).astype(np.int32)))
        self.nodes = np.ascontiguousarray(np.stack(leaves, axis=1).astype(np.int32)[first])
        self._measure()

    def _records_below(self, place: int) -> Int64s:
        tree = self.trees[place]
        counts = np.zeros(len(tree.parent), np.int64)
        np.add.at(counts, tree.leaf_of_value[self.rows.values[:, place]], self.rows.weights)
        for node in range(len(counts) - 1, 0, -1):
            counts[tree.parent[node]] += counts[node]
        return counts

    def _measure(self) -> None:
        self.sizes = np.bincount(self.class_of, weights=self.rows.weights, minlength=len(self.nodes)).astype(np.int64)
        self.bad = self._bad(self.class_of, len(self.nodes), self.sizes)
        self.n_bad = int(self.sizes[self.bad].sum())
        self.hashes = class_hashes(self.nodes, self.marks, self.node_start)

    def _bad(self, class_of: Int64s, n_classes: int, sizes: Int64s) -> Bools:
        rows = self.rows
        if self.diversity.asks_nothing and not len(rows.people.person):
            return np.less(sizes, self.k)
        return bad_classes(
            class_of, n_classes, rows.weights, rows.sensitive, self.k, self.diversity.constraints, rows.people
        )

    def step(self) -> bool:
        """Replace all children of the most rewarding node by it; False where nothing is left to replace."""
        slots = np.full(1 << max(int(len(self.nodes) * 2).bit_length(), 4), -1, np.int64)
        best: tuple[tuple[int, Fraction | int], int, int, int] | None = None
        for attribute, tree in enumerate(self.trees):
            candidates = self._candidates(attribute)
            if not len(candidates):
                continue
            replaced = np.arange(len(tree.parent), dtype=np.int32)
            is_candidate = np.zeros(len(tree.parent), np.bool_)
            is_candidate[candidates] = True
            children = np.flatnonzero(is_candidate[tree.parent] & (np.arange(len(tree.parent)) > 0))
            replaced[children] = tree.parent[children]
            group_of, n_groups = merged_classes(
                self.nodes, self.hashes, self.marks, self.node_start, attribute, replaced, slots
            )
            sizes = np.bincount(group_of, weights=self.sizes, minlength=n_groups).astype(np.int64)
            bad_group = self._bad(group_of[self.class_of], n_groups, sizes)
            saved = np.zeros(len(tree.parent), np.int64)
            records_saved(self.nodes, attribute, replaced, group_of, self.sizes, self.bad, bad_group, saved)
            for node in candidates.tolist():
                rise = self._rise(attribute, node)
                found = (_reward(int(saved[node]), rise), -rise, attribute, node)
                if best is None or found[:2] > best[:2]:
                    best = found
        if best is None:
            return False
        self._replace(best[2], best[3])
        return True

    def _candidates(self, attribute: int) -> Int64s:
        """Nodes all of whose children are in the cut, in order."""
        tree = self.trees[attribute]
        ready = np.bincount(tree.parent[1:], weights=self.in_cut[attribute][1:], minlength=len(tree.parent))
        return np.flatnonzero((tree.n_children > 0) & (ready == tree.n_children))

    def _rise(self, attribute: int, node: int) -> int:
        """What the replacement adds to the cost of all records, suppressed or not."""
        tree, records = self.trees[attribute], self.records[attribute]
        children = np.flatnonzero(tree.parent == node)
        before = int((records[children] * tree.cost[children]).sum())
        return int(records[node] * tree.cost[node]) - before

    def _replace(self, attribute: int, node: int) -> None:
        tree = self.trees[attribute]
        children = np.flatnonzero(tree.parent == node)
        self.in_cut[attribute][children] = False
        self.in_cut[attribute][node] = True
        replaced = np.arange(len(tree.parent), dtype=np.int32)
        replaced[children] = node
        self.nodes[:, attribute] = replaced[self.nodes[:, attribute]]
        group_of, first = row_classes(self.nodes)
        self.class_of, self.nodes = group_of[self.class_of], np.ascontiguousarray(self.nodes[first])
        self.steps += 1
        self._measure()

    def cuts(self) -> list[Int32s]:
        """The node of the cut above every value."""
        return [
            cut_above(tree, in_cut)[tree.leaf_of_value] for tree, in_cut in zip(self.trees, self.in_cut, strict=True)
        ]


def _leaves(tree: ValueTree) -> Bools:
    return np.equal(tree.n_children, 0) & ((np.arange(len(tree.parent)) < tree.missing_node) | tree.quasi.has_missing)


def _reward(saved: int, rise: int) -> tuple[int, Fraction | int]:
    """Comparable: a gain for nothing beats every finite reward, the larger first; nothing for nothing is 0."""
    if rise == 0:
        return (1, saved) if saved > 0 else (0, Fraction(0)) if saved == 0 else (-1, saved)
    return (0, Fraction(saved, rise))
