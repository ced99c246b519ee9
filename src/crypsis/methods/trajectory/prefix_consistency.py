"""From noisy counts to whole numbers of trajectories: children never add up to more than their parent.

All of it is post-processing of noisy counts, so it costs no budget. Values are exact rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.methods.trajectory.noisy_prefix_tree import TreeLevel

_HALF = Fraction(1, 2)


def projected(children: Sequence[int], parent: Fraction | int) -> list[Fraction]:
    """The nearest point, in the Euclidean sense, with no negative part and a sum of at most the parent."""
    if sum(children) <= parent and min(children, default=0) >= 0:
        return [Fraction(child) for child in children]
    if sum(max(child, 0) for child in children) <= parent:
        return [Fraction(max(child, 0)) for child in children]
    total, share = 0, None
    for index, child in enumerate(sorted(children, reverse=True), 1):
        total += child
        level = Fraction(total - parent) / index
        if child <= level:
            break
        share = level
    if share is None:  # the parent has nothing to give
        return [Fraction(0)] * len(children)
    return [max(child - share, Fraction(0)) for child in children]


def whole_family(values: Sequence[Fraction], parent: int) -> list[int]:
    """Whole numbers near the values with a sum of at most the parent; missing units go to the largest remainders."""
    floors = [value.numerator // value.denominator for value in values]
    missing = min(parent, _half_up(sum(values, Fraction(0)))) - sum(floors)
    by_remainder = sorted(range(len(values)), key=lambda child: (floors[child] - values[child], child))
    for child in by_remainder[:missing]:
        floors[child] += 1
    return floors


def consistent_counts(levels: Sequence[TreeLevel]) -> list[list[Fraction]]:
    """The value of every node, level by level."""
    result: list[list[Fraction]] = []
    for depth, level in enumerate(levels):
        noisy = level.noisy.tolist()
        if depth == 0:
            result.append([Fraction(max(count, 0)) for count in noisy])
            continue
        values: list[Fraction] = []
        for parent, (start, end) in enumerate(pairwise(_families(level, len(levels[depth - 1])))):
            if start < end:
                values += projected(noisy[start:end], result[-1][parent])
        result.append(values)
    return result


def whole_counts(levels: Sequence[TreeLevel], consistent: Sequence[Sequence[Fraction]]) -> list[Int64s]:
    """Whole numbers for the values, level by level."""
    result: list[list[int]] = []
    for depth, level in enumerate(levels):
        if depth == 0:
            result.append([_half_up(value) for value in consistent[0]])
            continue
        counts: list[int] = []
        for parent, (start, end) in enumerate(pairwise(_families(level, len(levels[depth - 1])))):
            if start < end:
                counts += whole_family(consistent[depth][start:end], result[-1][parent])
        result.append(counts)
    return [np.array(counts, np.int64) for counts in result]


def terminating(levels: Sequence[TreeLevel], counts: Sequence[Int64s]) -> list[Int64s]:
    """How many trajectories end at each node: its count without those of its children."""
    ending = [level_counts.copy() for level_counts in counts]
    for depth in range(1, len(levels)):
        np.subtract.at(ending[depth - 1], levels[depth].parents, counts[depth])
    return ending


def _families(level: TreeLevel, n_parents: int) -> list[int]:
    """Where the children of each parent begin; they stand together, in the order of their parents."""
    return list(offsets_of(np.bincount(level.parents, minlength=n_parents)).tolist())


def _half_up(value: Fraction) -> int:
    shifted = value + _HALF
    return shifted.numerator // shifted.denominator
