"""Residents of several shards: which belong together, and that groups never show in a release."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import crypsis
from crypsis.executors import near
from crypsis.executors.near import groups_of, resident_groups
from crypsis.executors.serial import Serial
from crypsis.methods.trajectory.shard_merging import MergingShards
from crypsis.shards.records import shard_records
from tests.shards.cut_walks import random_walks


@pytest.mark.parametrize(
    ("shards", "most", "expected"),
    [(5, 2, [[0, 1], [2, 3, 4]]), (2, 5, [[0], [1]]), (4, 1, [[0, 1, 2, 3]]), (0, 3, [])],
)
def test_neighbours_are_together_in_groups_of_equal_size(shards: int, most: int, expected: list[list[int]]) -> None:
    assert groups_of(list(range(shards)), most) == expected


@pytest.mark.parametrize("per_byte", [0, 1 << 40])
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_groups_of_shards_count_what_all_of_them_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, per_byte: int
) -> None:
    """In this process one object holds all trajectories; else there is one for each worker."""
    monkeypatch.setattr(near, "MEMORY_PER_FILE_BYTE", per_byte)
    data = random_walks(np.random.default_rng(5), 60, 6)
    method = crypsis.SeqAnon(k=3, m=2, on_infeasible="truncate")
    expected = crypsis.anonymize(data, method).data.to_lists()
    with Serial(scratch=tmp_path) as executor:
        monkeypatch.setattr(executor, "workers", workers, raising=False)
        shards = shard_records(data, executor, [0, 10, 25, 25, 40, 60]).shards
        residents = resident_groups(executor, MergingShards, shards, None)
        occurs = residents.call("occurs", len(data.locations))
        assert len(occurs) == (min(workers, 5) if per_byte else 1)
        assert np.array_equal(np.any(occurs, axis=0), np.bincount(data.codes, minlength=len(data.locations)) > 0)
        assert crypsis.anonymize(data, method, executor=executor).data.to_lists() == expected
