"""The trees of all quasi-identifiers over the values that occur, missing ones included: for levels and cuts.

Value v of an attribute is its position in the domain; the value after the last stands for a missing one. It is a leaf
of its own directly below the root, numbered after all nodes of the tree: on level 0 it is itself, above that the root.
It counts as no leaf, and where it occurs the root is published as `any` and costs as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.kernels.class_diversity import People
from crypsis.kernels.row_classes import row_classes
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifier, QuasiIdentifiers


@dataclass(frozen=True, eq=False)
class ValueTree:
    """One tree. `parent` and `cost` have an entry for every node and, as the last, for the missing value."""

    quasi: QuasiIdentifier
    parent: Int32s
    cost: Int64s
    leaf_of_value: Int32s

    @property
    def missing_node(self) -> int:
        return len(self.parent) - 1

    @property
    def n_values(self) -> int:
        return len(self.leaf_of_value)

    @property
    def height(self) -> int:
        assert self.quasi.tree is not None
        return self.quasi.tree.height

    @cached_property
    def at_depth(self) -> Int32s:
        """Row d holds the ancestor of each value at depth d, its leaf beyond."""
        tree = self.quasi.tree
        assert tree is not None
        assert self.quasi.leaf_of_value is not None
        known = tree.at_depth[:, tree.first_leaf[self.quasi.leaf_of_value]]
        missing = np.full((len(known), 1), self.missing_node, np.int32)
        missing[0] = 0
        return np.ascontiguousarray(np.hstack([known, missing]))

    @cached_property
    def at_level(self) -> Int32s:
        """Row d holds the node of each value on level d."""
        tree = self.quasi.tree
        assert tree is not None
        assert self.quasi.leaf_of_value is not None
        known = tree.level_maps[:, tree.first_leaf[self.quasi.leaf_of_value]]
        missing = np.zeros((len(known), 1), np.int32)
        missing[0] = self.missing_node
        return np.ascontiguousarray(np.hstack([known, missing]))

    @cached_property
    def n_children(self) -> Int64s:
        """Children of every node; the missing value is one of the root where it occurs."""
        counts = np.bincount(self.parent[1:-1], minlength=len(self.parent)).astype(np.int64)
        counts[0] += self.quasi.has_missing
        return counts


@dataclass(frozen=True, eq=False)
class ValueTrees:
    """All trees, and the distinct records: row r stands for `weights[r]` records, record i is row `row_of[i]`.

    Where people are counted, records of different people are different, and the rows of a person follow one another.
    """

    trees: tuple[ValueTree, ...]
    values: Int32s  # of distinct rows
    weights: Int64s
    sensitive: Int32s
    row_of: Int64s
    people: People

    @classmethod
    def of(cls, quasi: QuasiIdentifiers, diversity: Diversity) -> ValueTrees:
        trees = []
        start = quasi.attributes.node_start
        for index, one in enumerate(quasi.columns):
            assert one.tree is not None
            assert one.leaf_of_value is not None
            cost = np.append(quasi.attributes.node_cost[start[index] : start[index + 1]], np.int64(0))
            if one.has_missing:
                cost[0] = quasi.attributes.full[index]
            parent = np.append(one.tree.parent, np.int32(0))
            leaves = np.append(one.leaf_of_value, np.int32(len(one.tree.names)))
            trees.append(ValueTree(one, parent, cost, leaves.astype(np.int32)))
        columns = [
            np.where(column.column.codes < 0, len(column.column.domain), column.column.codes).astype(np.int32)
            for column in quasi.columns
        ]
        values = np.ascontiguousarray(np.stack(columns, axis=1))
        told_apart = [values, diversity.codes + 1]
        if diversity.person is not None:
            told_apart.append(diversity.person[:, None].astype(np.int32))
        row_of, first = row_classes(np.ascontiguousarray(np.hstack(told_apart)))
        if diversity.person is not None:
            order = np.argsort(diversity.person[first], kind="stable")
            rank = np.empty(len(order), np.int64)
            rank[order] = np.arange(len(order))
            row_of, first = rank[row_of], first[order]
        weights = np.bincount(row_of, minlength=len(first)).astype(np.int64)
        if quasi.weights is not None:
            weights = np.zeros(len(first), np.int64)
            np.add.at(weights, row_of, quasi.weights)
        return cls(
            tuple(trees),
            np.ascontiguousarray(values[first]),
            weights,
            np.ascontiguousarray(diversity.codes[first]),
            row_of,
            diversity.people(first, weights),
        )


def cut_above(tree: ValueTree, in_cut: Bools) -> Int32s:
    """For every node below the cut, or in it, the node of the cut; others stay."""
    above = np.arange(len(tree.parent), dtype=np.int32)
    for node in range(1, len(above)):  # a parent has a smaller number
        if not in_cut[node] and in_cut[above[tree.parent[node]]]:
            above[node] = above[tree.parent[node]]
    return above
