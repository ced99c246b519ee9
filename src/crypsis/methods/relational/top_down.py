"""TopDown: k-anonymous tables by specializing from the roots of the hierarchies while every class stays large enough.

Guarantees k-anonymity, on request with l-diversity and t-closeness. Costs, for each step, the records below the node
that is specialized.

Fung, Wang, Yu. IEEE ICDE 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, offsets_of
from crypsis.data.relational import Column, PublishedTable
from crypsis.errors import BadParameter, Infeasible
from crypsis.kernels.class_diversity import bad_classes
from crypsis.kernels.row_classes import row_classes
from crypsis.kernels.specialization import Classes, Rows, first_class, specialize
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.publishing import published_nodes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import SuppressingMethod
from crypsis.methods.relational.value_trees import ValueTree, ValueTrees, cut_above
from crypsis.methods.scaling import Scaling
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class TopDown(SuppressingMethod):
    """Start with everything at the root, then replace the most useful node by its children, again and again.

    With a column in the role `label` the most useful node is the one that tells most about the label for the
    anonymity that it costs (InfoGain / (AnonyLoss + 1)); without, the one that lowers the loss of the table most. A
    step that would leave too many records in classes below k is not taken.
    Time grows with the records below the specialized nodes, times the number of quasi-identifiers.
    Differs from the paper: suppression, diversity and the mode without a label are added; scores are compared to twelve
    digits, and equal ones are settled by the order of columns and nodes.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 22, 38, 41], "sex": ["f", "f", "m", "m"]})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "sex": "quasi"})
    >>> release = crypsis.anonymize(table, crypsis.TopDown(k=2))
    >>> release.data.to_frame().rows()
    [('[20:41]', 'f'), ('[20:41]', 'f'), ('[20:41]', 'm'), ('[20:41]', 'm')]
    >>> release.verify().holds
    True

    Fung, Wang, Yu. Top-down specialization for information and privacy preservation. IEEE ICDE 2005, 205-216.
    """

    choose_when = "When the data are to train a classifier, or when there are too many columns for Incognito."
    costs = "Whole subtrees of the hierarchies become one value; equal values stay equal."
    stages = ("prepare", "specialize", "publish")
    scaling = Scaling.EXACT

    def generalized(self, quasi: QuasiIdentifiers, diversity: Diversity, context: RunContext) -> PublishedTable:
        self.refuse_hopeless(diversity)
        rows = ValueTrees.of(quasi, diversity)
        labels = quasi.table.with_role("label")
        if len(labels) > 1:
            names = ", ".join(column.name for column in labels)
            raise BadParameter(f"{type(self).__name__}: one column may be the label, got {names}.", parameter="roles")
        with context.stage("specialize"):
            cuts, steps = specialized(
                rows, diversity, self.k, self.limit(quasi.n_records), int(quasi.attributes.full.sum()),
                quasi.denominator, labels[0] if labels else None, type(self).__name__, quasi.weights,
            )  # fmt: skip
            context.private["specializations"] = steps
        with context.stage("publish"):
            suppressed = suppressed_by(rows, cuts, diversity, self.k)
            self.refuse_everything_suppressed(suppressed)
            return published_nodes(quasi, cuts, suppressed)


def specialized(
    rows: ValueTrees,
    diversity: Diversity,
    k: int,
    limit: int,
    full: int,
    denominator: int,
    label: Column | None,
    owner: str,
    weights: Int64s | None = None,
) -> tuple[list[Int32s], int]:
    """The node that every value of every attribute is cut at, and the number of steps."""
    flat = _flat_rows(rows, k, full)
    classes = first_class(flat, diversity.constraints)
    if classes.totals[1] > limit:
        raise Infeasible(
            f"{owner}: with everything generalized to the roots {int(classes.totals[1])} records are in classes that "
            f"are too small or not diverse, {limit} may be suppressed. Raise max_suppressed, lower k or l, or raise t."
        )
    gains = None if label is None else np.concatenate(
        [information_gains(tree, own, label, weights) for tree, own in zip(rows.trees, _values(rows), strict=True)]
    )  # fmt: skip
    in_cut = np.zeros(len(flat.depth), np.bool_)
    in_cut[flat.node_start[:-1]] = True
    steps = 0
    while True:
        chosen = _best(flat, classes, in_cut, limit, gains, denominator * max(int(rows.weights.sum()), 1))
        if chosen is None:
            break
        attribute = int(np.searchsorted(flat.node_start, chosen, side="right")) - 1
        node = chosen - int(flat.node_start[attribute])
        specialize(flat, diversity.constraints, classes, attribute, node)
        in_cut[chosen] = False
        in_cut[flat.node_start[attribute] + np.flatnonzero(rows.trees[attribute].parent == node)] = True
        steps += 1
    return [
        cut_above(tree, in_cut[start:stop])[tree.leaf_of_value] for tree, start, stop in _segments(rows, flat)
    ], steps


def _best(rows: Rows, classes: Classes, in_cut: Bools, limit: int, gains: Float64s | None, total: int) -> int | None:
    """The valid specialization with the best score; of equal ones the first in the order of columns and nodes."""
    valid = in_cut & rows.inner & (classes.candidate_size > 0)
    valid &= classes.totals[1] + classes.candidate_bad <= limit
    if gains is None:
        valid &= classes.candidate_cost <= 0
    places = np.flatnonzero(valid)
    if not len(places):
        return None
    if gains is None:
        scores = -classes.candidate_cost[places] / total
    else:
        smallest = int(classes.totals[3])
        loss = smallest - np.minimum(classes.candidate_least[places], smallest)
        scores = gains[places] / (loss + 1)
    near = np.flatnonzero(scores >= scores.max() * (1 - 1e-10))
    rounded = [float(f"{score:.11e}") for score in scores[near].tolist()]
    return int(places[near[rounded.index(max(rounded))]])


def information_gains(tree: ValueTree, values: Int64s, label: Column, weights: Int64s | None = None) -> Float64s:
    """For every node the entropy of the label (log2) in its records less that in its children's; 0 without records."""
    n_nodes, n_labels = len(tree.parent), len(label.domain) + 1
    counts = np.zeros((n_nodes, n_labels), np.int64)
    codes = np.where(label.codes < 0, n_labels - 1, label.codes)
    np.add.at(counts, (tree.leaf_of_value[values], codes), 1 if weights is None else weights)
    for node in range(n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    sizes = counts.sum(axis=1)
    shares = counts / np.maximum(sizes, 1)[:, None]
    # weighted by records: what is left to know about the label, in bits
    bits = -(counts * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    below = np.zeros(n_nodes)
    np.add.at(below, tree.parent[1:], bits[1:])
    gains: Float64s = np.maximum(bits - below, 0.0) / np.maximum(sizes, 1)
    gains[gains < 1e-15] = 0.0
    return gains


def _values(rows: ValueTrees) -> list[Int64s]:
    return [rows.values[rows.row_of, index].astype(np.int64) for index in range(len(rows.trees))]


def _flat_rows(rows: ValueTrees, k: int, full: int) -> Rows:
    tables = [tree.at_depth for tree in rows.trees]
    widths = [tree.n_values for tree in rows.trees]
    depths, inner = [], []
    for tree in rows.trees:
        own = tree.quasi.tree
        assert own is not None
        depths.append(np.append(own.depth, np.int32(1)).astype(np.int64))
        inner.append(tree.n_children > 0)
    return Rows(
        values=rows.values,
        weights=rows.weights,
        sensitive=rows.sensitive,
        at_depth=np.concatenate([table.ravel() for table in tables]),
        depth_start=offsets_of(np.array([table.size for table in tables], np.int64)),
        width=np.array(widths, np.int64),
        node_start=offsets_of(np.array([len(tree.parent) for tree in rows.trees], np.int64)),
        depth=np.concatenate(depths),
        inner=np.concatenate(inner),
        cost=np.concatenate([tree.cost for tree in rows.trees]),
        full=full,
        k=k,
        people=rows.people,
    )


def _segments(rows: ValueTrees, flat: Rows) -> list[tuple[ValueTree, int, int]]:
    bounds = flat.node_start.tolist()
    return [(tree, bounds[index], bounds[index + 1]) for index, tree in enumerate(rows.trees)]


def suppressed_by(rows: ValueTrees, cuts: Sequence[Int32s], diversity: Diversity, k: int) -> Bools:
    """Which records are in bad classes when every value is replaced by its node."""
    nodes = np.stack([cut[rows.values[:, index]] for index, cut in enumerate(cuts)], axis=1)
    class_of, first = row_classes(np.ascontiguousarray(nodes.astype(np.int32)))
    bad = bad_classes(class_of, len(first), rows.weights, rows.sensitive, k, diversity.constraints, rows.people)
    return bad[class_of][rows.row_of]
