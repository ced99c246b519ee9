"""Every method of the trajectory family on real data, one command each, to a verified release."""

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


@pytest.mark.real_data("gowalla_nyc")
@pytest.mark.parametrize(
    "method",
    [
        ("sd-seq-anon", "-k", "5", "-m", "2", "--taxonomy", "auto:5"),
        ("zga", "-k", "5", "-l", "2", "-m", "2", "--clusters", "5", "--cell", "3000", "--on-infeasible", "suppress"),
        ("sga", "-k", "5", "-l", "2", "-m", "2", "--clusters", "5", "--on-infeasible", "suppress", "--max-size", "2"),
    ],
    ids=lambda method: method[0],
)
def test_gowalla_check_ins(run, tmp_path, method):
    raw = dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz"
    sensitive = () if method[0] == "sd-seq-anon" else ("--sensitive", "c193_1502,c194_1502")
    manifest = released(run, tmp_path / "r", raw, "--grid", "3000", *sensitive, "--method", *method)
    assert manifest["data"]["rows"] == 7115


@pytest.mark.real_data("oldenburg")
def test_oldenburg_tracks(run, tmp_path):
    raw = dataset("oldenburg") / "oldenburg_400.dat.xz"
    arguments = (raw, "--input-format", "brinkhoff", "--method", "ppsg", "--radius", "1000", "-k", "5")
    manifest = released(run, tmp_path / "r", *arguments)
    assert manifest["data"]["places"] == "cells"


@pytest.mark.real_data("geolife_sample")
def test_geolife_tracks(run, tmp_path):
    raw = dataset("geolife_sample") / "geolife_11users.csv.xz"
    arguments = (
        raw,
        "--id",
        "trajectory",
        "--lat",
        "lat",
        "--lon",
        "lon",
        "--t",
        "datetime_gmt",
        "--repeated",
        "first",
        "--method",
        "ppsg",
        "--radius",
        "1000",
        "-k",
        "3",
        "--unit",
        "owner",  # users have several tracks
    )
    released(run, tmp_path / "r", *arguments)
    assert (tmp_path / "r" / "locations.csv").is_file()


@pytest.mark.real_data("spmf_sequences")
def test_spmf_sequences(run, tmp_path):
    raw = dataset("spmf_sequences") / "leviathan.txt.gz"
    released(run, tmp_path / "r", raw, "--method", "bf-p2ka", "-k", "20")


@pytest.mark.real_data("citibike_jc")
def test_citibike_stations_of_each_bike(run, tmp_path):
    raw = dataset("citibike_jc") / "citibike_jc_202003_202004.parquet"
    columns = ("--id", "bikeid", "--position", "starttime", "--location", "start_station_id", "--sort")
    manifest = released(run, tmp_path / "r", raw, *columns, "--method", "kam-rec", "-k", "5")
    assert 0 < manifest["data"]["rows"] <= 555


@pytest.mark.real_data("msnbc")
def test_a_day_of_web_clicks(run, tmp_path):
    raw = dataset("msnbc") / "msnbc990928.txt.xz"
    manifest = released(run, tmp_path / "r", raw, "--method", "bf-p2ka", "-k", "50")
    assert manifest["data"]["rows"] == 989_818
    assert manifest["verdict"]["holds"]


@pytest.mark.long
@pytest.mark.real_data("gowalla_nyc")
def test_gowalla_check_ins_with_times_are_published_and_queried(run, tmp_path):
    raw = dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz"
    done = run(
        *("anonymize", raw, "--grid", "3000", "--one-per", "day", "--no-collapse", "--method", "seq-anon", "-k", "5"),
        *("-m", "1", "--unit", "owner", "--times", "merge", "--time-cycle", "day", "--time-width", "360"),
        *("--out", tmp_path / "r", "--quiet"),
    )
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "r" / "release.json").read_text())
    assert manifest["guarantee"]["parameters"]["knows"] == "time"
    assert manifest["figures"]["symbols"] == 503
    assert manifest["figures"]["time_thickness_loss"] == 43_200
    asked = run("query", "presence", tmp_path / "r", "--region", "c193_1502", "--period", "08:00/12:00", "--json")
    told = json.loads(asked.out)
    assert 0 <= told["definite"] <= told["possible"] == 267


RIDES = (
    *("--grid", "1000", "--lat", "start_station_latitude", "--lon", "start_station_longitude", "--time", "starttime"),
    *("--id", "bikeid", "--each-row-is-a-person", "--no-collapse"),
)
WALKS = ("--grid", "20000", "--time", "datetime_gmt", "--id", "trajectory", "--person", "uid")
RAW_WITH_TIMES = [  # file, how it is read, what is asked for, the steps of time that were needed, k
    pytest.param(
        "citibike_jc/citibike_jc_202003_202004.parquet",
        RIDES,
        ("-k", "5", "-m", "1", "--times", "merge", "--time-width", "360", "--time-cycle", "day"),
        ({"width": 21_600, "cycle": "day", "clock": True, "exits": True}, 5),
        marks=pytest.mark.real_data("citibike_jc"),
    ),
    pytest.param(
        "geolife_sample/geolife_11users.csv.xz",
        WALKS,
        (
            "-k",
            "3",
            "-m",
            "1",
            "--unit",
            "trajectory",
            "--times",
            "merge",
            "--time-width",
            "720",
            "--time-cycle",
            "day",
        ),
        ({"width": 43_200, "cycle": "day", "clock": True, "exits": True}, 3),
        marks=pytest.mark.real_data("geolife_sample"),
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("file", "reading", "asked", "needed"), RAW_WITH_TIMES)
def test_raw_files_become_releases_with_times_that_are_attacked_and_queried(
    run, tmp_path, file, reading, asked, needed
):
    name, _, path = file.partition("/")
    raw, folder = dataset(name) / path, tmp_path / "r"
    done = run("anonymize", raw, *reading, "--method", "seq-anon", *asked, "--out", folder, "--no-measure")
    assert done.code == 0, done.err
    assert f"times of visits are published in steps of {needed[0]['width'] // 3600} hours" in done.err
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["guarantee"]["parameters"]["knows"] == "time"
    assert manifest["data"]["times"] == needed[0]
    verified = run("verify", folder, "--original", raw, *reading)
    assert verified.code == 0, verified.err
    attacked = run(
        *("attack", folder, "--original", raw, *reading, "--attack", "timed-visits", "--knowledge", "1"),
        *("--unit", "trajectory", "--json"),
    )
    assert json.loads(attacked.out)["fewest_candidates"] >= needed[1], attacked.err
    places = json.loads(run("query", "places", folder, "--json").out)["places"]
    most = max(places, key=lambda place: place["possible"])["place"]
    told = json.loads(run("query", "presence", folder, "--region", most, "--period", "08:00/12:00", "--json").out)
    assert 0 <= told["definite"] <= told["possible"] <= manifest["data"]["rows"]
    assert told["possible"] > 0
