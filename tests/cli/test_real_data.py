"""Real datasets from raw file to verified release, through the command line alone."""

from __future__ import annotations

import json

import pytest

from tests.shared_data import dataset


@pytest.mark.real_data("gowalla_nyc")
def test_gowalla_goes_from_raw_check_ins_to_a_verified_release(run, tmp_path):
    raw = dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz"
    done = run(
        "anonymize", raw, "--grid", "2000", "--method", "seq-anon", "-k", "5", "-m", "2", "--out", tmp_path / "nyc"
    )
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "nyc" / "release.json").read_text())
    assert manifest["data"]["rows"] == 7115
    assert manifest["verdict"]["achieved"] >= 5
    assert run("verify", tmp_path / "nyc", "--original", raw, "--grid", "2000").code == 0
    assert run("verify", tmp_path / "nyc", "--original", raw, "--grid", "3000").code == 4


@pytest.mark.real_data("gowalla_nyc")
def test_gowalla_by_day_protects_people_when_owners_count(run, tmp_path):
    raw = dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz"
    by_day = ("--grid", "2000", "--one-per", "day")
    command = ("anonymize", raw, *by_day, "--method", "seq-anon", "-k", "5", "-m", "2", "--out", tmp_path / "days")
    refused = run(*command)
    assert refused.code == 2
    assert refused.err.splitlines()[-1].startswith("owner-repeated: ")
    done = run(*command, "--unit", "owner")
    assert done.code == 0, done.err
    assert run("verify", tmp_path / "days").code == 2, "owners can only be counted with the original"
    assert run("verify", tmp_path / "days", "--original", raw, *by_day).code == 0
