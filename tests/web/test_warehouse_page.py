"""The page Warehouse, as a person uses it: open, build, cancel, look up, decide, read one source again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.warehouse import sample
from tests.web.conftest import Tab
from tests.web.screens import on_every_screen

pytestmark = pytest.mark.long

MINUTE = 60_000


@pytest.fixture
def tuna(tmp_path: Path) -> Path:
    folder = tmp_path / "tuna"
    sample.copy_to(folder)
    file = folder / "tuna.json"
    file.write_text(json.dumps(sample.content()))
    return file


@on_every_screen
def test_a_warehouse_is_opened_built_looked_up_and_decided_on(tab: Tab, api: httpx.Client, tuna: Path) -> None:
    page = tab.open("/warehouse")
    expect(page.locator("h1")).to_have_text("Warehouse")
    field = page.get_by_label("Path of a configuration, TOML or JSON").first
    if not field.is_visible():
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("menuitem", name="Open another").click()
    field.fill(str(tuna.with_name("nothing.toml")))
    field.press("Enter")
    expect(page.get_by_text("There is no configuration")).to_be_visible()
    field.fill(str(tuna))
    field.press("Enter")
    page.wait_for_url(re.compile("warehouse="))
    state = page.locator(".tile", has_text="State").locator(".tile-value")
    expect(state).to_have_text("not built")

    page.get_by_role("button", name="Build", exact=True).click()
    expect(state).to_have_text("active", timeout=2 * MINUTE)
    expect(page.locator("table", has_text="Question").locator("tbody tr").first).to_contain_text("passed")
    shared = page.locator("section", has_text="What the sources share").locator("table")
    expect(shared.locator("tr", has_text="worms").last).to_contain_text("8")

    page.get_by_label("Name of an entity").fill("albacares")
    page.get_by_role("button", name="Thunnus albacares", exact=True).click()
    expect(page.locator("dl.says").first).to_be_visible()

    number = page.url.split("warehouse=")[1]
    before = len(api.get(f"/api/warehouses/{number}/candidates").json())
    assert before > 0
    page.get_by_role("button", name=re.compile("are not one$")).first.click()
    expect(page.get_by_role("button", name=re.compile("are not one$"))).to_have_count(before - 1)
    assert len(api.get(f"/api/warehouses/{number}/candidates").json()) == before - 1

    page.get_by_role("button", name="Read flod again").click()
    building = page.locator(".message", has_text="Building:")
    expect(building).to_be_visible()
    expect(building).to_have_count(0, timeout=2 * MINUTE)
    expect(state).to_have_text("active")


def test_rest_builds_cancels_asks_and_forgets(api: httpx.Client, tuna: Path) -> None:
    opened = api.post("/api/warehouses", json={"path": str(tuna)})
    assert opened.status_code == 201, opened.text
    number = opened.json()["id"]
    assert api.post("/api/warehouses", json={"path": str(tuna)}).json()["id"] == number
    at = f"/api/warehouses/{number}"
    assert api.get(at).json()["active"] is False
    assert api.post(f"{at}/query", json={"query": "SELECT * { ?s ?p ?o }"}).status_code in (400, 422)
    assert api.post(f"{at}/build", json={}).status_code == 202
    assert api.post(f"{at}/build", json={}).status_code == 409
    cancelled = api.delete(f"{at}/build").json()
    assert cancelled["cancelled"]
    assert not cancelled["running"]
    assert api.get(at).json()["active"] is False
    assert api.post(f"{at}/build", json={"source": "nothing"}).status_code in (400, 422)
    assert api.delete(at).status_code == 204
    assert api.get(at).status_code == 404
    assert tuna.exists()
