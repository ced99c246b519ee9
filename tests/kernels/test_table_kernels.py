"""The kernels behind the methods for tables against the obvious versions; few examples, for the interpreter too."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.errors import Infeasible
from crypsis.kernels.row_classes import row_classes
from crypsis.methods import BottomUp, Cluster, Incognito, Mondrian, TopDown
from crypsis.run_context import RunContext
from tests.methods.relational.obvious import Small, asked, classes, constraints, small_tables
from tests.reference import tables as reference

few = settings(max_examples=20)


@given(rows=st.lists(st.lists(st.integers(-3, 4), min_size=2, max_size=2), max_size=30))
def test_rows_are_numbered_by_their_first_occurrence(rows: list[list[int]]) -> None:
    class_of, first = row_classes(np.array(rows, np.int32).reshape(len(rows), 2))
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in rows]
    assert class_of.tolist() == expected
    assert [expected.index(number) for number in range(len(seen))] == first.tolist()


def attempt(method: Any, small: Small) -> Any:
    try:
        return method.anonymize(small.table(), RunContext())
    except Infeasible:
        return None


@few
@given(small=small_tables(), k=st.integers(1, 3), constraint=constraints)
def test_clusters_and_parts(small: Small, k: int, constraint: Any) -> None:
    bad, extra = small.bad(k, *constraint), asked(*constraint)
    found = attempt(Cluster(k=k, seeds="farthest", hierarchy=small.hierarchies, **extra), small)
    parts = attempt(Mondrian(k=k, hierarchy=small.hierarchies, **extra), small)
    if bad(range(len(small.rows))):
        assert found is None
        assert parts is None
        return
    groups = reference.cluster(small.rows, small.attributes, k, "farthest", bad)
    assert classes(found) == sorted(map(sorted, groups))
    halves = reference.mondrian(small.rows, small.attributes, k, bad)
    assert classes(parts) == sorted(map(sorted, reference.united(small.rows, small.attributes, halves)))


@few
@given(small=small_tables(only_trees=True, max_rows=7), k=st.integers(1, 3), constraint=constraints)
def test_levels_and_cuts(small: Small, k: int, constraint: Any) -> None:
    bad, extra = small.bad(k, *constraint), asked(*constraint)
    common: Any = {"k": k, "hierarchy": small.hierarchies, **extra}
    found = [attempt(method, small) for method in (Incognito(**common), TopDown(**common), BottomUp(**common))]
    if bad(range(len(small.rows))):
        assert found == [None, None, None]
        return
    for cut, published in (
        (reference.top_down(small.rows, small.trees, bad, 0, None), found[1]),
        (reference.bottom_up(small.rows, small.trees, bad, 0), found[2]),
    ):
        assert cut is not None
        assert classes(published) == sorted(reference.classes_at(small.rows, reference._nodes(small.rows, cut)))
    assert reference.good_levels(small.rows, small.trees, bad, 0)
    assert not found[0].suppressed.any()
