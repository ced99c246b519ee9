"""Private methods on real data, one command each: from raw records to a verified release with a report."""

from __future__ import annotations

import json

import pytest

from benchmarks.reproductions import adult_census
from tests.shared_data import dataset


def released(run, folder, *arguments):
    """What the release and the command say; every private release is checked alike."""
    done = run("anonymize", *arguments, "--out", folder, "--figures", "--json")
    assert done.code == 0, done.err
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["verdict"]["holds"] is True
    assert manifest["guarantee"]["model"] == "differential privacy"
    assert manifest["data"]["budget"]["exactness"] == "exact"
    assert (folder / "report.html").stat().st_size > 10_000
    again = run("verify", folder)
    assert again.code == 0, again.out + again.err
    return manifest, json.loads(done.out)


def measured(run, folder, metric, *arguments):
    done = run("measure", folder, "--metric", metric, *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.real_data("citibike_jc")
def test_citibike_stations_of_each_bike(run, tmp_path):
    raw = dataset("citibike_jc") / "citibike_jc_202003_202004.parquet"
    manifest, told = released(
        run, tmp_path / "r", raw, "--id", "bikeid", "--location", "start_station_id", "--t", "starttime",
        "--time-unit", "h", "--method", "safe-path", "--epsilon", "1", "--height", "2", "--scheme", "flat",
        "--location-domain", "public-in-data", "--time-domain", "2020-03-01..2020-05-01..720h",
        "--ledger", tmp_path / "bikes.ledger",
    )  # fmt: skip
    assert told["utility"]["count_error_1_loss"] < told["utility"]["count_error_1_of_nothing"]
    assert manifest["data"]["domains"]["locations"]["declared"].startswith("those of the data")
    assert manifest["data"]["trajectories"] > 0
    assert "1 was spent" in run("ledger", "show", tmp_path / "bikes.ledger").out


@pytest.mark.real_data("gowalla_nyc")
@pytest.mark.parametrize("scheme", ["flat", "uniform"])
def test_gowalla_check_ins_with_the_public_list_of_venues(run, tmp_path, scheme):
    folder = dataset("gowalla_nyc")
    manifest, _ = released(
        run, tmp_path / "r", folder / "gowalla_nyc_checkins.csv.xz", "--id", "user", "--location", "venue",
        "--t", "time", "--time-unit", "day", "--method", "safe-path", "--epsilon", "2", "--height", "2",
        "--scheme", scheme, "--location-domain", f"{folder / 'gowalla_nyc_venues.csv.gz'}:venue",
        "--location-height", "6", "--time-domain", "2009-04-01..2010-11-01..90day",
    )  # fmt: skip
    assert manifest["data"]["domains"]["locations"]["declared"] == "declared by the publisher"
    assert 0 < manifest["verdict"]["achieved"] <= 2


@pytest.mark.real_data("adult")
def test_adult_in_regions_says_more_of_income_than_its_commonest_class(run, tmp_path):
    folder = dataset("adult")
    raw = folder / "adult_uci.csv.xz"
    (tmp_path / "domains.json").write_text(json.dumps(adult_census.domains().to_json()["columns"]))
    (tmp_path / "trees.json").write_text(
        json.dumps({name: tree.to_json() for name, tree in adult_census.trees(folder).trees.items()})
    )
    columns = ("--quasi", ",".join(adult_census.QUASI), "--label", "income", "--other", "rest")
    private = [
        raw, *columns, "--method", "diff-multi", "--specializations", "100", "--score", "max", "--epsilon", "1",
        "--trees", tmp_path / "trees.json", "--ledger", tmp_path / "adult.ledger",
    ]  # fmt: skip
    refused = run("anonymize", *private, "--out", tmp_path / "refused")
    assert refused.code == 2
    assert "public-input-missing" in refused.err
    assert not (tmp_path / "adult.ledger").exists()
    report = ("--private-report", tmp_path / "private.json")
    manifest, told = released(run, tmp_path / "dp", *private, "--domains", tmp_path / "domains.json", *report)
    assert manifest["data"]["kind"] == "counted-regions"
    assert manifest["data"]["budget"]["spent"] == "1"
    assert abs(manifest["data"]["records"] - 45_222) < 2_000
    assert 0 < told["utility"]["region_ncp_loss"] < 1
    assert "regions" in (tmp_path / "dp" / "report.html").read_text()
    assert run("verify", tmp_path / "dp", *report).code == 0
    assert "1 was spent" in run("ledger", "show", tmp_path / "adult.ledger").out
    learnt = measured(run, tmp_path / "dp", "region_classification", "--original", raw, *columns)
    assert learnt["region_accuracy_least"] + 0.02 < learnt["region_accuracy_score"] <= learnt["region_accuracy_best"]

    k = ("--method", "mondrian", "-k", "60")
    done = run("anonymize", raw, *columns, *k, "--out", tmp_path / "k60", "--quiet")
    assert done.code == 0, done.err
    beside = measured(run, tmp_path / "k60", "classification_score", "--original", raw, *columns)
    assert beside["classification_score"] > beside["classification_accuracy_majority"]
    assert abs(beside["classification_accuracy_majority"] - learnt["region_accuracy_least"]) < 0.02
