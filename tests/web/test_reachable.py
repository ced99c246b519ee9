"""That everybody can use the pages: names, headings, landmarks, contrast, the keyboard, words for pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from crypsis.web.theme import NAVIGATION
from tests.web.audit import AUDIT
from tests.web.conftest import Server, Tab, let_in, sample, uploaded

PATHS = ("/", *(link.path for link in NAVIGATION))
SAMPLES = {"/policies": "baskets", "/trajectories": "checkins", "/streams": "metro"}


@pytest.fixture(scope="module")
def filled(api: httpx.Client) -> dict[str, str]:
    """A small dataset of each sample that the pages are looked at with."""
    names = ("patients", *SAMPLES.values())
    return {name: str(sample(api, name, size=60)["id"]) for name in names}


@pytest.fixture(scope="module", params=["light", "dark"])
def schemed(request: pytest.FixtureRequest, browser: Browser, server: Server) -> Iterator[BrowserContext]:
    with let_in(browser, server, color_scheme=request.param) as context:
        yield context


def test_names_headings_landmarks_and_contrast_are_sound_on_every_page(
    schemed: BrowserContext, server: Server, filled: dict[str, str]
) -> None:
    tab = Tab(schemed.new_page(), server)
    titles = set()
    for path in PATHS:
        number = filled[SAMPLES.get(path, "patients")]
        page = tab.open(f"{path}?dataset={number}")
        expect(page.locator("#main")).to_be_visible()
        page.wait_for_timeout(400)  # what is drawn once the page is there
        assert page.evaluate(AUDIT) == [], path
        titles.add(page.title())
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    assert len(titles) == len(PATHS)
    tab.page.close()


def test_the_audit_finds_what_is_wrong(tab: Tab) -> None:
    page = tab.open("/methods")
    page.evaluate(
        """() => document.querySelector('#main').insertAdjacentHTML('beforeend',
        `<button></button><h4>deep</h4><p style="color: #bbb; background: #fff">pale</p><i id="main">twice</i>`)"""
    )
    found = page.evaluate(AUDIT)
    for words in ("no name", "heading", "contrast", "twice"):
        assert any(words in problem for problem in found), (words, found)


def test_the_first_key_leads_past_the_navigation(tab: Tab) -> None:
    page = tab.open("/verify")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = page.evaluate("document.querySelector('#main').contains(document.activeElement)")
    assert inside


def test_somebody_new_sees_what_this_is_the_three_steps_and_samples_of_every_kind(tab: Tab) -> None:
    page = tab.open("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Publish data about people without publishing the people")
    expect(page.locator("ol.steps li")).to_have_count(3)
    for name in ("patients", "baskets", "checkins", "tracks", "metro"):
        expect(page.get_by_role("button", name=f"Load the sample {name}")).to_be_visible()
    page.get_by_role("button", name="Load the sample baskets").press("Enter")
    page.wait_for_url(re.compile(r"/data\?dataset="))


def test_the_focus_goes_from_run_to_cancel_and_back_and_the_outcome_is_read_aloud(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "checkins", size=120)["id"]
    page = tab.open(f"/evaluate?dataset={number}&method=kam-cut")
    run = page.get_by_role("button", name="Run", exact=True)
    run.press("Enter")
    aloud = page.locator(".aloud[role=status]")
    expect(aloud).to_have_text("The run has ended: Verified", timeout=240_000)
    expect(run).to_be_focused()
    page.get_by_label("(k)").fill("7")
    expect(page.get_by_text("The settings have changed since")).to_be_visible()
    page.get_by_label("(k)").fill("0")
    expect(page.get_by_text("must be a whole number of at least 1, got 0")).to_be_visible()
    run.press("Enter")
    expect(page.get_by_text("There is a problem with the settings")).to_be_attached()


def test_places_that_a_release_joins_are_shown_beside_the_original_and_in_words(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "checkins", size=300)["id"]
    tables = {"run": [{"method": "seq-anon", "params": {"k": 5, "m": 1}}]}
    made = api.post("/api/experiments", json={"dataset": number, "mode": "evaluate", "tables": tables}).json()["id"]
    api.post(f"/api/experiments/{made}/start", json={})
    page = tab.open(f"/evaluate?dataset={number}")
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    page = tab.open(f"/trajectories?dataset={number}")
    maps = page.locator("svg.map")
    expect(maps).to_have_count(2)
    assert maps.nth(0).get_attribute("viewBox") == maps.nth(1).get_attribute("viewBox")
    expect(page.locator("svg.map .hull").first).to_be_visible()
    label = str(maps.nth(1).get_attribute("aria-label"))
    groups = int(re.search(r"([\d,]+) groups? of places", label).group(1))  # type: ignore[union-attr]
    page.get_by_role("button", name=f"The {groups} groups as a list").click()
    expect(page.locator("table.plain tbody tr")).to_have_count(groups)


def test_a_stream_says_for_each_place_how_much_is_published_also_without_the_map(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "metro", size=300)["id"]
    made = api.post("/api/streams", json={"dataset": number, "K": 5, "rate": 1e6}).json()["id"]
    api.post(f"/api/streams/{made}/start")
    page = tab.open(f"/streams?dataset={number}")
    expect(page.locator(".tile", has_text="State")).to_contain_text("finished", timeout=240_000)
    seen = api.get(f"/api/streams/{made}").json()
    shown = page.locator("svg.map")
    expect(shown.locator("circle.ring")).to_have_count(len(set(seen["places"]) | set(seen["suppressed_places"])))
    silent = len(set(seen["suppressed_places"]) - set(seen["places"]))
    expect(shown.locator("path.missed")).to_have_count(silent)
    out, held = sum(seen["places"].values()), sum(seen["suppressed_places"].values())
    assert f"{out:,} of {out + held:,} visits published" in str(shown.get_attribute("aria-label"))
    page.get_by_role("button", name="As a table").click()
    place, count = next(iter(seen["suppressed_places"].items()))
    row = page.get_by_role("row", name=re.compile(f"^{re.escape(place)} "))
    expect(row.get_by_role("cell").nth(3)).to_have_text(f"{count:,}")


def test_methods_are_found_by_kind_of_data_and_by_words(tab: Tab) -> None:
    page = tab.open("/methods?name=disassociation")
    listed = page.get_by_role("navigation", name="Methods").get_by_role("link")
    page.get_by_label("Find a method or a guarantee").fill("clinic")
    expect(listed).to_have_count(4)  # the three with sensitive places, and the one that tells restaurants from clinics
    page.get_by_label("Find a method or a guarantee").fill("zeppelin")
    expect(page.get_by_text("No method fits")).to_be_visible()
    expect(page.get_by_text("crypsis anonymize baskets.csv --method disassociation --out release")).to_be_visible()


def test_rows_that_are_not_in_order_are_put_in_order_with_one_button(tab: Tab, api: httpx.Client) -> None:
    number = uploaded(api, "gps.csv", "id,x,y,t\n1,0,0,20\n1,50,80,10\n2,5,5,10\n2,60,90,20\n")["id"]
    section = {"kind": "tracks", "id": "id", "x": "x", "y": "y", "t": "t"}
    assert api.put(f"/api/datasets/{number}/section", json={"section": section}).status_code == 200
    page = tab.open(f"/data?dataset={number}")
    expect(page.get_by_text("“Put the rows in order”")).to_be_visible()
    page.get_by_role("button", name="Put the rows in order").click()
    expect(page.get_by_text("Unique records")).to_be_visible()
    page = tab.open(f"/trajectories?dataset={number}")
    expect(page.get_by_role("img", name="Map of 2 tracks as collected.")).to_be_visible()


def test_check_ins_are_read_as_visits_to_squares_with_one_button(tab: Tab, api: httpx.Client) -> None:
    rows = "".join(f"{user},2010-10-1{day}T10:00:00Z,40.{7 + day},-73.9\n" for user in "ab" for day in (1, 0))
    number = uploaded(api, "checkins.csv", f"user,time,lat,lon\n{rows}")["id"]
    page = tab.open(f"/data?dataset={number}")
    page.get_by_role("button", name="Read as visits to squares").click()
    expect(page.locator(".tile", has_text="Kind").locator(".tile-value")).to_have_text("Visits to places")
    expect(page.get_by_label("Side of a square")).to_have_value("2000")
    assert api.get(f"/api/datasets/{number}/risk").json()["records"] == 2
