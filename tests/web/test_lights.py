"""The three lights in the browser and through REST: findings, one-click remedies, confirming, stale results."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.conftest import Tab
from tests.web.experiments import ended, experiment
from tests.web.lights import ILL, light, table
from tests.web.screens import on_every_screen

MAILS = "age,mail\n" + "".join(f"{20 + n},p{n}@example.org\n" for n in range(20))


@on_every_screen
def test_a_red_light_names_the_number_and_one_click_sets_the_remedy(api: httpx.Client, tab: Tab) -> None:
    number = table(api, "ill.csv", ILL, age="quasi", ill="sensitive")
    page = tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    expect(light(page, "guarantee")).to_have_attribute("data-colour", "green")
    expect(light(page, "guarantee")).to_contain_text("assuming that each record is a person of its own")
    expect(light(page, "disclosure")).to_have_attribute("data-colour", "red")
    expect(light(page, "disclosure")).to_contain_text("'ill' is revealed for 10 of 20 people (50 %)")
    expect(light(page, "usefulness")).to_be_visible()

    page.get_by_role("button", name="Set l = 2").click()
    expect(page.get_by_text("The settings have changed since")).to_be_visible()
    expect(page.get_by_text(re.compile("^Verified"))).to_have_count(0)  # nothing of what is there now is verified
    expect(page.get_by_role("button", name="Download release")).to_have_count(0)
    (made,) = [one for one in api.get("/api/experiments").json() if one["dataset"] == number]
    runs = api.get(f"/api/experiments/{made['id']}").json()["tables"]["run"]
    assert runs[0]["params"] == {"k": 5, "l": 2}
    page.get_by_role("button", name="Download stale release").click()
    expect(page.get_by_text("Download a stale result?")).to_be_visible()
    page.get_by_role("button", name="Keep").click()

    page.get_by_role("button", name="Run", exact=True).click()
    expect(light(page, "disclosure")).to_have_attribute("data-colour", "green", timeout=240_000)
    with page.expect_download():
        page.get_by_role("button", name="Download release").click()


@on_every_screen
def test_addresses_are_published_only_after_a_click(api: httpx.Client, tab: Tab) -> None:
    number = table(api, "mails.csv", MAILS, age="quasi", mail="other")
    page = tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(light(page, "disclosure")).to_contain_text("e-mail addresses of 20 of 20 people", timeout=240_000)
    expect(page.get_by_role("button", name="Download release")).to_be_disabled()
    page.get_by_role("button", name="Confirm 'mail'").first.click()
    with page.expect_download():
        page.get_by_role("button", name="Download release").click()


@on_every_screen
def test_compare_shows_the_lights_of_each_result_and_mends_its_configuration(api: httpx.Client, tab: Tab) -> None:
    number = table(api, "ill2.csv", ILL, age="quasi", ill="sensitive")
    made = experiment(api, number, run=[{"label": "halves", "method": "mondrian", "params": {"k": 5}}])
    (cell,) = ended(api, made)["cells"]
    assert (cell["guarantee_light"], cell["disclosure_light"]) == ("green", "red")
    review = api.get(f"/api/experiments/{made}/cells/{cell['cell']}/review").json()
    (finding,) = [one for one in review["disclosure"]["findings"] if one["code"] == "revealed-values"]
    assert (finding["number"], finding["total"], finding["remedy"]["parameter"]) == (10, 20, "l")
    page = tab.open(f"/compare?dataset={number}&experiment={made}")
    expect(page.locator("tbody tr").first).to_contain_text("Disclosure red")
    expect(light(page, "disclosure")).to_contain_text("'ill' is revealed for 10 of 20 people (50 %)")
    page.get_by_role("button", name="Set l = 2").click()
    expect(page.get_by_text("1 result is stale")).to_be_visible()
    expect(page.get_by_role("link", name="Download", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    stale = page.get_by_role("link", name="Download stale")
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    stale.click()
    assert asked[0].startswith("Download a stale result?")
    expect(page.locator("h1")).to_have_text("Compare")
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_download():
        stale.click()
    assert api.get(f"/api/experiments/{made}").json()["tables"]["run"][0]["params"] == {"k": 5, "l": 2}


@pytest.mark.long
def test_rest_refuses_what_is_not_confirmed_and_heeds_strict(api: httpx.Client) -> None:
    number = table(api, "mails2.csv", MAILS, age="quasi", mail="other")
    made = experiment(api, number, run=[{"label": "m", "method": "mondrian", "params": {"k": 5}}])
    (cell,) = ended(api, made)["cells"]
    archive = f"/api/experiments/{made}/cells/{cell['cell']}/release.zip"
    assert api.get(archive).json()["error"]["code"] == "direct-identifier"
    assert api.get(archive, params={"confirm": "agee"}).json()["error"]["code"] == "unknown-column"
    assert api.get(archive, params={"confirm": "mail"}).content.startswith(b"PK")
    strict = api.get(archive, params={"confirm": "mail", "strict": True}).json()["error"]
    assert strict["code"] == "review-red"  # everybody is unique by the addresses


@pytest.mark.long
def test_findings_with_one_remedy_have_one_button_and_long_names_fit_a_phone(api: httpx.Client, tab: Tab) -> None:
    ill = ["ill", "ward", "care", "drug", "cost"]
    number_column = "number_of_people_being_liable_to_provide_maintenance_for_this_credit"
    rows = "".join(f"{20 + n},{n % 2}" + (",x" if n < 10 else f",{n % 2}") * len(ill) + "\n" for n in range(20))
    content = f"age,{number_column},{','.join(ill)}\n{rows}"
    roles = {"age": "quasi", number_column: "quasi", **dict.fromkeys(ill, "sensitive")}
    number = table(api, "wide.csv", content, **roles)
    tab.page.set_viewport_size({"width": 390, "height": 844})
    page = tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    expect(page.get_by_role("button", name="Set l = 2")).to_have_count(1)
    expect(page.get_by_text("2 more of this kind")).to_be_visible()
    expect(page.locator("svg.crypsis-plot").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
