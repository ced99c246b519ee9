"""Hierarchies in the browser: dragged, renamed, typed; what is refused is told beside the field and changes nothing."""

from __future__ import annotations

import httpx
from playwright.sync_api import expect

from tests.web.conftest import Tab, uploaded

CITIES = "age,city\n20,Oslo\n30,Oslo\n40,Rome\n"
TREE = "Oslo;North;Any\nRome;South;Any\n"


def cities(api: httpx.Client) -> str:
    number = str(uploaded(api, "ages.csv", CITIES)["id"])
    kept = api.post("/api/hierarchies", json={"dataset": number, "column": "city", "text": TREE})
    assert kept.status_code == 201, kept.text
    return number


def lines(api: httpx.Client, number: str) -> list[str]:
    (kept,) = api.get("/api/hierarchies", params={"dataset": number}).json()
    return str(api.get(f"/api/hierarchies/{kept['id']}/hierarchy.csv").text).splitlines()


def test_a_value_is_dragged_below_another_node(tab: Tab, api: httpx.Client) -> None:
    number = cities(api)
    page = tab.open(f"/hierarchies?dataset={number}&column=city")
    nodes = page.locator("span[draggable]")
    expect(nodes).to_have_count(5)
    nodes.filter(has_text="Rome").drag_to(nodes.filter(has_text="North"))
    expect(nodes).to_have_count(4)  # South has no values any more
    expect(nodes.filter(has_text="South")).to_have_count(0)


def test_a_taken_name_is_refused_beside_the_field(tab: Tab, api: httpx.Client) -> None:
    number = cities(api)
    page = tab.open(f"/hierarchies?dataset={number}&column=city")
    page.locator("span[draggable]", has_text="Rome").click()
    page.get_by_role("button", name="Rename the selected node").click()
    page.get_by_label("New name").fill("North")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("names are unique")).to_be_visible()
    assert lines(api, number) == TREE.split()


def test_the_tree_is_typed_and_nothing_is_kept_until_it_is_one(tab: Tab, api: httpx.Client) -> None:
    number = str(uploaded(api, "ages.csv", CITIES)["id"])
    columns = {"age": {"type": "int", "role": "other"}, "city": {"type": "category", "role": "quasi"}}
    section = {"kind": "table", "columns": columns}
    api.put(f"/api/datasets/{number}/section", json={"section": section})
    page = tab.open(f"/hierarchies?dataset={number}&column=city")
    page.get_by_role("button", name="Edit as text").click()
    field = page.get_by_label("Lines of the hierarchy")
    made = "# made from the data: flat\nchild;parent\nOslo;*\nRome;*\n"  # what a method would make
    expect(field).to_have_value(made)
    for text, words in (
        ("Oslo;North;Any\nRome;South\n", "'South' is one of 2 roots"),
        ("child;parent\nOslo;Any\nRome;Any\nOslo;Rome\n", "line 4: 'Oslo' has two parents, 'Any' on line 2"),
        ("", "empty"),
    ):
        field.fill(text)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text(words)).to_be_visible()
        assert api.get("/api/hierarchies", params={"dataset": number}).json() == []
    field.fill(TREE)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Fits the data")).to_be_visible()
    assert lines(api, number) == TREE.split()


def test_lines_that_are_no_tree_are_refused_and_the_old_tree_stays(api: httpx.Client) -> None:
    number = cities(api)
    for text, words in (
        (f"{TREE}Oslo;South;Any\n", "'Oslo' has two parents, 'North' on line 1 and 'South' on line 3"),
        ('"Oslo;Any\n', "quotes"),
    ):
        refused = api.post("/api/hierarchies", json={"dataset": number, "column": "city", "text": text})
        assert refused.status_code == 400, refused.text
        assert words in refused.json()["error"]["message"]
    both = api.post("/api/hierarchies", json={"dataset": number, "column": "city", "text": TREE, "auto": "flat"})
    assert both.status_code == 400
    assert lines(api, number) == TREE.split()
