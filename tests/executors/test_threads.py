"""A map in threads gives what a loop gives, in order, and stops when told to."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import Cancelled
from crypsis.executors.threads import AHEAD_PER_WORKER, available_workers, even_ranges, map_in_threads


@given(st.lists(st.integers()), st.integers(1, 4))
def test_results_come_in_the_order_of_the_shards(shards: list[int], workers: int) -> None:
    shares = list[float]()
    assert map_in_threads(lambda shard: shard + 1, shards, workers, shares.append) == [shard + 1 for shard in shards]
    assert shares == [(number + 1) / len(shards) for number in range(len(shards))]


def test_shards_really_run_at_the_same_time() -> None:
    both_are_there = threading.Barrier(2, timeout=120)
    map_in_threads(lambda shard: both_are_there.wait(), [0, 1], 2)


@pytest.mark.parametrize("workers", [1, 3])
def test_who_is_told_may_stop_the_rest(workers: int) -> None:
    begun = list[int]()

    def stop(share: float) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        map_in_threads(begun.append, list(range(10_000)), workers, stop)
    assert len(begun) <= AHEAD_PER_WORKER * workers


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_in_a_thread_fails_here(workers: int) -> None:
    with pytest.raises(ZeroDivisionError):
        map_in_threads(lambda shard: 1 // shard, [1, 0, 1], workers)


@given(st.lists(st.integers(0, 20), max_size=40), st.integers(1, 6), st.integers(0, 30))
def test_ranges_cover_everything_once_and_are_few(weights: list[int], most: int, least: int) -> None:
    ranges = even_ranges(np.array(weights, np.int64), most, least)
    assert [place for first, last in ranges for place in range(first, last)] == list(range(len(weights)))
    assert len(ranges) <= most
    assert all(last > first for first, last in ranges)


def test_ranges_weigh_about_the_same() -> None:
    ranges = even_ranges(np.ones(1000, np.int64), 4, 10)
    assert [last - first for first, last in ranges] == [250, 250, 250, 250]
    assert even_ranges(np.ones(1000, np.int64), 4, 400) == [(0, 500), (500, 1000)]


def test_there_is_at_least_one_worker() -> None:
    assert available_workers() >= 1
