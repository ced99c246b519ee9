"""Hierarchies of random vocabularies: one tree, ranges of leaves that nest, and every edge accounted for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crypsis.warehouse.hierarchies import UNSPECIFIED, build_hierarchy
from crypsis.warehouse.terms import expand

Edges = set[tuple[str, str]]
BROADER = expand("skos:broader")
NAMES = st.sampled_from([f"http://example.org/{letter}" for letter in "abcdefgh"])


def reachable(edges: Edges, start: str) -> set[str]:
    """What edges lead to, in one step or more."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        current = waiting.pop()
        for child, parent in edges:
            if child == current and parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def without_cycles(edges: Edges) -> Edges:
    """The edges between what is left when the members of each cycle are one, called by the smallest."""
    nodes = {name for edge in edges for name in edge}
    above = {name: reachable(edges, name) for name in nodes}
    one = {
        name: min([name, *(other for other in nodes if other in above[name] and name in above[other])])
        for name in nodes
    }
    return {(one[child], one[parent]) for child, parent in edges if one[child] != one[parent]}


@given(st.sets(st.tuples(NAMES, NAMES), max_size=20), st.sampled_from(["deepest", "shallowest"]))
def test_every_edge_is_kept_or_dropped_for_a_reason(edges: Edges, polyhierarchy: str) -> None:
    triples = [(f"<{child}>", BROADER, f"<{parent}>") for child, parent in edges]
    tree = build_hierarchy(triples, polyhierarchy=polyhierarchy)
    for node in tree.parent:
        assert tree.path(node)[-1] == tree.root  # it ends: the parents are a tree
    acyclic = without_cycles(edges)
    redundant = {
        (child, parent)
        for child, parent in acyclic
        if any(parent in reachable(acyclic, other) for start, other in acyclic if start == child and other != parent)
    }
    kept = {
        (child, parent)
        for child, parent in tree.parent.items()
        if parent != tree.root and child in {c for c, _ in acyclic}
    }
    assert kept <= acyclic - redundant
    dropped = {(child, parent) for child, parent, _ in tree.dropped}
    assert acyclic - redundant - kept <= dropped
    assert not kept & dropped


@given(st.sets(st.tuples(NAMES, NAMES), max_size=20), st.sets(NAMES, max_size=4))
def test_ranges_of_leaves_nest_and_every_value_is_a_leaf(edges: Edges, domain: set[str]) -> None:
    triples = [(f"<{child}>", BROADER, f"<{parent}>") for child, parent in edges]
    tree = build_hierarchy(triples, domain=sorted(domain))
    ranges = tree.leaf_ranges
    for child, parent in tree.parent.items():
        if parent in ranges:
            assert ranges[parent][0] <= ranges[child][0] < ranges[child][1] <= ranges[parent][1]
    assert len(set(tree.leaves)) == len(tree.leaves)
    collapsed = {member for members in tree.collapsed.values() for member in members}
    for value in domain - collapsed:
        assert value in tree.leaves or value + UNSPECIFIED in tree.leaves
