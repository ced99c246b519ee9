"""Methods that are marked exact: what they release of parts is what they release of a table in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BlockTooLarge, CrypsisError, NotScalable
from crypsis.executors.executor import Executor
from crypsis.executors.serial import Serial
from crypsis.methods import METHODS
from crypsis.methods.scaling import BlockSize, Scaling
from tests.shards.cut_records import SETS, WALKS
from tests.shards.cut_tables import random_table, release_cut, sorted_frame

HIERARCHY = "age=equi_depth:4:2,town=balanced:2:label"
SETTINGS = {
    "mondrian": (
        crypsis.Mondrian(k=2),
        crypsis.Mondrian(k=3, categories="halves"),
        crypsis.Mondrian(k=2, l=2, diversity="entropy"),
        crypsis.Mondrian(k=2, t=0.4),
        crypsis.Mondrian(k=3, l=2, t=0.5, distance="ordered"),
        crypsis.Mondrian(k=2, l=2, diversity="recursive", c=2.0),
        crypsis.Mondrian(k=2, hierarchy=crypsis.Hierarchies.from_text(HIERARCHY)),
    ),
    "incognito": (
        crypsis.Incognito(k=2),
        crypsis.Incognito(k=3, max_suppressed=0.2, l=2),
        crypsis.Incognito(k=2, max_suppressed=0.1, publish="best"),
    ),
    "top-down": (crypsis.TopDown(k=2), crypsis.TopDown(k=3, max_suppressed=0.2), crypsis.TopDown(k=2, t=0.8)),
    "bottom-up": (crypsis.BottomUp(k=2), crypsis.BottomUp(k=3, max_suppressed=0.2, l=2)),
}
CLUSTERS = (
    crypsis.Cluster(k=2),
    crypsis.Cluster(k=3, seeds="farthest"),
    crypsis.Cluster(k=2, l=2, seeds="first"),
    crypsis.Cluster(k=2, l=2, diversity="entropy"),
    crypsis.Cluster(k=2, l=2, diversity="recursive", c=2.0),
    crypsis.Cluster(k=2, t=0.4),
    crypsis.Cluster(k=3, l=2, t=0.5, distance="ordered"),
    crypsis.Cluster(k=2, hierarchy=crypsis.Hierarchies.from_text(HIERARCHY)),
)
EXACT = [method for method in METHODS.values() if method.scaling is Scaling.EXACT]
NAMES = sorted(method.name() for method in EXACT if method.accepts is crypsis.Table)


def compare(name: str, seed: int, executor: Executor) -> None:
    """One random table with a random setting, cut at random."""
    rng = np.random.default_rng([seed, len(name)])
    n = int(rng.integers(0, 70))
    table = random_table(rng, n, spread=int(rng.integers(1, 20)))
    method = SETTINGS[name][seed % len(SETTINGS[name])]
    cuts = rng.integers(0, n + 1, int(rng.integers(0, 7))).tolist()
    compare_cut(table, method, cuts, int(rng.choice([1, 30, 1000])), executor)


def compare_cut(
    table: crypsis.Table, method: crypsis.Method, cuts: list[int], block_rows: int, executor: Executor
) -> None:
    """Equal rows, verdict and private facts, or equal errors."""
    try:
        local = crypsis.anonymize(table, method)
    except CrypsisError as error:
        with pytest.raises(type(error)) as refused:
            release_cut(table, method, cuts, block_rows, executor)
        assert refused.value.sentence == error.sentence
        return
    release = release_cut(table, method, cuts, block_rows, executor)
    assert pl.concat(map(pl.read_parquet, release.data.files)).equals(sorted_frame(local))
    assert release.verify().to_dict() == local.verify().to_dict()
    own = release.in_memory()
    assert own.data == local.data
    assert own.published_rows() == local.published_rows()
    for fact, value in local.context.private.items():
        if isinstance(value, (int, list, dict)):
            assert release.context.private[fact] == value, fact


def compare_blocks(seed: int, folder: Path, executors: Sequence[Executor]) -> None:
    """One block is the release in memory; several are the same wherever the table is cut, and keep the promise."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    table = random_table(rng, n, spread=int(rng.integers(1, 20)))
    method = CLUSTERS[seed % len(CLUSTERS)]
    cuts = [rng.integers(0, n + 1, int(rng.integers(0, 7))).tolist() for _ in range(2)]
    for executor in executors:
        compare_cut(table, method, cuts[0], n, executor)
    block_rows = int(rng.integers(6, n))
    runs = [(own, executor) for executor in executors for own in cuts]
    try:
        some = [release_cut(table, method, own, block_rows, executor) for own, executor in runs]
    except CrypsisError as error:
        with pytest.raises(type(error)):
            crypsis.anonymize(table, method)
        return
    frames = [pl.concat(map(pl.read_parquet, release.data.files)) for release in some]
    assert all(frame.equals(frames[0]) for frame in frames)
    assert all(release.in_memory().published_rows() == some[0].in_memory().published_rows() for release in some)
    assert some[0].verify().holds
    assert some[0].in_memory().verify().holds
    sizes = some[0].context.private.get("block_sizes")
    assert some[0].scaling == (None if sizes is None else {"mode": "blocks", "block_rows": block_rows})
    if sizes is not None:
        assert sum(sizes) == n
        written = some[0].write(folder / f"release-{seed}")
        assert json.loads((written / "release.json").read_text())["scaling"]["block_rows"] == block_rows
        assert crypsis.read_release(written).verify().holds


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


def test_a_method_that_does_not_scale_is_refused_before_anything_is_read() -> None:
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
