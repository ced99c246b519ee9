"""Workloads are drawn exactly as specified: list the distinct subtrajectories, choose among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, TooLarge, UnknownLocation
from crypsis.metrics import workload
from crypsis.metrics.workload import Workload, distinct_subtrajectories
from tests.metrics.recodings import LABELS, TABLE_ORDER, path_lists
from tests.reference.utility import subsequences

POINTS = {label: (float(code), 0.0) for code, label in enumerate(TABLE_ORDER)}


def listed(paths: list[list[str]], sizes: list[int]) -> list[list[str]]:
    """All distinct subtrajectories by size, then codes."""
    found = []
    for size in sorted(set(sizes)):
        coded = {s for path in paths for s in subsequences([TABLE_ORDER.index(label) for label in path], size)}
        found += [[TABLE_ORDER[code] for code in s] for s in sorted(coded)]
    return found


size_lists = st.lists(st.integers(1, 4), min_size=1, max_size=3)


@given(path_lists, size_lists, st.integers(1, 20), st.integers(0, 5))
def test_queries_are_the_chosen_entries_of_the_list(
    paths: list[list[str]], sizes: list[int], n_queries: int, seed: int
) -> None:
    every = listed(paths, sizes)
    drawn = Workload.drawn(Trajectories.from_lists(paths, POINTS), n_queries, sizes, seed)
    if n_queries < len(every):
        random = np.random.Generator(np.random.PCG64(seed))
        every = [every[index] for index in random.choice(len(every), n_queries, replace=False)]
    assert drawn.to_lists() == every
    assert len(drawn) == len(every)


@given(path_lists, st.integers(1, 4))
def test_keys_are_the_same_with_and_without_a_bitmap(paths: list[list[str]], size: int) -> None:
    original = Trajectories.from_lists(paths, POINTS)
    with pytest.MonkeyPatch.context() as patch:
        with_bitmap = distinct_subtrajectories(original, size)
        patch.setattr(workload, "LONGEST_BITMAP", 0)
        patch.setattr(workload, "_BLOCK", 3)
        without = distinct_subtrajectories(original, size)
    assert without.tolist() == with_bitmap.tolist()
    assert len(without) == len(listed(paths, [size]))


def test_sensitive_locations_can_be_left_out() -> None:
    table = Locations(Vocabulary(LABELS), sensitive=np.array([label == "b" for label in LABELS]))
    original = Trajectories.from_lists([["a", "b", "c"], ["b"]], table)
    drawn = Workload.drawn(original, exclude_sensitive=True)
    assert drawn.to_lists() == [["a"], ["c"], ["a", "c"]]
    assert Workload.of_locations(original, exclude_sensitive=True).to_lists() == [["a"], ["c"]]
    assert Workload.of_locations(original).to_lists() == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize(
    "wrong", [{"n_queries": 0}, {"sizes": (0,)}, {"sizes": (1.5,)}, {"seed": -1}, {"n_queries": True}]
)
def test_impossible_draws_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match=next(iter(wrong))):
        Workload.drawn(Trajectories.from_lists([["a"]]), **wrong)


def test_a_query_for_an_unknown_location_is_named() -> None:
    with pytest.raises(UnknownLocation, match=r"'z'.*query 1"):
        Workload.from_lists([["a"], ["a", "z"]], Vocabulary("ab"))
    with pytest.raises(BadParameter, match="at least one location"):
        Workload.from_lists([[]], Vocabulary("ab"))


def test_sizes_that_cannot_be_listed_are_refused() -> None:
    many = [[f"p{number:03d}" for number in range(300)]]
    with pytest.raises(TooLarge, match="cannot be listed"):
        Workload.drawn(Trajectories.from_lists(many), sizes=(8,))
    with pytest.raises(TooLarge, match=r"up to 1\.96e\+10"):
        Workload.drawn(Trajectories.from_lists(many), sizes=(5,))
