"""Movement in the browser: a stream that is watched, and areas of a map that are merged by hand."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.web.conftest import Tab, sample
from tests.web.screens import on_every_screen


@on_every_screen
def test_a_stream_is_watched_stopped_and_goes_on(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "metro", size=150)["id"]
    page = tab.open(f"/streams?dataset={number}")
    page.get_by_label(re.compile(r"^K · |\(K\)$")).fill("5")
    page.get_by_label(re.compile("[Ee]vents a second")).fill("5")  # so that it lasts until it is stopped
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Windows out")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(re.compile("[Ii]n the window$")).first).to_be_visible()
    page.get_by_role("button", name="Stop").click()


@on_every_screen
def test_areas_of_a_tessellation_are_merged_marked_and_undone(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "tracks", size=60)["id"]
    tables = {"run": [{"method": "ppsg", "params": {"k": 2, "radius": 800}}]}
    made = api.post("/api/experiments", json={"dataset": number, "mode": "evaluate", "tables": tables}).json()["id"]
    api.post(f"/api/experiments/{made}/start", json={})  # runs while areas are merged by hand
    page = tab.open(f"/trajectories?dataset={number}")
    expect(page.locator("path.area").first).to_be_visible()
    before = page.locator("path.area").count()
    page.get_by_role("button", name="Step").click()
    expect(page.locator("path.area")).not_to_have_count(before)
    page.locator("path.area").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("path.area.marked")).to_have_count(1)
    page.get_by_role("button", name="Suggest a limit").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("path.area")).to_have_count(before)

    page = tab.open(f"/evaluate?dataset={number}")
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=90_000)
    expect(page.get_by_text(re.compile(r"^\d+ rows$"))).to_be_visible()  # areas have no cells of the original to mark
    page.get_by_role("button", name="See the map").click()
    released = page.locator("section", has=page.get_by_role("heading", name="Released"))
    expect(released.locator("svg.map")).to_be_visible()
    expect(released.get_by_text("as it was")).to_have_count(0)  # of places, not of areas
