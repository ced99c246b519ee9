"""Kernels of regions against the slow and obvious way."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels import regions as kernels
from crypsis.methods.relational.region_scores import KINDS
from tests.reference import diff_multi as slow


@given(
    st.lists(st.tuples(st.integers(2, 11), st.integers(0, 2)), max_size=20),
    st.sampled_from(list(KINDS)),
    st.booleans(),
)
def test_blocks_say_the_score_of_every_split_point(values, score, wide):
    low, high, width = (2, 12, 12) if not wide else (2, 400, 400)
    rows = np.array([[value] for value, _ in values], np.int32).reshape(len(values), 1)
    labels = [label for _, label in values]
    offsets, blocks = kernels.split_blocks(
        kernels.GroupedRecords(rows, np.array(labels, np.int32), np.array([0, len(values)]), 3),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.array([[low]], np.int32),
        np.array([[high]], np.int32),
        KINDS[score],
    )
    assert offsets.tolist() == [0, len(blocks)]
    keys, counts = np.unique(rows[:, 0].astype(np.int64) * 3 + np.array(labels, np.int64), return_counts=True)
    ends = np.array([0, len(keys)])
    counted = kernels.blocks_of_counts(ends, keys, counts, np.array([low]), np.array([high]), 3, KINDS[score])
    assert [part.tolist() for part in counted] == [offsets.tolist(), blocks.tolist()]
    found = [first + slope * step for start, end, first, slope in blocks.tolist() for step in range(end - start + 1)]
    points = [point for start, end, *_ in blocks.tolist() for point in range(start, end + 1)]
    assert points == list(range(low + 1, high))
    name = "ncp" if score == "ncp_gain" else score
    expected = slow.split_scores(name, [value for value, _ in values], labels, low, high, width, 3)
    unit = {"max": 1, "discernibility": kernels.GRID}.get(score, width)
    for units, exact in zip(found, expected, strict=True):
        if score == "discernibility":
            assert abs(units / unit - exact) < 2 / unit
        else:
            assert Fraction(units, unit) == exact


@given(st.lists(st.integers(-5, 10**6), min_size=1, max_size=6), st.integers(0, 10**5))
def test_shares_are_those_of_largest_remainders(noisy, left):
    found = kernels.shares_of(np.array(noisy), np.array([0, len(noisy)]), np.array([left]))
    assert found.tolist() == slow.shares(noisy, left)


def test_shares_of_huge_noisy_counts_do_not_overflow():
    noisy = np.array([3 << 60, 1 << 60])
    assert kernels.shares_of(noisy, np.array([0, 2]), np.array([1 << 24])).tolist() == [3 << 22, 1 << 22]
