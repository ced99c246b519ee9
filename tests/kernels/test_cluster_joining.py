"""REFINE's kernels order nodes as their keys say and join what the definition joins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.kernels.joint_nodes import UNKNOWN, Arena, Leading, Nodes, moved
from crypsis.kernels.node_order import settle_ties, sort_keys, sorted_by_key
from crypsis.run_context import RunContext
from tests.methods.transaction.sets_of_terms import drawn
from tests.reference import disassociation as reference


@settings(max_examples=100)
@given(
    st.lists(st.frozensets(st.integers(0, 8)), max_size=30),
    st.integers(4, 31),
    st.integers(1, 12),
    st.lists(st.integers(0, 26), max_size=4),
)
def test_nodes_are_ordered_by_their_whole_keys(
    hidden: list[frozenset[int]], bits: int, known: int, falls: list[int]
) -> None:
    shared_by = np.array([sum(term in node for node in hidden) for term in range(9)], np.int64)
    nodes, arena = kept(hidden)
    leading = Leading(np.full((len(hidden), known), 9, np.int32), np.full(len(hidden), UNKNOWN))
    for falling in (0, 0, *falls):  # from the second time on from what is known of each node
        shared_by[falling % 9] //= 1 + falling % 3  # counts of nodes only fall
        place = np.empty(9, np.int32)
        place[np.argsort(-shared_by, kind="stable")] = np.arange(9, dtype=np.int32)
        listed = np.arange(len(hidden))
        keys = sort_keys(listed, nodes, arena, leading, shared_by, place, bits)
        first = np.argsort(keys, kind="stable")
        listed, keys = listed[first], keys[first]
        settle_ties(listed, keys, nodes, arena, place, bits)
        expected = sorted(
            range(len(hidden)),
            key=lambda node: (not hidden[node], sorted(place[term] for term in hidden[node])),
        )
        assert listed.tolist() == expected


@pytest.mark.parametrize("n", [0, 1, 500, 2000])
@pytest.mark.parametrize("bits", [3, 11, 40, 63])
def test_sorting_by_key_keeps_the_order_of_equal_keys(n: int, bits: int) -> None:
    random = np.random.default_rng(n + bits)
    keys = random.integers(0, 2**bits - 1, n) if bits < 40 else random.integers(0, 50, n) << (bits - 6)
    keys[n // 2 : n // 2 + 3] = 2**63 - 1  # nodes that hide nothing: larger in their last bits too
    listed = random.permutation(n)
    expected = np.argsort(keys, kind="stable")
    nodes, sorted_keys = sorted_by_key(listed, keys.copy(), bits)
    assert nodes.tolist() == listed[expected].tolist()
    assert sorted_keys.tolist() == keys[expected].tolist()


@given(st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=8), st.permutations(range(8)), st.integers(0, 3))
def test_stretches_are_moved_one_after_another(stretches: list[list[int]], order: list[int], more: int) -> None:
    offsets = offsets_of(np.array([len(stretch) for stretch in stretches], np.int64))
    values = np.array([value for stretch in stretches for value in stretch], np.int32)
    listed = np.array([index for index in order if index < len(stretches)], np.int64)
    expected = [value for index in listed for value in stretches[index]]
    target = moved(values, offsets[listed], np.diff(offsets)[listed], len(expected) + more)
    assert target[: len(expected)].tolist() == expected
    assert len(target) == len(expected) + more


def kept(hidden: list[frozenset[int]]) -> tuple[Nodes, Arena]:
    """Nodes that hide these terms, as far as sorting looks at them."""
    lengths = np.array([len(node) for node in hidden], np.int64)
    total, nothing = int(lengths.sum()), np.zeros(len(hidden), np.int64)
    columns = [np.zeros(total, np.int32) for _ in range(6)]
    terms = np.array([term for node in hidden for term in sorted(node)], np.int32)
    arena = Arena(
        terms, columns[0], np.zeros(total, np.int64), columns[1], columns[2], columns[3], columns[4],
        columns[5], np.zeros((total, 2), np.uint64), np.arange(len(hidden), dtype=np.int32),
    )  # fmt: skip
    nodes = Nodes(
        offsets_of(lengths)[:-1], lengths, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing,
        np.zeros((len(hidden), 2), np.uint64), nothing, nothing, np.zeros((len(hidden), 1), np.uint64),
    )  # fmt: skip
    return nodes, arena


@pytest.mark.parametrize("seed", range(25))
def test_joins_are_those_of_the_definition(seed: int) -> None:
    case = drawn(seed, most_records=60)
    try:
        expected = case.expected()
    except reference.Impossible:
        return
    assert case.method(workers=1).anonymize(case.data(), RunContext()).to_canonical() == expected
