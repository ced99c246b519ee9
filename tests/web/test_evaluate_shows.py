"""Evaluate shows a release beside its original, tries another k at once, and says what is out of date."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from crypsis.web.what_changed import settings_changed
from tests.web.clicks import choose, parameter, set_role
from tests.web.conftest import Tab, sample
from tests.web.lights import light, table
from tests.web.screens import on_every_screen, still, violations

ROWS = "age,town,sex,ill\n" + "".join(
    f"{20 + n % 37},{'abcd'[n % 4]},{'fm'[n % 2]},{'xyz'[n % 3]}\n" for n in range(120)
)
CELL = {"edit": "set", "row": 0, "column": "age", "value": "33"}


def evaluated(tab: Tab, number: str, method: str) -> Page:
    page = tab.open(f"/evaluate?dataset={number}&method={method}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    return page


def people(api: httpx.Client) -> str:
    return table(api, "people.csv", ROWS, age="quasi", town="quasi", sex="quasi", ill="sensitive")


@pytest.mark.long
@on_every_screen
def test_a_table_is_shown_beside_its_original_and_another_k_is_tried_at_once(tab: Tab, api: httpx.Client) -> None:
    page = evaluated(tab, people(api), "mondrian")
    expect(
        page.get_by_text(re.compile("^Somebody who knows a person's age, town and sex is left with"))
    ).to_be_visible()
    expect(page.get_by_role("group", name=re.compile("^Sizes of clusters"))).to_be_visible()
    risk = page.get_by_role("group", name=re.compile("^Risk before and after"))
    expect(risk.get_by_role("img", name=re.compile("^Prosecutor.*before: 100", re.DOTALL))).to_be_visible()
    expect(risk.get_by_role("img", name=re.compile("^Prosecutor.*after: 14.29", re.DOTALL))).to_be_visible()
    expect(page.get_by_role("group", name=re.compile("^age before and after"))).to_be_visible()
    choose(page, page.get_by_label("Column", exact=True), "town")
    expect(page.get_by_role("group", name=re.compile("^town before and after"))).to_be_visible()
    expect(page.get_by_role("button", name="Report", exact=True)).to_be_visible()
    page.get_by_role("slider", name="k, slider").locator("[tabindex]").press("ArrowRight")
    expect(page.get_by_text("is left with at least 6 people")).to_be_visible(timeout=240_000)
    expect(page.get_by_text("k-anonymity (k=6) holds").first).to_be_visible()
    expect(page.get_by_role("group", name=re.compile("^town before and after"))).to_be_visible()  # as it was chosen

    parameter(page, "k").fill("9")  # typing asks for Run
    expect(page.get_by_text("k was 6, is 9 now.")).to_be_visible()
    expect(page.locator(".stack.outdated")).to_have_count(1)
    page.get_by_role("button", name="Download stale release").click()
    expect(page.get_by_text("Download a stale result?")).to_be_visible()
    page.get_by_role("button", name="Keep").click()
    parameter(page, "k").fill("500")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("The last verified result is kept")).to_be_visible(timeout=240_000)
    refusal = page.locator(".message").filter(has_text="Not possible with these settings")
    refusal.get_by_role("button", name="Set k = 200").click()  # the control that mends it stands in the message
    expect(parameter(page, "k")).to_have_value("200")
    expect(page.get_by_text("k is 200 now. Press Run.")).to_be_visible()
    still(page)
    assert violations(page) == []


@pytest.mark.long
@on_every_screen
def test_what_changed_of_the_data_is_named_and_one_click_runs_again(tab: Tab, api: httpx.Client) -> None:
    number = people(api)
    evaluated(tab, number, "mondrian")
    page = tab.open(f"/data?dataset={number}")
    set_role(page, "sex", "other")
    page = tab.open(f"/evaluate?dataset={number}")
    expect(page.get_by_text("sex was quasi-identifier, is other now.")).to_be_visible()
    expect(page.locator(".stack.outdated")).to_have_count(1)
    expect(page.get_by_role("button", name="Download release")).to_have_count(0)
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    expect(page.locator(".stack.outdated")).to_have_count(0)

    told = {"dataset": number, "column": "town", "auto": "balanced:2"}
    made = api.post("/api/hierarchies", json=told)
    assert made.status_code == 201, made.text
    expect(page.get_by_text("The hierarchy of town is another one now.")).to_be_visible()  # without a reload
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    assert api.post(f"/api/datasets/{number}/edits", json={"edit": CELL}).status_code == 200
    expect(page.get_by_text("1 edit was made.")).to_be_visible()


@pytest.mark.long
@on_every_screen
def test_a_finding_about_usefulness_has_a_control_that_mends_it(tab: Tab, api: httpx.Client) -> None:
    page = evaluated(tab, people(api), "mondrian")
    parameter(page, "k").fill("50")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("k-anonymity (k=50) holds").first).to_be_visible(timeout=240_000)
    useful = light(page, "usefulness")
    expect(useful).to_contain_text("of the information in the quasi-identifiers is lost")
    expect(useful.get_by_role("button", name="Build a hierarchy")).to_be_visible()
    useful.get_by_role("button", name="Set k = 20").first.click()
    expect(page.get_by_text("k was 50, is 20 now.")).to_be_visible()
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("k-anonymity (k=20) holds").first).to_be_visible(timeout=240_000)


@pytest.mark.long
@on_every_screen
def test_movement_is_shown_as_two_maps(tab: Tab, api: httpx.Client) -> None:
    page = evaluated(tab, str(sample(api, "checkins", size=120)["id"]), "seq-anon")
    expect(page.get_by_role("heading", name="Map before")).to_be_visible()
    risk = page.get_by_role("group", name=re.compile("^Risk before and after"))
    expect(risk.get_by_role("img", name=re.compile("^Two known pieces"))).to_have_count(1)  # before; after it is 0
    expect(page.get_by_role("heading", name="Map after")).to_be_visible()
    expect(page.locator("svg.map")).to_have_count(2)


@pytest.mark.long
@on_every_screen
def test_when_the_kind_of_data_changes_the_suggested_method_does_too(tab: Tab, api: httpx.Client) -> None:
    number = people(api)
    page = tab.open(f"/evaluate?dataset={number}")
    expect(page.get_by_text("Mondrian · suggested")).to_be_visible()
    section = {"kind": "transactions", "id": "age", "item": "ill"}
    answer = api.put(f"/api/datasets/{number}/section", json={"section": section})
    assert answer.status_code == 200, answer.text
    page = tab.open(f"/evaluate?dataset={number}")
    expect(page.get_by_text(re.compile("· suggested"))).to_be_visible()
    expect(page.get_by_text("Mondrian · suggested")).to_have_count(0)


def test_what_changed_of_the_settings_is_told_in_words() -> None:
    before, now = {"method": "mondrian", "params": {}}, {"method": "mondrian", "params": {"k": 7}}
    assert settings_changed(before, now) == "k was 5, is 7 now."
    assert settings_changed(now, now) == ""
    assert settings_changed(now, {"method": "mondrian", "params": {"k": 7, "l": 2}}) == "l was not set, is 2 now."
