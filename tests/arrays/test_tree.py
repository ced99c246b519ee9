"""The arrays of a tree agree with a walk over it, whichever way its nodes are numbered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays.tree import Tree, level_order, preorder


@st.composite
def nested(draw: st.DrawFn) -> dict[str, list[str]]:
    """The children of each inner node of a tree with nodes 0 to n, by labels that sort from left to right."""
    above = draw(st.lists(st.integers(0, 20), min_size=1, max_size=20))
    children: dict[str, list[str]] = {}
    for node, parent in enumerate(above, 1):
        children.setdefault(f"{parent % node:02}", []).append(f"{node:02}")
    return children


def leaves_below(children: dict[str, list[str]], name: str) -> list[str]:
    below = children.get(name, [])
    return [leaf for child in below for leaf in leaves_below(children, child)] if below else [name]


@pytest.mark.parametrize("order", [preorder, level_order])
@given(children=nested())
def test_the_arrays_are_those_of_a_walk(order, children: dict[str, list[str]]) -> None:
    names, parents = order("00", children)
    tree = Tree(parents)
    leaves = leaves_below(children, "00")
    offsets, nodes = tree.children
    for node, name in enumerate(names):
        below, inner = leaves_below(children, name), children.get(name, [])
        assert (tree.leaf_count[node], leaves[tree.first_leaf[node]]) == (len(below), below[0])
        assert leaves[tree.last_leaf[node]] == below[-1]
        assert [names[child] for child in nodes[offsets[node] : offsets[node + 1]]] == inner
        assert tree.depth[node] == (0 if node == 0 else tree.depth[parents[node]] + 1)
        assert (tree.n_children[node], bool(tree.is_leaf[node])) == (len(inner), not inner)
    assert tree.n_leaves == len(leaves)
    assert tree.height == tree.depth.max()


@given(children=nested())
def test_preorder_keeps_the_nodes_below_a_node_together(children: dict[str, list[str]]) -> None:
    names, parents = preorder("00", children)
    tree = Tree(parents)
    for node, end in enumerate(tree.end.tolist()):
        below = set(leaves_below(children, names[node]))
        assert {names[other] for other in range(node, end) if tree.is_leaf[other]} == below


@given(children=nested())
def test_level_order_keeps_the_children_of_a_node_together(children: dict[str, list[str]]) -> None:
    names, parents = level_order("00", children)
    tree = Tree(parents)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        first = int(tree.first_child[node])
        assert names[first : first + int(tree.n_children[node])] == children[names[node]]
