"""Bags of subrecords are what projecting and counting gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.kernels.grouping import grouped
from crypsis.kernels.subrecord_bags import subrecord_bags


@given(
    st.lists(st.frozensets(st.integers(0, 5)), min_size=1, max_size=20),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.integers(1, 3),
    st.integers(0, 3),
)
def test_bags_are_what_projecting_and_counting_gives(
    records: list[frozenset[int]], chunk_of: list[int], parts: int, first: int
) -> None:
    # As in shared chunks: a term comes in several pairs, each with the records of another cluster.
    pairs = [
        (chunk_of[term], term, [row for row, record in enumerate(records) if term in record and row % parts == part])
        for term in range(6)
        for part in range(parts)
    ]
    pairs = [pair for pair in pairs if pair[2]]
    starts = offsets_of(np.array([len(rows) for _, _, rows in pairs], np.int64))
    postings = np.array([row for _, _, rows in pairs for row in rows], np.int32)
    order, offsets = grouped(np.array([chunk for chunk, _, _ in pairs], np.int64), 3)
    terms = np.array([term for _, term, _ in pairs], np.int32)
    entries, counts, lengths, items = subrecord_bags(order, offsets, first, 3, terms, starts, postings, len(records))
    bounds, number = offsets_of(lengths), 0
    for chunk in range(first, 3):
        domain = {term for term in range(6) if chunk_of[term] == chunk}
        expected = Counter(row for record in records if (row := record & domain))
        found = Counter[frozenset[int]]()
        for entry in range(number, number + int(entries[chunk - first])):
            found[frozenset(items[bounds[entry] : bounds[entry + 1]].tolist())] += int(counts[entry])
        assert found == expected
        assert len(expected) == entries[chunk - first]
        number += int(entries[chunk - first])
    assert number == len(counts)


@given(st.lists(st.integers(0, 4), max_size=30))
def test_groups_keep_the_order_within(group: list[int]) -> None:
    order, offsets = grouped(np.array(group, np.int64), 5)
    for number in range(5):
        assert order[offsets[number] : offsets[number + 1]].tolist() == [
            place for place, one in enumerate(group) if one == number
        ]
