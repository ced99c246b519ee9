"""Blocks that keep a promise keep it together: the union of their classes is counted by the verifiers themselves.

A block's class is kept where it keeps the promise alone; classes of several blocks with equal texts are one in the
union. So these are the lemmas on which publishing in blocks rests, and where each of them ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.mixed import PublishedMixed
from crypsis.data.relational import PublishedTable
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import PublishedTransactions
from crypsis.guarantees import (
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    LDiversity,
    PatternPreservingKAnonymity,
    SequenceKAnonymity,
    TCloseness,
)
from crypsis.verifiers import verify

BLOCKS, CLASSES, SECRETS = "12", "PQ", "YZ"
SETS = st.lists(
    st.tuples(
        st.sampled_from(BLOCKS),
        st.sampled_from(CLASSES),
        st.sets(st.sampled_from("abc")),
        st.sets(st.sampled_from(SECRETS), max_size=1),
    ),
    max_size=24,
)
WALKS = st.lists(
    st.tuples(st.sampled_from(BLOCKS), st.lists(st.sampled_from("abc"), min_size=1, max_size=4)), max_size=9
)
VALUES = st.lists(
    st.tuples(st.sampled_from(BLOCKS), st.sampled_from(CLASSES), st.integers(0, 3)), min_size=1, max_size=24
)


def mixed(rows: list[Any], sensitive: tuple[str, ...] = ()) -> PublishedMixed:
    table = PublishedTable.from_texts(
        pl.DataFrame({"class": [row[1] for row in rows]}, schema={"class": pl.String}), {"class": "quasi"}
    )
    items = [sorted(row[2]) + (sorted(row[3]) if sensitive else []) for row in rows]
    return PublishedMixed(table, PublishedTransactions.from_lists(items), "items", sensitive)


def table(rows: list[Any], *, apart: bool = False) -> PublishedTable:
    """Classes of different blocks are apart or, where their texts are equal, one."""
    cells = [(f"{block}{of_class}" if apart else of_class, str(secret)) for block, of_class, secret in rows]
    frame = pl.DataFrame(cells, schema={"class": pl.String, "secret": pl.String}, orient="row")
    types = {"class": "category", "secret": "int"}
    return PublishedTable.from_frame(frame, {"class": "quasi", "secret": "sensitive"}, types)


def keeping(rows: list[Any], holds: Any) -> list[Any]:
    """The rows of those classes of blocks that keep the promise by themselves."""
    groups = [[row for row in rows if row[:2] == (block, of_class)] for block in BLOCKS for of_class in CLASSES]
    return [row for group in groups if group and holds(group) for row in group]


@given(SETS, st.integers(1, 3), st.integers(0, 3))
def test_supports_of_sets_in_classes_add_up(rows, k: int, m: int) -> None:
    promised = KKmAnonymity(k=k, m=m)
    kept = keeping(rows, lambda group: verify(mixed(group), promised).holds)
    assert verify(mixed(kept), promised).holds


@given(SETS, st.integers(1, 3), st.integers(1, 3), st.integers(0, 3))
def test_shares_of_sensitive_items_stay_within_the_bound(rows, k: int, l: int, m: int) -> None:  # noqa: E741
    promised = KLmDiversity(k=k, l=l, m=m)
    kept = keeping(rows, lambda group: verify(mixed(group, (*SECRETS,)), promised).holds)
    assert verify(mixed(kept, (*SECRETS,)), promised).holds


@pytest.mark.parametrize("kind", [SequenceKAnonymity, PatternPreservingKAnonymity])
@given(walks=WALKS, candidates=WALKS, k=st.integers(1, 3))
def test_a_sequence_that_k_people_of_a_block_contain_is_contained_by_k_people(kind, walks, candidates, k: int) -> None:
    """Also where blocks name the same places."""
    promised = kind(k=k)

    def verdict(rows: list[Any], originals: list[Any]) -> Any:
        published = PublishedTrajectories.from_lists([list(row) for _, row in rows])
        return verify(published, promised, Trajectories.from_lists([list(row) for _, row in originals]))

    kept = []
    for block in BLOCKS:
        own = [walk for walk in walks if walk[0] == block]
        labels = {label for _, walk in own for label in walk}
        possible = [one for one in candidates if one[0] == block and labels.issuperset(one[1])]
        kept += [one for one in possible if verdict([one], own).holds]
    assert not kept or verdict(kept, walks).holds


def test_symbols_that_overlap_across_blocks_need_a_scope_each() -> None:
    """One block generalizes a and b, the other a and c: together nobody could check it without being told."""
    promised = KKmAnonymity(k=2, m=2)
    blocks = [[[["a", "b"]]] * 2, [[["a", "c"]]] * 2]

    def release(rows: list[Any]) -> PublishedMixed:
        return replace(mixed([("1", "P", (), ())] * len(rows)), transactions=PublishedTransactions.from_lists(rows))

    assert all(verify(release(block), promised).holds for block in blocks)
    union = release([row for block in blocks for row in block])
    assert not verify(union, promised).holds
    assert verify(replace(union, scopes=np.array([0, 0, 1, 1], np.int32)), promised).holds


@given(VALUES, st.integers(1, 4))
def test_sizes_of_classes_add_up(rows, k: int) -> None:
    kept = keeping(rows, lambda group: len(group) >= k)
    assert not kept or verify(table(kept), KAnonymity(k=k)).holds


@pytest.mark.parametrize("form", ["distinct", "entropy", "recursive"])
@given(rows=VALUES, l=st.integers(1, 3), c=st.sampled_from([0.5, 1.0, 2.0]))
def test_diverse_classes_are_diverse_together(form: str, rows, l: int, c: float) -> None:  # noqa: E741
    promised = LDiversity(l=l, form=form, c=c if form == "recursive" else None)
    kept = keeping(rows, lambda group: verify(table(group), promised).holds)
    assert not kept or verify(table(kept), promised).holds


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@given(rows=VALUES)
def test_a_union_is_as_close_to_the_whole_as_its_farthest_part(distance: str, rows) -> None:
    apart = verify(table(rows, apart=True), TCloseness(t=1, distance=distance))
    assert apart.achieved is not None
    bound = min(float(apart.achieved) + 1e-9, 1.0)
    assert verify(table(rows), TCloseness(t=bound, distance=distance)).holds


def test_closeness_to_the_own_block_is_no_promise_of_the_union() -> None:
    blocks = [[("1", "P", 0)] * 10, [("2", "Q", 1)] * 10]
    assert all(verify(table(block), TCloseness(t=0)).holds for block in blocks)
    union = verify(table([*blocks[0], *blocks[1]]), TCloseness(t=0.4))
    assert (union.holds, union.achieved) == (False, 0.5)
