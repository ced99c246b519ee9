"""Workers that wait: the next run of this process takes one over, and nothing of it shows in the results."""

from __future__ import annotations

import os
import signal

import pytest

from crypsis.evaluate import Experiment, Store, run, runner, worker_process
from crypsis.evaluate.results import frame_of, is_time_column
from tests.evaluate.examples import people, sweep_of_people


@pytest.fixture(autouse=True)
def no_others(monkeypatch):
    monkeypatch.setattr(runner, "WORKER", "tests.evaluate.odd_worker")
    worker_process.stop_waiting_workers()
    yield
    worker_process.stop_waiting_workers()


def waiting():
    return [worker.process.pid for worker in worker_process._waiting]


def done(folder, name, **settings):
    outcome = run(
        Experiment.parse(sweep_of_people("[2, 3]"), folder=folder), folder / name, workers=1, fresh=True, **settings
    )
    assert outcome.counts == {"done": 2}
    frame = frame_of(Store(folder / name).results())
    return frame.drop([column for column in frame.columns if is_time_column(column)])


@pytest.mark.long
def test_the_next_run_takes_the_worker_over_and_gives_the_same(tmp_path, monkeypatch):
    people(tmp_path)
    first = done(tmp_path, "one")
    (kept,) = waiting()
    assert done(tmp_path, "two").equals(first)
    assert waiting() == [kept]
    os.kill(kept, signal.SIGKILL)  # what became of it meanwhile harms nobody
    assert done(tmp_path, "three").equals(first)
    (other,) = waiting()
    assert other != kept
    monkeypatch.setenv("CRYPSIS_DATA", str(tmp_path))  # a worker of another world is not taken
    done(tmp_path, "four")
    assert other in waiting()
    assert len(waiting()) == 2


@pytest.mark.long
def test_where_memory_is_limited_a_worker_is_new_and_one_that_was_stopped_is_not_kept(tmp_path):
    people(tmp_path)
    done(tmp_path, "one")
    done(tmp_path, "two", limits={"memory_mb": 5_000})
    assert len(waiting()) == 2  # what another run held in memory counts to no cell of this one
    experiment = Experiment.parse(sweep_of_people("[14]"), folder=tmp_path)
    run(experiment, tmp_path / "three", workers=1, limits={"seconds": 0.3})
    assert len(waiting()) == 1  # the one that was at the cell is gone


@pytest.mark.long
def test_a_worker_that_nobody_asks_leaves_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_process, "WAITS", 0.2)
    people(tmp_path)
    done(tmp_path, "one")
    (worker,) = worker_process._waiting
    assert worker.process.wait(120) == 0
    done(tmp_path, "two")
