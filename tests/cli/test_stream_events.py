"""`crypsis stream generate` and `convert`: files that a stream can be run on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared_data import dataset

CONFIGURATION = """
[privacy]
L = 2
K = 3
N = {N}
[source]
kind = "csv"
path = "events.csv"
[sink]
kind = "ndjson"
path = "windows.ndjson"
[run]
state = "state"
"""


def crypsis(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crypsis", *arguments, "--quiet"]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)


def windows_of(folder: Path, N: int) -> dict[str, object]:
    (folder / "stream.toml").write_text(CONFIGURATION.format(N=N), encoding="utf-8")
    done = crypsis("stream", "run", "stream.toml", "--json", folder=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return dict(json.loads(done.stdout))


@pytest.mark.long
def test_a_metro_of_any_size_is_made_up_and_run(tmp_path: Path) -> None:
    metro = ("--passengers", "500", "--stations", "9", "--minutes", "20", "--flows", "9,8,7,6,5,4,3,2,1")
    done = crypsis("stream", "generate", "--out", "events.csv", *metro, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["people"], said["locations"], said["first"], said["last"]) == (500, 9, 1, 20)
    assert (tmp_path / "events.csv").read_text(encoding="utf-8").startswith("id,loc,t,sa\n")
    assert windows_of(tmp_path, 5)["events"] == {"accepted": said["events"]}
    again = crypsis("stream", "generate", "--out", "events.csv", folder=tmp_path)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    assert crypsis("stream", "generate", "--out", "e.csv", "--flows", "many", folder=tmp_path).returncode == 2


@pytest.mark.long
def test_sequences_become_a_stream_and_half_a_table_of_trips_is_refused(tmp_path: Path) -> None:
    (tmp_path / "visits.txt").write_text("1 2 3\n1 2\n1 2 2\n", encoding="utf-8")
    done = crypsis("stream", "convert", "visits.txt", "--out", "events.csv", "--longest", "2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "events.csv").read_text(encoding="utf-8").splitlines()) == 7
    assert windows_of(tmp_path, 2)["windows"] == 1
    refused = crypsis("stream", "convert", "visits.txt", "--out", "e.csv", "--id", "bike", folder=tmp_path)
    assert refused.returncode == 2
    assert "--end-time was not given" in refused.stderr


@pytest.mark.real_data("citibike_jc")
def test_two_months_of_bikes_are_replayed_hour_by_hour(tmp_path: Path) -> None:
    trips = str(dataset("citibike_jc") / "citibike_jc_202003_202004.parquet")
    columns = ("--id", "bikeid", "--start", "start_station_name", "--start-time", "starttime", "--end")
    more = ("end_station_name", "--end-time", "stoptime", "--sensitive", "gender", "--unit", "h")
    done = crypsis("stream", "convert", trips, "--out", "events.csv", *columns, *more, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["events"] == 2 * 26_987


@pytest.mark.real_data("msnbc")
def test_page_views_are_replayed_one_per_timestamp(tmp_path: Path) -> None:
    pages = str(dataset("msnbc") / "msnbc990928.txt.xz")
    done = crypsis("stream", "convert", pages, "--out", "events.csv", "--longest", "20", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["last"] == 20
