"""The methods for tables, slow and obvious: lists, sets and fractions. Missing values are None.

An attribute is ("number",), ("tree", parent of each node) or ("values",); weights are equal. A class is bad if `bad`
says so of its records.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Attribute = tuple[Any, ...]
Rows = Sequence[Sequence[Any]]
Bad = Callable[[Sequence[int]], bool]


def leaves(tree: dict[str, str], node: str) -> list[str]:
    """The leaves below a node, in label order of the tree."""
    children = sorted(child for child, parent in tree.items() if parent == node)
    return [leaf for child in children for leaf in leaves(tree, child)] if children else [node]


def root(tree: dict[str, str]) -> str:
    (top,) = set(tree.values()) - set(tree)
    return top


def path(tree: dict[str, str], node: str) -> list[str]:
    """The node, its parent, … the root."""
    return [node, *path(tree, tree[node])] if node in tree else [node]


def common_node(tree: dict[str, str], values: Sequence[str]) -> str:
    return next(node for node in path(tree, values[0]) if all(node in path(tree, value) for value in values))


def cell_loss(rows: Rows, attributes: Sequence[Attribute], place: int, values: Sequence[Any]) -> tuple[Any, Fraction]:
    """The tightest cell over some values, and its loss."""
    present = [value for value in values if value is not None]
    if not present:
        return "missing", Fraction(0)
    if len(present) < len(values):
        return "any", Fraction(1)
    kind, column = attributes[place][0], [row[place] for row in rows if row[place] is not None]
    if kind == "number":
        low, high = min(present), max(present)
        width = max(column) - min(column)
        return (low, high), Fraction(high - low, width) if width else Fraction(0)
    if kind == "values":
        found = frozenset(present)
        return found, Fraction(len(found) if len(found) > 1 else 0, len(set(column)))
    tree = attributes[place][1]
    below = leaves(tree, common_node(tree, present))
    return tuple(below), Fraction(len(below) if len(below) > 1 else 0, len(leaves(tree, root(tree))))


def group_cells(rows: Rows, attributes: Sequence[Attribute], group: Sequence[int]) -> tuple[tuple[Any, ...], Fraction]:
    """The cells of a group, and the loss of each of its records."""
    found = [
        cell_loss(rows, attributes, place, [rows[record][place] for record in group])
        for place in range(len(attributes))
    ]
    return tuple(cell for cell, _ in found), sum((loss for _, loss in found), Fraction(0)) / len(attributes)


def cluster(rows: Rows, attributes: Sequence[Attribute], k: int, seeds: str, bad: Bad) -> list[list[int]]:
    """Seeds `first` or `farthest`."""

    def loss(group: Sequence[int]) -> Fraction:
        return group_cells(rows, attributes, group)[1]

    left, groups, seed = list(range(len(rows))), [], 0
    while len(left) >= k:
        if seeds == "first":
            seed = left[0]
        elif groups:
            seed = min(left, key=lambda record: (-loss([seed, record]), record))
        others = sorted((loss([seed, record]), record) for record in left if record != seed)[: k - 1]
        groups.append(sorted([seed, *(record for _, record in others)]))
        left = [record for record in left if record not in groups[-1]]
    for record in left:
        chosen = min(range(len(groups)), key=lambda number: (loss([*groups[number], record]), number))
        groups[chosen].append(record)
    groups = united(rows, attributes, groups)
    while any(map(bad, groups)):
        one = next(number for number, group in enumerate(groups) if bad(group))

        def rise(other: int, one: int = one) -> tuple[Fraction, int]:
            both = groups[one] + groups[other]
            before = len(groups[one]) * loss(groups[one]) + len(groups[other]) * loss(groups[other])
            return len(both) * loss(both) - before, min(groups[other])

        other = min((number for number in range(len(groups)) if number != one), key=rise)
        first, second = sorted((one, other))
        groups[first] = groups[first] + groups[second]
        del groups[second]
    return united(rows, attributes, groups)


def united(rows: Rows, attributes: Sequence[Attribute], groups: Sequence[Sequence[int]]) -> list[list[int]]:
    found: dict[Any, list[int]] = {}
    for group in groups:
        found.setdefault(group_cells(rows, attributes, group)[0], []).extend(group)
    return list(found.values())


def mondrian(
    rows: Rows, attributes: Sequence[Attribute], k: int, bad: Bad, categories: str = "values"
) -> list[list[int]]:
    """Parts of the records, split strictly."""
    waiting, done = [list(range(len(rows)))], []
    while waiting:
        part = waiting.pop()
        losses = [
            cell_loss(rows, attributes, place, [rows[record][place] for record in part])[1]
            for place in range(len(attributes))
        ]
        for place in sorted(range(len(attributes)), key=lambda one: (-losses[one], one)):
            parts = divided(rows, attributes[place], place, part, categories)
            if len(parts) > 1 and all(len(one) >= k and not bad(one) for one in parts):
                waiting += parts
                break
        else:
            done.append(part)
    return done


def divided(
    rows: Rows, attribute: Attribute, place: int, part: Sequence[int], categories: str = "values"
) -> list[list[int]]:
    values = sorted({rows[record][place] for record in part} - {None})
    groups: dict[Any, list[int]] = {}
    present = sorted(rows[record][place] for record in part if rows[record][place] is not None)
    for record in part:
        value = rows[record][place]
        if value is None or len(values) == 1:
            key: Any = value is None
        elif attribute[0] == "number":
            key = (value <= present[(len(present) - 1) // 2],)
        elif attribute[0] == "tree":
            tree = attribute[1]
            key = (path(tree, value)[path(tree, value).index(common_node(tree, values)) - 1],)
        elif categories == "halves":
            cuts = values[:-1]
            key = (value <= min(cuts, key=lambda cut: abs(2 * sum(one <= cut for one in present) - len(present))),)
        else:
            key = (value,)
        groups.setdefault(key, []).append(record)
    return list(groups.values())


def node_at(tree: dict[str, str], value: Any, level: int) -> str:
    """The node of a value on a level; a missing value lies directly below the root."""
    if value is None:
        return "?" if level == 0 else root(tree)
    above = path(tree, value)
    return above[min(level, len(above) - 1)]


def node_loss(rows: Rows, tree: dict[str, str], place: int, node: str) -> Fraction:
    if node == "?":
        return Fraction(0)
    if node == root(tree) and any(row[place] is None for row in rows):
        return Fraction(1)
    below = len(leaves(tree, node))
    return Fraction(below if below > 1 else 0, len(leaves(tree, root(tree))))


def classes_at(rows: Rows, nodes: Sequence[Sequence[str]]) -> list[list[int]]:
    """Classes of records with the same nodes."""
    found: dict[Any, list[int]] = {}
    for record in range(len(rows)):
        found.setdefault(tuple(nodes[record]), []).append(record)
    return list(found.values())


def good_levels(rows: Rows, trees: Sequence[dict[str, str]], bad: Bad, limit: int) -> list[tuple[int, ...]]:
    """All level vectors that leave at most `limit` records in bad classes."""
    heights = [max(len(path(tree, leaf)) - 1 for leaf in leaves(tree, root(tree))) for tree in trees]
    good = []
    for levels in product(*(range(height + 1) for height in heights)):
        nodes = [[node_at(tree, row[a], levels[a]) for a, tree in enumerate(trees)] for row in rows]
        if sum(len(group) for group in classes_at(rows, nodes) if bad(group)) <= limit:
            good.append(levels)
    return good


Cut = list[dict[Any, str]]  # node of every value, attribute by attribute


def _nodes(rows: Rows, cut: Cut) -> list[list[str]]:
    return [[cut[place][row[place]] for place in range(len(cut))] for row in rows]


def _lost(rows: Rows, cut: Cut, bad: Bad) -> int:
    return sum(len(group) for group in classes_at(rows, _nodes(rows, cut)) if bad(group))


def _loss(rows: Rows, trees: Sequence[dict[str, str]], cut: Cut, bad: Bad | None) -> Fraction:
    nodes, total = _nodes(rows, cut), Fraction(0)
    for group in classes_at(rows, nodes):
        if bad is not None and bad(group):
            total += len(group)
        else:
            total += (
                len(group)
                * sum(
                    (node_loss(rows, tree, place, nodes[group[0]][place]) for place, tree in enumerate(trees)),
                    Fraction(0),
                )
                / len(trees)
            )
    return total / len(rows)


def preorder(tree: dict[str, str], node: str) -> list[str]:
    children = sorted(child for child, parent in tree.items() if parent == node)
    return [node, *(name for child in children for name in preorder(tree, child))]


def _entropy(labels: Sequence[Any]) -> float:
    return -sum(n / len(labels) * math.log2(n / len(labels)) for n in Counter(labels).values()) if labels else 0.0


def top_down(
    rows: Rows, trees: Sequence[dict[str, str]], bad: Bad, limit: int, labels: Sequence[Any] | None
) -> Cut | None:
    """The cut of every value that occurs; None where even the roots leave too many records in bad classes."""
    cut: Cut = [{row[place]: root(tree) for row in rows} for place, tree in enumerate(trees)]
    if _lost(rows, cut, bad) > limit:
        return None
    while True:
        best: tuple[float, int, int, Cut] | None = None
        for place, tree in enumerate(trees):
            for order, node in enumerate(preorder(tree, root(tree))):
                below = [value for value, image in cut[place].items() if image == node]
                if not below or node not in tree.values():
                    continue
                after = [dict(one) for one in cut]
                for value in below:
                    above = path(tree, value) if value is not None else ["?", root(tree)]
                    after[place][value] = above[above.index(node) - 1]
                if _lost(rows, after, bad) > limit:
                    continue
                if labels is None:
                    gain = _loss(rows, trees, cut, bad) - _loss(rows, trees, after, bad)
                    if gain < 0:
                        continue
                    score = float(gain)
                else:
                    score = _information(rows, labels, place, below, after[place]) / (
                        _smallest(rows, cut) - _smallest(rows, after) + 1
                    )
                score = float(f"{score:.11e}")
                if best is None or score > best[0]:
                    best = (score, place, order, after)
        if best is None:
            return cut
        cut = best[3]


def _smallest(rows: Rows, cut: Cut) -> int:
    return min(map(len, classes_at(rows, _nodes(rows, cut))))


def _information(rows: Rows, labels: Sequence[Any], place: int, below: Sequence[Any], image: dict[Any, str]) -> float:
    inside = [record for record, row in enumerate(rows) if row[place] in below]
    parts: dict[str, list[Any]] = {}
    for record in inside:
        parts.setdefault(image[rows[record][place]], []).append(labels[record])
    rest = sum(len(part) / len(inside) * _entropy(part) for part in parts.values())
    gain = _entropy([labels[record] for record in inside]) - rest
    return gain if gain > 1e-13 else 0.0


def bottom_up(rows: Rows, trees: Sequence[dict[str, str]], bad: Bad, limit: int) -> Cut | None:
    """The cut of every value that occurs; None where even the roots leave too many records in bad classes."""
    cut: Cut = []
    in_cut: list[set[str]] = []
    for place, tree in enumerate(trees):
        cut.append({row[place]: "?" if row[place] is None else row[place] for row in rows})
        in_cut.append(set(leaves(tree, root(tree))) | ({"?"} if None in cut[-1] else set()))
    while _lost(rows, cut, bad) > limit:
        best: tuple[Any, ...] | None = None
        for place, tree in enumerate(trees):
            for order, node in enumerate(preorder(tree, root(tree))):
                children = {child for child, parent in tree.items() if parent == node}
                if node == root(tree) and None in cut[place]:
                    children |= {"?"}
                if not children or not children <= in_cut[place]:
                    continue
                after = [dict(one) for one in cut]
                for value, image in cut[place].items():
                    if image in children:
                        after[place][value] = node
                saved = _lost(rows, cut, bad) - _lost(rows, after, bad)
                rise = _loss(rows, trees, after, None) - _loss(rows, trees, cut, None)
                if rise == 0:
                    score = (
                        (1, Fraction(saved)) if saved > 0 else (0, Fraction(0)) if saved == 0 else (-1, Fraction(saved))
                    )
                else:
                    score = (0, saved / rise)
                found = (score, -rise, -place, -order, after, children, node, place)
                if best is None or found[:4] > best[:4]:
                    best = found
        if best is None:
            return None
        cut = best[4]
        in_cut[best[7]] -= best[5]
        in_cut[best[7]].add(best[6])
    return cut


def is_diverse(kind: str, bound: Any, counts: Sequence[int], table: Sequence[int]) -> bool:
    """Whether counts of sensitive values, in order, satisfy a constraint; `bound` is l, (c, l) or t."""
    total, whole = sum(counts), sum(table)
    if total == 0:
        return True
    if kind == "distinct":
        return sum(count > 0 for count in counts) >= bound
    if kind == "entropy":
        entropy = -sum(count / total * math.log(count / total) for count in counts if count)
        return math.exp(entropy) >= bound - 1e-9
    if kind == "recursive":
        c, rare = bound
        falling = sorted(counts, reverse=True)
        return falling[0] < Fraction(str(c)) * sum(falling[rare - 1 :])
    kept = [
        (Fraction(count, total), Fraction(all_of, whole)) for count, all_of in zip(counts, table, strict=True) if all_of
    ]
    if kind == "equal":
        return sum(abs(one - other) for one, other in kept) / 2 <= Fraction(str(bound))
    if len(kept) == 1:
        return True
    reached = [abs(sum(one - other for one, other in kept[: place + 1])) for place in range(len(kept))]
    return sum(reached, Fraction(0)) / (len(kept) - 1) <= Fraction(str(bound))
