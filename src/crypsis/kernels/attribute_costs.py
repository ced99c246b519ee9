"""What it costs to publish a group's cell instead of its values: the normalized certainty penalty in whole numbers.

Record r has `codes[r, a]` in attribute a, -1 where missing. `kind[a]` is NUMBERS (codes are positions in the sorted
domain), TREE (codes are leaf nodes in preorder) or VALUES (codes without order). A cell over the codes low to high
costs

    NUMBERS   unit[a] * (keys[key_start[a] + high] - keys[key_start[a] + low])
    TREE      node_cost[node_start[a] + lowest common ancestor]
    VALUES    unit[a] * number of distinct codes, nothing if there is one

and a cell over missing and present values costs full[a]. All costs are int64 over one common denominator, the sum of
`full`, so that comparing them is comparing exact fractions.
"""

from __future__ import annotations

from typing import NamedTuple

from crypsis.arrays import Int8s, Int32s, Int64s
from crypsis.compilation import njit

NUMBERS, TREE, VALUES = 0, 1, 2


class Attributes(NamedTuple):
    """The quasi-identifiers as flat arrays; trees and keys of all of them lie one after another."""

    kind: Int8s
    unit: Int64s
    full: Int64s
    key_start: Int64s
    keys: Int64s
    node_start: Int64s
    parent: Int32s
    end: Int32s
    node_cost: Int64s


@njit
def common_node(attributes: Attributes, attribute: int, low: int, high: int) -> int:
    """The lowest common ancestor of two leaves, the smaller number first."""
    start = attributes.node_start[attribute]
    node = low
    while attributes.end[start + node] <= high:
        node = attributes.parent[start + node]
    return node


@njit
def span_cost(attributes: Attributes, attribute: int, low: int, high: int) -> int:
    """The cost of a cell over the codes low to high, both present; not for VALUES."""
    if attributes.kind[attribute] == NUMBERS:
        start = attributes.key_start[attribute]
        return int(attributes.unit[attribute] * (attributes.keys[start + high] - attributes.keys[start + low]))
    return int(attributes.node_cost[attributes.node_start[attribute] + common_node(attributes, attribute, low, high)])


@njit
def pair_cost(attributes: Attributes, attribute: int, one: int, other: int) -> int:
    """The cost of a cell over two codes, either of which may be missing."""
    if one == other:
        return 0
    if one < 0 or other < 0:
        return int(attributes.full[attribute])
    if attributes.kind[attribute] == VALUES:
        return int(2 * attributes.unit[attribute])
    if one < other:
        return span_cost(attributes, attribute, one, other)
    return span_cost(attributes, attribute, other, one)
