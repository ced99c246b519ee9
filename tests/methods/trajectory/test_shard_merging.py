"""Merging on shards makes the merges of data in memory, however these are cut; also guided, and with suppression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crypsis
from crypsis.data.constraints import UtilityConstraints
from crypsis.errors import CrypsisError
from crypsis.executors.serial import Serial
from crypsis.hierarchy import Taxonomy
from crypsis.methods.trajectory.merging import Guidance, LocationMerging
from crypsis.run_context import RunContext
from tests.shards.cut_sets import random_cuts
from tests.shards.cut_walks import merged_cut, random_walks


def compare(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_walks(rng, int(rng.integers(1, 60)), int(rng.integers(2, 10)))
    k, m = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    labels = data.locations.labels
    kind = ("near", "taxonomy", "groups")[seed % 3]
    guide: dict[str, Any] = {}
    if kind == "taxonomy":
        inner = [f"t{one}" for one in rng.integers(0, 3, len(labels))]
        guide["taxonomy"] = Taxonomy(
            [*zip(labels, inner, strict=True), *((node, "all") for node in sorted(set(inner)))]
        )
    elif kind == "groups":
        group = rng.integers(0, 3, len(labels))
        sets = [[labels[place] for place in np.flatnonzero(group == one)] for one in sorted(set(group.tolist()))]
        guide = {"group_of_code": UtilityConstraints(sets).groups_of(data), "delta": float(rng.choice([30, 100]))}
    x, y = data.locations.coordinates("this")
    groups = data.groups("trajectory")
    guidance = Guidance(**guide)
    state = LocationMerging(data, x, y, groups, guidance)
    expected = outcome(lambda: local(state, data, k, m))
    with Serial() as executor:
        found = outcome(lambda: merged_cut(data, random_cuts(rng, len(data)), executor, k, m, guidance))
    assert found == expected


def local(state: Any, data: crypsis.Trajectories, k: int, m: int) -> Any:
    for size in range(1, min(m, int(data.lengths.max(initial=0))) + 1):
        state.make_frequent(size, k, RunContext())
    return state


def outcome(run: Any) -> Any:
    """Merges in order, the partition and what was suppressed; or the error."""
    try:
        state = run()
    except CrypsisError as error:
        return type(error), str(error)
    return state.merges.to_pairs(), state.representatives().tolist(), state.suppressed


@pytest.mark.parametrize("seed", range(30))
def test_shards_are_merged_as_data_in_memory(seed: int) -> None:
    compare(seed)


@pytest.mark.long
def test_shards_of_hundreds_of_datasets_are_merged_as_data_in_memory() -> None:
    for seed in range(1000, 1600):
        compare(seed)
