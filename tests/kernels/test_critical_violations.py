"""Critical violations and winners against the obvious versions, with every way of looking up and sorting."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.critical_violations import critical_violations, rare_doublets
from crypsis.kernels.window_rows import held_by_doublet, renumbered_rows
from crypsis.kernels.winners import chosen_winners
from tests.reference import itsa as reference

D = 7
rows = st.lists(st.sets(st.integers(0, D - 1), max_size=5), max_size=9)


def flatten(table: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0, 0], np.cumsum([len(row) for row in table])]).astype(np.int64)
    return offsets, np.array([code for row in table for code in sorted(row)], np.int32)


def held(table: list[set[int]], sensitive: list[bool]) -> np.ndarray:
    counted = [[0, 0], *([1, int(has)] for has in sensitive[: len(table)])]
    return np.array(counted, np.int64).reshape(-1, 2)


@pytest.mark.parametrize("dense", [0, 1 << 20], ids=["hashed", "dense"])
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "by place"])
@given(rows, st.lists(st.booleans(), min_size=9, max_size=9), st.integers(1, 4), st.integers(1, 4))
def test_critical_violations_are_the_minimal_ones(
    dense: int, packed: bool, table: list[set[int]], sensitive: list[bool], largest: int, k: int
) -> None:
    share = Fraction(2, 5)
    offsets, codes = flatten(table)
    counts = held(table, sensitive)
    bounds = np.array([share.numerator]), np.array([share.denominator])
    alone = rare_doublets(held_by_doublet(offsets, codes, counts, D), k, *bounds)
    starts, members, _ = critical_violations(
        offsets, codes, counts, 0, np.ones(D, np.bool_), alone, largest, k, *bounds, dense, packed
    )
    found = {(code,) for code in np.flatnonzero(alone).tolist()}
    found |= {tuple(members[a:b].tolist()) for a, b in pairwise(starts)}
    people = {number: [(code, 0) for code in row] for number, row in enumerate(table)}
    tokens = {number: [0] if sensitive[number] else [] for number in people}
    obvious = reference.critical(reference.violations(people, tokens, largest, k, {0: share}))
    assert found == {tuple(code for code, _ in one) for one in obvious}


violations = st.lists(st.sets(st.integers(0, D - 1), min_size=1, max_size=4), max_size=12, unique_by=tuple)


@given(violations, st.lists(st.integers(1, 5), min_size=D, max_size=D), st.booleans(), st.data())
def test_winners_are_chosen_in_the_obvious_order(
    found: list[set[int]], loss: list[int], prune: bool, data: st.DataObject
) -> None:
    allowed = {code for one in found for code in data.draw(st.sets(st.sampled_from(sorted(one)), min_size=1))}
    listed = [tuple(sorted(one)) for one in found]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in listed])]).astype(np.int64)
    members = np.array([code for one in listed for code in one], np.int32)
    flags = np.isin(np.arange(D), sorted(allowed))
    chosen = chosen_winners(starts, members, np.array(loss, np.int64), flags, prune)
    obvious = reference.winners(
        [tuple((code, 0) for code in one) for one in listed],
        {(code, 0): loss[code] for code in range(D)},
        {(code, 0) for code in allowed},
        prune,
    )
    assert chosen.tolist() == [code for code, _ in obvious]


@given(rows, st.sets(st.integers(0, D - 1)))
def test_rows_without_dropped_doublets_are_merged_and_their_people_added(
    table: list[set[int]], dropped: set[int]
) -> None:
    offsets, codes = flatten(table)
    counts = held(table, [number % 2 == 0 for number in range(9)])
    kept = [code for code in range(D) if code not in dropped]
    renumber = np.array([kept.index(code) if code in kept else -1 for code in range(D)], np.int32)
    new_offsets, new_codes, new_held, becomes = renumbered_rows(offsets, codes, counts, renumber)
    merged: dict[tuple[int, ...], list[int]] = {}
    for row, (people, tokens) in zip(table, counts[1:].tolist(), strict=True):
        left = tuple(sorted(kept.index(code) for code in row - dropped))
        if left:
            total = merged.setdefault(left, [0, 0])
            total[0], total[1] = total[0] + people, total[1] + tokens
    got = [tuple(new_codes[a:b].tolist()) for a, b in pairwise(new_offsets)]
    assert got[0] == ()
    assert dict(zip(got[1:], new_held[1:].tolist(), strict=True)) == merged
    for row, new in zip(table, becomes[1:].tolist(), strict=True):
        assert got[new] == tuple(sorted(kept.index(code) for code in row - dropped))
