"""HORPART by rounds makes the clusters of records in memory, however these are cut into shards and blocks."""

from __future__ import annotations

import numpy as np
import pytest

import crypsis
from crypsis.errors import InfeasibleDiversity, TooFewRecords
from crypsis.executors.serial import Serial
from crypsis.methods.transaction.horizontal_partition import partition_horizontally
from crypsis.methods.transaction.ranked_records import RankedRecords
from tests.shards.cut_sets import clusters_cut, random_cuts, random_sets


def compare(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    data = random_sets(rng, int(rng.integers(k, 90)), int(rng.integers(2, 14)), int(rng.integers(0, 3)))
    secret = data.sensitive is not None and bool(data.sensitive.any())
    horpart = ["standard", "guarded"][int(rng.integers(2))]
    method = crypsis.Disassociation(
        k=k, max_cluster_size=int(rng.integers(max(2 * k, 2), 6 * k + 2)), horpart=horpart, l=2 if secret else None
    )
    records = RankedRecords.of(data)
    size = method.max_cluster_size or 0
    try:
        local = partition_horizontally(records, k, method.l or 1, size, horpart == "guarded", data.vocabulary.labels)
    except (TooFewRecords, InfeasibleDiversity):
        return
    expected = [local.records[a:b].tolist() for a, b in zip(local.offsets[:-1], local.offsets[1:], strict=True)]
    with Serial() as executor:
        for block_rows in (1, 12, 1000):
            assert clusters_cut(data, method, random_cuts(rng, len(data)), block_rows, executor) == expected


@pytest.mark.parametrize("seed", range(25))
def test_rounds_make_the_clusters_of_records_in_memory(seed: int) -> None:
    compare(seed)


@pytest.mark.long
def test_rounds_make_the_same_clusters_of_hundreds_of_datasets() -> None:
    for seed in range(1000, 1500):
        compare(seed)
