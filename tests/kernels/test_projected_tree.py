"""The part of a prefix tree that matters to some sequences, against leaving items out of every path."""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby

import numpy as np
import pytest

from crypsis.arrays import offsets_of
from crypsis.kernels.lcs import Sequences
from crypsis.kernels.prefix_tree import grow, heights, lexicographic_order
from crypsis.kernels.projected_tree import ComparedTree, projected

Path = tuple[int, ...]
N_CODES = 5


def compared_tree(paths: list[Path], rows: list[int]) -> ComparedTree:
    codes = np.array([code for path in paths for code in path], np.int32)
    offsets = offsets_of(np.array([len(path) for path in paths], np.int64))
    nodes, end_of_row = grow(offsets, codes, *lexicographic_order(offsets, codes, N_CODES))
    number = np.zeros(len(nodes.item), np.int32)
    number[end_of_row] = np.arange(len(paths), dtype=np.int32)
    chosen = np.zeros(len(nodes.item), np.bool_)
    chosen[end_of_row] = True
    sequences = Sequences(codes, offsets[:-1], np.diff(offsets).astype(np.int32))
    return ComparedTree(nodes, heights(nodes.parent), chosen, number, sequences, np.array(rows, np.int64))


def kept_of(path: Path, most: list[int]) -> Path:
    """Without items that are not wanted, and of what are then runs no more than wanted."""
    wanted = [item for item in path if most[item] > 0]
    return tuple(item for item, run in groupby(wanted) for _, item in zip(range(most[item]), run, strict=False))


@pytest.mark.parametrize("shortest", [1, 2, 4, 9])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_left_of_each_path_is_in_the_tree_with_its_rows(seed: int, shortest: int) -> None:
    chance = random.Random(seed)
    paths = sorted({tuple(chance.choices(range(N_CODES), k=chance.randint(1, 9))) for _ in range(60)})
    rows = [chance.randint(0, 5) for _ in paths]
    most = [chance.choice([0, 1, 2, 9]) for _ in range(N_CODES)]

    left = projected(compared_tree(paths, rows), np.array(most, np.int32), shortest)

    expected: Counter[Path] = Counter()
    for path, count in zip(paths, rows, strict=True):
        kept = kept_of(path, most)
        if len(kept) >= shortest:
            expected[kept] += count
    found: dict[Path, int] = {}
    nodes = left.nodes
    for node in range(1, len(nodes.item)):
        parent = int(nodes.parent[node])
        assert parent < node < nodes.end[node] <= nodes.end[parent]
        assert nodes.depth[node] == nodes.depth[parent] + 1
        if left.chosen[node]:
            number = left.number[node]
            start, length = left.sequences.starts[number], left.sequences.lengths[number]
            path = tuple(left.sequences.codes[start : start + length].tolist())
            above = node
            for item in reversed(path):
                assert nodes.item[above] == item
                above = int(nodes.parent[above])
            assert above == 0
            found[path] = int(left.rows[number])
    assert found == dict(expected)
    assert len(found) == left.chosen.sum() == len(left.rows)
    assert (left.height[1:] == heights(nodes.parent)[1:]).all()
    assert ((nodes.depth + left.height)[1:] >= shortest).all()
