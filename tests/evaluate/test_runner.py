"""Running experiments: every ending is a result, nothing finished runs again, and the number of workers never shows."""

from __future__ import annotations

import errno
import json
import threading

import polars as pl
import pytest

from crypsis.errors import BadExperiment, StateInUse, VerificationFailed
from crypsis.evaluate import Experiment, Store, run, runner, worker
from crypsis.evaluate.export import ExportedFile, export_published, export_release
from crypsis.evaluate.results import frame_of, is_time_column, summaries
from tests.evaluate.examples import (
    DATASET,
    MERGE_R,
    let_hours_pass_at_a_cell_that_never_ends,
    people,
    sweep_of_people,
    write_example,
)


def parsed(text, folder):
    return Experiment.parse(text, folder=folder)


def lasting(store):
    """The results without what may differ between two runs."""
    frame = frame_of(store.results())
    return frame.drop([name for name in frame.columns if is_time_column(name)])


@pytest.fixture(autouse=True)
def quick_workers(monkeypatch):
    monkeypatch.setattr(runner, "WORKER", "tests.evaluate.odd_worker")


@pytest.mark.long
def test_the_worked_example_gives_its_classes_and_losses(tmp_path, monkeypatch):
    monkeypatch.undo()  # the worker that everybody gets
    write_example(tmp_path)
    merge_t = MERGE_R.replace('"R"', '"T"').replace("RMERGE_R", "RMERGE_T").replace("0.65", "0.77")
    outcome = run(parsed(DATASET + MERGE_R + merge_t, tmp_path), tmp_path / "out", workers=1)
    assert (outcome.exit_code, outcome.counts) == (0, {"done": 2})
    store = Store(tmp_path / "out")
    first, second = store.results()
    assert round(first["ncp"], 3) == 0.638
    assert first["verified"] is True
    classes = []
    for row in (first, second):
        shown = store.release(row["cell"]).data.to_frame()["Age"].to_list()
        classes.append([{place for place, age in enumerate(shown) if age == one} for one in dict.fromkeys(shown)])
    assert classes == [[{0, 1, 2, 3}, {4, 5}], [{0, 1, 4, 5}, {2, 3}]]
    times = store.cell(first["cell"]).times
    assert sum(phase.seconds for phase in times.phases) == pytest.approx(times.runtime, rel=0.02)
    assert times.peak_memory_mb > 10


@pytest.mark.long
def test_a_second_run_does_nothing_and_what_was_added_or_damaged_runs_alone(tmp_path):
    people(tmp_path)
    first = run(parsed(sweep_of_people(), tmp_path), tmp_path / "out", workers=1)
    assert (first.ran, first.reused) == (3, 0)
    events = []
    again = run(parsed(sweep_of_people(), tmp_path), tmp_path / "out", workers=1, on_event=events.append)
    assert (again.ran, again.reused) == (0, 3)
    assert [event["event"] for event in events] == ["experiment", "done"]
    store = Store(tmp_path / "out")
    damaged = store.results()[0]["cell"]
    (store.cells_folder / damaged / "state.json").write_text('{"state": ')
    (store.cells_folder / ".0123.99.partial").mkdir()
    assert [row["state"] for row in store.results()] == ["waiting", "done", "done"]
    more = run(parsed(sweep_of_people("[2, 3, 4, 5]"), tmp_path), tmp_path / "out", workers=1)
    assert (more.ran, more.reused) == (2, 2)  # the damaged one counts as never run
    assert not list(store.cells_folder.glob(".*"))
    fresh = run(parsed(sweep_of_people(), tmp_path), tmp_path / "out", workers=1, fresh=True)
    assert (fresh.ran, fresh.reused) == (3, 0)
    assert sum(row["stale"] for row in store.results()) == 1


@pytest.mark.long
def test_two_workers_give_what_one_gives_and_repeats_have_a_mean_and_a_deviation(tmp_path):
    people(tmp_path)
    text = sweep_of_people() + '[[run]]\nlabel = "c"\nmethod = "cluster"\nparams = {k = 3}\nrepeats = 3\n'
    for workers in (1, 2):
        run(parsed(text, tmp_path), tmp_path / f"out{workers}", workers=workers)
    one, two = (Store(tmp_path / f"out{workers}") for workers in (1, 2))
    assert lasting(one).equals(lasting(two))
    for row in one.results():
        assert one.release(row["cell"]).data == two.release(row["cell"]).data
    assert pl.read_parquet(tmp_path / "out1" / "results.parquet").columns == list(one.results()[0])
    assert (tmp_path / "out1" / "results.csv").read_text().startswith("cell,label,method,state,stale,repeat,seed,k")
    rows = [row for row in one.results() if row["label"] == "c"]
    (told,) = [row for row in summaries(one.results(), ["ncp"]) if row["label"] == "c"]
    values = [row["ncp"] for row in rows]
    mean = sum(values) / 3
    assert told["ncp"] == pytest.approx(mean)
    assert told["ncp deviation"] == pytest.approx((sum((value - mean) ** 2 for value in values) / 2) ** 0.5)
    assert told["runtime"] == sorted(row["runtime"] for row in rows)[1]


@pytest.mark.long
def test_whatever_a_cell_does_the_others_go_on(tmp_path, monkeypatch):
    let_hours_pass_at_a_cell_that_never_ends(monkeypatch)
    people(tmp_path, 200)
    events = []
    outcome = run(
        parsed(sweep_of_people("[2, 13, 14, 15, 16, 17, 500, 3]"), tmp_path),
        tmp_path / "out",
        workers=2,
        limits={"seconds": 120, "memory_mb": 900},
        on_event=events.append,
    )
    store = Store(tmp_path / "out")
    rows = {row["k"]: row for row in store.results()}
    states = {k: row["state"] for k, row in rows.items()}
    assert states == {
        2: "done", 13: "failed", 14: "too_slow", 15: "failed", 16: "unsafe", 17: "failed", 500: "infeasible", 3: "done",
    }  # fmt: skip
    codes = {k: row["code"] for k, row in rows.items() if row["code"]}
    assert codes == {
        13: "worker-lost", 14: "limit-reached", 15: "too-large", 16: "verification-failed", 17: "internal-error",
        500: "infeasible",
    }  # fmt: skip
    assert outcome.exit_code == 4
    assert {event["state"] for event in events if event["event"] == "cell"} == {"running", *states.values()}
    assert not list((tmp_path / "out" / "cells").glob(".*"))  # nothing half-written is left
    again = run(
        parsed(sweep_of_people("[2, 500, 3, 14]"), tmp_path), tmp_path / "out", workers=1, limits={"seconds": 60}
    )
    assert (again.ran, again.reused) == (0, 4)
    assert again.exit_code == 5
    _unsafe_data_stay_in_quarantine(store, rows[16]["cell"], tmp_path)


def _unsafe_data_stay_in_quarantine(store, id, folder):
    assert store.published_folder(id) is None
    assert (store.quarantine / id / "published").is_dir()
    with pytest.raises(VerificationFailed, match="i_know=True"):
        export_published(store, id, ExportedFile(path=folder / "x.csv"))
    with pytest.raises(VerificationFailed):
        export_release(store, id, folder / "x")
    assert not (folder / "x.csv").exists()
    file, about = export_published(store, id, ExportedFile(path=folder / "x.csv"), i_know=True)
    assert file.is_file()
    assert json.loads(about.read_text())["safe"] is False


@pytest.mark.parametrize(
    ("counts", "failures", "code"),
    [
        ({"infeasible": 1}, [3], 3),
        ({"done": 1, "infeasible": 1}, [3], 0),
        ({"done": 1, "failed": 1}, [1], 1),
        ({"done": 1, "failed": 1}, [5], 5),
        ({"done": 1, "too_slow": 1, "failed": 1}, [5, 1], 1),
        ({"done": 1, "failed": 1}, [2], 2),
        ({"unsafe": 1, "failed": 1}, [4, 1], 4),
        ({"done": 1, "cancelled": 1}, [130], 130),
        ({"done": 3}, [], 0),
    ],
)
def test_exit_codes(counts, failures, code):
    assert runner.exit_code(counts, failures) == code


@pytest.mark.long
def test_where_nothing_is_feasible_the_exit_code_says_so(tmp_path):
    people(tmp_path)
    assert run(parsed(sweep_of_people("[500]"), tmp_path), tmp_path / "out", workers=1).exit_code == 3


@pytest.mark.long
def test_cancelling_stops_the_workers_and_leaves_nothing_half_done(tmp_path):
    people(tmp_path)
    cancel = threading.Event()
    states = []

    def hear(event):
        if event["event"] == "cell":
            states.append(event["state"])
        if event["event"] == "cell" and event["params"]["k"] == 14:
            cancel.set()

    outcome = run(
        parsed(sweep_of_people("[2, 14, 3]"), tmp_path), tmp_path / "out", workers=1, on_event=hear, cancel=cancel
    )
    assert outcome.exit_code == 130
    rows = {row["k"]: row["state"] for row in Store(tmp_path / "out").results()}
    assert rows == {2: "done", 14: "cancelled", 3: "waiting"}
    assert not list((tmp_path / "out" / "cells").glob(".*"))
    again = run(parsed(sweep_of_people("[2, 3]"), tmp_path), tmp_path / "out", workers=1)
    assert (again.ran, again.reused) == (1, 1)


def test_other_data_give_new_cells_and_other_metrics_are_measured_anew(tmp_path):
    people(tmp_path)
    run(parsed(sweep_of_people("[2]"), tmp_path), tmp_path / "out", workers=1)
    wider = sweep_of_people("[2]").replace('["ncp"]', '["ncp", "dm"]')
    assert run(parsed(wider, tmp_path), tmp_path / "out", workers=1).ran == 1
    (row,) = Store(tmp_path / "out").results()
    assert row["dm"] > 0
    (tmp_path / "people.csv").write_text((tmp_path / "people.csv").read_text() + "30,atown,flu\n")
    run(parsed(wider, tmp_path), tmp_path / "out", workers=1)
    rows = Store(tmp_path / "out").results()
    assert [row["stale"] for row in rows] == [False, True]
    assert all(row["state"] == "done" for row in rows)


def test_one_folder_is_run_by_one_process_at_a_time(tmp_path):
    people(tmp_path)
    with Store(tmp_path / "out").in_use(), pytest.raises(StateInUse):
        run(parsed(sweep_of_people("[2]"), tmp_path), tmp_path / "out")


def test_nothing_runs_where_there_is_a_problem(tmp_path):
    people(tmp_path)
    with pytest.raises(BadExperiment, match="k must be"):
        run(parsed(sweep_of_people("[0]"), tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_fails_the_cell_and_leaves_the_store_readable(tmp_path, monkeypatch):
    people(tmp_path)
    experiment = parsed(sweep_of_people("[2]"), tmp_path)
    store, (cell,) = Store(tmp_path / "out"), experiment.cells()
    store.begin(experiment, [cell])

    def full(self, stored, *, private=None, published=None):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Store, "write_cell", full)
    outcome = worker.carry_out(experiment, store, cell, "", lambda event: None)
    assert (outcome.end.state, outcome.end.code) == ("failed", "write-failed")
    assert "No space left" in outcome.end.message
    assert [row["state"] for row in store.results()] == ["waiting"]
    assert not list(store.cells_folder.glob(".*"))
