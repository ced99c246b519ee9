"""Methods that are marked exact: what they release of parts is what they release of a table in memory."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BlockTooLarge, NotScalable
from crypsis.executors.serial import Serial
from crypsis.methods import METHODS
from crypsis.methods.scaling import BlockSize, Scaling
from tests.shards.compared_tables import EXACT, NAMES, SETTINGS, compare, compare_blocks
from tests.shards.cut_records import SETS, WALKS
from tests.shards.cut_tables import random_table, release_cut, sorted_frame


@pytest.mark.parametrize("seed", range(16))
def test_blocks_of_clusters_are_the_same_wherever_the_table_is_cut(seed: int, tmp_path: Path) -> None:
    with Serial() as executor:
        compare_blocks(seed, tmp_path, [executor])


def test_a_node_that_cannot_be_split_is_dealt_out() -> None:
    frame = pl.DataFrame({"age": [7] * 50, "ill": ["flu"] * 10 + ["cold"] * 40})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"}, each_row_is_a_person=True)
    with Serial() as executor:
        release = release_cut(table, crypsis.Cluster(k=2, l=2), [9, 31], 8, executor)
        assert sorted(release.context.private["block_sizes"]) == [7, 7, 7, 7, 7, 7, 8]
        assert release.verify().holds


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_release_of_parts_is_the_release_of_a_table_in_memory(name: str, seed: int) -> None:
    with Serial() as executor:
        compare(name, seed, executor)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_tables_are_released_alike_however_they_are_cut(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + int(os.environ.get("CRYPSIS_TABLES", "60"))):
            compare(name, seed, executor)


def test_every_exact_method_is_tried() -> None:
    assert sorted(SETTINGS) == NAMES
    beside = sorted(method.name() for method in EXACT if method.accepts is not crypsis.Table)
    assert set(beside) <= {*SETS, *WALKS}  # tests/test_records_in_parts.py


@pytest.mark.parametrize("method", [one for one in METHODS.values() if one.scaling is Scaling.NONE])
def test_other_methods_say_why_they_cannot_work_on_parts(method: type[crypsis.Method]) -> None:
    refusal = method.not_scalable()
    assert isinstance(refusal, NotScalable)
    assert refusal.sentence.startswith(f"{method.__name__} cannot be run on parts: ")


def test_a_stream_method_names_the_runtime_of_streams() -> None:
    words = "ITSA cannot be run on parts: use crypsis stream, which needs little memory."
    assert METHODS["itsa"].not_scalable().sentence == words


def test_a_method_that_does_not_scale_is_refused_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crypsis.DiffGen, "scaling", Scaling.NONE)
    table = random_table(np.random.default_rng(1), 20)
    with pytest.raises(NotScalable, match="Mondrian"):
        crypsis.anonymize(table, crypsis.DiffGen(), executor="serial")


def test_blocks_that_do_not_fit_are_refused_with_the_number_that_would_do() -> None:
    with Serial(memory="64MiB") as executor, pytest.raises(BlockTooLarge, match=r"block_rows=\d+"):
        BlockSize(10_000_000).check_fits(200, 50_000_000, executor)


def test_a_large_class_may_lie_in_several_blocks() -> None:
    frame = pl.DataFrame({"age": [7] * 50, "ill": ["flu", "cold"] * 25})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    method = crypsis.Mondrian(k=2)
    with Serial() as executor:
        release = release_cut(table, method, [9, 31], 8, executor)
        assert len(release.parts.blocks) == 7
        assert pl.read_parquet(release.data.files[0]).equals(sorted_frame(crypsis.anonymize(table, method)))
