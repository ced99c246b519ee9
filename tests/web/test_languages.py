"""Two people read one server in two languages; in German no page with data scrolls sideways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from crypsis.translation import language
from crypsis.web import reader
from crypsis.web.theme import NAVIGATION
from tests.web.conftest import Server, Tab, let_in, start
from tests.web.full_workspace import FullWorkspace, filled
from tests.web.screens import SIZES, cut_words, fits


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


def test_the_language_outside_of_pages_is_asked_without_opening_one() -> None:
    """Otherwise the framework warns about it when a server starts."""
    from nicegui import core

    assert reader.on_a_phone() is False
    assert language() == "en"
    assert core.script_client is None


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, FullWorkspace]]:
    folder = tmp_path_factory.mktemp("german")
    server = start(folder / "workspace")
    try:
        with server.client() as api:
            yield server, filled(api, server.workspace, folder / "tuna")
    finally:
        server.stop()


@pytest.mark.long
@pytest.mark.parametrize("path", ["/", *(link.path for link in NAVIGATION)])
def test_german_pages_with_data_fit_the_screen(browser: Browser, own: tuple[Server, FullWorkspace], path: str) -> None:
    server, workspace = own
    with let_in(browser, server, locale="de-DE") as german:
        tab = Tab(german.new_page(), server)
        for address in workspace.addresses(path):
            tab.page.set_viewport_size(SIZES["phone"])
            page = tab.open(address)
            expect(page.locator("html")).to_have_attribute("lang", "de")
            page.wait_for_timeout(600)  # what is drawn once the page is there
            assert fits(page), f"{address} on a phone"
            assert cut_words(page) == [], f"{address} on a phone"
            page.set_viewport_size(SIZES["desk"])
            assert fits(page), f"{address} on a desk"
        assert tab.errors == []


def test_widgets_speak_german_too_and_so_does_the_script(browser: Browser, server: Server) -> None:
    with let_in(browser, server, locale="de-DE") as german:
        page = Tab(german.new_page(), server).open("/data")
        assert "Verbindung verloren" in str(page.locator(".nicegui-error-popup").first.text_content())
        assert page.evaluate("crypsis.bytes(1234567)") == "1,2 MB"
        assert page.evaluate("crypsis.say('begun', {name: 'a.csv'})") == "a.csv wird gesendet …"
    with let_in(browser, server, locale="en-US") as english:
        page = Tab(english.new_page(), server).open("/data")
        assert "Connection lost" in str(page.locator(".nicegui-error-popup").first.text_content())
        assert page.evaluate("crypsis.bytes(1234567)") == "1.2 MB"
