"""What is replaced or removed on the pages Policies and Queries comes back by a click."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.conftest import Tab, sample
from tests.web.screens import SIZES, fits, on_every_screen, violations

pytestmark = pytest.mark.long


def test_a_policy_that_was_replaced_or_removed_comes_back(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "baskets", size=60)["id"]
    page = tab.open(f"/policies?dataset={number}")
    card = page.locator("section").filter(has=page.get_by_role("heading", name="Privacy policy"))
    undo = card.get_by_role("button", name="Undo: Privacy policy")
    expect(card.get_by_text("Not set")).to_be_visible()
    expect(undo).to_be_disabled()
    items = card.get_by_label("Search items: Privacy policy")
    items.fill("mil")
    page.get_by_role("option", name="milk", exact=True).click()
    page.keyboard.press("Escape")
    card.get_by_role("button", name="Add set").click()
    lines = card.get_by_label("One set on each line")
    expect(lines).to_have_value("milk")
    card.get_by_role("button", name="Save").click()
    expect(card.get_by_text("1 set · written by hand")).to_be_visible()
    card.get_by_role("button", name="Derive").click()
    expect(lines).not_to_have_value("milk")
    undo.click()
    expect(lines).to_have_value("milk")
    expect(card.get_by_text("1 set · written by hand")).to_be_visible()
    undo.click()
    expect(card.get_by_text("Not set")).to_be_visible()
    expect(undo).to_be_disabled()
    page.mouse.move(2, 2)
    expect(page.locator(".q-tooltip")).to_have_count(0)
    expect(page.locator(".q-notification")).to_have_count(0)  # a notice that fades has less contrast
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert fits(page)
        assert violations(page) == []


@on_every_screen
def test_a_query_that_was_removed_or_typed_over_comes_back(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "patients", size=60)["id"]
    page = tab.open(f"/queries?dataset={number}")
    undo = page.get_by_role("button", name="Undo the last change of the queries")
    expect(undo).to_be_disabled()
    page.get_by_role("button", name="Add a query").first.click()
    first = page.get_by_label("Query 1", exact=True)
    expect(first).to_have_value("age in [20:40]")
    first.fill("age in [30:35]")
    expect(page.get_by_label("Count of query 1")).not_to_have_text("…")
    page.get_by_role("button", name="Remove query 1").click()
    expect(first).to_have_count(0)
    undo.click()
    expect(first).to_have_value("age in [30:35]")
    undo.click()
    expect(first).to_have_value("age in [20:40]")
    undo.click()
    expect(first).to_have_count(0)
    expect(undo).to_be_disabled()
