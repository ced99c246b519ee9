"""HORPART's kernel forms the clusters of the recursive definition, in its order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.kernels.horizontal_partition import horizontal_partition
from tests.reference import disassociation as reference

term = st.sampled_from("abcdefg")
records_of_terms = st.lists(st.frozensets(term, min_size=1, max_size=5), min_size=1, max_size=25)
few_patterns = st.lists(st.frozensets(term, min_size=1, max_size=5), min_size=1, max_size=4).flatmap(
    lambda patterns: st.lists(st.sampled_from(patterns), min_size=1, max_size=40)
)


def partitioned(
    records: list[frozenset[str]],
    k: int,
    max_size: int,
    sensitive: frozenset[str],
    diversity: int,
    guarded: bool,
) -> tuple[list[list[int]], list[int]]:
    rank = reference.ranks(records)
    flat = np.array([rank[item] for record in records for item in sorted(record)], np.int32)
    secret = np.array([item in sensitive for item in sorted(rank, key=rank.__getitem__)], np.bool_)
    offsets = offsets_of(np.array(list(map(len, records))))
    clustered, ends, leftover = horizontal_partition(offsets, flat, secret, k, diversity, max_size, guarded)
    return [part.tolist() for part in np.split(clustered, ends[1:-1])] if len(ends) > 1 else [], leftover.tolist()


@given(records_of_terms | few_patterns, st.integers(1, 4), st.integers(0, 5), st.booleans())
def test_clusters_are_those_of_the_definition(records: list[frozenset[str]], k: int, more: int, guarded: bool) -> None:
    clusters, leftover = partitioned(records, k, 2 * k + more, frozenset(), 1, guarded)
    try:
        expected = reference.horizontal_partition(records, k, 2 * k + more, guarded=guarded)
    except reference.Impossible:
        assert clusters == []
        assert leftover == list(range(len(records)))
        return
    if leftover:  # what is left at the end joins the smallest
        smallest = min(range(len(clusters)), key=lambda cluster: len(clusters[cluster]))
        clusters[smallest] += leftover
    assert clusters == expected


@given(records_of_terms | few_patterns, st.integers(1, 3), st.integers(1, 3), st.frozensets(term, max_size=2))
def test_no_cluster_breaks_the_diversity_asked_for(
    records: list[frozenset[str]],
    k: int,
    diversity: int,
    sensitive: frozenset[str],
) -> None:
    clusters, leftover = partitioned(records, k, 2 * k, sensitive, diversity, False)
    assert sorted([*leftover, *(record for cluster in clusters for record in cluster)]) == list(range(len(records)))
    for cluster in clusters:
        assert len(cluster) >= k
        for secret in sensitive:
            assert diversity * sum(secret in records[record] for record in cluster) <= len(cluster)


def test_a_chain_as_long_as_the_terms_is_no_recursion() -> None:
    records = [frozenset({f"t{number:04d}", "all"}) for number in range(3000) for _ in range(2)]
    clusters, leftover = partitioned(records, 2, 4, frozenset(), 1, False)
    assert len(clusters) == 2999
    assert not leftover


def test_records_nested_in_each_other_are_no_recursion() -> None:
    records = [frozenset(f"t{number:03d}" for number in range(length + 1)) for length in range(120)]
    clusters, leftover = partitioned(records, 2, 4, frozenset(), 1, False)
    assert sorted(record for cluster in [*clusters, leftover] for record in cluster) == list(range(120))
    assert min(map(len, clusters)) >= 2
