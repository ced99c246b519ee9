"""Mixed data in parts: the methods in blocks, with the release of data in memory where there is one block."""

from __future__ import annotations

import os

import pytest

from crypsis.executors.serial import Serial
from tests.shards.cut_mixed import METHODS, compare

DATASETS = int(os.environ.get("CRYPSIS_DATASETS", "250"))  # of each method


@pytest.mark.parametrize("name", METHODS)
def test_blocks_are_the_same_wherever_data_are_cut_and_keep_the_promise(name: str) -> None:
    with Serial() as executor:
        several = [compare(name, seed, [executor]) for seed in range(len(METHODS[name]))]
    assert any(several)


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_blocks_of_many_datasets_are_the_same_wherever_data_are_cut(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + DATASETS):
            compare(name, seed, [executor])
