"""Apriori, LRA, VPA, COAT and PCTA as their definitions read: no bitmaps, no heap, no matrices, exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

Cut = dict[str, str | None]


class Tree:
    """A hierarchy from child, parent pairs; node order is preorder with children sorted by label."""

    def __init__(self, parent: dict[str, str]) -> None:
        self.parent = parent
        self.root = next(node for node in parent.values() if node not in parent)
        self.order: dict[str, int] = {}
        self._number(self.root)
        self.leaves = [node for node in self.order if node not in set(parent.values())]
        self._above = {node: self._chain(node) for node in self.order}
        self._below = {node: [leaf for leaf in self.leaves if node in self._above[leaf]] for node in self.order}

    def _number(self, node: str) -> None:
        self.order[node] = len(self.order)
        for child in sorted(child for child, parent in self.parent.items() if parent == node):
            self._number(child)

    def above(self, node: str) -> list[str]:
        """The node and its ancestors, upwards."""
        return self._above[node]

    def _chain(self, node: str) -> list[str]:
        chain = [node]
        while chain[-1] in self.parent:
            chain.append(self.parent[chain[-1]])
        return chain

    def below(self, node: str) -> list[str]:
        return self._below[node]

    def charge(self, node: str | None) -> int:
        """Leaves below an inner node, nothing for a leaf; a deleted one is accounted for elsewhere."""
        return 0 if node is None or node in self.leaves else len(self.below(node))


def image(record: Iterable[str], cut: Cut) -> frozenset[str]:
    return frozenset(node for item in record if (node := cut[item]) is not None)


def support(sets: Sequence[frozenset[str]], wanted: Iterable[str]) -> int:
    needed = set(wanted)
    return sum(needed <= record for record in sets)


def apriori(
    records: Sequence[Iterable[str]],
    tree: Tree,
    k: int,
    m: int,
    *,
    l: int = 1,  # noqa: E741
    secrets: Sequence[Iterable[str]] | None = None,
    start: Cut | None = None,
    allowed: Callable[[str], bool] = lambda node: True,
    skip_hopeless: bool = False,
    most_deleted: int = 0,
) -> tuple[Cut, list[list[Any]]] | None:
    """The cut and the steps; None where the promise cannot be kept."""
    cut: Cut = {leaf: leaf for leaf in tree.leaves} if start is None else dict(start)
    secret_sets = [frozenset(one) for one in secrets] if secrets is not None else [frozenset[str]()] * len(records)
    every_secret = sorted(frozenset().union(*secret_sets)) if l > 1 else []
    hopeless: set[tuple[str, ...]] = set()
    steps: list[list[Any]] = []
    deleted = 0

    def is_bad(nodes: Iterable[str], published: list[frozenset[str]]) -> bool:
        wanted = set(nodes)
        fits = [number for number, record in enumerate(published) if wanted <= record]
        if not fits:
            return False
        return len(fits) < k or any(
            sum(secret in secret_sets[number] for number in fits) * l > len(fits) for secret in every_secret
        )

    in_records = {leaf: sum(leaf in set(record) for record in records) for leaf in tree.leaves}

    def occurrences(leaf: str, current: Cut) -> int:
        return 0 if current[leaf] is None else in_records[leaf]

    def cost(current: Cut) -> int:
        return sum(occurrences(leaf, current) * tree.charge(current[leaf]) for leaf in tree.leaves)

    again = True
    while again:
        again = False
        for size in range(1, m + 1):
            while True:
                published = [image(record, cut) for record in records]
                occurring = {
                    tuple(sorted(nodes, key=tree.order.__getitem__))
                    for record in published
                    for nodes in combinations(record, size)
                }
                bad = sorted(
                    (nodes for nodes in occurring - hopeless if is_bad(nodes, published)),
                    key=lambda nodes: [tree.order[node] for node in nodes],
                )
                if not bad:
                    break
                chosen = bad[0]
                candidates = []
                for vector in product(
                    *([one for one in tree.above(node) if one == node or allowed(one)] for node in chosen)
                ):
                    if vector == chosen:
                        continue
                    raised = dict(cut)
                    for leaf in tree.leaves:
                        if cut[leaf] is not None:
                            over = [node for node in tree.above(leaf) if node in vector]
                            if over and cut[leaf] in tree.above(leaf)[: tree.above(leaf).index(over[-1]) + 1]:
                                raised[leaf] = over[-1]
                    new = [image(record, raised) for record in records]
                    mapped = {next(node for node in reversed(tree.above(one)) if node in vector) for one in chosen}
                    good = support(new, mapped) >= k and not is_bad(mapped, new)
                    levels = sum(tree.above(old).index(up) for old, up in zip(chosen, vector, strict=True))
                    orders = [tree.order[node] for node in vector]
                    candidates.append((cost(raised), levels, orders, raised, good))
                candidates.sort(key=lambda candidate: candidate[:3])
                acceptable = [candidate for candidate in candidates if candidate[4]]
                if not acceptable and skip_hopeless:
                    hopeless.add(chosen)
                    continue
                if not acceptable and (not every_secret or not candidates):
                    return None
                again = True
                after = (acceptable or candidates)[0]
                lost = sum(occurrences(leaf, cut) for node in chosen for leaf in tree.below(node))
                to_root = any(
                    after[3][leaf] == tree.root and cut[leaf] != tree.root
                    for leaf in tree.leaves
                    if cut[leaf] is not None
                )
                saved = after[0] - cost(cut)
                if to_root and deleted + lost <= most_deleted and saved > len(tree.leaves) * lost:
                    deleted += lost
                    steps.append(["suppress", list(chosen)])
                    for node in chosen:
                        for leaf in tree.below(node):
                            cut[leaf] = None
                else:
                    steps.append(["generalize", list(chosen)])
                    cut = after[3]
        again = again and bool(every_secret)
    return cut, steps


def gray_number(record: Iterable[str], items: Sequence[str]) -> int:
    """The binary number whose Gray code is the record's bit vector."""
    bits, number = 0, 0
    inside = set(record)
    for item in items:
        bits ^= item in inside
        number = 2 * number + bits
    return number


def lra_parts(records: Sequence[Iterable[str]], tree: Tree, k: int, partition_size: int) -> list[list[int]]:
    filled = [number for number, record in enumerate(records) if list(record)]
    ordered = sorted(filled, key=lambda number: (gray_number(records[number], tree.leaves), number))
    count = max(1, len(filled) // max(partition_size, k))
    small, larger = divmod(len(filled), count)
    parts, at = [], 0
    for part in range(count):
        size = small + (part < larger)
        parts.append(ordered[at : at + size])
        at += size
    return parts


def vpa(records: Sequence[Iterable[str]], tree: Tree, k: int, m: int, parts: int) -> Cut:
    counts = [sum(leaf in set(record) for record in records) for leaf in tree.leaves]
    domains: list[list[str]] = [[]]
    running, due = 0, 1
    for leaf, count in zip(tree.leaves, counts, strict=True):
        domains[-1].append(leaf)
        running += count
        if Fraction(running) >= Fraction(due * sum(counts), parts) and len(domains) < parts:
            domains.append([])
            while Fraction(due * sum(counts), parts) <= running:
                due += 1
    cut: Cut = {leaf: leaf for leaf in tree.leaves}
    for domain in domains:
        projected = [[item for item in record if item in domain] for record in records]

        def inside(node: str, domain: list[str] = domain) -> bool:
            return set(tree.below(node)) <= set(domain)

        found = apriori(
            projected,
            tree,
            k,
            m,
            start=cut,
            allowed=inside,
            skip_hopeless=True,
        )
        assert found is not None
        cut = found[0]
    found = apriori(records, tree, k, m, start=cut)
    assert found is not None
    return found[0]


def utility_loss(
    record: Iterable[tuple[str, ...]], *, literal: bool = False, ways: Mapping[str, Sequence[str]] | None = None
) -> Fraction:
    """UL of one record of generalized items; with the nodes on the way from each item to the root, by their spread."""
    symbols = list(record)
    total = sum(map(len, symbols))
    if not total:
        return Fraction(0)
    charged = sum(
        (
            (2 ** len(symbol) - 1) * (1 if ways is None else spread(symbol, ways))
            for symbol in symbols
            if literal or len(symbol) > 1
        ),
        Fraction(0),
    )
    return charged / (2**total - 1)


def spread(symbol: tuple[str, ...], ways: Mapping[str, Sequence[str]]) -> Fraction:
    """Mean number of edges between two items, over twice the height of the tree."""
    pairs = list(combinations(symbol, 2))
    edges = sum(len(set(ways[one]) ^ set(ways[other])) for one, other in pairs)
    return Fraction(edges, len(pairs) * 2 * (max(map(len, ways.values())) - 1))


def policy_merging(
    records: Sequence[Iterable[str]],
    itemsets: Iterable[Iterable[str]],
    k: int,
    *,
    utility: Sequence[Iterable[str]] | None = None,
    every_item: bool = True,
    whole_dataset: bool = False,
    candidate_cap: int = 64,
    most_suppressed: int = 0,
) -> tuple[bool, dict[str, tuple[str, ...] | None], list[list[Any]]]:
    """COAT or PCTA: whether it ended well, what each item is published as, and the steps."""
    sets = [frozenset(record) for record in records]
    items = sorted(frozenset().union(*sets))
    symbol: dict[str, tuple[str, ...] | None] = {item: (item,) for item in items}
    closed = {
        part for one in itemsets for size in range(1, len(set(one)) + 1) for part in combinations(sorted(one), size)
    }
    group = {item: number for number, one in enumerate([items] if utility is None else utility) for item in one}
    steps: list[list[Any]] = []

    def published(mapping: dict[str, tuple[str, ...] | None]) -> list[frozenset[tuple[str, ...]]]:
        return [frozenset(mapping[item] for item in record if mapping[item] is not None) for record in sets]  # type: ignore[misc]

    def supported(labels: Iterable[str]) -> int:
        if any(symbol.get(label) is None for label in labels):
            return 0
        wanted = {symbol[label] for label in labels}
        return sum(wanted <= record for record in published(symbol))

    def own_support(one: tuple[str, ...]) -> int:
        return sum(bool(record & set(one)) for record in sets)

    def joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(one + other))

    def item_cost(one: tuple[str, ...], other: tuple[str, ...]) -> int:
        both = joined(one, other)
        return (2 ** len(both) - 1) * own_support(both)

    def dataset_cost(one: tuple[str, ...], other: tuple[str, ...]) -> Fraction:
        mapping = {item: joined(one, other) if now in (one, other) else now for item, now in symbol.items()}
        return sum((utility_loss(record) for record in published(mapping)), Fraction(0))

    while True:
        unsafe = [(-supported(one), len(one), one) for one in closed]
        unsafe = [entry for entry in unsafe if 0 < -entry[0] < k]
        if not unsafe:
            return True, symbol, steps
        constraint = min(unsafe)[2]
        involved = sorted({symbol[label] for label in constraint})  # type: ignore[type-var]
        least = min(involved, key=lambda one: (own_support(one), one))  # type: ignore[arg-type]
        live = sorted({one for one in symbol.values() if one is not None})
        pairs = []
        for one in involved if every_item else [least]:
            assert one is not None
            partners = [
                other for other in live if other != one and one[0] in group and group.get(other[0]) == group[one[0]]
            ]
            if whole_dataset and len(live) > candidate_cap:
                partners = sorted(partners, key=lambda other: (item_cost(one, other), other))[:candidate_cap]
            measure = dataset_cost if whole_dataset else item_cost
            pairs += [(measure(one, other), one, other) for other in partners]
        if pairs:
            _, one, other = min(pairs)
            steps.append(["generalize", list(one), list(other)])
            for item in one + other:
                symbol[item] = joined(one, other)
            continue
        gone = sum(now is None for now in symbol.values()) + len(least)  # type: ignore[arg-type]
        if utility is None or gone > most_suppressed:
            return False, symbol, steps
        steps.append(["suppress", list(least)])  # type: ignore[arg-type]
        for item in least:  # type: ignore[union-attr]
            symbol[item] = None
