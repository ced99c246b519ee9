"""Vectors of scale-out for sets: HORPART by rounds makes the clusters of records in memory."""

from __future__ import annotations

from typing import Any

import pytest

import crypsis
from crypsis.executors.serial import Serial
from crypsis.methods.transaction.horpart_rounds import runs_of_clusters
from tests.conformance import vectors
from tests.shards.cut_sets import clusters_cut

HORPART = "scale_out/horpart.json"
CASES = [vectors.case(HORPART, case, name=number) for number, case in enumerate(vectors.load(HORPART)["cases"])]


@pytest.mark.parametrize("case", CASES)
def test_clusters_are_those_of_records_in_memory(case: dict[str, Any]) -> None:
    data = crypsis.Transactions.from_lists(case["input"])
    method = crypsis.Disassociation(
        k=case["k"], max_cluster_size=case["max_cluster_size"], horpart=case["horpart"], refine="none"
    )
    for parts in case["parts"]:
        cuts = [len(data) * number // parts for number in range(1, parts)]
        for block_rows in case["block_rows"]:
            with Serial() as executor:
                assert clusters_cut(data, method, cuts, block_rows, executor) == case["clusters"]
    sizes = [len(cluster) for cluster in case["clusters"]]
    for block_rows, runs in case["refine_runs"].items():
        assert [list(run) for run in runs_of_clusters(sizes, int(block_rows))] == runs
