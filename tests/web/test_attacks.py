"""Attacks, trusted keys, the private report and published figures in the browser, by clicks and through REST."""

from __future__ import annotations

import json
import random
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

import crypsis
from crypsis.signatures import make_keys
from tests.web.clicks import choose, downloaded, load
from tests.web.conftest import Tab
from tests.web.experiments import ended, experiment
from tests.web.lights import ILL, cell_of, light, table
from tests.web.screens import on_every_screen


def cab_rides() -> str:
    """Sixty rides between six corners; one cab has half of them."""
    chance = random.Random(4)
    corners = [(37.78 + 0.01 * up, -122.42 + 0.01 * across) for up in range(2) for across in range(3)]
    lines = ["ride,cab_id,time,lat,lon"]
    for ride in range(60):
        cab = 0 if ride < 30 else 1 + ride % 9
        for step, (lat, lon) in enumerate(chance.sample(corners, 3)):
            moved = f"{lat + chance.uniform(0, 2e-3):.5f},{lon + chance.uniform(0, 2e-3):.5f}"
            lines.append(f"r{ride},{cab},2008-06-{1 + ride % 28:02}T{10 + step}:00:00,{moved}")
    return "\n".join(lines) + "\n"


def uploaded_file(api: httpx.Client, file: Path) -> str:
    answer = api.post("/api/uploads", params={"name": file.name}, content=file.read_bytes())
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.mark.long
@on_every_screen
def test_cab_rides_are_asked_about_published_by_cab_and_attacked_by_cab(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    (tmp_path / f"{tmp_path.name}.csv").write_text(cab_rides())
    number = load(tab, tmp_path / f"{tmp_path.name}.csv")
    page = tab.page
    expect(page.get_by_text("Does one person have several tracks?")).to_be_visible()
    section = api.get(f"/api/datasets/{number}").json()["section"]
    assert (section["kind"], section["id"]) == ("tracks", "ride")
    page.get_by_role("button", name="Yes, cab_id names the person").click()
    expect(page.get_by_text("Does one person have several tracks?")).to_have_count(0)

    tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(light(page, "guarantee")).to_contain_text("where all records of a person count as one", timeout=240_000)
    made, cell = cell_of(api, number)
    assert api.get(f"/api/experiments/{made}").json()["tables"]["run"][0]["params"] == {"k": 5, "unit": "owner"}
    card = page.locator("section, .box").filter(has_text="Attack it").last
    choose(page, page.get_by_role("combobox", name="Adversary"), re.compile("^Reidentification"))
    page.get_by_label("Pieces of knowledge drawn for each number of points").fill("300")
    page.get_by_role("button", name="Attack", exact=True).click()
    expect(card.get_by_text("people", exact=True)).to_be_visible(timeout=240_000)
    expect(card.get_by_text("10", exact=True).first).to_be_visible()

    archive = downloaded(page, page.get_by_role("button", name="Download release").click, tmp_path, "release.zip")
    private = tmp_path / "private.json"
    private.write_bytes(api.get(f"/api/experiments/{made}/cells/{cell}/private.json").content)
    tab.open("/verify")
    page.get_by_label("Drop the archive of a release, or a published file").set_input_files(archive)
    expect(page.get_by_text("cannot be checked")).to_be_visible()  # a folder does not say whose its rows are
    page.get_by_text("Check it with the data, the private report or a trusted key").click()
    page.get_by_label("Private report of the publisher").set_input_files(private)
    choose(page, page.get_by_label("Dataset of this workspace that it was made of"), tmp_path.name)
    expect(page.get_by_text(re.compile("^Verified: release.zip"))).to_be_visible()
    choose(page, page.get_by_role("combobox", name="Adversary"), re.compile("^Unique location"))
    page.get_by_role("button", name="Attack", exact=True).click()
    expect(page.get_by_text("Fewest candidates")).to_be_visible()


@pytest.mark.long
def test_rest_attacks_a_result_and_refuses_what_does_not_fit(api: httpx.Client) -> None:
    number = table(api, "attacked.csv", ILL, age="quasi", ill="sensitive")
    made = experiment(api, number, run=[{"label": "m", "method": "mondrian", "params": {"k": 5}}])
    (cell,) = ended(api, made)["cells"]
    place = f"/api/experiments/{made}/cells/{cell['cell']}/attacks"
    assert [one["name"] for one in api.get(place).json()] == ["linkage"]
    found = api.post(place, json={"attack": "linkage"}).json()
    assert found["individuals"] == 20
    assert found["curve"][0]["fewest_candidates"] >= 5
    assert api.post(place, json={"attack": "home-work"}).json()["error"]["code"] == "not-applicable"
    assert (
        api.post(place, json={"attack": "linkage", "params": {"knwon": 1}}).json()["error"]["code"] == "bad-parameter"
    )
    assert api.post(place, json={"attack": "nobody"}).json()["error"]["code"] == "bad-parameter"


@pytest.mark.long
@on_every_screen
def test_figures_against_the_original_are_published_only_where_they_are_chosen(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    number = table(api, "figures.csv", ILL, age="quasi", ill="sensitive")
    page = tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)

    def manifest(name: str) -> dict[str, Any]:
        file = downloaded(page, page.get_by_role("button", name="Download release").click, tmp_path, name)
        with zipfile.ZipFile(file) as packed:
            return dict(json.loads(packed.read("release/release.json")))

    assert not manifest("without.zip").get("figures_against_original")
    page.get_by_label("Figures to publish with the release (none unless chosen)").click()
    page.get_by_role("option").first.click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("the guarantee does not cover them")).to_be_visible()
    told = manifest("with.zip")
    assert len(told["figures_against_original"]) == 1


@pytest.mark.long
@on_every_screen
def test_a_release_is_checked_with_a_trusted_key_and_by_person(tab: Tab, tmp_path: Path) -> None:
    rows = "user,age,town\n" + "".join(
        f"u{row % 8},{30 + row % 9},{'Oslo' if row % 2 else 'Rome'}\n" for row in range(64)
    )
    (tmp_path / "visits.csv").write_text(rows)
    visits = crypsis.read_table(tmp_path / "visits.csv", roles={"age": "quasi", "town": "quasi"}, person="user")
    key, public = make_keys(tmp_path / "key", "Ada")
    _, stranger = make_keys(tmp_path / "stranger", "Eve")
    crypsis.anonymize(visits, crypsis.Mondrian(k=3)).write(
        tmp_path / "release", sign=key, private_report=tmp_path / "private.json"
    )
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "release")
    page = tab.open("/verify")
    page.get_by_text("Check it with the data, the private report or a trusted key").click()
    page.get_by_label("Public key of somebody you trust").set_input_files(stranger)
    page.get_by_label("Private report of the publisher").set_input_files(tmp_path / "private.json")
    page.get_by_label("Column of the original table that names the person").fill("user")
    page.get_by_label("Compare with the original table (optional)").set_input_files(tmp_path / "visits.csv")
    page.get_by_label("Drop the archive of a release, or a published file").set_input_files(archive)
    expect(page.get_by_text(re.compile("^Verified: packed.zip"))).to_be_visible()
    expect(page.get_by_text("Nobody you trust has signed it")).to_be_visible()
    page.get_by_label("Public key of somebody you trust").set_input_files(public)
    expect(page.get_by_text("signed by Ada")).to_be_visible()
    expect(page.get_by_text("Nobody you trust has signed it")).to_have_count(0)


@pytest.mark.long
@on_every_screen
def test_baskets_of_one_person_are_united_by_a_switch(tab: Tab, api: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "baskets.csv").write_text(
        "order_id,customer,date,product\n"
        + "".join(
            f"o{order},c{order % 20},2020-01-0{1 + order % 9},{item}\n"
            for order in range(120)
            for item in "abcd"[: 1 + order % 4]
        )
    )
    number = load(tab, tmp_path / "baskets.csv")
    page = tab.page
    expect(page.get_by_text("Does one person have several records?")).to_be_visible()
    page.get_by_role("button", name="Yes, customer names the person").click()
    switch = page.get_by_role("switch", name="One record of all records of a person")
    expect(switch).to_be_checked()
    assert api.get(f"/api/datasets/{number}").json()["section"]["unite"] == "person"
    switch.click()
    expect(switch).not_to_be_checked()
    tab.open(f"/data?dataset={number}")
    assert "unite" not in api.get(f"/api/datasets/{number}").json()["section"]


def test_rest_checks_signatures_and_attacks_an_uploaded_release(api: httpx.Client, tmp_path: Path) -> None:
    number = table(api, "signed.csv", ILL, age="quasi", ill="sensitive")
    (tmp_path / "ill.csv").write_text(ILL)
    people = crypsis.read_table(
        tmp_path / "ill.csv",
        roles={"age": "quasi", "ill": "sensitive"},
        types={"age": "int"},
        each_row_is_a_person=True,
    )
    key, public = make_keys(tmp_path / "key", "Ada")
    crypsis.anonymize(people, crypsis.Mondrian(k=5)).write(tmp_path / "release", sign=key)
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "release"))
    upload = uploaded_file(api, archive)
    told = api.post("/api/verification", json={"upload": upload, "trusted": [uploaded_file(api, public)]}).json()
    assert told["release"]["signature"]["state"] == "trusted"
    bad = api.post("/api/verification", json={"upload": upload, "trusted": [uploaded_file(api, archive)]}).json()
    assert "error" in bad
    found = api.post("/api/verification/attacks", json={"upload": upload, "original": number, "attack": "linkage"})
    assert found.json()["individuals"] == 20
    lost = api.post("/api/verification", json={"upload": upload, "person": "age"}).json()
    assert lost["error"]["code"] == "option-without-effect"
