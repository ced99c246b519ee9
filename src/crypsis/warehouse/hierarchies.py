"""Vocabularies as generalization hierarchies: one tree out of what SKOS, RDFS or any other property says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from crypsis.errors import BadParameter, HierarchyError
from crypsis.hierarchy.files import hierarchy_text
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.warehouse.terms import (
    PREFIXES,
    Term,
    Triple,
    expand,
    iri_of,
    is_iri,
    is_literal,
    is_node,
    parts_of_literal,
)

ROOT = "*"
UNSPECIFIED = " (unspecified)"
TURNED = {  # properties that lead from a parent to its child
    expand("skos:narrower"),
    expand("skos:narrowerTransitive"),
    expand("skos:hasTopConcept"),
}
_LABELS = (expand("skos:prefLabel"), expand("rdfs:label"))


@dataclass(frozen=True)
class VocabularyTree:
    """A tree over concepts, by id: an IRI, or whatever ids the values have.

    `dropped` are edges that are not in the tree, with the reason; `collapsed` the members of cycles that became one.
    """

    root: str
    parent: Mapping[str, str]
    dropped: tuple[tuple[str, str, str], ...] = ()
    collapsed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """The children of every inner node, sorted."""
        found: dict[str, list[str]] = {}
        for child in sorted(self.parent):
            found.setdefault(self.parent[child], []).append(child)
        return found

    @cached_property
    def leaves(self) -> list[str]:
        """Leaves in the order of a walk through the tree."""
        listed, waiting = [], [self.root]
        while waiting:
            current = waiting.pop()
            below = self.children.get(current, [])
            if not below and current != self.root:
                listed.append(current)
            waiting += reversed(below)
        return listed

    @cached_property
    def leaf_ranges(self) -> dict[str, tuple[int, int]]:
        """The leaves below each node as a range of their order."""
        ranges = {leaf: (index, index + 1) for index, leaf in enumerate(self.leaves)}
        for node in sorted({self.root, *self.children}, key=lambda node: -len(self.path(node))):
            inside = [ranges[child] for child in self.children.get(node, [])]
            if inside:
                ranges[node] = (min(low for low, _ in inside), max(high for _, high in inside))
        return ranges

    def path(self, node: str) -> list[str]:
        """From a node up to the root."""
        way = [node]
        while way[-1] != self.root:
            way.append(self.parent[way[-1]])
        return way

    @property
    def height(self) -> int:
        """Edges on the longest way to the root."""
        return max((len(self.path(leaf)) - 1 for leaf in self.leaves), default=0)

    @property
    def levels(self) -> dict[str, list[str]]:
        """Per leaf one node for every level; shorter ways repeat the leaf."""
        height = self.height
        return {leaf: [leaf] * (height + 1 - len(way := self.path(leaf))) + way for leaf in self.leaves}

    def paths_csv(self) -> str:
        """The tree as a file of ways to the root, by label, as every hierarchy reader takes it."""
        return hierarchy_text(self.to_hierarchy())

    def to_hierarchy(self) -> Hierarchy:
        """The hierarchy object that table, set and trajectory methods take."""
        names = {node: self.labels.get(node, node) for node in (*self.parent, self.root)}
        return Hierarchy([(names[child], names[parent]) for child, parent in self.parent.items()], origin="vocabulary")


def build_hierarchy(
    triples: Iterable[Triple],
    via: str | Iterable[str] = "skos:broader",
    *,
    domain: Iterable[str] | None = None,
    root: str = ROOT,
    cycles: str = "collapse",
    polyhierarchy: str = "deepest",
    lang: str | None = None,
    prefixes: Mapping[str, str] = PREFIXES,
    shorten: str = "",
) -> VocabularyTree:
    """One tree of what properties lead from children to parents.

    Cycles collapse into their smallest member or are refused. An edge that another way implies is dropped; of several
    parents the one farthest from a root (`deepest`) or nearest to it (`shallowest`) is kept. Values of `domain` that no
    edge mentions hang under the root; one that is an inner node gets a leaf of its own, "(unspecified)".
    `shorten` is a namespace that is left out of ids.
    """
    if cycles not in ("collapse", "error"):
        raise BadParameter(f"cycles must be 'collapse' or 'error', got {cycles!r}.", parameter="cycles")
    if polyhierarchy not in ("deepest", "shallowest", "error"):
        raise BadParameter(
            f"polyhierarchy must be 'deepest', 'shallowest' or 'error', got {polyhierarchy!r}.",
            parameter="polyhierarchy",
        )
    known = list(triples)
    named = {expand(name, prefixes) for name in ([via] if isinstance(via, str) else via)}
    thesaurus = expand("skos:broader") in named
    if thesaurus:
        named |= TURNED

    def id_of(term: Term) -> str:
        name = iri_of(term) if is_iri(term) else term
        return name.removeprefix(shorten)

    edges, concepts = set[tuple[str, str]](), set[str]()
    for s, p, o in known:
        if p in named and is_iri(o):
            child, parent = (o, s) if p in TURNED else (s, o)
            concepts |= {id_of(child), id_of(parent)}
            edges.add((id_of(child), id_of(parent)))
    if thesaurus and domain is None:  # concepts that stand alone belong to it too
        concepts |= {id_of(s) for s, p, _ in known if p == _LABELS[0] and not is_node(s)}
    if domain is not None:
        concepts |= set(domain)
    edges = {(child, parent) for child, parent in edges if child != parent}
    edges, collapsed = _collapse(edges, concepts, cycles)
    concepts -= {member for head, members in collapsed.items() for member in members if member != head}
    parents: dict[str, set[str]] = {}
    for child, parent in edges:
        parents.setdefault(child, set()).add(parent)
    dropped = _reduce(parents)
    kept = _choose_parents(parents, polyhierarchy, dropped)
    top = _free_name(root, concepts)
    tree = {concept: kept.get(concept, top) for concept in concepts}
    for value in sorted(set(domain or ()) & set(tree.values())):
        tree[value + UNSPECIFIED] = value
    labels = _labels(known, id_of, lang)
    return VocabularyTree(top, dict(sorted(tree.items())), tuple(sorted(dropped)), collapsed, labels)


def _collapse(
    edges: set[tuple[str, str]], concepts: set[str], cycles: str
) -> tuple[set[tuple[str, str]], dict[str, tuple[str, ...]]]:
    """Strongly connected concepts become their smallest member."""
    head: dict[str, str] = {}
    collapsed = {}
    for members in _strong_components(concepts, edges):
        smallest = min(members)
        if len(members) > 1:
            if cycles == "error":
                raise HierarchyError(f"The vocabulary has a cycle: {', '.join(sorted(members))}.")
            collapsed[smallest] = tuple(sorted(members))
        head |= dict.fromkeys(members, smallest)
    joined = {(head[child], head[parent]) for child, parent in edges}
    return {(child, parent) for child, parent in joined if child != parent}, dict(sorted(collapsed.items()))


def _strong_components(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Tarjan's algorithm, without recursion."""
    above: dict[str, list[str]] = {}
    for child, parent in sorted(edges):
        above.setdefault(child, []).append(parent)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack, components = set[str](), []
    for start in sorted(nodes):
        if start in index:
            continue
        work = [(start, iter(above.get(start, ())))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            for parent in rest:
                if parent not in index:
                    index[parent] = low[parent] = len(index)
                    stack.append(parent)
                    on_stack.add(parent)
                    work.append((parent, iter(above.get(parent, ()))))
                    break
                if parent in on_stack:
                    low[node] = min(low[node], index[parent])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.add(member)
                        if member == node:
                            break
                    components.append(component)
    return components


def _reduce(parents: dict[str, set[str]]) -> list[tuple[str, str, str]]:
    """Drop edges to ancestors that another parent leads to."""
    ancestors: dict[str, set[str]] = {}
    for start in parents:
        order, waiting = [], [start]
        while waiting:
            node = waiting.pop()
            if node in ancestors:
                continue
            missing = [parent for parent in parents.get(node, ()) if parent not in ancestors]
            if missing:
                waiting += [node, *missing]
                continue
            ancestors[node] = set(parents.get(node, ())).union(*(ancestors[each] for each in parents.get(node, ())))
            order.append(node)
    dropped = []
    for child in sorted(parents):
        redundant = {
            parent
            for parent in parents[child]
            if any(parent in ancestors[other] for other in parents[child] if other != parent)
        }
        dropped += [(child, parent, "redundant") for parent in redundant]
        parents[child] -= redundant
    return dropped


def _choose_parents(
    parents: Mapping[str, set[str]], polyhierarchy: str, dropped: list[tuple[str, str, str]]
) -> dict[str, str]:
    depth: dict[str, int] = {}

    def depth_of(start: str) -> int:
        waiting = [start]
        while waiting:
            node = waiting[-1]
            missing = [parent for parent in parents.get(node, ()) if parent not in depth]
            if missing:
                waiting += missing
            else:
                depth[node] = 1 + max((depth[parent] for parent in parents.get(node, ())), default=0)
                waiting.pop()
        return depth[start]

    kept = {}
    for child in sorted(parents):
        listed = sorted(parents[child])
        if len(listed) > 1 and polyhierarchy == "error":
            raise HierarchyError(f"{child!r} has several parents: {', '.join(listed)}.")
        sign = -1 if polyhierarchy == "deepest" else 1
        chosen = min(listed, key=lambda parent: (sign * depth_of(parent), parent))
        kept[child] = chosen
        dropped += [(child, parent, "polyhierarchy") for parent in listed if parent != chosen]
    return kept


def _free_name(root: str, taken: set[str]) -> str:
    while root in taken:
        root += ROOT
    return root


def _labels(known: Iterable[Triple], id_of: Callable[[Term], str], lang: str | None) -> dict[str, str]:
    """A label per concept in the wanted language, made unique by its id."""
    chosen: dict[str, tuple[tuple[int, int, str], str]] = {}
    for s, p, o in known:
        if p in _LABELS and is_literal(o):
            text, language, _ = parts_of_literal(o)
            rank = (int(lang is not None and language != lang), _LABELS.index(p), text)
            name = id_of(s)
            if name not in chosen or rank < chosen[name][0]:
                chosen[name] = (rank, text)
    counts = Counter(text for _, text in chosen.values())
    return {name: f"{text} ({name})" if counts[text] > 1 else text for name, (_, text) in chosen.items()}
