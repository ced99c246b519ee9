"""Movement in the browser: a stream that is watched, and areas of a map that are merged by hand."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.web.clicks import choose
from tests.web.conftest import Tab, sample, uploaded
from tests.web.screens import on_every_screen, still, violations


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
def test_windows_are_removed_only_when_that_is_meant(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "metro", size=150)["id"]
    page = tab.open(f"/streams?dataset={number}")
    page.get_by_label(re.compile(r"\(K\)$")).fill("5")
    page.get_by_label(re.compile("[Ee]vents a second")).fill("40")
    page.get_by_role("button", name="Start").click()
    out = page.locator(".tile", has_text="Windows out").locator(".tile-value")
    expect(out).to_have_text(re.compile("^[1-9]"))
    page.get_by_role("button", name="Start over", exact=True).click()
    expect(page.get_by_text("The windows that were published so far are removed.")).to_be_visible()
    still(page)
    assert violations(page) == []
    (before,) = [one["id"] for one in api.get("/api/streams").json() if one["dataset"] == number]
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(out).to_have_text(re.compile("^[1-9]"))
    page.get_by_role("button", name="Start over", exact=True).click()
    page.get_by_role("button", name="Remove them and start over").click()
    expect(page.get_by_text("Remove them and start over")).to_have_count(0)
    expect(page.locator(".tile", has_text="State").locator(".tile-value")).to_have_text(re.compile("running"))
    (after,) = [one["id"] for one in api.get("/api/streams").json() if one["dataset"] == number]
    assert after != before
    api.post(f"/api/streams/{after}/stop").raise_for_status()


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


@on_every_screen
def test_owners_with_several_tracks_count_as_one_person_unless_tracks_are_chosen(tab: Tab, api: httpx.Client) -> None:
    fixes = [(car, trip, minute) for car in range(8) for trip in range(2) for minute in range(0, 30, 5)]
    rows = "".join(
        f"car{car},{2 * car + trip},{minute * 60},{minute * 80 + car},{trip * 900 + minute * 7 * car}\n"
        for car, trip, minute in fixes
    )
    number = str(uploaded(api, "cars.csv", "car,trip,t,x,y\n" + rows)["id"])
    section = {"kind": "tracks", "id": "trip", "t": "t", "x": "x", "y": "y", "person": "car", "crs": "EPSG:25832"}
    answer = api.put(f"/api/datasets/{number}/section", json={"section": section})
    assert answer.status_code == 200, answer.text
    page = tab.open(f"/trajectories?dataset={number}")
    expect(page.locator("path.area").first).to_be_visible()
    counted = page.get_by_label("What counts as one person")
    expect(counted).to_have_value("each owner, with all of theirs")
    page.get_by_role("button", name="Show as file").click()
    field = page.get_by_label(re.compile(r"file \(TOML\)"))
    expect(field).to_have_value(re.compile('unit = "owner"'))
    page.get_by_role("button", name="Close").click()
    expect(field).to_have_count(0)
    choose(page, counted, "each trajectory")
    page.get_by_role("button", name="Show as file").click()
    expect(field).to_have_value(re.compile('unit = "trajectory"'))
    page.get_by_role("button", name="Close").click()
    page.get_by_label(re.compile("^Radius of an area at first")).fill("0")
    page.get_by_role("button", name="Begin again with this radius").click()
    expect(page.get_by_text(re.compile("A number above 0"))).to_be_visible()
    still(page)
    assert violations(page) == []
