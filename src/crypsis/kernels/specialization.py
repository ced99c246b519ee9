"""Top-down specialization: classes as runs of rows, and what every possible next step would change.

Row r stands for `weights[r]` records and has the value `values[r, a]` in attribute a. `at_depth[depth_start[a] +
depth * width[a] + value]` is the ancestor of a value at a depth. A class c is the run `start[c]` to `stop[c]` of
`order`; its cell in attribute a is the node `node[c, a]`. Every class adds to what its node's specialization would
change in suppressed records and in cost, so a step touches only the classes below the node that is specialized. Where
people are counted, the rows of a person follow one another, in the input and so in every run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.class_diversity import Constraints, People, bad_parts_of_people, is_diverse

_LARGEST = 1 << 62


class Rows(NamedTuple):
    """What never changes. Nodes of attribute a are numbered from `node_start[a]` in `depth`, `inner` and `cost`."""

    values: Int32s
    weights: Int64s
    sensitive: Int32s
    at_depth: Int32s
    depth_start: Int64s
    width: Int64s
    node_start: Int64s
    depth: Int64s
    inner: Bools
    cost: Int64s
    full: int
    k: int
    people: People


class Classes(NamedTuple):
    """What a step changes. Arrays have room for as many classes as there are rows."""

    order: Int64s
    start: Int64s
    stop: Int64s
    size: Int64s
    node: Int32s
    bad: Bools
    change_bad: Int64s  # by class and attribute
    change_cost: Int64s
    candidate_bad: Int64s  # by node
    candidate_cost: Int64s
    candidate_least: Int64s  # the smallest part that the node's specialization would leave
    candidate_size: Int64s  # records below the node
    totals: Int64s  # classes, records in bad classes, cost, smallest class


@njit
def first_class(rows: Rows, constraints: Constraints) -> Classes:
    """All rows in one class, every attribute at its root."""
    n_rows, n_attributes = rows.values.shape
    n_nodes = len(rows.depth)
    classes = Classes(
        np.arange(n_rows), np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64),
        np.zeros((n_rows, n_attributes), np.int32), np.zeros(n_rows, np.bool_),
        np.zeros((n_rows, n_attributes), np.int64), np.zeros((n_rows, n_attributes), np.int64),
        np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64), np.full(n_nodes, _LARGEST, np.int64),
        np.zeros(n_nodes, np.int64), np.array([1, 0, 0, _LARGEST], np.int64),
    )  # fmt: skip
    classes.stop[0] = n_rows
    _settle(rows, constraints, classes, 0, np.empty(n_rows, np.int64))
    return classes


@njit
def specialize(rows: Rows, constraints: Constraints, classes: Classes, attribute: int, node: int) -> None:
    """Replace a node by its children: every class at it is split."""
    n_attributes = rows.values.shape[1]
    scratch = np.empty(len(rows.weights), np.int64)
    part_of = np.empty(len(rows.weights), np.int64)
    before = classes.totals[0]
    for one in range(before):
        if classes.node[one, attribute] != node:
            continue
        _withdraw(rows, classes, one)
        start, stop = classes.start[one], classes.stop[one]
        n_parts, nodes, _ = _parts(rows, classes.order, start, stop, attribute, node, part_of)
        counts = np.zeros(n_parts + 1, np.int64)
        for index in range(start, stop):
            counts[part_of[index] + 1] += 1
        for part in range(n_parts):
            counts[part + 1] += counts[part]
        fill = counts[:-1].copy()
        for index in range(start, stop):
            part = part_of[index]
            scratch[start + fill[part]] = classes.order[index]
            fill[part] += 1
        classes.order[start:stop] = scratch[start:stop]
        for part in range(n_parts):
            number = one
            if part > 0:
                number = classes.totals[0]
                classes.totals[0] += 1
                for other in range(n_attributes):
                    classes.node[number, other] = classes.node[one, other]
            classes.start[number], classes.stop[number] = start + counts[part], start + counts[part + 1]
            classes.node[number, attribute] = nodes[part]
        for part in range(n_parts):
            number = one if part == 0 else classes.totals[0] - n_parts + part
            _settle(rows, constraints, classes, number, part_of)


@njit
def _parts(
    rows: Rows, order: Int64s, start: int, stop: int, attribute: int, node: int, part_of: Int64s
) -> tuple[int, Int64s, Int64s]:
    """Number the children of a node that a run of rows has values below; their nodes and their records."""
    first = rows.node_start[attribute]
    row_start = rows.depth_start[attribute] + (rows.depth[first + node] + 1) * rows.width[attribute]
    room = 8
    nodes, sizes = np.empty(room, np.int64), np.zeros(room, np.int64)
    n_parts, latest = 0, 0
    for index in range(start, stop):
        child = rows.at_depth[row_start + rows.values[order[index], attribute]]
        if n_parts == 0 or nodes[latest] != child:
            latest = 0
            while latest < n_parts and nodes[latest] != child:
                latest += 1
            if latest == n_parts:
                if n_parts == room:
                    room *= 2
                    more_nodes, more_sizes = np.empty(room, np.int64), np.zeros(room, np.int64)
                    more_nodes[:n_parts] = nodes[:n_parts]
                    more_sizes[:n_parts] = sizes[:n_parts]
                    nodes, sizes = more_nodes, more_sizes
                nodes[n_parts] = child
                n_parts += 1
        sizes[latest] += rows.weights[order[index]]
        part_of[index] = latest
    return n_parts, nodes[:n_parts], sizes[:n_parts]


@njit
def _withdraw(rows: Rows, classes: Classes, one: int) -> None:
    """Take back what a class adds to the totals and to its nodes' candidates."""
    if classes.bad[one]:
        classes.totals[1] -= classes.size[one]
    classes.totals[2] -= _cost(rows, classes, one)
    for attribute in range(rows.values.shape[1]):
        place = rows.node_start[attribute] + classes.node[one, attribute]
        classes.candidate_bad[place] -= classes.change_bad[one, attribute]
        classes.candidate_cost[place] -= classes.change_cost[one, attribute]
        classes.candidate_size[place] -= classes.size[one]


@njit
def _cost(rows: Rows, classes: Classes, one: int) -> int:
    """Return what a class costs: all of it where it is suppressed, else its cells."""
    if classes.bad[one]:
        return int(rows.full * classes.size[one])
    cost = 0
    for attribute in range(rows.values.shape[1]):
        cost += rows.cost[rows.node_start[attribute] + classes.node[one, attribute]]
    return int(cost * classes.size[one])


@njit
def _settle(rows: Rows, constraints: Constraints, classes: Classes, one: int, part_of: Int64s) -> None:
    """Measure a class, and what specializing each of its nodes would change in it."""
    start, stop = classes.start[one], classes.stop[one]
    size = 0
    for index in range(start, stop):
        size += rows.weights[classes.order[index]]
    classes.size[one] = size
    part_of[start:stop] = 0
    sizes = np.array([size])
    classes.bad[one] = _bad_parts(rows, constraints, classes.order, start, stop, part_of, sizes)[0]
    cost = _cost(rows, classes, one)
    if classes.bad[one]:
        classes.totals[1] += size
    classes.totals[2] += cost
    classes.totals[3] = min(classes.totals[3], size)
    price = 0
    for attribute in range(rows.values.shape[1]):
        price += rows.cost[rows.node_start[attribute] + classes.node[one, attribute]]
    for attribute in range(rows.values.shape[1]):
        node = classes.node[one, attribute]
        at = rows.node_start[attribute] + node
        classes.candidate_size[at] += size
        if not rows.inner[at]:
            continue
        n_parts, nodes, sizes = _parts(rows, classes.order, start, stop, attribute, node, part_of)
        bad = _bad_parts(rows, constraints, classes.order, start, stop, part_of, sizes)
        lost, new_cost = 0, 0
        for part in range(n_parts):
            classes.candidate_least[at] = min(classes.candidate_least[at], sizes[part])
            if bad[part]:
                lost += sizes[part]
                new_cost += rows.full * sizes[part]
            else:
                new_cost += (price - rows.cost[at] + rows.cost[rows.node_start[attribute] + nodes[part]]) * sizes[part]
        classes.change_bad[one, attribute] = lost - (size if classes.bad[one] else 0)
        classes.change_cost[one, attribute] = new_cost - cost
        classes.candidate_bad[at] += classes.change_bad[one, attribute]
        classes.candidate_cost[at] += classes.change_cost[one, attribute]


@njit
def _bad_parts(
    rows: Rows, constraints: Constraints, order: Int64s, start: int, stop: int, part_of: Int64s, sizes: Int64s
) -> Bools:
    """Which parts of a run of rows are smaller than k or fail a constraint."""
    if len(rows.people.person) > 0:
        return bad_parts_of_people(
            order, start, stop, part_of, len(sizes), rows.sensitive, rows.k, constraints, rows.people
        )
    bad = sizes < rows.k
    for which in range(len(constraints.kind)):
        width = constraints.table_start[which + 1] - constraints.table_start[which]
        counts = np.zeros((len(sizes), width), np.int64)
        for index in range(start, stop):
            code = rows.sensitive[order[index], constraints.column[which]]
            if code >= 0:
                counts[part_of[index], code] += rows.weights[order[index]]
        for part in range(len(sizes)):
            if not bad[part]:
                bad[part] = not is_diverse(constraints, which, counts[part])
    return bad
