"""The acceptance scenarios of the workbench from the command line: the demonstration that SECRETA gave.

The same in a real browser is in `tests/web/test_scenarios.py`.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import polars as pl
import pytest

from crypsis.cli import main
from crypsis.evaluate import Store, runner
from crypsis.evaluate.results import is_time_column
from tests.drawing.pdf_texts import texts_in_pdf
from tests.evaluate.examples import DATASET, MERGE_R, people, sweep_of_people, write_example

pytestmark = pytest.mark.usefixtures("quick_workers")


def test_1_a_table_is_edited_undone_exported_and_read_again(run, rt):
    data, original = rt / "rt.csv", (rt / "rt.csv").read_text()
    assert run("data", "edit", data, "--rename", "Age=Years", "--set", "1:Years=23").code == 0
    assert run("data", "save", data, "--out", rt / "edited.csv").code == 0
    edited = pl.read_csv(rt / "edited.csv", infer_schema=False)
    assert edited.columns[0] == "Years"
    assert edited["Years"].to_list()[:3] == ["19", "23", "28"]
    assert run("data", "edit", data, "--undo", "2").code == 0
    assert run("data", "save", data, "--out", rt / "undone.csv").code == 0
    assert pl.read_csv(rt / "undone.csv").equals(pl.read_csv(data))
    assert run("data", "edit", data, "--redo", "1").code == 0
    assert json.loads((rt / "rt.csv.edits.json").read_text())["edits"] == [
        {"edit": "rename", "column": "Age", "to": "Years"}
    ]
    assert data.read_text() == original
    kept = run("data", "save", data, "--out", data)
    assert (kept.code, data.read_text()) == (2, original)
    assert "output-exists" in kept.err
    assert run("data", "save", data, "--out", data, "--yes").code == 0
    assert data.read_text().startswith("Years,")


def test_2_a_leaf_is_moved_a_second_parent_refused_mended_and_saved(run, rt, monkeypatch):
    tree = rt / "Origin.csv"
    moved = run("hierarchy", "edit", tree, "--move", "Spain=Africa", "--out", rt / "moved.csv")
    assert moved.code == 0, moved.err
    assert "Spain;Africa" in (rt / "moved.csv").read_text()
    twice = run("hierarchy", "edit", tree, "--add", "Spain=Africa", "--out", rt / "twice.csv")
    assert twice.code == 2
    assert "'Spain' already has the parent 'Europe', and a node has one parent; move it instead." in twice.err
    assert not (rt / "twice.csv").exists()
    (rt / "bad.csv").write_text(tree.read_text() + "Spain;Africa\n")
    refused = run("hierarchy", "check", rt / "bad.csv")
    words = "line 10: 'Spain' has two parents, 'Europe' on line 9 and 'Africa' on line 10"
    assert refused.code == 2
    assert words in refused.err
    kept = tree.read_text()
    typed = run("hierarchy", "edit", tree, "--text", rt / "bad.csv", "--overwrite")
    assert (typed.code, tree.read_text()) == (2, kept)
    assert words in typed.err
    monkeypatch.setattr("sys.stdin", io.StringIO(kept.replace("Spain;Europe", "Spain;Africa")))
    mended = run("hierarchy", "edit", tree, "--text", "-", "--out", rt / "mended.csv")
    assert mended.code == 0, mended.err
    assert "Spain;Africa" in (rt / "mended.csv").read_text()
    checked = run("hierarchy", "check", rt / "moved.csv", "--data", rt / "rt.csv", "--column", "Origin")
    assert checked.code == 0, checked.err
    shown = run("hierarchy", "show", rt / "moved.csv")
    assert "Africa" in shown.out
    lacking = run("hierarchy", "edit", tree, "--remove", "Spain", "--out", rt / "without.csv")
    assert lacking.code == 0
    missing = run("hierarchy", "check", rt / "without.csv", "--data", rt / "rt.csv", "--column", "Origin")
    assert missing.code == 2
    assert "Spain" in missing.err
    assert run("hierarchy", "edit", tree, "--move", "Spain=Africa").code == 2  # it would replace the file
    assert run("hierarchy", "edit", tree, "--move", "Spain=Africa", "--overwrite").code == 0


def test_3_a_workload_is_edited_and_its_counts_follow(run, rt):
    reading = ("--items", "items= ", "--quasi", "Age,Origin,Gender")
    queries = rt / "queries.txt"
    queries.write_text("Age in [19:30]\nitems all {E, F}\n")

    def counts():
        done = run("queries", "run", queries, "--data", rt / "rt.csv", *reading, "--json")
        assert done.code == 0, done.err
        return [one["count"] for one in json.loads(done.out)["queries"]]

    assert counts() == [3, 2]
    queries.write_text("Age in [19:60]\nitems all {E, F}\n")
    assert counts() == [5, 2]
    queries.write_text("Age in [19:60\n")
    wrong = run("queries", "check", queries)
    assert wrong.code == 2
    assert "line 1, character 8" in wrong.err
    made = run("queries", "make", rt / "rt.csv", *reading, "--count", "7", "--out", rt / "drawn.txt")
    assert made.code == 0, made.err
    assert run("queries", "check", rt / "drawn.txt", "--data", rt / "rt.csv", *reading).code == 0
    assert len((rt / "drawn.txt").read_text().splitlines()) == 7


@pytest.mark.long
@pytest.mark.parametrize(
    ("bound", "delta", "ages", "ncp"),
    [
        ("RMERGE_R", 0.65, {"[19:39]*": 4, "[55:70]*": 2}, 0.638),
        ("RMERGE_T", 0.77, {"[19:70]*": 4, "[28:39]*": 2}, None),
    ],
)
def test_4_cluster_with_pcta_and_a_bound_gives_the_printed_classes(run, rt, bound, delta, ages, ncp):
    (rt / "e.toml").write_text(DATASET + MERGE_R.replace("RMERGE_R", bound).replace("0.65", str(delta)))
    done = run("run", rt / "e.toml", "--workers", "1", "--json", "--quiet")
    assert done.code == 0, done.err
    (row,) = json.loads(done.out)["results"]
    assert (row["state"], row["verified"]) == ("done", True)
    if ncp is not None:
        assert round(row["ncp"], 3) == ncp
    shown = run("show", rt / "e.results", "--cell", row["cell"][:6]).out
    assert {age: shown.count(age) for age in ages} == ages


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Three bounding methods over delta in one comparison, run once: the experiment file and its results."""
    folder = write_example(tmp_path_factory.mktemp("compared"))
    runs = "".join(
        f"""
[[run]]
label = "{name}"
relational = {{method = "cluster", seeds = "first"}}
transaction = {{method = "pcta"}}
bound = {{method = "{name}"}}
params = {{k = 3, m = 2}}
sweep = {{param = "delta", start = 0.4, end = 1.0, step = 0.1}}
"""
        for name in ("RMERGE_R", "RMERGE_T", "TMERGE_R")
    )
    (folder / "c.toml").write_text(
        DATASET + '[queries]\ngenerate = {count = 20, relational = 1, items = 1, seed = 3}\n' + runs
        + '[metrics]\nlist = ["are", "ncp", "ul", "runtime"]\n'
    )  # fmt: skip
    with (
        pytest.MonkeyPatch.context() as patched,
        redirect_stdout(io.StringIO()) as out,
        pytest.raises(SystemExit) as end,
    ):
        patched.setattr(runner, "WORKER", "tests.evaluate.odd_worker")
        main(["compare", str(folder / "c.toml"), "--workers", "1", "--json", "--quiet"])
    assert end.value.code == 0
    return folder / "c.toml", json.loads(out.getvalue())["results"]


@pytest.mark.long
def test_5_three_bounding_methods_over_delta_leave_what_is_infeasible_empty(run, compared):
    file, rows = compared
    assert len(rows) == 21
    assert [row["delta"] for row in rows[:7]] == [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    states = {(row["label"], row["delta"]): row["state"] for row in rows}
    assert set(states.values()) == {"done", "infeasible"}
    impossible = {cell for cell, state in states.items() if state == "infeasible"}
    assert impossible == {("TMERGE_R", 0.4), *((f"RMERGE_{name}", delta) for name in "RT" for delta in (0.4, 0.5))}
    for row in rows:
        assert (row["state"] == "done") == (row["are"] is not None) == (row["ncp"] is not None)
        if row["state"] == "done":
            assert row["ncp" if row["method"] == "rum-bound" else "ul"] <= row["delta"] + 1e-9
    again = run("compare", file)
    assert "21 finished before" in again.err


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "words", "numbers"),
    [
        (("line", "--x", "delta", "--y", "are"), "RMERGE_T", "TMERGE_R,0.4,"),
        (("phases",), "unite clusters", "unite clusters"),
        (("generalized_frequency", "--column", "Origin", "--run", "RMERGE_R"), "Published values of Origin", "All,6"),
        (("item_error", "--run", "RMERGE_R"), "relative error", ",G,3,"),
    ],
    ids=["are over delta", "phases", "frequencies", "items"],
)
def test_6_the_four_visualizations_are_written_as_pdf_and_png(run, compared, tmp_path, arguments, words, numbers):
    store = compared[0].with_suffix(".results")
    kind, *options = arguments
    drawn = run("plot", kind, store, *options, "--format", "pdf,png", "--out", tmp_path / "plots", "--json")
    assert drawn.code == 0, drawn.err
    pdf, png, table = (Path(name) for name in json.loads(drawn.out)["files"])
    assert pdf.read_bytes().startswith(b"%PDF")
    assert any(words in text for text in texts_in_pdf(pdf.read_bytes()))
    assert png.read_bytes().startswith(b"\x89PNG")
    assert numbers in table.read_text()


KILLED_AFTER_FIVE = """
import os, signal, sys
from crypsis.cli.main import main
from crypsis.evaluate import runner

ended = runner._Session._ended

def mortal(self, cell, event):
    ended(self, cell, event)
    if list(self.states.values()).count("done") == 5:
        os.kill(os.getpid(), signal.SIGKILL)

runner._Session._ended = mortal
main(sys.argv[1:])
"""


@pytest.mark.long
def test_7_a_killed_run_goes_on_where_it_was(tmp_path):
    people(tmp_path)
    (tmp_path / "e.toml").write_text(sweep_of_people().replace("sweep = {param", "repeats = 5\nsweep = {param"))
    arguments = ["run", str(tmp_path / "e.toml"), "--workers", "1"]
    command = [sys.executable, "-m", "crypsis", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run([sys.executable, "-c", KILLED_AFTER_FIVE, *arguments], env=environment, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    store = Store(tmp_path / "e.results")
    _wait_until_quiet(store)
    finished = {id: (store.cells_folder / id / "state.json").stat().st_mtime_ns for id in _done(store)}
    assert 5 <= len(finished) < 15
    assert len(store.results()) == 15
    events = subprocess.run(
        [*command, "--json"], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    told = json.loads(events.stdout)
    assert told["reused"] == len(finished)
    assert told["ran"] == 15 - len(finished)
    assert {row["state"] for row in told["results"]} == {"done"}
    for id, written in finished.items():
        assert (store.cells_folder / id / "state.json").stat().st_mtime_ns == written


def _done(store):
    return [row["cell"] for row in store.results() if row["state"] == "done"]


def _wait_until_quiet(store):
    """The worker of a killed process is killed by the system; wait until nothing is written any more."""
    before = -1
    while len(_done(store)) != before:
        before = len(_done(store))
        time.sleep(0.5)


@pytest.mark.long
def test_8_the_same_experiment_gives_the_same_results_apart_from_times(run, rt):
    text = DATASET + MERGE_R.replace('seeds = "first"', 'seeds = "random"') + "repeats = 2\n"
    (rt / "e.toml").write_text("seed = 3\n" + text)
    tables = []
    for name, workers in (("one", "1"), ("two", "2")):
        assert run("run", rt / "e.toml", "--out", rt / name, "--workers", workers).code == 0
        table = pl.read_csv(rt / name / "results.csv", infer_schema=False)
        tables.append(table.drop([column for column in table.columns if is_time_column(column)]))
    assert tables[0].equals(tables[1])
