"""Bad input and states of section 9 of the workbench on the command line and in the store.

The same rows over the API and in the browser are in tests/web/test_bad_states.py; a killed process is in
test_experiments.py, the gate of the server in tests/web/test_security.py.
"""

from __future__ import annotations

import errno
import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from crypsis.evaluate import Experiment, Store, runner, worker
from crypsis.evaluate import run as run_experiment
from crypsis.evaluate.report import ExperimentReport
from crypsis.evaluate.runner import measured_digest
from tests.cli.conftest import Outcome, Run
from tests.evaluate.examples import (
    DATASET,
    MERGE_R,
    PEOPLE,
    let_hours_pass_at_a_cell_that_never_ends,
    people,
    sweep_of_people,
    write_example,
)
from tests.runtime.small_disk import small_disk

MONDRIAN = '[[run]]\nmethod = "mondrian"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return people(tmp_path)


def told(run: Run, folder: Path, text: str, *options: str, suffix: str = ".toml") -> Outcome:
    (folder / f"e{suffix}").write_text(text)
    return run("run", folder / f"e{suffix}", "--workers", "1", *options)


def carried_out(folder: Path, text: str) -> Store:
    """Every cell of an experiment, in this process."""
    (folder / "e.toml").write_text(text)
    experiment, store = Experiment.read(folder / "e.toml"), Store(folder / "e.results")
    cells = experiment.cells()
    store.begin(experiment, cells)
    for cell in cells:
        worker.carry_out(experiment, store, cell, measured_digest(experiment), lambda event: None)
    return store


@pytest.fixture
def unwarmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "warm", lambda *given: None)


@pytest.fixture
def odd_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "WORKER", "tests.evaluate.odd_worker")


def test_no_run_unknown_method_and_a_parameter_out_of_range_are_all_listed_at_once(run: Run, folder: Path) -> None:
    outcome = told(run, folder, PEOPLE)
    assert (outcome.code, outcome.err) == (
        2,
        "bad-experiment: the experiment has no run; write [[run]] with a method. (run)\n",
    )
    wrong = PEOPLE + '[[run]]\nmethod = "mondrain"\n[[run]]\nmethod = "cluster"\nparams = {k = 0, seedz = "x"}\n'
    for text, suffix in ((wrong, ".toml"), (json.dumps(Experiment.parse(wrong).content), ".json")):
        outcome = told(run, folder, text, "--json", suffix=suffix)
        assert outcome.code == 2
        lines = outcome.err.splitlines()
        assert [line.partition(":")[0] for line in lines] == ["unknown-method", "bad-parameter", "bad-parameter"]
        assert "Did you mean 'mondrian'? (run 1)" in lines[0]
        assert lines[1].endswith("Cluster: k must be an int of at least 1, got 0. (run 2)")
        assert "Did you mean 'seeds'" in lines[2] or "Did you mean 'seed'" in lines[2]
        assert len(json.loads(outcome.out)["error"]["problems"]) == 3
    assert not (folder / "e.results").exists()


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        ("start = 2, end = 9, step = 0", "step must not be 0"),
        ("start = 2, end = 9, step = -1", "change its sign"),
        ("start = 9, end = 2, step = 1", "change its sign"),
        ("start = 1, end = 10001, step = 1", "10,001 values, at most 10,000 are allowed"),
        ("values = []", "at least one value"),
        ("values = [2], start = 1", "not both"),
    ],
)
def test_a_sweep_with_step_0_wrong_sign_or_more_than_10000_cells(
    run: Run, folder: Path, sweep: str, words: str
) -> None:
    outcome = told(run, folder, PEOPLE + MONDRIAN + f'sweep = {{param = "k", {sweep}}}\n')
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.err.count("\n") == 1


def test_every_method_counts_among_the_10000_cells(folder: Path) -> None:
    text = PEOPLE + '[[run]]\nmethod = "*"\nsweep = {param = "k", start = 1, end = 3000, step = 1}\n'
    (problem,) = Experiment.parse(text, folder=folder).check()
    assert re.search(r"^\d+ methods give \d\d,\d{3} cells, at most 10,000 are allowed", problem.message)


def test_a_method_that_is_not_applicable_is_rejected_with_the_reason(run: Run, folder: Path) -> None:
    outcome = told(run, folder, PEOPLE + MONDRIAN + '[[run]]\nmethod = "lra"\n')
    assert outcome.code == 2
    assert outcome.err == (
        "not-applicable: lra cannot be run: it needs sets of items; this dataset contains a table. (run 2)\n"
    )


def test_where_a_hierarchy_is_missing_auto_is_offered(run: Run, folder: Path) -> None:
    incognito = PEOPLE + '[[run]]\nmethod = "incognito"\nparams = {k = 3}\n'
    assert Experiment.parse(incognito, folder=folder).check() == []  # one that is not named is made
    outcome = told(run, folder, incognito + '[hierarchy.city]\npath = "gone.csv"\n')
    assert outcome.code == 2
    assert re.search("^missing-file: There is no file .*gone.csv", outcome.err)
    assert "have it built from the data: auto = 'auto' in place of path. (hierarchy.city)" in outcome.err
    outcome = told(run, folder, incognito + '[hierarchy.citty]\nauto = "flat"\n')
    assert outcome.code == 2
    assert "there is no column 'citty' in the data. Did you mean 'city'? (hierarchy.citty)" in outcome.err


def test_two_runs_with_the_same_label(run: Run, folder: Path) -> None:
    outcome = told(run, folder, PEOPLE + MONDRIAN + MONDRIAN)
    assert outcome.code == 2
    assert "the label 'mondrian' is that of run 1 already" in outcome.err


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ('[[plot]]\nkind = "line"\nx = "k"\ny = "ncp"\nformt = ["svg"]\n', "Did you mean 'format'? (plot 1)"),
        ('[[plot]]\nkind = "line"\nx = "k"\ny = "ncp"\nformat = ["swg"]\n', "Did you mean 'svg'? (plot 1)"),
        ('[[plot]]\nkind = "line"\n', "the plot line needs 'x'. (plot 1)"),
        ('[[plot]]\nkind = "line"\nx = "kk"\ny = "ncp"\n', "x: no run has a parameter 'kk'. Did you mean 'k'?"),
        ('[[plot]]\nkind = "tradeoff"\nx = "npc"\ny = "are"\n', "x: there is no figure 'npc'. Did you mean 'ncp'?"),
        ('[[plot]]\nkind = "histogram"\ncolumn = "agee"\n', "no column 'agee' in the data. Did you mean 'age'?"),
        ('[[plot]]\nkind = "class_sizes"\nrun = "mondrain"\n', "no run 'mondrain'. Did you mean 'mondrian'? (plot 1)"),
        ('[queries]\nlist = ["age in [20:30] and cty in {atown}"]\n', "'cty'"),
        ('[hierarchy.city]\npath = "cities.csv"\n', "no leaf for 3 of 5 values: 'ctown' is not covered"),
        ('[policy.privacy]\nauto = "al(2)"\n', "there is no recipe 'al'; known are all, items, rare, random."),
        ('[policy.utility]\nauto = "hirarchy(1)"\n', "Did you mean 'hierarchy'? (policy.utility)"),
    ],
)
def test_unknown_keys_are_errors_with_the_nearest_name(folder: Path, section: str, words: str) -> None:
    (folder / "cities.csv").write_text("child;parent\natown;all\nbtown;all\n")
    problems = Experiment.parse(PEOPLE + MONDRIAN + section, folder=folder).check()
    assert words in "\n".join(map(str, problems))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("seeds =", "sedds =", "Did you mean 'seeds'? (run 1, 'R', relational)"),
        ('{method = "cluster"', '{metod = "cluster"', "Did you mean 'method'? (run 1, 'R', relational)"),
        ('"RMERGE_R"}', '"RMERGE_R", scroe = "btd"}', "Did you mean 'score'? (run 1, 'R', bound)"),
        ('"RMERGE_R"', '"RMERGE_Q"', "known are RMERGE_R, RMERGE_T, RMERGE_RT, TMERGE_R, TMERGE_T, TMERGE_RT"),
        ('label = "R"', "label = 7", "label must be a text, got 7"),
    ],
)
def test_keys_inside_a_run_are_checked_too(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in MERGE_R
    experiment = Experiment.parse(DATASET + MERGE_R.replace(old, new), folder=write_example(tmp_path))
    assert words in "\n".join(map(str, experiment.check()))


def test_what_a_file_beside_the_experiment_holds_is_part_of_the_identity(folder: Path) -> None:
    tree = folder / "cities.csv"
    text = PEOPLE + MONDRIAN + 'params = {k = 5, hierarchy = "city=cities.csv"}\n'

    def ids(text: str) -> list[str]:
        return [cell.id for cell in Experiment.parse(text, folder=folder).cells()]

    tree.write_text("child;parent\n" + "".join(f"{letter}town;all\n" for letter in "abcde"))
    first = ids(text)
    assert ids(text.replace("k = 5, ", "")) == first  # which is the default
    tree.write_text("child;parent\n" + "".join(f"{letter}town;all\n" for letter in "abcd") + "etown;e\ne;all\n")
    assert ids(text) != first
    call, colon = (
        PEOPLE + MONDRIAN + f'[hierarchy.age]\nauto = "{one}"\n' for one in ("equi_depth(4)", "equi_depth:4")
    )
    assert ids(call) == ids(colon)
    told_kind = text.replace('path = "people.csv"', 'path = "people.csv"\nkind = "table"\nedits = []')
    assert ids(told_kind) == ids(text)


def test_when_the_dataset_changes_after_results_exist_old_results_are_kept_and_marked_stale(
    run: Run, folder: Path, unwarmed: None
) -> None:
    text = sweep_of_people("[2]") + '[[plot]]\nkind = "value_difference"\ncolumn = "age"\n'
    store = carried_out(folder, text)
    (first,) = store.results(outdated=store.outdated())
    assert (first["state"], first["stale"]) == ("done", False)
    (folder / "people.csv").write_text((folder / "people.csv").read_text() + "30,atown,flu\n")
    (row,) = json.loads(run("show", store.folder, "--json").out)["results"]
    assert (row["cell"], row["stale"]) == (first["cell"], True)
    shown = run("show", store.folder)
    assert "stale" in shown.out
    assert "1 result is stale" in shown.err
    assert json.loads(run("show", store.folder, "--cell", row["cell"], "--json").out)["output"]["changed"] is None
    drawn = run("plot", store.folder)
    assert drawn.code == 2
    assert "The data have changed since the cell was run" in drawn.err
    carried_out(folder, text)
    rows = store.results(outdated=store.outdated())
    assert [(row["state"], row["stale"]) for row in rows] == [("done", False), ("done", True)]
    assert rows[0]["cell"] != rows[1]["cell"] == first["cell"]
    made = ExperimentReport.of_store(store)
    assert "Stale results" in made.to_html()
    assert [one["cell"] for one in made.to_dict()["stale"]] == [first["cell"]]


def test_on_a_full_disk_the_cell_is_left_failed_and_the_store_stays_readable(
    folder: Path, unwarmed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(folder / "disk") as disk:
        experiment = Experiment.parse(sweep_of_people("[2, 3]"), folder=folder)
        store, cells = Store(disk.folder / "results"), experiment.cells()
        store.begin(experiment, cells)
        assert worker.carry_out(experiment, store, cells[0], "", lambda event: None).end.state == "done"
        disk.fill()
        if not disk.mounted:
            monkeypatch.setattr(Store, "write_cell", _no_room)
        ended = worker.carry_out(experiment, store, cells[1], "", lambda event: None)
        assert (ended.end.state, ended.end.code, ended.end.exit_code) == ("failed", "write-failed", 1)
        assert [row["state"] for row in store.results()] == ["done", "waiting"]
        assert len(store.release(cells[0].id).data) == 60
        assert not list(store.cells_folder.glob(".*"))


def _no_room(*given: Any, **named: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_folder_that_cannot_be_written_is_told_and_is_no_bug_of_ours(run: Run, folder: Path) -> None:
    outcome = told(run, folder, sweep_of_people("[2]"), "--out", str(folder / "people.csv" / "inside"))
    assert outcome.code == 1
    assert outcome.err.startswith("write-failed: The results could not be written: Not a directory.")
    assert outcome.err.count("\n") == 1


@pytest.mark.long
def test_one_cell_that_crashes_or_exceeds_its_limit_leaves_the_others_alone(
    run: Run, folder: Path, odd_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_hours_pass_at_a_cell_that_never_ends(monkeypatch)
    crashed = told(run, folder, sweep_of_people("[13, 2]"))
    assert crashed.code == 1
    assert "✗ failed  m k=13: The worker ended with signal 9" in crashed.err
    assert "✓ done  m k=2" in crashed.err
    for line in ("  ▸ running  m k=2", "    split  m k=2"):
        assert line in crashed.err.splitlines()  # what begins is told, cell by cell and phase by phase
    slow = told(run, folder, sweep_of_people("[14, 2]"), "--limit-seconds", "120", "--quiet")
    assert (slow.code, slow.err) == (5, "")
    states = [row["state"] for row in Store(folder / "e.results").results(stale=False)]
    assert states == ["too_slow", "done"]


@pytest.mark.long
def test_cancel_during_a_run_stops_the_worker_removes_partial_files_and_says_cancelled(
    folder: Path, odd_worker: None
) -> None:
    cancel = threading.Event()
    seen: list[dict[str, Any]] = []

    def hear(event: dict[str, Any]) -> None:
        seen.append(event)
        if event["event"] == "cell":
            cancel.set()

    experiment = Experiment.parse(sweep_of_people("[14, 2]"), folder=folder)
    outcome = run_experiment(experiment, folder / "out", workers=1, on_event=hear, cancel=cancel)
    assert outcome.exit_code == 130
    store = Store(folder / "out")
    assert [row["state"] for row in store.results()] == ["cancelled", "waiting"]
    assert not list(store.cells_folder.glob(".*"))
    assert [event["state"] for event in seen if event["event"] == "cell"] == ["running", "cancelled"]


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    return path


def test_a_non_csv_binary_is_an_input_error(run: Run, binary: Path) -> None:
    outcome = run("data", "inspect", binary, "--json")
    assert outcome.code == 2
    assert json.loads(outcome.out)["error"]["family"] == "input-error"
    assert outcome.err.count("\n") == 1


def test_inspecting_a_file_proposes_roles_with_reasons(run: Run, folder: Path) -> None:
    told = json.loads(run("data", "inspect", folder / "people.csv", "--separator", ",", "--json").out)
    assert {column["name"]: column["role"] for column in told["columns"]} == {
        "age": "quasi",
        "city": "quasi",
        "ill": "quasi",
    }
    assert all(column["why"] for column in told["columns"])
    shown = run("data", "inspect", folder / "people.csv")
    assert "role" in shown.out
    assert run("data", "inspect", folder / "people.csv", "--separator", "ab").code == 2


def test_the_report_of_an_experiment_is_made_anew(run: Run, folder: Path, unwarmed: None) -> None:
    store = carried_out(folder, sweep_of_people("[2]"))
    made = run("report", store.folder)
    assert made.code == 0
    assert "1 done" in made.out
    assert (store.folder / "report.html").is_file()
    assert json.loads((store.folder / "report.json").read_text())["stale"] == []
