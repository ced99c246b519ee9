"""What somebody who is new does and sees: the first path through the workbench, and every page once."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.cli.main import main
from tests.web.clicks import load_import
from tests.web.conftest import Tab
from tests.web.screens import on_every_screen


@on_every_screen
def test_somebody_new_loads_runs_reads_the_verdict_compares_downloads_and_verifies(
    tab: Tab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tab.open("/data")
    add = page.get_by_role("button", name="Add data")
    if add.is_visible():
        add.click()
    page.get_by_role("button", name="Load the sample checkins").click()
    page.wait_for_url(re.compile(r"dataset="))
    expect(page.get_by_text("Unique records")).to_be_visible()
    page.get_by_role("button", name="Try a method").click()
    expect(page.get_by_text("SeqAnon · suggested")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    expect(page.get_by_text("kᵐ-anonymity (k=5, m=2) holds")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download release").click()
    archive = tmp_path / "release.zip"
    waiting.value.save_as(archive)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["verify", str(tmp_path / "release")])
    assert stopped.value.code == 0
    assert "verified" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "release" / "release.json").read_text())
    assert manifest["method"]["name"] == "seq-anon"
    assert str(tab.server.workspace) not in (tmp_path / "release" / "release.json").read_text()

    page.get_by_role("button", name="Compare with others").click()
    page.get_by_role("button", name="Add a configuration").click()
    expect(page.get_by_role("group", name=re.compile("^Configuration"))).to_have_count(2)
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("10 of 10 finished")).to_be_visible(timeout=240_000)
    expect(page.locator("svg.crypsis-plot")).to_have_count(2)
    expect(page.get_by_text(re.compile("^Best by this figure"))).to_be_visible()

    page = tab.open("/verify")
    page.get_by_label("Drop the archive of a release, or a published file").set_input_files(archive)
    expect(page.get_by_text("Verified: release.zip")).to_be_visible()


@on_every_screen
def test_any_table_is_verified_against_what_it_should_keep(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("name,age,sex,disease\n" + "".join(f"P{n},{n % 2 * 10 + 20}-29,f,flu\n" for n in range(6)))
    page = tab.open("/verify")
    page.get_by_label("Drop the archive of a release, or a published file").set_input_files(file)
    expect(page.get_by_text("Not safe: people.csv")).to_be_visible()  # k-anonymity with k=5, of the suggested columns
    expect(page.get_by_text("name may name people")).to_be_visible()
    expect(page.get_by_role("alert").get_by_role("button", name="Go to Data")).to_be_visible()
    page.get_by_label(re.compile(r"\(k\)$")).fill("3")
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_text("Verified: people.csv")).to_be_visible()
    expect(page.get_by_text("k-anonymity (k=3) holds: 3 reached")).to_be_visible()


@on_every_screen
def test_every_page_opens_without_asking_anybody_else(tab: Tab) -> None:
    for path in (
        "data",
        "hierarchies",
        "policies",
        "queries",
        "evaluate",
        "compare",
        "results",
        "trajectories",
        "streams",
        "verify",
        "methods",
    ):
        page = tab.open(f"/{path}")
        expect(page.locator("h1")).to_have_text(path.capitalize())
    assert tab.elsewhere == []


@on_every_screen
def test_baskets_without_a_header_are_refused_with_a_way_on_and_then_read(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    file = tmp_path / "baskets.csv"
    file.write_text("bread|milk|eggs\nbread\nmilk|tea\nbread|milk\n" * 3)
    page = tab.open("/data")
    add = page.get_by_role("button", name="Add data")
    if add.is_visible():
        add.click()
    page.get_by_label("Drop a file here, or choose one").set_input_files(file)
    refused = page.get_by_role("alert").filter(has_text="This file cannot be read with these settings")
    expect(refused).to_contain_text("(baskets.csv, line 2)")  # as its owner calls it
    page.get_by_role("button", name="Each line is a set of items").click()
    load_import(page)
    expect(page.locator(".tile", has_text="Kind").locator(".tile-value")).to_have_text("Baskets, sets of items")
    number = page.url.split("dataset=")[1]
    assert api.get(f"/api/datasets/{number}/rows").json()["total"] == 12
