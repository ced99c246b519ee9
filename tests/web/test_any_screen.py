"""Every page on a phone and on a wide screen, light and dark: nothing scrolls sideways, and axe-core finds nothing."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.web.theme import NAVIGATION
from tests.web.conftest import Tab, sample
from tests.web.screens import SIZES, fits, violations

pytestmark = pytest.mark.long

SAMPLES = {"/policies": "baskets", "/trajectories": "checkins", "/streams": "metro"}


@pytest.fixture(scope="module")
def filled(api: httpx.Client) -> dict[str, str]:
    """A small dataset of each sample, and a result of one."""
    numbers = {name: str(sample(api, name, size=60)["id"]) for name in ("patients", *SAMPLES.values())}
    made = api.post("/api/experiments", json={"dataset": numbers["patients"], "mode": "evaluate"}).json()["id"]
    api.post(f"/api/experiments/{made}/start", json={}).raise_for_status()
    return numbers


@pytest.mark.parametrize("path", ["/", *(link.path for link in NAVIGATION)])
def test_no_page_scrolls_sideways_or_shuts_anybody_out_or_complains(
    tab: Tab, filled: dict[str, str], path: str
) -> None:
    said: list[str] = []
    tab.page.on("console", lambda message: said.append(message.text))
    page = tab.open(f"{path}?dataset={filled[SAMPLES.get(path, 'patients')]}")
    if path == "/evaluate":
        expect(page.get_by_role("group", name="Three lights")).to_be_visible(timeout=240_000)
        expect(page.get_by_role("heading", name="Output")).to_be_visible()
    for name, size in SIZES.items():
        page.set_viewport_size(size)
        page.emulate_media(color_scheme="light")
        expect(page.locator("body.body--light")).to_have_count(1)
        page.wait_for_timeout(300)  # what is drawn once the page is there
        assert fits(page), name
        assert violations(page) == [], name
        page.emulate_media(color_scheme="dark")
        expect(page.locator("body.body--dark")).to_have_count(1)
        page.wait_for_timeout(300)  # colours fade into each other
        assert violations(page, "color-contrast") == [], f"{name}, dark"
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
