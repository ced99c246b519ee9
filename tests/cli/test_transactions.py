"""Sets of items on the command line: releases, rechecks, and bad input that leaves nothing behind."""

from __future__ import annotations

import json

import pytest

BASKETS = "milk beer\ncream wine\nmilk wine\ncream beer\n\n"
TREE = "milk;dairy;food\ncream;dairy;food\nbeer;drinks;food\nwine;drinks;food\n"


@pytest.fixture
def baskets(tmp_path):
    (tmp_path / "baskets.dat").write_text(BASKETS)
    (tmp_path / "tree.csv").write_text(TREE)
    return tmp_path


def test_a_release_is_made_rechecked_measured_attacked_and_shown(run, baskets):
    data, folder = baskets / "baskets.dat", baskets / "release"
    made = run(
        "anonymize", data, "--method", "apriori", "-k", "2", "--hierarchy", baskets / "tree.csv", "--out", folder
    )
    assert made.code == 0, made.err
    assert "1 records without items are published as empty records" in made.err
    assert run("verify", folder).code == 0
    assert run("verify", folder, "--original", data).code == 0
    measured = run("measure", folder, "--original", data, "--metric", "item_ncp_loss", "--json")
    assert json.loads(measured.out) == {"item_ncp_loss": 0.25}
    attacked = run(
        "attack", folder, "--original", data, "--attack", "itemset", "--picture", baskets / "curve.svg", "--json"
    )
    assert json.loads(attacked.out)["curve"][1]["fewest_candidates"] >= 2
    assert "<svg" in (baskets / "curve.svg").read_text()
    assert "5 rows, 8 occurrences, 3 symbols, 1 empty records" in run("report", folder).out


def test_a_published_file_is_checked_against_a_model(run, baskets):
    file = baskets / "published.jsonl"
    file.write_text('["a","b"]\n["a","b"]\n["a"]\n')
    assert run("verify", file, "--model", "itemset-km-anonymity", "-k", "2", "-m", "2").code == 0
    broken = run("verify", file, "--model", "itemset-km-anonymity", "-k", "3", "-m", "2", "--json")
    assert broken.code == 4
    assert json.loads(broken.out)["verdict"]["witness"]["witness"] == [["b"]]
    (baskets / "original.dat").write_text("a b c\na b\na\n")
    checked = run(
        "verify",
        file,
        "--model",
        "itemset-km-anonymity",
        "-k",
        "2",
        "--original",
        baskets / "original.dat",
        "--suppressed",
        "c",
    )
    assert checked.code == 0, checked.out + checked.err


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (("--method", "apriori", "-k", "0"), 2, "bad-parameter"),
        (("--method", "apriori", "-m", "9"), 2, "bad-parameter"),
        (("--method", "apriori", "-k", "2.5"), 2, "bad-parameter"),
        (("--method", "apriori", "-k", "5"), 3, "too-few-records"),
        (("--method", "apriori", "--hierarchy", "nowhere.csv"), 2, "missing-file"),
        (("--method", "apriori", "-k", "2", "--hierarchy", "SHORT"), 2, "bad-taxonomy"),
        (("--method", "apriori", "-k", "2", "--hierarchy", "CIRCLE"), 2, "bad-taxonomy"),
        (("--method", "apriori", "-k", "2", "--sensitive", "unicorn"), 2, "bad-label"),
        (("--method", "apriori", "-k", "2", "-l", "3", "--sensitive", "milk"), 3, "infeasible-diversity"),
        (("--method", "coat", "-k", "2", "--utility", "OVERLAP"), 2, "bad-policy"),
        (("--method", "coat", "-k", "2", "--utility", "none"), 3, "policies-conflict"),
        (("--method", "pcta", "-k", "2", "--privacy", "rare:2"), 2, "bad-parameter"),
    ],
)
def test_bad_input_is_answered_by_its_code_and_nothing_is_written(run, baskets, arguments, exit_code, code):
    files = {"SHORT": "milk,x\nbeer,x\n", "CIRCLE": "milk,x\nx,y\ny,x\n", "OVERLAP": "milk,beer\nbeer,wine\n"}
    for name, content in files.items():
        (baskets / name).write_text(content)
    (baskets / "CIRCLE").rename(baskets / "circle.csv")
    (baskets / "SHORT").rename(baskets / "short.csv")
    places = {"SHORT": baskets / "short.csv", "CIRCLE": baskets / "circle.csv", "OVERLAP": baskets / "OVERLAP"}
    given = [places.get(argument, argument) for argument in arguments]
    done = run("anonymize", baskets / "baskets.dat", *given, "--out", baskets / "release", "--json")
    assert done.code == exit_code, done.out + done.err
    assert code in done.out + done.err
    assert not (baskets / "release").exists()


def test_a_file_without_any_item_is_refused(run, tmp_path):
    (tmp_path / "empty.dat").write_text("\n\n")
    done = run("anonymize", tmp_path / "empty.dat", "--method", "pcta", "-k", "1", "--out", tmp_path / "r", "--json")
    assert done.code == 3, done.out + done.err
    assert "too-few-records" in done.out + done.err
    assert not (tmp_path / "r").exists()


def test_labels_are_kept_exactly(run, tmp_path):
    (tmp_path / "odd.jsonl").write_text('[" a b ","c,\\"d\\"","é#(x)"]\n["a b","c,\\"d\\"","é#(x)"]\n')
    made = run(
        "anonymize", tmp_path / "odd.jsonl", "--method", "pcta", "-k", "2", "--out", tmp_path / "r", "--format", "csv"
    )
    assert made.code == 0, made.err
    assert (tmp_path / "r" / "transactions.csv").read_text().count('"c,""d"""') == 2
    assert run("verify", tmp_path / "r", "--original", tmp_path / "odd.jsonl").code == 0
