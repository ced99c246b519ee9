"""Two people read one server in two languages; in German no page scrolls sideways."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from crypsis.web.theme import NAVIGATION
from tests.web.conftest import Server, Tab, let_in


def test_the_language_is_chosen_by_the_browser_and_changed_in_the_menu(browser: Browser, server: Server) -> None:
    with let_in(browser, server, locale="de-DE") as german, let_in(browser, server, locale="en-US") as english:
        page = Tab(german.new_page(), server).open("/data")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.get_by_role("heading", level=1)).to_have_text("Daten")
        other = Tab(english.new_page(), server).open("/data")
        expect(other.get_by_role("heading", level=1)).to_have_text("Data")
        page.get_by_role("button", name="Sprache").click()
        page.get_by_role("menuitem", name="English").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Data")


@pytest.mark.parametrize("width", [390, 1440])
def test_german_pages_fit_the_screen(browser: Browser, server: Server, width: int) -> None:
    with let_in(browser, server, locale="de-DE") as german:
        tab = Tab(german.new_page(), server)
        tab.page.set_viewport_size({"width": width, "height": 800})
        for link in NAVIGATION:
            page = tab.open(link.path)
            expect(page.locator("html")).to_have_attribute("lang", "de")
            assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, link.path
        assert tab.errors == []
