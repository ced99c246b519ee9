"""Methods for sets on real data, one command each, to a verified release with its report."""

from __future__ import annotations

import json

import pytest

from tests.shared_data import dataset


def released(run, folder, *arguments):
    done = run("anonymize", *arguments, "--out", folder, "--quiet")
    assert done.code == 0, done.err
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["verdict"]["holds"] is True
    assert (folder / "report.html").stat().st_size > 10_000
    return manifest


@pytest.mark.real_data("groceries")
def test_groceries_with_their_hierarchy(run, tmp_path):
    raw, tree = dataset("groceries") / "groceries.csv.gz", dataset("groceries") / "groceries_hierarchy.csv"
    reading = ("--input-format", "fimi", "--separator", "|")
    manifest = released(
        run, tmp_path / "r", raw, *reading, "--method", "apriori", "-k", "5", "-m", "2", "--hierarchy", tree
    )
    assert manifest["data"]["rows"] == 9835
    private = json.loads((tmp_path / "r.private.json").read_text())
    assert private["domain"] == 169
    assert 0 < private["utility"]["item_ncp_loss"] < 0.2
    checked = run("verify", tmp_path / "r", "--original", raw, *reading)
    assert checked.code == 0, checked.err
    attacked = run("attack", tmp_path / "r", "--original", raw, *reading, "--attack", "itemset", "--json")
    assert attacked.code == 0, attacked.err
    curve = json.loads(attacked.out)["curve"]
    assert curve[1]["fewest_candidates"] >= 5
    options = ("--metric", "tkd_ml2_loss", "--hierarchy", tree, "--json")
    measured = run("measure", tmp_path / "r", "--original", raw, *reading, *options)
    assert measured.code == 0, measured.err
    assert 0 < json.loads(measured.out)["tkd_ml2_loss"] < 1


@pytest.mark.real_data("bms_webview1")
@pytest.mark.parametrize("method", ["pcta", "lra"])
def test_clicks_of_a_web_shop(run, tmp_path, method):
    raw = dataset("bms_webview1") / "bms_webview1.dat.gz"
    assert released(run, tmp_path / "r", raw, "--method", method, "-k", "5", "-m", "2")["data"]["rows"] == 59602


@pytest.mark.real_data("t10i4d100k")
def test_synthetic_baskets(run, tmp_path):
    raw = dataset("t10i4d100k") / "t10i4d100k.dat.gz"
    assert (
        released(run, tmp_path / "r", raw, "--method", "disassociation", "-k", "5", "-m", "2")["data"]["rows"]
        == 100_000
    )


@pytest.mark.real_data("mushroom")
def test_mushrooms(run, tmp_path):
    raw = dataset("mushroom") / "mushroom.dat.gz"
    manifest = released(
        run, tmp_path / "r", raw, "--method", "vpa", "-k", "5", "-m", "2", "--hierarchy", "auto:4:cooccurrence"
    )
    assert manifest["verdict"]["min_support_by_size"][1] >= 5


@pytest.mark.real_data("msnbc")
def test_visitors_of_a_news_site_as_sets_of_pages(run, tmp_path):
    raw = dataset("msnbc") / "msnbc990928.txt.xz"
    manifest = released(run, tmp_path / "r", raw, "--method", "apriori", "-k", "5", "-m", "2", "--format", "parquet")
    assert manifest["data"]["rows"] == 989_818
    assert json.loads((tmp_path / "r.private.json").read_text())["domain"] == 17


@pytest.mark.real_data("bms_pos_subset")
def test_sales_within_a_utility_policy(run, tmp_path):
    raw = dataset("bms_pos_subset") / "bms_pos_subset.dat.gz"
    released(run, tmp_path / "r", raw, "--method", "coat", "-k", "5", "-m", "2", "--utility", "frequency:4")
