"""DiffGen the slow and obvious way: a value, a child and a record at a time. Imports nothing from crypsis.

`select(scores, what)` returns the place of the chosen candidate; it is asked for split points and for values alike.
"""

from __future__ import annotations

from itertools import product

from tests.reference.diff_multi import score, split_scores


def first_best(scores, what):
    return scores.index(max(scores))


def generalized(records, attributes, n_classes, name, *, rounds, most_regions, select=first_best):
    """Regions as tuples of ranges with their class counts. Attributes are a width, or (width, nested tree)."""
    cuts = [[(0, width, tree)] for width, tree in attributes]
    points: dict[tuple[int, int, int], int] = {}

    def cells(place, low, high):
        chosen = [(cells[place], label) for cells, label in records if low <= cells[place] < high]
        return [cell for cell, _ in chosen], [label for _, label in chosen]

    def draw(place, values):
        for low, high, tree in values:
            if tree is None and high - low >= 2:
                scores = split_scores(name, *cells(place, low, high), low, high, attributes[place][0], n_classes)
                points[place, low, high] = low + 1 + select(scores, "split point")

    def children(place, value):
        low, high, tree = value
        if tree is None:
            if high - low < 2:
                return []
            at = points[place, low, high]
            return [(low, at, None), (at, high, None)]
        found = []
        for inner in tree.values():
            size = leaves(inner)
            found.append((low, low + size, inner))
            low += size
        return found

    if rounds:
        for place, cut in enumerate(cuts):
            draw(place, cut)
    for left in range(rounds - 1, -1, -1):
        candidates = []
        for place, cut in enumerate(cuts):
            for value in cut:
                below = children(place, value)
                sizes = [len(other) for other in cuts]
                sizes[place] += len(below) - 1
                total = 1
                for size in sizes:
                    total *= size
                if below and total <= most_regions:
                    candidates.append((place, value, below))
        if not candidates:
            break
        scores = [
            score(
                name,
                [(cells(place, low, high)[1], high - low) for low, high, _ in below],
                value[1] - value[0],
                attributes[place][0],
                n_classes,
            )
            for place, value, below in candidates
        ]
        place, value, below = candidates[select(scores, "value")]
        if left:
            draw(place, below)
        at = cuts[place].index(value)
        cuts[place][at : at + 1] = below
    regions = []
    for combination in product(*cuts):
        inside = [
            label
            for cells, label in records
            if all(low <= cell < high for cell, (low, high, _) in zip(cells, combination, strict=True))
        ]
        ranges = tuple((low, high) for low, high, _ in combination)
        regions.append((ranges, [inside.count(label) for label in range(n_classes)]))
    return regions


def leaves(tree) -> int:
    return sum(map(leaves, tree.values())) if tree else 1
