"""VERPART's kernel and its bitmaps give the chunks of the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import Int64s, offsets_of
from crypsis.kernels.greedy_chunks import greedy_chunks
from crypsis.kernels.record_bitmaps import add_record, bits_of, shared
from crypsis.kernels.vertical_partition import vertical_partition
from tests.reference import disassociation as reference

BUDGET = 10**6
term = st.sampled_from("abcdefgh")
clusters_of_records = st.lists(
    st.lists(st.frozensets(term, min_size=1, max_size=6), min_size=1, max_size=12), min_size=1, max_size=4
)


@given(st.integers(0, 2**64 - 1))
def test_ones_are_counted(word: int) -> None:
    assert bits_of(np.uint64(word)) == word.bit_count()


@given(st.sets(st.integers(0, 199)), st.sets(st.integers(0, 199)))
def test_rows_of_both_are_the_rows_in_common(one: set[int], other: set[int]) -> None:
    bitmaps = np.zeros((2, 4), np.uint64)
    for number, rows in enumerate((one, other)):
        for row in rows:
            add_record(bitmaps[number], row)
    assert shared(bitmaps[0], bitmaps[1]) == len(one & other)


@given(clusters_of_records, st.integers(1, 4), st.integers(1, 4), st.integers(0, 3), st.frozensets(term, max_size=2))
def test_chunks_are_those_of_the_definition(
    clusters: list[list[frozenset[str]]], k: int, m: int, min_causes: int, sensitive: frozenset[str]
) -> None:
    records = [record for cluster in clusters for record in cluster]
    rank = reference.ranks(records)
    labels = sorted(rank, key=rank.__getitem__)
    flat = np.array([rank[item] for record in records for item in sorted(record)], np.int32)
    offsets = offsets_of(np.array(list(map(len, records))))
    bounds = offsets_of(np.array(list(map(len, clusters))))
    secret = np.array([label in sensitive for label in labels], np.bool_)
    order = np.arange(len(records))
    pairs_of, terms, starts, chunk, postings, too_large = vertical_partition(
        offsets, flat, order, bounds, 0, len(clusters), secret, k, m, min_causes, BUDGET
    )
    assert too_large == -1
    at = 0
    for number, cluster in enumerate(clusters):
        domains, term_chunk = reference.vertical_partition(cluster, rank, k, m, sensitive, min_causes or None)
        placed: dict[int, set[str]] = {}
        for pair in range(at, at + int(pairs_of[number])):
            label = labels[terms[pair]]
            placed.setdefault(int(chunk[pair]), set()).add(label)
            holders = postings[starts[pair] : starts[pair + 1]] - bounds[number]
            assert holders.tolist() == [row for row, record in enumerate(cluster) if label in record]
        assert placed.pop(-1, set()) == term_chunk
        assert [placed[place] for place in range(len(placed))] == [set(domain) for domain in domains]
        at += int(pairs_of[number])


@given(
    st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=2, max_size=150),
    st.integers(1, 3),
    st.integers(1, 3),
    st.lists(st.integers(0, 1), min_size=6, max_size=6),
    st.booleans(),
)
def test_shared_chunks_obey_the_rule_asked_for(
    rows: list[frozenset[int]], k: int, m: int, conflict: list[int], printed: bool
) -> None:
    supports = {item: sum(item in row for row in rows) for item in range(6)}
    order = sorted((item for item in range(6) if supports[item] >= k), key=lambda item: (-supports[item], item))
    bitmaps = np.zeros((len(order), (len(rows) + 63) // 64), np.uint64)
    for number, item in enumerate(order):
        for row, items in enumerate(rows):
            if item in items:
                add_record(bitmaps[number], row)
    group = np.array([[conflict[item], 0] for item in order], np.uint64).reshape(len(order), 2)
    chunk_of = np.empty(len(order), np.int64)
    n_chunks = greedy_chunks(
        bitmaps, support_array(order, supports), k, m, group, group[:, 0] > 0, printed, BUDGET, chunk_of
    )

    def admits(domain: list[str], item: str) -> bool:
        together = [int(one) for one in [*domain, item]]
        labelled = [frozenset(map(str, row & set(together))) for row in rows if row & set(together)]
        if not reference.is_km_anonymous(labelled, k, m):
            return False
        if printed:
            return not any(conflict[one] for one in together) or reference.is_k_anonymous(labelled, k)
        return conflict[together[0]] == conflict[together[-1]]

    expected = reference.greedy_domains(list(map(str, order)), admits)
    found = [[str(order[number]) for number in np.flatnonzero(chunk_of == chunk)] for chunk in range(n_chunks)]
    assert found == expected


def support_array(order: list[int], supports: dict[int, int]) -> Int64s:
    return np.array([supports[item] for item in order], np.int64)


@pytest.mark.parametrize(("m", "budget", "enough"), [(2, 9, False), (2, 10, True), (3, 14, False), (3, 60, True)])
def test_combinations_are_counted_against_the_budget(m: int, budget: int, enough: bool) -> None:
    bitmaps = np.zeros((5, 1), np.uint64)
    for item in range(5):  # any two differ, all together in ten rows
        for row in [*range(10), 10 + item]:
            add_record(bitmaps[item], row)
    chunk_of = np.empty(5, np.int64)
    n_chunks = greedy_chunks(
        bitmaps, np.full(5, 11), 1, m, np.zeros((5, 2), np.uint64), np.zeros(5, np.bool_), False, budget, chunk_of
    )
    assert (n_chunks == 1) if enough else (n_chunks == -1)
