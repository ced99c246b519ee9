"""Supports along the tree of patterns, with a pool that is far too small, against looking at every row."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from crypsis.arrays import offsets_of
from crypsis.kernels.lcs import Sequences
from crypsis.kernels.pattern_tree import NO_ROOM, RARE, corpus_of, no_patterns, patterns_of, with_more_room
from tests.reference.prefix_tree import Path, contains

N_CODES = 3


def sequences_of(paths: list[Path]) -> Sequences:
    codes = np.array([code for path in paths for code in path], np.int32)
    offsets = offsets_of(np.array([len(path) for path in paths], np.int64))
    return Sequences(codes, offsets[:-1], np.diff(offsets).astype(np.int32))


@pytest.mark.parametrize("k", [1, 40, 700])
def test_supports_are_right_however_often_the_pool_is_emptied(k: int) -> None:
    chance = random.Random(k)
    paths = sorted({tuple(chance.choices(range(N_CODES), k=chance.randint(4, 9))) for _ in range(900)})
    rows = np.array([chance.choice([1, 1, 1, 2, 5]) for _ in paths], np.int64)
    assert len(paths) > 512  # some projections are long ones, which are kept apart
    patterns = [pattern for length in range(1, 6) for pattern in product(range(N_CODES), repeat=length)]
    chance.shuffle(patterns)
    corpus = corpus_of(sequences_of(paths), rows, np.zeros(1, np.int64), np.zeros(0, np.int32), len(rows), N_CODES)
    tree = no_patterns(room=4, pool=4 * len(paths))
    nodes = np.full(len(patterns), NO_ROOM, np.int64)
    done = 0
    while (done := patterns_of(tree, corpus, sequences_of(patterns), done, k, nodes)) < len(nodes):
        tree = with_more_room(tree)
    for pattern, node in zip(patterns, nodes.tolist(), strict=True):
        support = sum(count for path, count in zip(paths, rows.tolist(), strict=True) if contains(path, pattern))
        assert (node == RARE) == (support < k)
        assert node == RARE or tree.support[node] == support
