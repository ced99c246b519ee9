"""Workers die, a scheduler is lost, a disk is full: the same bytes or a clean error, and nothing half-published."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
import pytest

import crypsis
from benchmarks.executors.processes import Processes
from crypsis.errors import CrypsisError, WorkerFailed, WorkersDiffer, WriteFailed
from crypsis.executors import dask, near
from crypsis.executors.dask import Dask
from crypsis.executors.scratch import Scratch
from crypsis.executors.serial import Serial
from tests.executors import tasks
from tests.executors.faults import Mortal
from tests.shards.cut_private import NAMES, compare_private
from tests.shards.cut_tables import random_table, release_cut, sorted_frame

DEATHS = int(os.environ.get("CRYPSIS_DEATHS", "2"))
SECRET = "zq-secret-417"
METHOD = crypsis.Mondrian(k=3, l=2)


def test_a_full_disk_is_a_clean_error_wherever_it_strikes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(np.random.default_rng(2), 60)
    written, struck = Scratch._written, 0
    for last in (0, 3, 9, 20):
        left = last

        def fill(self: Scratch, name: str, write: Callable[[BinaryIO], object]) -> str:
            nonlocal left
            left -= 1
            if left < 0:
                monkeypatch.setattr(Path, "open", full)
            try:
                return written(self, name, write)
            finally:
                monkeypatch.undo()
                monkeypatch.setattr(Scratch, "_written", fill)

        def full(self: Path, *arguments: object, **options: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Scratch, "_written", fill)
        try:
            with Serial(scratch=tmp_path) as executor:
                release_cut(table, METHOD, [20, 20, 50], 15, executor).write(tmp_path / "release")
        except WriteFailed as error:
            struck += 1
            assert "No space left" in str(error)
            assert not list(tmp_path.iterdir())
        monkeypatch.undo()
    assert struck == 4


@pytest.mark.long
def test_a_worker_that_its_cluster_gave_up_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever kills it twice, or a machine that is too busy to start it again in time."""
    monkeypatch.setattr(dask, "LOOK_AGAIN", 1.0)
    with Dask(workers=1, memory="1GiB") as executor:
        [(name, nanny)] = executor._cluster.workers.items()
        executor._cluster.sync(nanny.close)
        del executor._cluster.workers[name]
        assert executor.map(tasks.scale, [3, 1], 10) == [30, 10]


@pytest.mark.long
def test_without_any_worker_the_run_ends_with_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "LOOK_AGAIN", 1.0)
    monkeypatch.setattr(dask, "WITHOUT_WORKERS", 3.0)
    processes = Processes(tmp_path, 1)
    try:
        with Dask(processes.address, workers=1, memory="1GiB", scratch=tmp_path) as executor:
            assert executor.map(tasks.scale, [3], 10) == [30]
            processes.running[1].kill()
            with pytest.raises(WorkerFailed, match="No worker is left"):
                executor.map(tasks.scale, [3], 10)
    finally:
        processes.close()


@pytest.mark.long
def test_a_worker_that_comes_later_is_refused_before_its_first_task_if_it_differs(tmp_path: Path) -> None:
    processes = Processes(tmp_path, 1)
    try:
        with Dask(processes.address, workers=1, memory="1GiB", scratch=tmp_path) as executor:
            assert executor.map(tasks.scale, [3], 10) == [30]
            processes.running[1].kill()
            processes.start_worker(before="import crypsis.version; crypsis.version.VERSION = '0.0'")
            for verb in (executor.map, lambda work, shards, by: executor.fold(work, tasks.add, shards, by)):
                with pytest.raises(WorkersDiffer, match="differs from this process in crypsis") as differing:
                    verb(tasks.scale, [3, 4], 10)
                assert differing.value.details["differs"] == ["crypsis"]
    finally:
        processes.close()


@pytest.mark.long
def test_who_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "REACHED_BY_CLIENT", 1)
    monkeypatch.setattr(dask, "WORKERS_WITHIN", 1)
    with pytest.raises(WorkerFailed, match=r"No scheduler answers at tcp://127\.0\.0\.1:1\."):
        Dask("tcp://127.0.0.1:1", scratch=tmp_path)
    processes = Processes(tmp_path, 0)
    try:
        monkeypatch.setattr(dask, "REACHED_BY_CLIENT", 30)
        with pytest.raises(WorkerFailed, match="has 0 of 2 workers"):
            Dask(processes.address, workers=2, scratch=tmp_path)
    finally:
        processes.close()
    assert not list(tmp_path.glob("crypsis-scratch*"))


@pytest.mark.long
def test_releases_are_the_same_however_many_workers_die(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    table = random_table(rng, 400)
    expected = sorted_frame(crypsis.anonymize(table, METHOD))
    with Mortal(workers=2, memory="1GiB", scratch=tmp_path, deaths=0, rng=rng) as executor:
        while executor.died < DEATHS:
            executor.deaths = 1
            release = release_cut(table, METHOD, rng.integers(0, 400, 3).tolist(), 90, executor)
            assert release.verify().holds
            assert pl.read_parquet(release.data.files[0]).equals(expected)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("crypsis-scratch")]


@pytest.mark.long
def test_noise_is_drawn_once_and_the_ledger_charged_once_however_many_workers_die(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every question to the noise and every answer are those of a run in memory, after one charge."""
    monkeypatch.setattr(near, "MEMORY_PER_FILE_BYTE", 1 << 40)  # residents are in workers, however small
    rng = np.random.default_rng(11)
    domains = crypsis.AttributeDomains({"age": crypsis.NumericDomain(0, 12)})
    ledger = crypsis.BudgetLedger(tmp_path / "people.ledger")
    method = crypsis.DiffMulti(epsilon=1, domains=domains, specializations=5, ledger=ledger)
    table = crypsis.Table.from_frame(pl.DataFrame({"age": rng.integers(0, 12, 300)}), {"age": "quasi"})
    runs = 0
    with Mortal(workers=2, memory="1GiB", scratch=tmp_path, deaths=0, rng=rng) as executor:
        while executor.died < DEATHS:
            for name in NAMES:
                executor.deaths += 1
                compare_private(name, runs, executor)
            crypsis.anonymize(table, method, executor=executor)
            runs += 1
    assert len(ledger.state().charges) == runs


@pytest.mark.long
def test_a_scheduler_that_is_lost_is_a_clean_error_and_one_that_came_back_serves(tmp_path: Path) -> None:
    """Values, the name of a column, the scratch folder and an error hold a secret, which no process writes down."""
    frame = pl.DataFrame(
        {"age": [row % 7 for row in range(200)], SECRET: [f"{SECRET} {row % 3}" for row in range(200)]}
    )
    table = crypsis.Table.from_frame(frame, {"age": "quasi", SECRET: "sensitive"}, each_row_is_a_person=True)
    expected = sorted_frame(crypsis.anonymize(table, METHOD))
    scratch = tmp_path / SECRET
    scratch.mkdir()
    cluster = Processes(tmp_path, 2)
    try:
        with Dask(cluster.address, workers=2, scratch=scratch) as executor:
            release = release_cut(table, METHOD, [50, 120], 60, executor)
            assert pl.read_parquet(release.data.files[0]).equals(expected)
            for wrong in (1, 2):
                with pytest.raises(CrypsisError):
                    executor.map(tasks.fail, [wrong], SECRET)
            cluster.end_scheduler()
            with pytest.raises(CrypsisError) as failed:
                release_cut(table, METHOD, [50, 120], 60, executor).write(tmp_path / "release")
            assert isinstance(failed.value, WorkerFailed)
        assert not (tmp_path / "release").exists()
        assert not list(scratch.iterdir())
        cluster.start_scheduler()
        cluster.start_worker()
        with Dask(cluster.address, workers=1, scratch=scratch) as executor:
            release = release_cut(table, METHOD, [50, 120], 60, executor)
            assert pl.read_parquet(release.data.files[0]).equals(expected)
    finally:
        cluster.close()
    assert "Registered to" in cluster.words
    assert SECRET not in cluster.words
