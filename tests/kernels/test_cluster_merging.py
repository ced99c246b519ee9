"""Merging clusters, distances of their items and losses of generalized ones against the obvious versions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.kernels.cluster_merging import records_by_cluster
from crypsis.kernels.item_losses import record_losses
from crypsis.kernels.transaction_clusters import clusters_by_items
from crypsis.kernels.transaction_distance import distance_matrix
from tests.reference import generalization
from tests.reference.mixed import record_distance

few = settings(max_examples=20)
records_of_items = st.lists(st.frozensets(st.integers(0, 5), max_size=4), min_size=1, max_size=12)


def flat(records: list[frozenset[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, records)]).astype(np.int64)
    return offsets, np.array([item for record in records for item in sorted(record)], np.int32)


@few
@given(records=records_of_items, either=st.booleans(), data=st.data())
def test_the_matrix_holds_the_widest_pair_across_and_inside_clusters(
    records: list[frozenset[int]], either: bool, data: st.DataObject
) -> None:
    n_clusters = data.draw(st.integers(1, len(records)))
    cluster_of = np.array([place if place < n_clusters else place % n_clusters for place in range(len(records))])
    starts, rows = records_by_cluster(cluster_of, n_clusters)
    members = [np.flatnonzero(cluster_of == one).tolist() for one in range(n_clusters)]
    assert [rows[starts[one] : starts[one + 1]].tolist() for one in range(n_clusters)] == members
    found = distance_matrix(*flat(records), starts, rows, either)
    for one, other in product(range(n_clusters), repeat=2):
        pairs = [
            record_distance(records[here], records[there], either=either)
            for here, there in product(members[one], members[other])
            if here != there or len(members[one]) == 1
        ]
        assert found[one, other] == float(max(pairs))


@pytest.mark.parametrize("either", [False, True])
def test_the_matrix_is_right_where_items_beyond_the_most_frequent_share_bits(either: bool) -> None:
    random = np.random.default_rng(7)
    popular = [frozenset((400 * random.random(12) ** 3).astype(int).tolist()) for _ in range(90)]
    records = [one | {0, 1} for one in popular]  # every pair has something in common, so that many are looked at
    cluster_of = np.arange(len(records)) % 6
    found = distance_matrix(*flat(records), *records_by_cluster(cluster_of, 6), either)
    for one, other in product(range(6), repeat=2):
        pairs = [
            record_distance(records[here], records[there], either=either)
            for here, there in product(range(one, 90, 6), range(other, 90, 6))
            if here != there
        ]
        assert found[one, other] == float(max(pairs))


@few
@given(sizes=st.lists(st.lists(st.integers(1, 40), max_size=4), max_size=5), literal=st.booleans())
def test_losses_are_those_of_the_definition(sizes: list[list[int]], literal: bool) -> None:
    every = np.array([size for record in sizes for size in record], np.int64)
    offsets = np.cumsum([0, *map(len, sizes)]).astype(np.int64)
    weights = np.ones(len(every)) if literal else (every > 1).astype(np.float64)
    found = record_losses(offsets, np.arange(len(every), dtype=np.int32), every, weights)
    expected = [generalization.utility_loss([("x",) * size for size in record], literal=literal) for record in sizes]
    assert found.tolist() == pytest.approx([float(loss) for loss in expected], rel=1e-12, abs=0)


@few
@given(records=records_of_items, k=st.integers(1, 4))
def test_a_cluster_is_a_seed_with_the_records_that_differ_least(records: list[frozenset[int]], k: int) -> None:
    records = records * k  # never fewer than k
    found = clusters_by_items(*flat(records), k, np.arange(len(records)))
    assert found.tolist() == obvious_clusters(records, k)


def obvious_clusters(records: list[frozenset[int]], k: int) -> list[int]:
    cluster_of = [-1] * len(records)
    seeds: list[int] = []
    while cluster_of.count(-1) >= k:
        seed = cluster_of.index(-1)
        free = [one for one, cluster in enumerate(cluster_of) if cluster < 0 and one != seed]
        nearest = sorted(free, key=lambda one: (record_distance(records[seed], records[one]), one))
        for one in [seed, *nearest[: k - 1]]:
            cluster_of[one] = len(seeds)
        seeds.append(seed)
    for one, cluster in enumerate(cluster_of):
        if cluster < 0:
            distances: list[Fraction] = [record_distance(records[one], records[seed]) for seed in seeds]
            cluster_of[one] = distances.index(min(distances))
    return cluster_of
