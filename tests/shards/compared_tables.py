"""Tables cut into shards, released, and compared with the release of the same table in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import CrypsisError
from crypsis.executors.executor import Executor
from crypsis.methods import METHODS
from crypsis.methods.scaling import Scaling
from tests.shards.cut_tables import random_table, release_cut, sorted_frame, with_people

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
EXACT = [method for method in METHODS.values() if method.scaling is Scaling.EXACT and not method.by_record]
NAMES = sorted(method.name() for method in EXACT if method.accepts is crypsis.Table)


def compare(name: str, seed: int, executor: Executor) -> None:
    """One random table with a random setting, cut at random."""
    rng = np.random.default_rng([seed, len(name)])
    n = int(rng.integers(0, 70))
    table = random_table(rng, n, spread=int(rng.integers(1, 20)))
    method = SETTINGS[name][seed % len(SETTINGS[name])]
    cuts = rng.integers(0, n + 1, int(rng.integers(0, 7))).tolist()
    compare_cut(table, method, cuts, int(rng.choice([1, 30, 1000])), executor)


def compare_people(name: str, seed: int, executor: Executor) -> None:
    """The same where one person owns many records, and others some in several parts; Cluster in one block."""
    rng = np.random.default_rng([seed, len(name), 5])
    n = int(rng.integers(0, 90))
    table = with_people(rng, random_table(rng, n, spread=int(rng.integers(1, 12))))
    settings = CLUSTERS if name == "cluster" else SETTINGS[name]
    cuts = rng.integers(0, n + 1, int(rng.integers(0, 7))).tolist()
    block_rows = n + 1 if name == "cluster" else int(rng.choice([1, 12, 30, 1000]))
    compare_cut(table, settings[seed % len(settings)], cuts, block_rows, executor)


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


def compare_blocks(seed: int, folder: Path, executors: Sequence[Executor], *, people: bool = False) -> None:
    """One block is the release in memory; several are the same wherever the table is cut, and keep the promise."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    table = random_table(rng, n, spread=int(rng.integers(1, 20)))
    if people:
        table = with_people(rng, table)
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
    assert some[0].scaling == {"mode": "blocks", "block_rows": block_rows}
    if sizes is not None:
        assert sum(sizes) == n
        written = some[0].write(folder / f"release-{seed}")
        assert json.loads((written / "release.json").read_text())["scaling"]["block_rows"] == block_rows
        if not people:  # else a recipient cannot tell
            assert crypsis.read_release(written).verify().holds
