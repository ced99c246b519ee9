"""Trajectories cut into shards at given places, empty ones too, and random ones with ties and empty trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import crypsis
from crypsis.executors.executor import Executor
from crypsis.journal import Journal
from crypsis.methods.trajectory.shard_merging import ShardMerging
from crypsis.shards.ragged import RaggedShard, cut_ragged, save_ragged


def random_walks(rng: np.random.Generator, n: int, n_places: int = 8) -> crypsis.Trajectories:
    """Short walks between places on a small grid, so that distances tie."""
    places = {f"p{place:02d}": tuple(map(float, rng.integers(0, 5, 2))) for place in range(n_places)}
    labels = list(places)
    weights = 1 / np.arange(1, n_places + 1)
    lists = [
        [labels[place] for place in rng.choice(n_places, rng.integers(0, 6), p=weights / weights.sum())]
        for _ in range(n)
    ]
    return crypsis.Trajectories.from_lists(lists, places)


def cut_walks(data: crypsis.Trajectories, cuts: Sequence[int], executor: Executor) -> tuple[RaggedShard, ...]:
    return save_ragged(executor.scratch.below("shards"), cut_ragged(data.offsets, data.codes, [0, *cuts, len(data)]))


def merged_cut(
    data: crypsis.Trajectories, cuts: Sequence[int], executor: Executor, k: int, m: int, **guide: Any
) -> ShardMerging:
    """The partition of locations after merging on shards."""
    shards = cut_walks(data, cuts, executor)
    place = data.locations.coordinates("this")
    merging = ShardMerging(data.locations, data.occurring, place, shards, executor, **guide)
    for size in range(1, min(m, int(data.lengths.max(initial=0))) + 1):
        merging.make_frequent(size, k, Journal())
    return merging
