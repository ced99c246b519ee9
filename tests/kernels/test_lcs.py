"""Bit-parallel longest common subsequences over a prefix tree, against the table of the definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from crypsis.arrays import offsets_of
from crypsis.kernels.lcs import WORDS, Sequences, closest_paths, common_lengths, longest_common_lengths
from crypsis.kernels.prefix_tree import Nodes, grow, heights, lexicographic_order, pruned, with_ancestors
from tests.reference.prefix_tree import lcs_length

Path = tuple[int, ...]
N_CODES = 5


def flat(paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    codes = np.array([code for path in paths for code in path], np.int32)
    return offsets_of(np.array([len(path) for path in paths], np.int64)), codes


def tree_of(paths: list[Path]) -> tuple[Nodes, np.ndarray]:
    offsets, codes = flat(paths)
    return grow(offsets, codes, *lexicographic_order(offsets, codes, N_CODES))


def sequences_of(paths: list[Path]) -> Sequences:
    offsets, codes = flat(paths)
    return Sequences(codes, offsets[:-1], np.diff(offsets).astype(np.int32))


def path_of(nodes: Nodes, node: int) -> Path:
    path: Path = ()
    while node > 0:
        path = (int(nodes.item[node]), *path)
        node = int(nodes.parent[node])
    return path


def drawn(chance: random.Random, rows: int, longest: int) -> list[Path]:
    return [tuple(chance.choices(range(N_CODES), k=chance.randint(1, longest))) for _ in range(rows)]


@pytest.mark.parametrize("lane", [8, 16, 32, 64])
def test_common_lengths_of_a_batch_are_those_of_the_table(lane: int) -> None:
    for seed in range(6):
        chance = random.Random(seed)
        others = drawn(chance, 12, min(2 * lane, 24))
        asked = drawn(chance, min(3, WORDS) * (64 // lane), min(lane - 1, 20))
        nodes, end_of_row = tree_of(others)
        height, sequences = heights(nodes.parent), sequences_of(asked)
        members = np.arange(len(asked))
        masks = np.zeros((N_CODES, WORDS), np.uint64)
        least = np.array([chance.randint(1, max(1, len(path) // 2)) for path in asked], np.int32)
        longest = [max(lcs_length(path, other) for other in others) for path in asked]

        found = longest_common_lengths(sequences, members, least, lane, nodes, height, masks)
        assert found.tolist() == [max(pair) for pair in zip(longest, least.tolist(), strict=True)]
        assert not masks.any()
        assert closest_paths(sequences, nodes, height, N_CODES)[1].tolist() == longest

        chosen = np.zeros(len(nodes.item), np.bool_)
        chosen[end_of_row] = True
        packed = common_lengths(sequences, members, least, lane, nodes, height, chosen, masks)
        triples = {(int(entry) >> 48, (int(entry) >> 32) & 0xFFFF, int(entry) & 0xFFFFFFFF) for entry in packed}
        assert len(triples) == len(packed)
        assert triples == {
            (lane_number, common, node)
            for lane_number, path in enumerate(asked)
            for node in set(end_of_row.tolist())
            if (common := lcs_length(path, path_of(nodes, node))) >= least[lane_number]
        }
        assert not masks.any()


def test_a_chosen_node_brings_the_whole_way_to_it() -> None:
    chance = random.Random(3)
    nodes, end_of_row = tree_of(drawn(chance, 30, 8))
    chosen = np.zeros(len(nodes.item), np.bool_)
    chosen[end_of_row[::3]] = True
    expected = {()} | {
        path_of(nodes, int(node))[:length] for node in end_of_row[::3] for length in range(nodes.depth[node] + 1)
    }
    part, before = pruned(nodes, with_ancestors(nodes.parent, chosen))
    assert {path_of(part, node) for node in range(len(part.item))} == expected
    assert [path_of(nodes, int(node)) for node in before] == [path_of(part, node) for node in range(len(part.item))]
