"""What is exported by a click is loaded again as the same: data, hierarchies, policies and queries."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import expect

from crypsis.evaluate import Experiment
from tests.web.clicks import from_menu, load
from tests.web.conftest import Tab, uploaded
from tests.web.screens import on_every_screen

TABLE = "age,city,items\n20,Oslo,bread milk\n30,Oslo,bread\n40,Rome,eggs milk\n"
SECTION = {
    "kind": "mixed",
    "columns": {
        "age": {"type": "int", "role": "quasi"},
        "city": {"type": "category", "role": "quasi"},
        "items": {"type": "items", "item_separator": " "},
    },
}
TREE = "Oslo;North;Any\nRome;South;Any\n"


def described(api: httpx.Client, number: str) -> dict[str, Any]:
    """Everything about a dataset, as the interface for programs tells it."""
    trees = {
        one["column"]: api.get(f"/api/hierarchies/{one['id']}/hierarchy.csv").text
        for one in api.get("/api/hierarchies", params={"dataset": number}).json()
    }
    policies = {
        one["policy"]: sorted(api.get(f"/api/policies/{one['id']}/sets").json())
        for one in api.get("/api/policies", params={"dataset": number}).json()
    }
    rows = api.get(f"/api/datasets/{number}/rows").json()
    queries = api.get("/api/queries", params={"dataset": number}).json()["queries"]
    return {"rows": rows["rows"], "columns": rows["columns"], "trees": trees, "policies": policies, "queries": queries}


@on_every_screen
def test_every_input_is_exported_by_a_click_and_loaded_again_as_the_same(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    number = str(uploaded(api, "shop.csv", TABLE)["id"])
    api.put(f"/api/datasets/{number}/section", json={"section": SECTION})
    api.post("/api/hierarchies", json={"dataset": number, "column": "city", "text": TREE})
    api.post("/api/policies", json={"dataset": number, "policy": "privacy", "auto": "all:2"})
    api.post("/api/policies", json={"dataset": number, "policy": "utility", "sets": [["bread", "milk"], ["eggs"]]})
    api.put("/api/queries", params={"dataset": number}, json={"queries": ["age in [20:30]", "items all {milk}"]})
    before = described(api, number)
    assert before["policies"]["privacy"] == [["bread"], ["bread", "milk"], ["eggs", "milk"]]

    page = tab.open(f"/data?dataset={number}")
    files = {
        item: from_menu(page, page.get_by_role("button", name="Export"), item, tmp_path)
        for item in (
            "Data as CSV",
            "Hierarchy of city",
            "Privacy policy",
            "Utility policy",
            "Queries",
            "Everything, as an archive",
        )
    }

    again = load(tab, files["Data as CSV"])
    api.put(f"/api/datasets/{again}/section", json={"section": SECTION})
    page = tab.open(f"/hierarchies?dataset={again}&column=city")
    page.get_by_label("Drop a hierarchy file").set_input_files(files["Hierarchy of city"])
    expect(page.get_by_text("Fits the data")).to_be_visible()
    page = tab.open(f"/policies?dataset={again}")
    for name in ("Privacy policy", "Utility policy"):
        box = page.locator("section", has=page.get_by_role("heading", name=name))
        box.locator("input[type=file]").set_input_files(files[name])
        expect(box.get_by_text("written by hand")).to_be_visible()
    page = tab.open(f"/queries?dataset={again}")
    page.get_by_label("Drop a file with one query on each line").set_input_files(files["Queries"])
    expect(page.get_by_label("Query 2", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("2 queries saved")).to_be_visible()
    assert described(api, again) == before

    with zipfile.ZipFile(files["Everything, as an archive"]) as packed:
        packed.extractall(tmp_path)
    read = Experiment.read(tmp_path / "inputs" / "experiment.toml")
    (tmp_path / "shop.csv").write_text(TABLE)
    original = Experiment.parse({"dataset": {**SECTION, "path": "shop.csv"}}, folder=tmp_path)
    assert read.dataset.load() == original.dataset.load()
    assert [str(query) for query in read.inputs.workload(read.dataset.load())] == before["queries"]


@on_every_screen
def test_a_policy_that_is_none_is_refused_beside_the_field(tab: Tab, api: httpx.Client, tmp_path: Path) -> None:
    number = str(uploaded(api, "shop.csv", TABLE)["id"])
    api.put(f"/api/datasets/{number}/section", json={"section": SECTION})
    (tmp_path / "overlap.txt").write_text("bread;milk\nmilk;eggs\n")
    page = tab.open(f"/policies?dataset={number}")
    box = page.locator("section", has=page.get_by_role("heading", name="Utility policy"))
    box.locator("input[type=file]").set_input_files(tmp_path / "overlap.txt")
    expect(box.get_by_text("overlap.txt: ")).to_be_visible()
    assert api.get("/api/policies", params={"dataset": number}).json() == []

    box.get_by_label("One set on each line").fill("milk, fresh; bread")  # a label may hold a comma, as in files
    expect(box.get_by_text("Not saved yet")).to_be_visible()
    box.get_by_role("button", name="Save").click()
    expect(box.get_by_text("1 label is not in the data")).to_be_visible()
    expect(box.get_by_text("Not saved yet")).not_to_be_visible()
    assert described(api, number)["policies"]["utility"] == [["milk, fresh", "bread"]]


@on_every_screen
def test_a_page_says_when_another_dataset_is_shown_than_the_one_that_was_asked_for(tab: Tab, api: httpx.Client) -> None:
    table = str(uploaded(api, "ages.csv", "age,city\n20,Oslo\n30,Rome\n")["id"])
    uploaded(api, "shop.dat", "bread milk\nbread\n")
    page = tab.open(f"/policies?dataset={table}")
    expect(page.get_by_text("shop is shown, not ages")).to_be_visible()
