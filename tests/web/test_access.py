"""The keyboard reaches everything, every field has a name, and light or dark is kept."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.web.conftest import Tab, sample


def test_the_keyboard_reaches_everything_and_every_field_has_a_name(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "patients", size=100)["id"]
    for path in ("/data", "/evaluate", "/queries", "/verify", "/compare"):
        page = tab.open(f"{path}?dataset={number}")
        page.wait_for_timeout(300)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll('input:not([type=hidden]), textarea, select, button')]
            .filter(one => one.offsetParent !== null && !one.closest('.ag-root-wrapper'))
            .filter(one => !(one.getAttribute('aria-label') || one.innerText?.trim() || one.labels?.length
                || one.closest('label')?.innerText.trim() || one.closest('[aria-label]')))
            .map(one => one.outerHTML.slice(0, 120))"""
        )
        assert unnamed == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    page = tab.open("/methods")
    seen = set()
    for _ in range(24):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement?.innerText?.trim() || ''"))
    assert {"Evaluate", "Compare", "Verify"} <= {text.split("\n")[-1] for text in seen}


def test_light_and_dark_are_kept(tab: Tab) -> None:
    page = tab.open("/methods")
    was_dark = page.evaluate("document.body.classList.contains('body--dark')")
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body")).to_have_class(re.compile("body--light" if was_dark else "body--dark"))
    page.reload()
    expect(page.locator("body")).to_have_class(re.compile("body--light" if was_dark else "body--dark"))
