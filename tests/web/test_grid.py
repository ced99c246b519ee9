"""The grid of rows: any row of a million, what others changed meanwhile, and values that look like markup."""

from __future__ import annotations

from pathlib import Path

import httpx
from playwright.sync_api import expect

from tests.web.clicks import cell, type_into_cell
from tests.web.conftest import Tab, uploaded


def test_any_row_of_a_million_is_answered_in_half_a_second_and_shown_without_loading_the_others(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    import polars as pl

    file = tmp_path / "million.csv"
    pl.DataFrame({"n": range(1_000_000), "city": ["Oslo", "Rome"] * 500_000}).write_csv(file)
    number = api.post("/api/datasets", json={"path": str(file)}).json()["id"]
    page = tab.open(f"/data?dataset={number}")
    expect(cell(page, 0, 0)).to_have_text("0")
    for row in (999_900, 1, 765_431, 500_000, 250_000):
        taken = []
        while min(taken, default=1) >= 0.5 and len(taken) < 20:  # others may have the processor at the first attempt
            answer = api.get(f"/api/datasets/{number}/rows", params={"offset": row, "limit": 100})
            assert answer.json()["rows"][0][0] == str(row)
            taken.append(answer.elapsed.total_seconds())
        assert min(taken) < 0.5
    page.get_by_label("Go to row").fill("765432")
    page.keyboard.press("Enter")
    expect(page.locator('.ag-center-cols-container [col-id="c0"]', has_text="765431").first).to_be_visible()
    assert page.locator(".ag-center-cols-container .ag-row").count() < 400


def test_a_second_tab_sees_what_the_first_saved_and_is_told_when_it_is_behind(tab: Tab, api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", "age,city\n20,Oslo\n30,Oslo\n")["id"]
    page = tab.open(f"/data?dataset={number}")
    expect(cell(page, 0, 1)).to_have_text("Oslo")
    change = {"edit": "set", "row": 0, "column": "city", "value": "Riga"}
    assert api.post(f"/api/datasets/{number}/edits", json={"edit": change}).status_code == 200
    type_into_cell(page, 1, 1, "Rome")
    expect(page.get_by_text("was changed in another tab")).to_be_visible()
    expect(cell(page, 0, 1)).to_have_text("Riga")
    expect(cell(page, 1, 1)).to_have_text("Oslo")


def test_values_that_look_like_markup_stay_text_everywhere(tab: Tab, api: httpx.Client) -> None:
    evil = '<img src=x onerror="window.hacked=1">'
    table = "name;city\n" + "".join(f"'{evil}';{evil}\n" for _ in range(4)) + "b;Oslo\n"
    number = uploaded(api, f"{evil}.csv", table, separator=";")["id"]
    api.put(f"/api/datasets/{number}/name", json={"name": evil})
    change = {"edit": "rename", "column": "city", "to": evil}
    assert api.post(f"/api/datasets/{number}/edits", json={"edit": change}).status_code == 200
    for path in ("/data", "/hierarchies", "/queries", "/evaluate", "/compare"):
        page = tab.open(f"{path}?dataset={number}")
        page.wait_for_timeout(250)
        assert page.evaluate("window.hacked") is None, path
        assert page.locator("img[src=x]").count() == 0, path
