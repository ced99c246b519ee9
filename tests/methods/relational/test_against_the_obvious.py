"""The methods for tables find what their slow and obvious versions find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.errors import Infeasible
from crypsis.kernels.lattice import minimal_nodes
from crypsis.methods import BottomUp, Cluster, Incognito, Mondrian, TopDown
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.incognito import Lattice
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.run_context import RunContext
from crypsis.verifiers.table_recoding import inconsistent
from tests.methods.relational.obvious import Small, asked, classes, constraints, small_tables
from tests.reference import tables as reference

ks = st.integers(1, 4)


def hopeless(small: Small, bad: reference.Bad) -> bool:
    return bad(range(len(small.rows)))


@pytest.mark.parametrize("seeds", ["first", "farthest"])
@given(small=small_tables(people=False) | small_tables(people=True), k=ks, constraint=constraints)
def test_cluster(seeds: str, small: Small, k: int, constraint: Any) -> None:
    table, bad = small.table(), small.bad(k, *constraint)
    method = Cluster(k=k, seeds=seeds, hierarchy=small.hierarchies, **asked(*constraint))
    if hopeless(small, bad):
        with pytest.raises(Infeasible):
            method.anonymize(table, RunContext())
        return
    published = method.anonymize(table, RunContext())
    groups = reference.cluster(small.rows, small.attributes, k, seeds, bad)
    assert classes(published) == sorted(map(sorted, groups))
    loss = sum(len(group) * reference.group_cells(small.rows, small.attributes, group)[1] for group in groups)
    assert ncp_loss(table, published).total == loss / len(small.rows)


@given(
    small=small_tables(max_rows=14, people=False) | small_tables(max_rows=14, people=True),
    k=ks,
    categories=st.sampled_from(["values", "halves"]),
    constraint=constraints,
)
def test_mondrian(small: Small, k: int, categories: str, constraint: Any) -> None:
    bad = small.bad(k, *constraint)
    method = Mondrian(k=k, categories=categories, hierarchy=small.hierarchies, **asked(*constraint))
    if hopeless(small, bad):
        with pytest.raises(Infeasible):
            method.anonymize(small.table(), RunContext())
        return
    parts = reference.mondrian(small.rows, small.attributes, k, bad, categories)
    assert classes(method.anonymize(small.table(), RunContext())) == sorted(
        map(sorted, reference.united(small.rows, small.attributes, parts))
    )


@given(
    small=small_tables(only_trees=True, people=False) | small_tables(only_trees=True, people=True),
    k=ks,
    limit=st.integers(0, 4),
    constraint=constraints,
)
def test_good_and_minimal_nodes(small: Small, k: int, limit: int, constraint: Any) -> None:
    table = small.table()
    asked_for = Incognito(k=k, **asked(*constraint))._promised()
    quasi = QuasiIdentifiers.of(table, small.hierarchies, None, "test", trees=True)
    lattice = Lattice.of(quasi, Diversity.of(table, asked_for, "test"), k, limit)
    good = lattice.good_nodes()
    found = [tuple(lattice.levels(node).tolist()) for node in np.flatnonzero(good).tolist()]
    expected = reference.good_levels(small.rows, small.trees, small.bad(k, *constraint), limit)
    assert found == expected
    minimal = [
        one for one in expected
        if not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in expected)
    ]  # fmt: skip
    nodes = np.flatnonzero(minimal_nodes(good, lattice.heights)).tolist()
    assert [tuple(lattice.levels(node).tolist()) for node in nodes] == minimal


def check_cut(small: Small, method: Any, cut: reference.Cut | None, bad: reference.Bad, *, label: bool = False) -> None:
    table = small.table(label=label)
    lost = [] if cut is None else [
        record
        for group in reference.classes_at(small.rows, reference._nodes(small.rows, cut))
        if bad(group)
        for record in group
    ]  # fmt: skip
    if cut is None or len(lost) == len(small.rows):
        with pytest.raises(Infeasible):
            method.anonymize(table, RunContext())
        return
    published = method.anonymize(table, RunContext())
    assert np.flatnonzero(published.suppressed).tolist() == sorted(lost)
    assert ncp_loss(table, published).total == reference._loss(small.rows, small.trees, cut, bad)
    assert inconsistent(published, table) is None


def refused_at_once(small: Small, k: int, limit: int, bad: reference.Bad) -> bool:
    individuals = len(small.rows) if small.persons is None else len(set(small.persons))
    return individuals < k or (limit == 0 and hopeless(small, bad))


@pytest.mark.parametrize("label", [False, True])
@given(
    small=small_tables(only_trees=True, max_rows=8, people=False)
    | small_tables(only_trees=True, max_rows=8, people=True),
    k=ks,
    limit=st.integers(0, 3),
    constraint=constraints,
)
def test_top_down(label: bool, small: Small, k: int, limit: int, constraint: Any) -> None:
    bad, n_rows = small.bad(k, *constraint), len(small.rows)
    assume(limit <= n_rows)
    method = TopDown(
        k=k,
        hierarchy=small.hierarchies,
        max_suppressed=min((limit + 0.5) / n_rows, 1) if limit else 0,
        **asked(*constraint),
    )
    cut = None
    if not refused_at_once(small, k, limit, bad):
        cut = reference.top_down(small.rows, small.trees, bad, limit, small.labels if label else None)
    check_cut(small, method, cut, bad, label=label)


@given(
    small=small_tables(only_trees=True, max_rows=8, people=False)
    | small_tables(only_trees=True, max_rows=8, people=True),
    k=ks,
    limit=st.integers(0, 3),
    constraint=constraints,
)
def test_bottom_up(small: Small, k: int, limit: int, constraint: Any) -> None:
    bad, n_rows = small.bad(k, *constraint), len(small.rows)
    assume(limit <= n_rows)
    method = BottomUp(
        k=k,
        hierarchy=small.hierarchies,
        max_suppressed=min((limit + 0.5) / n_rows, 1) if limit else 0,
        **asked(*constraint),
    )
    cut = None if refused_at_once(small, k, limit, bad) else reference.bottom_up(small.rows, small.trees, bad, limit)
    check_cut(small, method, cut, bad)
