"""The page Data in parts, as a person uses it: from a folder of files to a release that is verified and opened."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from pathlib import Path

import httpx
import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Page, expect

from tests.web.clicks import choose, downloaded, parameter
from tests.web.conftest import Tab
from tests.web.screens import SIZES, fits, on_every_screen, still, violations

pytestmark = pytest.mark.long

SECRET = "zq-secret-417"


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Three files with the visits of a hospital."""
    folder = tmp_path / "visits"
    folder.mkdir()
    rng = np.random.default_rng(5)
    for number in range(3):
        columns = {
            "age": rng.integers(18, 90, 300),
            "town": rng.integers(1, 40, 300),
            "ill": rng.choice(["flu", "cold", "none"], 300).tolist(),
        }
        pl.DataFrame(columns).write_parquet(folder / f"visits-{number}.parquet")
    return folder


def open_parts(tab: Tab, path: object) -> Page:
    """Name a folder or a pattern on the page Data in parts, and wait until its rows are there."""
    page = tab.open("/parts")
    others = page.get_by_role("button", name="Open others")
    if others.count():
        others.click()
    field = page.get_by_label("Folder or pattern on this machine")
    field.fill(str(path))
    field.press("Enter")
    page.wait_for_url(re.compile(r"/parts\?parts="))
    expect(page.locator(".tile", has_text="Records").locator(".tile-value").first).to_be_visible()
    return page


def press_run(page: Page) -> None:
    button = page.get_by_role("button", name="Run", exact=True)
    expect(button).to_be_enabled()
    button.click()


@pytest.mark.parametrize("screen", SIZES)
def test_a_folder_of_parts_becomes_a_verified_release(tab: Tab, visits: Path, screen: str, tmp_path: Path) -> None:
    tab.page.set_viewport_size(SIZES[screen])
    page = open_parts(tab, visits)
    expect(page.locator(".tile", has_text="Records").locator(".tile-value").first).to_have_text("900")
    expect(page.get_by_role("table", name="First rows").locator("tbody tr")).to_have_count(20)
    choose(page, page.get_by_label("Role of ill"), re.compile("^sensitive"))
    page.get_by_role("switch", name="Each row is another person").click()
    field = parameter(page, "k")
    field.fill("4")
    field.press("Tab")
    rows = page.get_by_label("Records worked on at once")
    rows.fill("200")
    rows.press("Tab")
    press_run(page)
    expect(page.locator(".message", has_text="Verified").first).to_be_visible()
    expect(page.get_by_role("table", name="Published rows").locator("tbody tr")).to_have_count(20)
    expect(page.locator(".light").first).to_be_visible()
    still(page)
    assert fits(page)
    assert not violations(page)

    page.get_by_role("button", name="Verify again").click()
    expect(page.get_by_text("Counted again from the files of the release.")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download release").click()
    archive = tmp_path / "release.zip"
    waiting.value.save_as(archive)
    with zipfile.ZipFile(archive) as packed:
        assert "release/table/part-00000.parquet" in packed.namelist()
        manifest = json.loads(packed.read("release/release.json"))
    assert manifest["method"]["parameters"]["k"] == 4
    assert manifest["data"]["rows"] == 900
    assert not tab.errors
    assert not tab.elsewhere


def test_errors_stand_beside_the_control_that_mends_them(tab: Tab, visits: Path, tmp_path: Path) -> None:
    page = tab.open("/parts")
    if page.get_by_role("button", name="Open others").count():
        page.get_by_role("button", name="Open others").click()
    field = page.get_by_label("Folder or pattern on this machine")
    field.fill(str(tmp_path / "nothing-*.parquet"))
    field.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=re.compile("no file|nothing|There are"))).to_be_visible()

    page = open_parts(tab, visits / "*.parquet")
    page.get_by_role("switch", name="Each row is another person").click()
    choose(page, page.get_by_label("Where to run"), "A cluster")
    address = page.get_by_label("Address of the scheduler")
    address.fill("tcp://10.1.1.1:8786")
    address.press("Tab")
    press_run(page)
    expect(page.get_by_text(re.compile("without TLS"))).to_be_visible()
    choose(page, page.get_by_label("Where to run"), "In this process")
    memory = page.get_by_label(re.compile("^Memory per worker"))
    memory.fill("much")
    memory.press("Tab")
    press_run(page)
    expect(page.get_by_text(re.compile("at least 64 MiB"))).to_be_visible()
    memory.fill("64MiB")
    memory.press("Tab")
    press_run(page)
    expect(page.locator(".message", has_text="Verified").first).to_be_visible()


@on_every_screen
def test_a_release_of_other_settings_or_files_is_out_of_date(
    tab: Tab, visits: Path, tmp_path: Path, api: httpx.Client
) -> None:
    at = f"/api/parts/{api.post('/api/parts', json={'path': f'{visits}/*.parquet'}).json()['id']}"
    ended(api, at)
    roles = {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    section = {"kind": "table", "columns": roles, "each_row_is_a_person": True}
    assert api.put(f"{at}/section", json={"section": section}).status_code == 200
    assert api.post(f"{at}/run", json={"method": "mondrian", "params": {"k": 3}}).status_code == 202
    assert ended(api, at)["error"] is None
    page = tab.open(f"/parts?parts={at.rsplit('/', 1)[1]}")
    expect(page.get_by_role("button", name="Download release")).to_be_visible()
    parameter(page, "k").fill("4")
    parameter(page, "k").press("Tab")
    expect(page.get_by_text("k was 3, is 4 now.")).to_be_visible()
    expect(page.locator(".stack.outdated")).to_have_count(1)
    page.get_by_role("button", name="Download stale release").click()
    file = downloaded(page, page.get_by_role("button", name="Download the stale result").click, tmp_path)
    assert zipfile.is_zipfile(file)
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_role("button", name="Download release")).to_be_visible()
    pl.read_parquet(visits / "visits-2.parquet").head(200).write_parquet(visits / "visits-2.parquet")
    expect(page.get_by_text("The files hold other data now.")).to_be_visible()
    still(page)
    assert violations(page) == []


def test_rest_looks_runs_cancels_and_verifies(api: httpx.Client, visits: Path) -> None:
    opened = api.post("/api/parts", json={"path": f"{visits}/*.parquet"})
    assert opened.status_code == 201, opened.text
    at = f"/api/parts/{opened.json()['id']}"
    ended(api, at)
    seen = api.get(at).json()
    assert seen["facts"]["records"] == 900
    assert len(seen["first_rows"]["rows"]) == 20
    roles = {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    section = {"kind": "table", "columns": roles, "each_row_is_a_person": True}
    assert api.put(f"{at}/section", json={"section": section}).status_code == 200
    where = {"executor": "dask", "workers": 1, "memory": "512MiB"}
    asked = {"method": "mondrian", "params": {"k": 3}, "where": where}
    assert api.post(f"{at}/run", json=asked).status_code == 202
    assert api.post(f"{at}/run", json=asked).status_code == 409
    began = time.monotonic()
    assert api.delete(f"{at}/run").json()["cancelled"]
    assert time.monotonic() - began < 1
    assert api.get(f"{at}/release.zip").status_code == 404
    assert api.post(f"{at}/run", json=asked).status_code == 202
    assert ended(api, at)["error"] is None
    assert api.post(f"{at}/verification").status_code == 202
    ended(api, at)
    result = api.get(at).json()["result"]
    assert (result["holds"], result["checked"], result["records"]) == (True, True, 900)
    assert len(api.get(f"{at}/rows").json()["rows"]) == 20
    with zipfile.ZipFile(io.BytesIO(api.get(f"{at}/release.zip").content)) as packed:
        assert "release/release.json" in packed.namelist()
    assert api.post(f"{at}/run", json={**asked, "params": {"k": 5000}}).status_code == 202
    assert ended(api, at)["error"]["code"] == "infeasible"  # which leaves the verified release where it was
    assert api.get(at).json()["outdated"]
    assert api.get(f"{at}/release.zip").json()["error"]["code"] == "stale-result"
    assert api.get(f"{at}/release.zip", params={"stale": True}).status_code == 200
    assert api.delete(at).status_code == 204
    assert api.get(at).status_code == 404
    assert len(list(visits.iterdir())) == 3


def test_rest_anonymizes_tracks(api: httpx.Client, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for part in range(2):
        rides = [(ride, 500.0 * step) for ride in range(30 * part, 30 * part + 30) for step in range(4)]
        columns = {"trip_id": [ride for ride, _ in rides], "x": [x for _, x in rides] + rng.normal(0, 9, len(rides))}
        columns |= {"y": rng.normal(0, 9, len(rides)), "t": [60 * (index % 4) for index in range(len(rides))]}
        pl.DataFrame(columns).write_csv(tmp_path / f"{part}.csv")
    at = f"/api/parts/{api.post('/api/parts', json={'path': f'{tmp_path}/*.csv'}).json()['id']}"
    ended(api, at)
    section = {"kind": "tracks", "id": "trip_id", "each_row_is_a_person": True}
    assert api.put(f"{at}/section", json={"section": section}).status_code == 200
    assert api.post(f"{at}/look").status_code == 202
    ended(api, at)
    seen = api.get(at).json()
    assert (seen["facts"]["records"], seen["facts"]["values"]) == (60, 240)
    assert seen["first_rows"]["columns"] == ["trip_id", "x", "y", "t"]
    asked = {"method": "ppsg", "params": {"k": 3, "radius": 200}, "where": {"executor": "serial", "block_rows": 25}}
    assert api.post(f"{at}/run", json=asked).status_code == 202
    assert ended(api, at)["error"] is None
    result = api.get(at).json()["result"]
    assert (result["holds"], result["records"] > 50) == (True, True)


def test_no_value_of_the_parts_is_told_by_an_error_or_left_behind(
    api: httpx.Client, visits: Path, tmp_path: Path
) -> None:
    frame = pl.read_parquet(visits / "visits-2.parquet").with_columns(pl.lit(SECRET).alias("ill"))
    frame.write_parquet(visits / "visits-2.parquet")
    at = f"/api/parts/{api.post('/api/parts', json={'path': str(visits)}).json()['id']}"
    ended(api, at)
    roles = {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "ill": {"role": "quasi"}}
    api.put(f"{at}/section", json={"section": {"kind": "table", "columns": roles}})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    where = {"executor": "serial", "scratch": str(scratch)}
    answers = []
    for params in ({"k": 5000}, {"k": 3}):
        answers.append(api.post(f"{at}/run", json={"method": "mondrian", "params": params, "where": where}).text)
        answers.append(json.dumps(ended(api, at)))
    assert SECRET not in "".join(answers)
    assert not list(scratch.iterdir())


def ended(api: httpx.Client, at: str) -> dict[str, object]:
    """How the task ended."""
    until = time.monotonic() + 240
    while time.monotonic() < until:
        seen: dict[str, object] = api.get(f"{at}/run").json()
        if not seen["running"]:
            return seen
        time.sleep(0.1)
    raise AssertionError("The task does not end.")
