"""BTD: sets written out, and the greatest of all pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter
from crypsis.metrics.record_distance import cluster_distance, cross_distance, record_distance

records = st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=6)


def by_hand(one: set[str], other: set[str], operator: str) -> Fraction:
    differing = one ^ other if operator == "xor" else one | other
    return Fraction(len(differing) + 1, len(one & other) + 1)


@given(records, st.sampled_from(["xor", "or"]))
def test_distances_are_those_of_the_sets(sets: list[set[str]], operator: str) -> None:
    data = Transactions.from_lists([sorted(one) for one in sets])
    pairs = list(combinations(range(len(sets)), 2))
    distances = [by_hand(sets[one], sets[other], operator) for one, other in pairs]
    found = [record_distance(data.offsets, data.items, one, other, operator) for one, other in pairs]
    assert found == distances
    widest = cluster_distance(data.offsets, data.items, np.arange(len(sets)), operator)
    assert widest == max(distances, default=by_hand(sets[0], sets[0], operator))


@given(records, records, st.sampled_from(["xor", "or"]))
def test_the_distance_of_two_clusters_is_that_of_their_widest_pair(one, other, operator: str) -> None:
    data = Transactions.from_lists([sorted(record) for record in [*one, *other]])
    first, second = np.arange(len(one)), np.arange(len(one), len(one) + len(other))
    expected = max(by_hand(here, there, operator) for here, there in product(one, other))
    assert cross_distance(data.offsets, data.items, first, second, operator) == expected


def test_one_record_and_disjoint_ones() -> None:
    data = Transactions.from_lists([["a", "b"], ["c"], []])
    assert cluster_distance(data.offsets, data.items, np.array([0])) == Fraction(1, 3)
    assert record_distance(data.offsets, data.items, 0, 1) == 4
    assert record_distance(data.offsets, data.items, 2, 2) == 1
    with pytest.raises(BadParameter, match="operator"):
        record_distance(data.offsets, data.items, 0, 1, "and")
