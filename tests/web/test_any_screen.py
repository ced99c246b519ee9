"""Every page on a phone and on a wide screen, light and dark: nothing scrolls sideways, and axe-core finds nothing."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.web.theme import NAVIGATION
from tests.web.conftest import Tab, sample
from tests.web.experiments import ended, experiment
from tests.web.screens import SIZES, fits, still, violations

pytestmark = pytest.mark.long

KINDS = ("patients", "baskets", "checkins", "tracks", "metro")
EVALUATED = KINDS[:4]
# Every page, with data of a kind that it is for, and a result where it shows one: the address, and what is there then.
VIEWS = {
    "/": ("/", "Load your data"),
    "/data": ("/data?dataset={patients}", "Unique records"),
    "/hierarchies": ("/hierarchies?dataset={patients}&column=age", "Fits the data"),
    "/policies": ("/policies?dataset={baskets}", "In use"),
    "/queries": ("/queries?dataset={patients}", "Draw queries from the data"),
    "/warehouse": ("/warehouse", "about the same people or things"),
    **{f"/evaluate {kind}": (f"/evaluate?dataset={{{kind}}}", "Three lights") for kind in EVALUATED},
    "/compare": ("/compare?dataset={checkins}", "Trade-off"),
    "/results": ("/results?experiment={compared}", "Trade-off"),
    "/trajectories": ("/trajectories?dataset={checkins}", "as collected"),
    "/streams": ("/streams?dataset={metro}", "Over time"),
    "/query": ("/query", "What is asked"),
    "/verify": ("/verify", "What was published"),
    "/methods": ("/methods?name=mondrian", "Mondrian"),
}


@pytest.fixture(scope="module")
def filled(api: httpx.Client) -> dict[str, str]:
    """Sample data of each kind with a hierarchy and a policy, results of each, a comparison, a stream."""
    numbers = {name: str(sample(api, name, size=60)["id"]) for name in KINDS}
    made = [
        api.post("/api/hierarchies", json={"dataset": numbers["patients"], "column": "age", "auto": "equi_width:8"}),
        api.post("/api/policies", json={"dataset": numbers["baskets"], "policy": "privacy", "auto": "rare:8:2"}),
        api.post("/api/streams", json={"dataset": numbers["metro"], "K": 5}),
    ]
    assert [answer.status_code for answer in made] == [201] * 3, [answer.text for answer in made]
    api.post(f"/api/streams/{made[2].json()['id']}/start").raise_for_status()
    for kind in EVALUATED:
        evaluated = api.post("/api/experiments", json={"dataset": numbers[kind], "mode": "evaluate"}).json()["id"]
        (cell,) = ended(api, evaluated)["cells"]
        assert cell["state"] == "done", cell
    sweep = {"param": "k", "values": [2, 3]}
    compared = experiment(api, numbers["checkins"], run=[{"method": "seq-anon", "sweep": sweep}], metrics={})
    ended(api, compared)
    return {**numbers, "compared": compared}


def test_every_page_of_the_navigation_is_walked() -> None:
    assert {"/", *(link.path for link in NAVIGATION)} <= {name.split()[0] for name in VIEWS}


@pytest.mark.parametrize("name", VIEWS)
def test_no_page_scrolls_sideways_or_shuts_anybody_out_or_complains(
    tab: Tab, filled: dict[str, str], name: str
) -> None:
    """At 390 and 1440 px, light and dark: what a page shows fits, axe-core finds nothing, the console stays empty."""
    said: list[str] = []
    tab.page.on("console", lambda message: said.append(message.text))
    path, there = VIEWS[name]
    for size_name, size in SIZES.items():
        tab.page.set_viewport_size(size)
        tab.page.emulate_media(color_scheme="light")
        page = tab.open(path.format(**filled))
        expect(page.locator("main").get_by_text(there).first).to_be_visible(timeout=60_000)
        if name.startswith("/evaluate"):
            expect(page.get_by_role("heading", name="Output")).to_be_visible()
            expect(page.locator("svg.crypsis-plot").first).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            expect(page.locator(f"body.body--{scheme}")).to_have_count(1)
            still(page)
            assert fits(page), (size_name, scheme)
            assert violations(page) == [], (size_name, scheme)
    assert said == []


def test_axe_finds_what_is_wrong(tab: Tab) -> None:
    page = tab.open("/methods")
    page.evaluate("() => document.querySelector('#main').insertAdjacentHTML('beforeend', '<button></button>')")
    assert [one for one in violations(page) if one.startswith("button-name")]


@pytest.fixture
def phone(tab: Tab) -> Tab:
    tab.page.set_viewport_size(SIZES["phone"])
    return tab


def test_on_a_phone_the_navigation_is_a_menu_that_opens_closes_and_leads_on(phone: Tab) -> None:
    page = phone.open("/methods")
    pages = page.get_by_role("navigation", name="Pages")
    menu = page.get_by_role("button", name="Menu")
    expect(pages).to_be_hidden()
    expect(menu).to_have_attribute("aria-expanded", "false")
    menu.click()
    expect(pages).to_be_visible()
    expect(menu).to_have_attribute("aria-expanded", "true")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(pages).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Enter")
    page.mouse.click(370, 700)  # beside the menu
    expect(pages).to_be_hidden()
    menu.click()
    pages.get_by_role("link", name="Verify").click()
    page.wait_for_url(re.compile("/verify"))
    expect(pages).to_be_hidden()


def test_a_wide_screen_shows_the_navigation_and_no_menu(tab: Tab) -> None:
    page = tab.open("/methods")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()


def test_on_a_phone_a_sample_becomes_a_verified_release_by_touch(phone: Tab) -> None:
    page = phone.open("/")
    page.get_by_role("button", name="Load the sample baskets").click()
    page.wait_for_url(re.compile(r"/data\?dataset="))
    assert fits(page)
    page.get_by_role("button", name="Try a method").click()
    page.wait_for_url(re.compile("/evaluate"))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    assert fits(page)
    assert violations(page) == []


def test_no_bar_without_a_name_follows_requests(tab: Tab) -> None:
    page = tab.open("/methods")
    page.evaluate(
        "() => { const request = new XMLHttpRequest(); request.open('GET', '/methods'); request.send();"
        " return new Promise(done => setTimeout(done, 500)) }"
    )
    assert page.evaluate("[...document.querySelectorAll('.q-loading-bar')].every(bar => bar.style.opacity !== '1')")
