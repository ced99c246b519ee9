"""A private table from the command line: from raw records to a verified release with a report."""

from __future__ import annotations

import json

import pytest

from tests.shared_data import dataset

DOMAINS = {
    "age": {"low": 17, "high": 91},
    "education-num": {"low": 1, "high": 17},
    "capital-gain": {"low": 0, "high": 100000, "bins": 200},
    "hours-per-week": {"low": 1, "high": 100},
    "sex": ["Female", "Male"],
    "income": ["<=50K", ">50K"],
}
TREES = {
    "marital-status": {
        "any": {
            "with": ["Married-civ-spouse", "Married-AF-spouse"],
            "without": ["Never-married", "Divorced", "Separated", "Widowed", "Married-spouse-absent"],
        }
    }
}


@pytest.mark.real_data("adult")
def test_adult_goes_from_raw_records_to_a_verified_release(run, tmp_path):
    (tmp_path / "domains.json").write_text(json.dumps(DOMAINS))
    (tmp_path / "trees.json").write_text(json.dumps(TREES))
    raw = dataset("adult") / "adult_uci.csv.xz"
    command = [
        "anonymize", raw, "--quasi", "age,education-num,capital-gain,hours-per-week,sex,marital-status",
        "--label", "income", "--other", "rest", "--method", "diff-multi", "--specializations", "100",
        "--score", "max", "--trees", tmp_path / "trees.json", "--ledger", tmp_path / "adult.ledger",
    ]  # fmt: skip
    refused = run(*command, "--out", tmp_path / "refused")
    assert refused.code == 2
    assert "public-input-missing" in refused.err
    assert not (tmp_path / "adult.ledger").exists()
    domains = ("--domains", tmp_path / "domains.json")
    done = run(*command, *domains, "--out", tmp_path / "out", "--private-report", tmp_path / "private.json")
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    assert manifest["data"]["kind"] == "counted-regions"
    assert manifest["data"]["budget"]["spent"] == "1"
    assert abs(manifest["data"]["records"] - 48842) < 2000
    assert "regions" in (tmp_path / "out" / "report.html").read_text()
    assert run("verify", tmp_path / "out").code == 0
    assert run("verify", tmp_path / "out", "--private-report", tmp_path / "private.json").code == 0
    assert "1 was spent" in run("ledger", "show", tmp_path / "adult.ledger").out
