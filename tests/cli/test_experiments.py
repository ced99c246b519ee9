"""The workbench from the command line: experiments of every kind, and what is told about bad input."""

from __future__ import annotations

import json

import polars as pl
import pytest

from crypsis.cli.experiments import show_rows
from crypsis.evaluate import Experiment, Store
from crypsis.evaluate.results import FIRST, OUTCOME
from tests.evaluate.examples import DATASET, MERGE_R, PEOPLE, people, sweep_of_people
from tests.evaluate.stores import finished_store

pytestmark = pytest.mark.usefixtures("quick_workers")


def test_rows_and_columns_are_added_and_deleted(run, rt):
    data = rt / "rt.csv"
    done = run(
        "data", "edit", data, "--add-column", "note=x", "--add-row", "Age=50,Origin=Spain", "--delete-row", "0",
        "--delete-column", "Gender", "--replace", "Origin:Spain=France", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["rows"], told["columns"]) == (6, ["Age", "Origin", "items", "note"])
    assert run("data", "edit", data, "--set", "9:Age=1").code == 2
    assert run("data", "edit", data, "--set", "Age=1").code == 2
    assert run("data", "edit", data, "--undo", "99").code == 2


def test_a_level_is_added_above_values_of_one_parent(run, rt):
    tree = rt / "Origin.csv"
    level = run("hierarchy", "edit", tree, "--group", "Spain,Greece=South", "--out", rt / "level.csv")
    assert level.code == 0, level.err
    assert {"Spain;South", "Greece;South", "South;Europe"} <= set((rt / "level.csv").read_text().splitlines())
    assert run("hierarchy", "edit", tree, "--group", "Spain,Nigeria=x", "--out", rt / "x.csv").code == 2


@pytest.mark.parametrize(
    ("options", "leaves"),
    [
        (("--column", "Age", "--recipe", "equi_width(3)"), 6),
        (("--column", "Gender", "--recipe", "flat"), 2),
        (("--items", "items= ", "--quasi", "Age,Origin,Gender", "--recipe", "auto:3"), 8),
        (("--items", "items= ", "--quasi", "rest", "--column", "items", "--recipe", "balanced(3, order=label)"), 8),
    ],
    ids=["numbers", "categories", "items", "items by their column"],
)
def test_hierarchies_are_built_from_the_data(run, rt, options, leaves):
    made = run("hierarchy", "make", rt / "rt.csv", *options, "--out", rt / "made.csv", "--json")
    assert made.code == 0, made.err
    assert json.loads(made.out)["values"] == leaves
    assert run("hierarchy", "check", rt / "made.csv").code == 0
    assert run("hierarchy", "make", rt / "rt.csv", *options, "--out", rt / "made.csv").code == 2


def test_policies_are_made_and_checked(run, rt):
    reading = ("--items", "items= ", "--quasi", "Age,Origin,Gender")
    made = run("policy", "make", rt / "rt.csv", *reading, "--kind", "privacy", "--recipe", "all(2)",
               "--out", rt / "p.txt", "--json")  # fmt: skip
    assert made.code == 0, made.err
    assert json.loads(made.out)["sets"] > 5
    assert run("policy", "check", rt / "p.txt", "--kind", "privacy", "--data", rt / "rt.csv", *reading).code == 0
    (rt / "u.txt").write_text("A;B\nB;C\n")
    overlap = run("policy", "check", rt / "u.txt", "--kind", "utility")
    assert overlap.code == 2
    assert "in two sets, 1 and 2" in overlap.err
    (rt / "u.txt").write_text("A;B\nC;Q\n")
    unknown = run("policy", "check", rt / "u.txt", "--kind", "utility", "--data", rt / "rt.csv", *reading)
    assert unknown.code == 2
    assert "'Q'" in unknown.err
    assert run("policy", "check", rt / "u.txt", "--kind", "secret").code == 2


@pytest.mark.long
def test_cluster_with_pcta_and_a_bound_is_evaluated_shown_and_exported(run, rt):
    done = run("run", rt / "e.toml", "--workers", "1")
    assert done.code == 0, done.err
    assert "✓ done: R (rum-bound)" in done.out
    assert "0.6383" in done.out
    assert "holds" in done.out
    folder = rt / "e.results"
    assert (folder / "report.html").is_file()
    (row,) = Store(folder).results()
    shown = run("show", folder, "--cell", row["cell"][:6])
    assert shown.out.count("[19:39]*") == 4
    assert shown.out.count("[55:70]*") == 2
    released = run("export", folder, "--cell", row["cell"][:6], "--out", rt / "release")
    assert released.code == 0, released.err
    reading = ("--items", "items= ", "--quasi", "Age,Origin,Gender", "--sensitive-items", "G,H")
    assert run("verify", rt / "release", "--original", rt / "rt.csv", *reading).code == 0
    manifest = json.loads((rt / "release" / "release.json").read_text())
    assert manifest["method"]["name"] == "rum-bound"
    assert manifest["data"]["order"] == "sorted"
    exported = run("export", folder, "--cell", row["cell"], "--out", rt / "p.csv")
    assert exported.code == 0, exported.err
    about = json.loads((rt / "p.csv.about.json").read_text())
    assert about["verdict"]["holds"] is True
    assert about["method"]["parameters"]["k"] == 2
    assert "seed" not in about["method"]["parameters"]
    assert "France" not in (rt / "p.csv.about.json").read_text()
    refused = run("verify", folder / "cells" / row["cell"] / "published")
    assert refused.code == 2
    assert "working copy" in refused.err
    assert "`crypsis export` makes a release" in run("verify", folder).err
    measured = run("measure", rt / "release", "--original", rt / "rt.csv", *reading, "--metric", "ncp", "--json")
    assert json.loads(measured.out) == {"ncp": pytest.approx(row["ncp"])}
    asked = run("measure", rt / "release", "--original", rt / "rt.csv", *reading, "--metric", "tkd_ml2")
    assert (asked.code, asked.err.split(":")[0]) == (2, "not-applicable")
    assert [one["cell"] for one in json.loads(run("show", folder, "--json").out)["results"]] == [row["cell"]]
    assert run("export", folder, "--cell", row["cell"], "--out", rt / "p.csv").code == 2
    assert run("export", folder, "--out", rt / "q.csv").code == 0  # there is no other cell
    assert run("export", folder, "--cell", "zz", "--out", rt / "q.csv").code == 2


@pytest.mark.long
def test_one_method_on_a_file_of_data(run, tmp_path):
    people(tmp_path)
    done = run(
        "run", tmp_path / "people.csv", "--method", "mondrian", "--quasi", "age,city", "--sensitive", "ill",
        "--sweep", "k=2:6:2", "--metric", "ncp", "--out", tmp_path / "out", "--workers", "1", "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = json.loads(done.out)["results"]
    assert [(row["k"], row["state"]) for row in rows] == [(2, "done"), (4, "done"), (6, "done")]
    assert done.err == ""
    alone = run("run", tmp_path / "people.csv", "--method", "mondrian", "-k", "900", "--quasi", "age,city",
                "--sensitive", "ill", "--out", tmp_path / "out2")  # fmt: skip
    assert alone.code == 3
    assert "infeasible" in alone.out


@pytest.mark.long
def test_every_method_that_applies_is_one_command(run, tmp_path):
    people(tmp_path)
    done = run(
        "compare", tmp_path / "people.csv", "--all-methods", "--quasi", "age,city", "--sensitive", "ill",
        "--param", "k=3", "--metric", "ncp", "--out", tmp_path / "out", "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = json.loads(done.out)["results"]
    assert {"incognito", "top-down", "bottom-up", "cluster", "mondrian"} <= {row["method"] for row in rows}
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PEOPLE, ["no run"]),
        (
            PEOPLE + '[[run]]\nmethod = "nope"\n[[run]]\nmethod = "cluster"\nparams = {k = 0}\n',
            ["no method", "k must be"],
        ),
        (sweep_of_people().replace("values = [2, 3, 4]", "start = 2, end = 4, step = 0"), ["step must not be 0"]),
        (sweep_of_people().replace("values = [2, 3, 4]", "start = 2, end = 4, step = -1"), ["sign"]),
        (sweep_of_people().replace("values = [2, 3, 4]", "start = 2, end = 40000, step = 1"), ["10,000"]),
        (PEOPLE + '[[run]]\nmethod = "lra"\n', ["lra cannot be run", "it needs sets of items"]),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[hierarchy.city]\npath = "none.csv"\n', ["no file"]),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[[run]]\nmethod = "mondrian"\n', ["own label"]),
    ],
    ids=["no run", "method and range", "step 0", "sign", "too many", "not applicable", "hierarchy", "labels"],
)
def test_bad_experiments_exit_with_2_and_list_every_problem(run, tmp_path, text, words):
    people(tmp_path)
    (tmp_path / "e.toml").write_text(text)
    done = run("run", tmp_path / "e.toml")
    assert done.code == 2
    for word in words:
        assert word in done.err
    assert len(done.err.strip().splitlines()) == len(Experiment.read(tmp_path / "e.toml").check())
    assert not (tmp_path / "e.results").exists()
    told = run("run", tmp_path / "e.toml", "--json")
    assert json.loads(told.out)["error"]["problems"]


def test_a_hierarchy_that_is_not_given_is_made(run, tmp_path):
    (tmp_path / "b.jsonl").write_text(
        "".join(json.dumps(["a", "b", "c"][n % 2 : n % 3 + 1] or ["a"]) + "\n" for n in range(40))
    )
    done = run("run", tmp_path / "b.jsonl", "--method", "apriori", "-k", "2", "--out", tmp_path / "out")
    assert done.code == 0, done.err


@pytest.mark.long
def test_a_failed_and_a_slow_cell_give_exit_codes(run, tmp_path):
    people(tmp_path)
    (tmp_path / "e.toml").write_text(sweep_of_people("[13]"))
    failed = run("run", tmp_path / "e.toml", "--workers", "1")
    assert failed.code == 1
    assert "✗ failed" in failed.err
    (tmp_path / "s.toml").write_text(sweep_of_people("[14]"))
    slow = run("run", tmp_path / "s.toml", "--limit-seconds", "1")
    assert slow.code == 5
    assert "too_slow" in slow.err
    (tmp_path / "u.toml").write_text(sweep_of_people("[16]"))
    unsafe = run("run", tmp_path / "u.toml")
    assert unsafe.code == 4


def test_a_binary_file_is_no_experiment_and_no_data(run, tmp_path):
    (tmp_path / "e.toml").write_bytes(bytes(range(256)))
    assert run("run", tmp_path / "e.toml").code == 2
    (tmp_path / "x.csv").write_bytes(b"\x00\xff\x00PNG" * 50)
    done = run("run", tmp_path / "x.csv", "--method", "mondrian", "--quasi", "a")
    assert done.code == 2
    assert run("run", tmp_path / "none.toml").code == 2
    assert run("run", tmp_path / "x.csv").code == 2
    assert run("show", tmp_path).code == 2


def test_what_an_experiment_stands_on_is_exported_and_read_again(run, rt):
    text = DATASET + """
[hierarchy.Age]
auto = "equi_width(3)"
[hierarchy.items]
auto = "balanced(3)"
[policy.privacy]
auto = "all(2)"
[policy.utility]
auto = "frequency(3)"
[queries]
generate = {count = 9, relational = 1, items = 1, seed = 3}
[[dataset.edits]]
edit = "set"
row = 0
column = "Age"
value = "20"
""" + MERGE_R  # fmt: skip
    (rt / "full.toml").write_text(text)
    done = run("export", rt / "full.toml", "--out", rt / "exported")
    assert done.code == 0, done.err
    before, after = Experiment.read(rt / "full.toml"), Experiment.read(rt / "exported" / "experiment.toml")
    assert after.check() == []
    data = before.dataset.load()
    assert after.dataset.load() == data
    assert "edits" not in after.content["dataset"]
    made, read = before.inputs.hierarchies(data).make(data.table), after.inputs.hierarchies(data)
    for column in ("Age", "Origin", "Gender"):
        assert sorted(made[column].to_pairs()) == sorted(read[column].to_pairs())
    assert before.inputs.item_hierarchy(data).make(data.transactions) == after.inputs.item_hierarchy(data)
    assert before.inputs.utility(data).make(data.transactions) == after.inputs.utility(data)
    assert before.inputs.privacy(data).make(data.transactions).itemsets == after.inputs.privacy(data).itemsets
    assert before.inputs.workload(data) == tuple(after.inputs.workload(data)) or [
        str(query) for query in before.inputs.workload(data)
    ] == [str(query) for query in after.inputs.workload(data)]
    assert run("export", rt / "full.toml", "--out", rt / "exported").code == 2


def test_cells_that_a_spreadsheet_would_calculate_are_marked_on_request(run, tmp_path):
    (tmp_path / "s.csv").write_text("a,=b\n=1+1,x\n-3,y\n@z,w\nplain,v\n")
    assert run("data", "save", tmp_path / "s.csv", "--out", tmp_path / "plain.csv").code == 0
    assert pl.read_csv(tmp_path / "plain.csv", infer_schema=False).equals(
        pl.read_csv(tmp_path / "s.csv", infer_schema=False)
    )
    assert run("data", "save", tmp_path / "s.csv", "--out", tmp_path / "safe.csv", "--spreadsheet-safe").code == 0
    safe = pl.read_csv(tmp_path / "safe.csv", infer_schema=False)
    assert safe.columns == ["a", "'=b"]
    assert safe["a"].to_list() == ["'=1+1", "'-3", "'@z", "plain"]


def test_a_seed_on_the_command_line_counts(run, tmp_path):
    people(tmp_path)
    (tmp_path / "e.toml").write_text(
        PEOPLE + '[[run]]\nmethod = "cluster"\nparams = {k = 4}\n[metrics]\nlist = ["ncp"]\n'
    )
    done = run("run", tmp_path / "e.toml", "--seed", "11", "--json", "--quiet")
    assert json.loads(done.out)["results"][0]["seed"] == 11


def test_columns_that_do_not_matter_need_no_role(run, rt):
    items = ("--items", "items= ")
    made = run("policy", "make", rt / "rt.csv", *items, "--kind", "privacy", "--recipe", "all(2)", "--out", rt / "p")
    assert made.code == 0, made.err
    assert run("policy", "check", rt / "p", "--kind", "privacy", "--data", rt / "rt.csv", *items).code == 0
    assert run("hierarchy", "make", rt / "rt.csv", *items, "--out", rt / "tree").code == 0
    for options in (items, ()):
        file = rt / f"q{len(options)}"
        assert run("queries", "make", rt / "rt.csv", *options, "--count", "3", "--out", file).code == 0
        assert run("queries", "run", file, "--data", rt / "rt.csv", *options).code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("policy", "make", "rt.csv", "--kind", "privacy", "--recipe", "all:2", "--out", "p"), "--items"),
        (("policy", "make", "rt.csv", "--kind", "utility", "--recipe", "freqency(2)", "--out", "p"), "'frequency'"),
        (("hierarchy", "make", "rt.csv", "--items", "items= ", "--recipe", "balancd(2)", "--out", "h"), "'balanced'"),
        (("hierarchy", "make", "rt.csv", "--out", "h"), "--column"),
        (("export", "rt.csv", "--out", "x.csv"), "no published data"),
        (("export", "results", "--out", "x.csv"), "which of the 3 results"),
        (("export", "results", "--cell", "zz", "--out", "x.csv"), "no cell 'zz'"),
    ],
    ids=["no items", "no recipe", "no tree", "no column", "nothing published", "which cell", "no cell"],
)
def test_what_is_missing_and_what_would_do_is_said(run, rt, monkeypatch, arguments, words):
    if "results" in arguments:
        finished_store(rt)
    monkeypatch.chdir(rt)
    done = run(*arguments)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_cells_are_listed_by_the_digits_that_ask_for_them(run, tmp_path):
    finished_store(tmp_path)
    shown = run("show", tmp_path / "results")
    assert shown.code == 0, shown.err
    assert [line.split()[0] for line in shown.out.splitlines() if "mondrian" in line] == ["aa", "bb"]


def test_a_figure_is_shown_once_by_its_short_name(capsys):
    row = dict.fromkeys((*FIRST, *OUTCOME)) | {"label": "a", "state": "done", "cell": "aa", "stale": False}
    show_rows([row | {"ncp": 0.25, "ncp_loss": 0.25, "classes": 3, "code": None, "message": None, "runtime": 1.0}])
    headings = capsys.readouterr().out.splitlines()[1].split()
    assert headings == ["run", "state", "lights", "ncp", "classes", "seconds"]


def test_a_group_of_commands_alone_shows_its_help(run):
    alone = run("data")
    assert (alone.code, alone.out) == (2, "")
    assert alone.err.startswith("Usage: ")
    assert json.loads(run("data", "--json").out)["exit_code"] == 2


def test_a_record_with_commas_is_added_as_json_and_a_list_of_edits_that_is_not_there_is_told(run, rt):
    data, edits = rt / "rt.csv", rt / "list.json"
    missing = run("data", "save", data, "--edits", edits, "--out", rt / "saved.csv")
    assert (missing.code, missing.err.split(":")[0]) == (2, "missing-file")
    added = run("data", "edit", data, "--add-row", '{"Age": "50", "Origin": "a, b=c"}', "--edits", edits)
    assert added.code == 0, added.err
    assert added.out.startswith("1 edit in ")
    assert run("data", "save", data, "--edits", edits, "--out", rt / "saved.csv").code == 0
    assert pl.read_csv(rt / "saved.csv")["Origin"].to_list()[-1] == "a, b=c"
    assert run("data", "edit", data, "--add-row", "{no", "--edits", edits).code == 2
    assert run("data", "edit", data, "--add-row", "no", "--edits", edits).code == 2
