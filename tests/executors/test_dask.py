"""A cluster of processes: the same results, also when workers are lost; nothing raw is told; strangers are refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadParameter, BadRow, InsecureScheduler, InternalError, OptionWithoutEffect, WorkersDiffer
from crypsis.executors import near
from crypsis.executors.choice import WhereToRun
from crypsis.executors.dask import Dask, check_address, describe_worker
from crypsis.executors.scratch import load
from crypsis.executors.serial import Serial
from tests.executors import tasks
from tests.shards import compared_tables, cut_mixed, cut_private
from tests.shards.cut_records import BLOCKS, RECODED, SETS, WALKS, compare, compare_blocks
from tests.shards.cut_tables import random_table, release_cut, sorted_frame

DATASETS = int(os.environ.get("CRYPSIS_CLUSTER_DATASETS", "1"))  # of each method and number of workers
WORKERS = [int(number) for number in os.environ.get("CRYPSIS_WORKERS", "2").split(",")]
SECRET = "zq-secret-417"


@pytest.mark.parametrize("address", ["tls://far:8786", "tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:1"])
def test_tls_and_loopback_are_allowed(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "tcp://far:8786", "tcp://127.0.0.1.example:1"])
def test_a_scheduler_on_another_host_needs_tls(address: str) -> None:
    with pytest.raises(InsecureScheduler):
        check_address(address)
    check_address(address, insecure=True)


def test_an_address_must_be_one() -> None:
    with pytest.raises(BadParameter):
        check_address("http://far:8786")


@pytest.mark.parametrize("option", [{"insecure": True}, {"tls_ca": "ca.pem"}, {"tls_key": "me.key"}])
def test_a_cluster_of_ones_own_is_not_told_how_to_speak_to_a_scheduler(option: dict[str, Any]) -> None:
    with pytest.raises(OptionWithoutEffect, match="address of a scheduler"):
        Dask(**option)
    with pytest.raises(OptionWithoutEffect, match="address of a scheduler"):
        WhereToRun(executor="dask", **option).check()


def test_workers_are_asked_for_versions_kernels_and_scratch(tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.write_bytes(b"crypsis")
    told = describe_worker(str(probe))
    assert {"Python", "crypsis", "numpy", "numba", "polars", "distributed", "kernels"} < set(told)
    assert told["scratch folder"]
    assert not describe_worker(str(tmp_path / "elsewhere"))["scratch folder"]


@pytest.mark.long
def test_pages_of_the_engine_are_served_where_they_are_asked_for() -> None:
    def answers(executor: Dask, page: str) -> int:
        port = executor._cluster.scheduler.http_server.port
        try:
            with urlopen(f"http://127.0.0.1:{port}/{page}") as answer:
                return int(answer.status)
        except HTTPError as error:
            return error.code

    with Dask(workers=1, memory="1GiB") as executor:
        assert executor.dashboard_link is None
        assert {answers(executor, page) for page in ("status", "info/main/workers.html", "json/index.html")} == {404}
    with Dask(workers=1, memory="1GiB", dashboard=True) as executor:
        assert executor.dashboard_link is not None
        assert urlsplit(executor.dashboard_link).hostname == "127.0.0.1"
        listening = executor._cluster.scheduler.http_server._sockets.values()
        assert {socket.getsockname()[0] for socket in listening} == {"127.0.0.1"}
        assert answers(executor, "info/main/workers.html") == 200
        with pytest.raises(WorkersDiffer, match=r"does not see away\.parquet") as differing:
            executor.check_input([Path(__file__), Path("/nowhere/away.parquet")])
        assert differing.value.details["differs"] == ["input"]


@pytest.mark.long
def test_a_cluster_gives_the_results_of_one_process(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cluster for all: starting it is what takes long."""
    table = random_table(np.random.default_rng(5), 400)
    method = crypsis.Mondrian(k=3, l=2)
    expected = sorted_frame(crypsis.anonymize(table, method))
    with Dask(workers=2, memory="1GiB", scratch=tmp_path) as executor:
        # nothing listens beyond loopback
        listening = executor._cluster.scheduler.http_server._sockets.values()
        assert {socket.getsockname()[0] for socket in listening} == {"127.0.0.1"}
        # the four verbs
        assert executor.map(tasks.scale, [3, 1, 2], 10) == [30, 10, 20]
        assert executor.fold(tasks.scale, tasks.add, [3, 1, 2, 4, 5], 10) == 150
        pieces = executor.exchange(tasks.send, [5, 0, 3, 1], 2, 2)
        assert [[load(file) for file in files] for files in pieces] == [[[0]], [[5], [-5], [-0], [3], [-3], [1], [-1]]]
        residents = executor.resident(tasks.count_from, [1, 2], 10)
        assert residents.call("add", 5) == [16, 17]
        assert [len(one) for one in executor.map(tasks.large, [1, 2])] == [9 << 20] * 2
        # errors are values
        with pytest.raises(BadRow):
            executor.map(tasks.fail, [2, 2], SECRET)
        # no worker draws noise or charges a ledger
        ledger = tmp_path / "people.ledger"
        for work, given in ((tasks.draw_inside, "exact"), (tasks.charge_inside, str(ledger))):
            with pytest.raises(InternalError, match="inside a task"):
                executor.map(work, [3, 4], given)
        assert not ledger.exists()
        # a worker is lost in a task, and one with a resident
        assert executor.map(tasks.die_once, [0, 1, 2], str(tmp_path / "killed")) == [0, 1, 2]
        assert residents.call("die_once", str(tmp_path / "killed too")) == [16, 17]
        assert residents.call("add", 1) == [17, 18]
        # a worker holds no resident that is closed
        assert any(executor._client.run(tasks.residents_here).values())
        residents.close()
        assert not any(executor._client.run(tasks.residents_here).values())
        # a release
        release = release_cut(table, method, [100, 250, 250], 90, executor)
        assert release.verify().holds
        assert pl.read_parquet(release.data.files[0]).equals(expected)
        # strangers
        monkeypatch.setattr("crypsis.executors.dask.VERSION", "0.0")
        with pytest.raises(WorkersDiffer, match="crypsis"):
            executor._compare_workers()
        folder = executor.scratch.folder
    assert not folder.exists()
    written = capfd.readouterr()
    assert SECRET not in written.out + written.err


@pytest.mark.long
@pytest.mark.parametrize("workers", WORKERS)
def test_every_method_on_a_cluster_releases_what_it_does_in_memory(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cluster for all datasets; `CRYPSIS_CLUSTER_DATASETS=125 CRYPSIS_WORKERS=1,2,3,4` are 500 of each method."""
    monkeypatch.setattr(near, "MEMORY_PER_FILE_BYTE", 1 << 40)  # residents are in workers, however small
    (tmp_path / "people").mkdir()
    with Dask(workers=workers, memory="1GiB", scratch=tmp_path) as executor, Serial() as here:
        for seed in range(1000 * workers, 1000 * workers + DATASETS):
            for name in compared_tables.NAMES:
                compared_tables.compare(name, seed, executor)
                compared_tables.compare_people(name, seed, executor)
            for name in (*SETS, *WALKS):
                compare(name, seed, executor)
            for name in ("lra", *RECODED):
                compare(name, seed, executor, people=True)
            for name in cut_private.NAMES:
                cut_private.compare_private(name, seed, executor)
            compared_tables.compare_blocks(seed, tmp_path, [here, executor])
            compared_tables.compare_blocks(seed, tmp_path / "people", [here, executor], people=True)
            for name in BLOCKS:
                compare_blocks(name, seed, [here, executor])
            for name in cut_mixed.METHODS:
                cut_mixed.compare(name, seed, [here, executor])
            print(workers, seed, flush=True)
