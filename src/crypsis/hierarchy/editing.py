"""Editing a hierarchy: each change gives a new tree that is checked like one that is read, or says why it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from crypsis.errors import HierarchyError, did_you_mean

if TYPE_CHECKING:
    from crypsis.hierarchy.hierarchy import Hierarchy


def attached(tree: Hierarchy, labels: Iterable[str]) -> Hierarchy:
    """With further leaves directly below the root."""
    wanted = dict.fromkeys(labels)
    inner = [label for label in wanted if label in tree and not tree.is_leaf[tree.node(label)]]
    if inner:
        raise HierarchyError(f"{', '.join(map(repr, inner))} are inner nodes and cannot be values.", nodes=inner)
    return _made(tree, [*tree.to_pairs(), *((label, tree.root) for label in wanted if label not in tree)])


def renamed(tree: Hierarchy, old: str, new: str) -> Hierarchy:
    """With a node called otherwise."""
    tree.node(old)
    if old != new:
        _refuse_taken(tree, new)
    return _made(
        tree, [(new if child == old else child, new if parent == old else parent) for child, parent in tree.to_pairs()]
    )


def moved(tree: Hierarchy, name: str, parent: str) -> Hierarchy:
    """With a node, and all below it, below another parent."""
    node, target = tree.node(name), tree.node(parent)
    if node <= target < tree.end[node]:
        raise HierarchyError(f"{name!r} cannot be moved below {parent!r}, which is itself or lies below it.")
    _refuse_leaf(tree, parent)
    pairs = [(child, parent if child == name else above) for child, above in tree.to_pairs()]
    return _made(tree, _without_childless(pairs, set(tree.leaf_labels)))


def added(tree: Hierarchy, name: str, parent: str) -> Hierarchy:
    """With one more leaf. A name that is there already is refused with the parent it has: `moved` is what would do."""
    if name in tree:
        node = tree.node(name)
        if node == 0:
            raise HierarchyError(f"{name!r} is the root already; a value needs a name of its own.", node=name)
        above = tree.names[tree.parent[node]]
        raise HierarchyError(
            f"{name!r} already has the parent {above!r}, and a node has one parent; move it instead.",
            node=name,
            parent=above,
        )
    _refuse_taken(tree, name)
    _refuse_leaf(tree, parent)
    return _made(tree, [*tree.to_pairs(), (name, parent)])


def removed(tree: Hierarchy, name: str) -> Hierarchy:
    """Without a node: the children of an inner one go to its parent, a leaf goes for good."""
    node = tree.node(name)
    if node == 0:
        raise HierarchyError(f"{name!r} is the root and cannot be removed.")
    above = tree.names[tree.parent[node]]
    pairs = [(child, above if parent == name else parent) for child, parent in tree.to_pairs() if child != name]
    kept = set(tree.leaf_labels) - {name}
    if not kept:
        raise HierarchyError(f"{name!r} is the only value and cannot be removed.")
    return _made(tree, _without_childless(pairs, kept))


def merged(tree: Hierarchy, names: Sequence[str], new: str) -> Hierarchy:
    """With the children of several inner siblings below one node."""
    numbers = [tree.node(name) for name in names]
    for name in names:
        _refuse_leaf(tree, name)
    if len({int(tree.parent[node]) for node in numbers}) != 1 or len(set(names)) < 2:
        raise HierarchyError(f"{', '.join(map(repr, names))} are not two or more siblings; only these can be merged.")
    if new not in names:
        _refuse_taken(tree, new)
    above = tree.names[tree.parent[numbers[0]]]
    pairs = [(child, new if parent in names else parent) for child, parent in tree.to_pairs() if child not in names]
    return _made(tree, [*pairs, (new, above)])


def split(tree: Hierarchy, name: str, groups: Mapping[str, Sequence[str]]) -> Hierarchy:
    """With an inner node replaced by several, each with some of its children."""
    _refuse_leaf(tree, name)
    node = tree.node(name)
    if node == 0:
        raise HierarchyError(f"{name!r} is the root; it cannot be split into several.")
    children = [child for child, parent in tree.to_pairs() if parent == name]
    given = [child for group in groups.values() for child in group]
    if sorted(given) != sorted(children) or not all(groups.values()):
        raise HierarchyError(f"The groups must share out the children of {name!r}: {', '.join(children)}.")
    for group in groups:
        if group != name:
            _refuse_taken(tree, group)
    of_child = {child: group for group, members in groups.items() for child in members}
    above = tree.names[tree.parent[node]]
    pairs = [(child, of_child.get(child, parent)) for child, parent in tree.to_pairs() if child != name]
    return _made(tree, [*pairs, *((group, above) for group in groups)])


def grouped(tree: Hierarchy, names: Sequence[str], new: str) -> Hierarchy:
    """With a level more above some siblings: a new node between them and their parent."""
    numbers = [tree.node(name) for name in names]
    if not numbers or 0 in numbers:
        raise HierarchyError(f"{tree.names[0]!r} is the root; a level goes between a node and its parent.")
    if len({int(tree.parent[node]) for node in numbers}) != 1:
        raise HierarchyError(f"{', '.join(map(repr, names))} are not siblings; only these get one node above them.")
    _refuse_taken(tree, new)
    above = tree.names[tree.parent[numbers[0]]]
    pairs = [(child, new if child in names else parent) for child, parent in tree.to_pairs()]
    return _made(tree, [*pairs, (new, above)])


def _made(tree: Hierarchy, pairs: Sequence[tuple[str, str]]) -> Hierarchy:
    return type(tree)(pairs, origin=tree.origin and f"{tree.origin}, edited")


def _without_childless(pairs: Sequence[tuple[str, str]], leaves: set[str]) -> list[tuple[str, str]]:
    """Inner nodes that lost their last child are no values and go."""
    kept = list(pairs)
    while True:
        parents = {parent for _, parent in kept}
        left = [(child, parent) for child, parent in kept if child in leaves or child in parents]
        if len(left) == len(kept):
            return left
        kept = left


def _refuse_taken(tree: Hierarchy, name: str) -> None:
    if not name.strip():
        raise HierarchyError("A node needs a name.")
    if name in tree:
        raise HierarchyError(f"There is a node {name!r} already; names are unique.")


def _refuse_leaf(tree: Hierarchy, name: str) -> None:
    if tree.is_leaf[tree.node(name)]:
        raise HierarchyError(f"{name!r} is a value, nothing can lie below it.{did_you_mean(name, tree.names)}")
