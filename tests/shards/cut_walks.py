"""Trajectories cut into shards at given places, empty ones too, and random ones with ties and empty trajectories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import crypsis
from crypsis.executors.executor import Executor
from crypsis.methods.trajectory.merging import NO_GUIDANCE, Guidance
from crypsis.methods.trajectory.shard_merging import ShardMerging
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories, shard_records


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


def merged_cut(
    data: crypsis.Trajectories,
    cuts: Sequence[int],
    executor: Executor,
    k: int,
    m: int,
    guidance: Guidance = NO_GUIDANCE,
) -> ShardMerging:
    """The partition of locations after merging on shards."""
    encoded = shard_records(data, executor, [0, *cuts, len(data)])
    assert isinstance(encoded, EncodedTrajectories)
    merging = ShardMerging(encoded, data.locations.coordinates("this"), executor, guidance=guidance)
    for size in range(1, min(m, int(data.lengths.max(initial=0))) + 1):
        merging.make_frequent(size, k, RunContext())
    return merging
