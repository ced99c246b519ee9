"""Errors carry their remedy: what stopped is mended by a click inside the error that tells so."""

from __future__ import annotations

import re
import time
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from crypsis.evaluate.store import Store
from tests.web.conftest import Server, Tab, sample
from tests.web.experiments import experiment
from tests.web.lights import ILL, table
from tests.web.screens import fits, on_every_screen, still, violations

pytestmark = pytest.mark.long
# Two people of each age and town: what is published keeps 2, not the 5 that is asked first.
PAIRS = "age,town,illness\n" + "".join(f"{20 + row // 2},{'AB'[row // 2 % 2]}ford,flu\n" for row in range(40))


def fault(page: Page, words: str) -> Locator:
    """The error that begins so, which fits the screen and shuts nobody out."""
    told = page.locator(".message").filter(has_text=words)
    expect(told).to_have_count(1)
    still(page)
    assert fits(page)
    assert violations(page) == []
    return told


@on_every_screen
def test_a_table_that_is_not_safe_is_checked_with_what_it_does_keep(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(PAIRS)
    page = tab.open("/verify")
    page.get_by_label("Drop the archive of a release, or a published file").set_input_files(file)
    told = fault(page, "Not safe: pairs.csv")
    expect(told.get_by_role("button", name="Choose another file")).to_be_visible()
    told.get_by_role("button", name="Check it with k = 2").click()
    expect(page.get_by_text("Verified: pairs.csv")).to_be_visible()


@on_every_screen
def test_a_run_that_could_not_begin_is_begun_again(tab: Tab, api: httpx.Client, server: Server) -> None:
    """Another program holds the results; when it has let go of them, a click inside the error is enough."""
    number = table(api, "held.csv", ILL, age="quasi", ill="sensitive")
    made = experiment(api, number, run=[{"label": "held", "method": "mondrian", "params": {"k": 5}}])
    page = tab.open(f"/results?experiment={made}")
    with Store(server.workspace / "experiments" / made / "store").in_use():
        assert api.post(f"/api/experiments/{made}/start", json={"workers": 1}).status_code == 202
        told = fault(page, "The run could not go on")
        expect(told.get_by_role("button", name="Look at the data")).to_be_visible()
    told.get_by_role("button", name="Run again").click()
    expect(page.locator("tbody tr").filter(has_text="done")).to_have_count(1, timeout=240_000)
    expect(page.get_by_text("The run could not go on")).to_have_count(0)


@on_every_screen
def test_windows_that_a_stream_has_lost_are_published_again(tab: Tab, api: httpx.Client, server: Server) -> None:
    number = sample(api, "metro", size=150)["id"]
    page = tab.open(f"/streams?dataset={number}")
    page.get_by_label(re.compile(r"\(K\)$")).fill("5")
    page.get_by_label(re.compile("[Ee]vents a second")).fill("40")
    page.get_by_role("button", name="Start").click()
    out = page.locator(".tile", has_text="Windows out").locator(".tile-value")
    expect(out).to_have_text(re.compile(r"^[1-9]"))
    (stream,) = [one["id"] for one in api.get("/api/streams").json() if one["dataset"] == number]
    published = server.workspace / "streams" / stream / "windows.ndjson"
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".tile", has_text="State").locator(".tile-value")).to_have_text("stopped")
    held = len(published.read_text().splitlines())
    published.write_text("")  # whoever was to keep them has lost them
    page.get_by_role("button", name="Go on").click()
    told = fault(page, "The stream stopped")
    expect(told.get_by_role("button", name="Look at the data")).to_be_visible()
    told.get_by_role("button", name="Publish the lost windows again").click()
    expect(page.get_by_text("The stream stopped")).to_have_count(0)
    expect(page.locator(".tile", has_text="State").locator(".tile-value")).to_have_text(re.compile("running|finished"))
    until = time.monotonic() + 120
    while len(published.read_text().splitlines()) < held:
        assert time.monotonic() < until
        page.wait_for_timeout(200)
    api.post(f"/api/streams/{stream}/stop").raise_for_status()
