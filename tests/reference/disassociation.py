"""Disassociation as its definition says it: sets, lists and recounting at every step. Nothing here is fast.

Records are frozensets of labels, empty ones already set aside where a function says so. `disassociate` is the whole
method; the published object is the canonical JSON form.

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5, 2012, 944-955.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

Record = frozenset[str]


@dataclass
class Leaf:
    """A cluster: its records, the domains of its record chunks, its term chunk."""

    records: list[int]
    domains: list[list[str]]
    term_chunk: set[str]

    @property
    def leaves(self) -> list[Leaf]:
        return [self]

    @property
    def size(self) -> int:
        return len(self.records)


@dataclass
class Joint:
    """Two nodes with the domains of the chunks that their leaves share and the rows of each."""

    children: tuple[Any, Any]
    domains: list[list[str]] = field(default_factory=list)
    rows: list[list[Record]] = field(default_factory=list)

    @property
    def leaves(self) -> list[Leaf]:
        return [leaf for child in self.children for leaf in child.leaves]

    @property
    def size(self) -> int:
        return sum(leaf.size for leaf in self.leaves)


class Impossible(Exception):
    """No release exists."""


def ranks(records: Sequence[Record]) -> dict[str, int]:
    """Terms by falling support, equal ones by label."""
    support = Counter(term for record in records for term in record)
    return {term: rank for rank, term in enumerate(sorted(support, key=lambda term: (-support[term], term)))}


def support_of(records: Iterable[Record], itemset: Collection[str]) -> int:
    return sum(set(itemset) <= record for record in records)


def is_km_anonymous(rows: Sequence[Record], k: int, m: int) -> bool:
    counts = Counter(itemset for row in rows for size in range(1, m + 1) for itemset in combinations(sorted(row), size))
    return all(count >= k for count in counts.values())


def is_k_anonymous(rows: Sequence[Record], k: int) -> bool:
    return all(count >= k for row, count in Counter(rows).items() if row)


def horizontal_partition(
    records: Sequence[Record],
    k: int,
    max_cluster_size: int,
    sensitive: frozenset[str] = frozenset(),
    diversity: int = 1,
    guarded: bool = False,
) -> list[list[int]]:
    """HORPART over records none of which is empty: clusters of record indices in cluster order."""
    rank = ranks(records)

    def acceptable(ids: list[int]) -> bool:
        return len(ids) >= k and all(
            diversity * support_of([records[i] for i in ids], {term}) <= len(ids) for term in sensitive
        )

    def splitting_term(ids: list[int], ignore: frozenset[str]) -> str | None:
        support = Counter(term for i in ids for term in records[i] if term not in ignore and term not in sensitive)
        order = sorted(support, key=lambda term: (-support[term], rank[term]))
        if guarded:
            for term in order[:8]:
                if support[term] >= k and not 0 < len(ids) - support[term] < k:
                    return term
        return order[0] if order else None

    def part(ids: list[int], ignore: frozenset[str]) -> tuple[list[list[int]], list[int]]:
        if not ids:
            return [], []
        term = None if len(ids) <= max_cluster_size else splitting_term(ids, ignore)
        if term is None:
            return ([ids], []) if acceptable(ids) else ([], ids)
        with_clusters, with_rest = part([i for i in ids if term in records[i]], ignore | {term})
        clusters, rest = part([i for i in ids if term not in records[i]], ignore)
        pooled = with_rest + rest
        if acceptable(pooled):
            return [*with_clusters, *clusters, pooled], []
        return with_clusters + clusters, pooled

    if not records or not acceptable(list(range(len(records)))):
        raise Impossible
    clusters, leftover = part(list(range(len(records))), frozenset())
    while leftover:
        fitting = [cluster for cluster in clusters if acceptable(cluster + leftover)]
        smallest = min(fitting or clusters, key=len)
        place = next(place for place, cluster in enumerate(clusters) if cluster is smallest)
        if fitting:
            clusters[place] = smallest + leftover
            leftover = []
        else:
            leftover = smallest + leftover
            del clusters[place]
    return clusters


def greedy_domains(order: list[str], admits: Callable[[list[str], str], bool]) -> list[list[str]]:
    """Scan the terms again and again; each scan takes into one domain what it admits."""
    domains, left = [], list(order)
    while left:
        domain: list[str] = []
        for term in left:
            if admits(domain, term):
                domain.append(term)
        domains.append(domain)
        left = [term for term in left if term not in domain]
    return domains


def chunk_rows(records: Iterable[Record], domain: Collection[str]) -> list[Record]:
    return [row for record in records if (row := record & frozenset(domain))]


def violates_size_condition(rows_in_chunks: int, chunks: int, size: int, k: int, m: int) -> bool:
    """Lemma 2 for a leaf without a term chunk."""
    return rows_in_chunks < size + k * (max(1, min(m, chunks)) - 1)


def in_chunks(records: Sequence[Record], domains: Sequence[Sequence[str]]) -> int:
    return sum(len(chunk_rows(records, domain)) for domain in domains)


def vertical_partition(
    records: Sequence[Record],
    rank: dict[str, int],
    k: int,
    m: int,
    sensitive: frozenset[str] = frozenset(),
    min_causes: int | None = None,
) -> tuple[list[list[str]], set[str]]:
    """VERPART of one cluster: domains of the record chunks in the order in which they arise, and the term chunk."""
    support = Counter(term for record in records for term in record)
    order = sorted(support, key=lambda term: (-support[term], rank[term]))
    term_chunk = {term for term in order if support[term] < k or term in sensitive}
    domains = greedy_domains(
        [term for term in order if term not in term_chunk],
        lambda domain, term: is_km_anonymous(chunk_rows(records, [*domain, term]), k, m),
    )
    if not term_chunk and violates_size_condition(in_chunks(records, domains), len(domains), len(records), k, m):
        rarest = max(order, key=lambda term: (-support[term], rank[term]))
        term_chunk.add(rarest)
        domains = without(domains, {rarest})
    if min_causes is not None:
        domains, demoted = safe_placement(records, domains, order, k, m, min_causes)
        term_chunk |= demoted
    return domains, term_chunk


def without(domains: list[list[str]], terms: Collection[str]) -> list[list[str]]:
    kept = [[term for term in domain if term not in terms] for domain in domains]
    return [domain for domain in kept if domain]


def safe_placement(
    records: Sequence[Record], domains: list[list[str]], order: list[str], k: int, m: int, min_causes: int
) -> tuple[list[list[str]], set[str]]:
    """Demote terms of later chunks that too few sets of an earlier chunk can have sent there."""
    domains, demoted, changed = [list(domain) for domain in domains], set[str](), True
    place = {term: number for number, term in enumerate(order)}
    while changed:
        changed = False
        later = 1
        while later < len(domains):
            for term in sorted(domains[later], key=place.__getitem__):
                if any(
                    len(causes(records, domains[earlier], term, place, k, m)) < min_causes for earlier in range(later)
                ):
                    domains[later].remove(term)
                    demoted.add(term)
                    changed = True
            if domains[later]:
                later += 1
            else:
                del domains[later]
    return domains, demoted


def causes(
    records: Sequence[Record], domain: list[str], term: str, place: dict[str, int], k: int, m: int
) -> list[tuple[str, ...]]:
    before = [other for other in domain if place[other] < place[term]]
    found = []
    for size in range(1, m):
        for itemset in combinations(before, size):
            support = support_of(records, itemset)
            if support > 0 and max(0, support + support_of(records, {term}) - len(records)) < k:
                found.append(itemset)
    return found


def refine(
    records: Sequence[Record],
    nodes: Sequence[Any],
    rank: dict[str, int],
    k: int,
    m: int,
    sensitive: frozenset[str] = frozenset(),
    printed: bool = False,
    max_passes: int | None = None,
) -> list[Any]:
    """REFINE: join neighbours in the order of their term chunks until a whole pass joins nothing."""
    nodes, passes, joined = list(nodes), 0, True
    while joined and (max_passes is None or passes < max_passes):
        joined, passes = False, passes + 1
        shared_by = Counter(term for node in nodes for term in virtual_term_chunk(node))
        place = {term: p for p, term in enumerate(sorted(shared_by, key=lambda t: (-shared_by[t], rank[t])))}
        keys = {id(node): sorted(place[term] for term in virtual_term_chunk(node)) for node in nodes}
        nodes.sort(key=lambda node: (not keys[id(node)], keys[id(node)]))
        following, at = [], 0
        while at < len(nodes):
            joint = None
            if at + 1 < len(nodes):
                joint = join(records, nodes[at], nodes[at + 1], rank, k, m, sensitive, printed)
            following.append(nodes[at] if joint is None else joint)
            joined = joined or joint is not None
            at += 1 if joint is None else 2
        nodes = following
    return nodes


def virtual_term_chunk(node: Any) -> set[str]:
    return set().union(*(leaf.term_chunk for leaf in node.leaves))


def join(
    records: Sequence[Record],
    one: Any,
    other: Any,
    rank: dict[str, int],
    k: int,
    m: int,
    sensitive: frozenset[str],
    printed: bool,
) -> Joint | None:
    joint = Joint((one, other))
    leaves = joint.leaves
    hidden = [records[i] & leaf.term_chunk for leaf in leaves for i in leaf.records]
    sup = Counter(term for row in hidden for term in row)
    refining = {t for t in virtual_term_chunk(one) & virtual_term_chunk(other) if t not in sensitive and sup[t] >= k}
    for leaf in [] if printed else leaves:
        own = [records[i] for i in leaf.records]
        if leaf.term_chunk <= refining and violates_size_condition(
            in_chunks(own, leaf.domains), len(leaf.domains), leaf.size, k, m
        ):
            refining.remove(min(leaf.term_chunk, key=lambda term: (support_of(own, {term}), -rank[term])))
    if not refining:
        return None
    conflict = {term: conflict_set(joint, term) for term in refining}

    def admits(domain: list[str], term: str) -> bool:
        rows = chunk_rows(hidden, [*domain, term])
        if not is_km_anonymous(rows, k, m):
            return False
        if printed:
            return not any(conflict[t] for t in [*domain, term]) or is_k_anonymous(rows, k)
        return not domain or conflict[term] == conflict[domain[0]]

    domains = greedy_domains(sorted(refining, key=lambda term: (-sup[term], rank[term])), admits)
    hiding = [leaf for leaf in leaves if leaf.term_chunk & refining]
    units = sum(len(leaf.term_chunk & refining) for leaf in hiding)
    if sum(sup[term] for term in refining) * sum(leaf.size for leaf in hiding) < units * joint.size:
        return None
    joint.domains = domains
    joint.rows = [chunk_rows(hidden, domain) for domain in domains]
    for leaf in leaves:
        leaf.term_chunk -= refining
    return joint


def conflict_set(node: Any, term: str, top: bool = True) -> frozenset[int]:
    """Leaves below the node where the term has its place in a record chunk or in a chunk shared below the node."""
    if isinstance(node, Leaf):
        return frozenset({id(node)} if any(term in domain for domain in node.domains) else ())
    if not top and any(term in domain for domain in node.domains):
        return frozenset(map(id, node.leaves))
    return conflict_set(node.children[0], term, False) | conflict_set(node.children[1], term, False)


def disassociate(
    inputs: Sequence[Collection[str]],
    k: int,
    m: int,
    *,
    max_cluster_size: int | None = None,
    clusters: Sequence[Sequence[int]] | None = None,
    refinement: str = "uniform",
    guarded: bool = False,
    sensitive: Collection[str] = (),
    diversity: int = 1,
    min_causes: int | None = None,
    max_passes: int | None = None,
) -> tuple[dict[str, Any], list[list[int]]]:
    """The published object and the clusters, sorted; `min_causes` asks for safe placement."""
    records = [frozenset(record) for record in inputs if record]
    rank, hidden = ranks(records), frozenset(sensitive)
    if clusters is None:
        clusters = horizontal_partition(records, k, max_cluster_size or 20 * k, hidden, diversity, guarded)
    leaves: list[Any] = []
    for cluster in clusters:
        own = [records[i] for i in cluster]
        leaves.append(Leaf(list(cluster), *vertical_partition(own, rank, k, m, hidden, min_causes)))
    nodes = leaves
    if refinement != "none":
        nodes = refine(records, leaves, rank, k, m, hidden, refinement == "property1", max_passes)
    published = {
        "k": k,
        "m": m,
        "empty_records": len(inputs) - len(records),
        "nodes": canonical_order([canonical_node(records, node) for node in nodes]),
    }
    return published, sorted(sorted(cluster) for cluster in clusters)


def canonical_node(records: Sequence[Record], node: Any) -> dict[str, Any]:
    if isinstance(node, Leaf):
        own = [records[i] for i in node.records]
        return {
            "type": "leaf",
            "size": node.size,
            "record_chunks": canonical_order([bag(chunk_rows(own, domain)) for domain in node.domains]),
            "term_chunk": sorted(node.term_chunk),
        }
    return {
        "type": "joint",
        "size": node.size,
        "shared_chunks": canonical_order([bag(rows) for rows in node.rows]),
        "children": canonical_order([canonical_node(records, child) for child in node.children]),
    }


def bag(rows: Iterable[Record]) -> list[dict[str, Any]]:
    counts = Counter(tuple(sorted(row)) for row in rows)
    return [{"items": list(items), "count": counts[items]} for items in sorted(counts)]


def canonical_order(parts: list[Any]) -> list[Any]:
    return sorted(parts, key=lambda part: json.dumps(part, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
