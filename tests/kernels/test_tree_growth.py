"""Records walk down a tree of ranges as a dictionary says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.pair_supports import pair_set_supports
from crypsis.kernels.tree_growth import candidates, follow, tally


@given(st.data(), st.integers(1, 4), st.integers(0, 12), st.booleans())
def test_candidates_counts_and_moves_are_those_of_a_dictionary(data, n_nodes, n_records, at_leaves):
    width = 5
    nodes = np.array(data.draw(exactly(n_records, st.integers(0, n_nodes - 1))), np.int64)
    values = np.array(data.draw(exactly(n_records, st.integers(0, width - 1))), np.int32)
    range_of = np.array([] if at_leaves else data.draw(exactly(width, st.integers(0, 2))), np.int64)
    base = np.zeros(n_nodes, np.int64)
    start = np.arange(n_nodes + 1, dtype=np.int64) * width
    found = candidates(nodes, values, range_of, base, start)
    step = values if at_leaves else range_of[values]
    assert found.tolist() == [node * width + int(to) for node, to in zip(nodes, step, strict=True)]
    assert tally(found, n_nodes * width).tolist() == np.bincount(found, minlength=n_nodes * width).tolist()
    slot = np.array(data.draw(exactly(n_nodes * width, st.integers(-1, 3))), np.int64)
    moved = follow(found, values, np.arange(n_records), slot)
    kept = [record for record in range(n_records) if slot[found[record]] >= 0]
    assert moved[0].tolist() == [int(slot[found[record]]) for record in kept]
    assert moved[1].tolist() == values[kept].tolist()
    assert moved[2].tolist() == kept


@given(st.data(), st.integers(1, 5), st.integers(0, 8))
def test_supports_of_sets_of_pairs_are_those_of_sets(data, n_pairs, n_records):
    records = [data.draw(st.sets(st.integers(0, n_pairs - 1))) for _ in range(n_records)]
    weights = np.array(data.draw(exactly(n_records, st.integers(0, 5))), np.int64)
    queries = data.draw(st.lists(st.lists(st.integers(0, n_pairs - 1), min_size=1, max_size=3), min_size=1, max_size=5))
    holders = [[number for number, record in enumerate(records) if pair in record] for pair in range(n_pairs)]
    answers = pair_set_supports(
        offsets(holders),
        np.array([number for held in holders for number in held], np.int64),
        weights,
        offsets(queries),
        np.array([pair for query in queries for pair in query], np.int64),
    )
    assert answers.tolist() == [
        sum(int(weight) for record, weight in zip(records, weights, strict=True) if set(query) <= record)
        for query in queries
    ]


def exactly(size, elements):
    return st.lists(elements, min_size=size, max_size=size)


def offsets(lists):
    return np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
