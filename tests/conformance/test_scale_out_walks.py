"""Vectors of scale-out for trajectories: merging on shards makes the merges of data in memory."""

from __future__ import annotations

from typing import Any

import pytest

import crypsis
from crypsis.executors.serial import Serial
from crypsis.methods.trajectory.global_recoding import published_recoding
from tests.conformance import vectors
from tests.shards.cut_walks import merged_cut

SEQ_ANON = "scale_out/seq_anon.json"
CASES = [vectors.case(SEQ_ANON, case, name=number) for number, case in enumerate(vectors.load(SEQ_ANON)["cases"])]


@pytest.mark.parametrize("case", CASES)
def test_merges_are_those_of_data_in_memory(case: dict[str, Any]) -> None:
    data = crypsis.Trajectories.from_lists(case["input"], case["locations"])
    for parts in case["parts"]:
        cuts = [len(data) * number // parts for number in range(1, parts)]
        with Serial() as executor:
            merged = merged_cut(data, cuts, executor, **case["parameters"])
            assert merged.merges.to_pairs() == case["merges"]
            assert published_recoding(data, merged.representatives()).to_lists() == case["published"]
