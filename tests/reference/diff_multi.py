"""DiffMulti the slow and obvious way: a region, a candidate and a record at a time. Imports nothing from crypsis."""

from __future__ import annotations

import math
from fractions import Fraction


def worst_path(numeric: int, depth: int, cap: int) -> int:
    """The most calls that one record can meet, by trying all sequences of numeric and other specializations."""
    states = {(0, 0): numeric if depth else 0}  # numeric specializations so far, whether the last was one: calls met
    for _ in range(depth):
        after: dict[tuple[int, int], int] = {}
        for (used, last), calls in states.items():
            # a new split point, if the last one was numeric and that attribute can be cut again
            met = calls + last + 2
            for kind in (0, 1):
                if kind == 1 and used >= numeric * cap:
                    continue
                key = (used + kind, kind)
                after[key] = max(after.get(key, 0), met)
        states = after
    return max(states.values())


def printed_specializations(trees: list[list[int]]) -> int:
    """Equation 6.13: trees as leaves and intermediate nodes, in order of specialization."""
    total, before = 0, 1
    for leaves, intermediate in trees:
        total += (intermediate + 1) * before
        before *= leaves
    return total


def ncp(cells: int, width: int) -> Fraction:
    return Fraction(cells, width) if cells > 1 else Fraction(0)


def score(name: str, children: list[tuple[list[int], int]], cells: int, width: int, n_classes: int):
    """Of children given as classes of their records and cells; `cells` is the parent's range."""
    if name == "max":
        return sum(max(labels.count(c) for c in range(n_classes)) if labels else 0 for labels, _ in children)
    if name == "discernibility":
        return -math.sqrt(sum(len(labels) ** 2 for labels, _ in children))
    loss = sum(len(labels) * ncp(span, width) for labels, span in children)
    if name == "ncp":
        return -loss
    return sum(len(labels) for labels, _ in children) * ncp(cells, width) - loss


def split_scores(name: str, values: list[int], labels: list[int], low: int, high: int, width: int, n_classes: int):
    """The score of every split point from low + 1 to high - 1."""
    found = []
    for point in range(low + 1, high):
        left = [label for value, label in zip(values, labels, strict=True) if value < point]
        right = [label for value, label in zip(values, labels, strict=True) if value >= point]
        found.append(score(name, [(left, point - low), (right, high - point)], high - low, width, n_classes))
    return found


def shares(noisy: list[int], left: int) -> list[int]:
    kept = [max(count, 0) for count in noisy]
    if sum(kept) == 0 or left <= 0:
        return [0] * len(kept)
    exact = [Fraction(count * left, sum(kept)) for count in kept]
    whole = [math.floor(share) for share in exact]
    order = sorted(range(len(kept)), key=lambda child: (whole[child] - exact[child], child))
    for child in order[: left - sum(whole)]:
        whole[child] += 1
    return whole


class Attribute:
    """`tree` is a nested dictionary below the root, or None for numbers from 0 to width - 1."""

    def __init__(self, width: int, tree: dict | None = None, leaves: list[str] | None = None) -> None:
        self.width, self.tree, self.leaves = width, tree, leaves


def below(tree: dict) -> list[str]:
    """The leaves of the dictionary of one node; the node itself where nothing is below."""
    found = []
    for name, inner in tree.items():
        found += below(inner) if inner else [name]
    return found


def grow(records: list[tuple[tuple[int, ...], int]], attributes: list[Attribute], n_classes: int, name: str, **limits):
    """Noise-free DiffMulti: leaves as (ranges of cells per attribute, counts per class), in any order.

    Selections take the best score, of equals the first attribute and the smallest split point.
    """
    # low, high, tree below, cuts, split point
    start = [(0, attribute.width, attribute.tree, 0, None) for attribute in attributes]
    leaves = []
    stack = [(records, start, limits["h"], 0)]
    depth_limit, cap = min(limits["h"], limits["depth"]), limits["cap"]
    while stack:
        inside, region, left, depth = stack.pop()
        candidates = []
        for place, (low, high, tree, cuts, _) in enumerate(region):
            numeric = attributes[place].tree is None
            if (high - low >= 2 and cuts < cap) if numeric else tree:
                candidates.append(place)
        if left <= 0 or depth >= depth_limit or not candidates:
            counts = [sum(1 for _, label in inside if label == c) for c in range(n_classes)]
            leaves.append((tuple((low, high) for low, high, *_ in region), counts))
            continue
        labels = [label for _, label in inside]
        region = list(region)
        best, chosen = None, None
        for place in candidates:
            low, high, tree, cuts, split = region[place]
            if attributes[place].tree is None:
                if split is None:
                    values = [cells[place] for cells, _ in inside]
                    found = split_scores(name, values, labels, low, high, attributes[place].width, n_classes)
                    split = low + 1 + max(range(len(found)), key=lambda at: (found[at], -at))
                    region[place] = (low, high, tree, cuts, split)
                parts = [(low, split, None), (split, high, None)]
            else:
                parts, at = [], low
                for inner in tree.values():
                    span = len(below(inner)) if inner else 1
                    parts.append((at, at + span, inner))
                    at += span
            children = [[r for r in inside if a <= r[0][place] < b] for a, b, _ in parts]
            value = score(
                name,
                [([label for _, label in child], b - a) for child, (a, b, _) in zip(children, parts, strict=True)],
                high - low,
                attributes[place].width,
                n_classes,
            )
            if best is None or value > best:
                best, chosen = value, (place, parts, children)
        place, parts, children = chosen
        _, _, _, cuts, _ = region[place]
        for child, part, share in zip(children, parts, shares([len(c) for c in children], left - 1), strict=True):
            after = list(region)
            numeric = attributes[place].tree is None
            after[place] = (part[0], part[1], part[2], cuts + numeric, None)
            stack.append((child, after, share, depth + 1))
    return leaves
