"""Hierarchies in the browser: dragged, renamed, typed; what is refused is told beside the field and changes nothing."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.errors import HierarchyError
from crypsis.hierarchy.files import hierarchy_text, parse_hierarchy
from crypsis.web.datasets import Datasets
from crypsis.web.side_inputs import SideInputs
from crypsis.web.workspace import Workspace
from tests.web.clicks import choose
from tests.web.conftest import Tab, uploaded
from tests.web.screens import on_every_screen

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


@on_every_screen
def test_a_value_is_dragged_below_another_node(tab: Tab, api: httpx.Client) -> None:
    number = cities(api)
    page = tab.open(f"/hierarchies?dataset={number}&column=city")
    nodes = page.locator("span[draggable]")
    expect(nodes).to_have_count(5)
    nodes.filter(has_text="Rome").drag_to(nodes.filter(has_text="North"))
    expect(nodes).to_have_count(4)  # South has no values any more
    expect(nodes.filter(has_text="South")).to_have_count(0)


@on_every_screen
def test_a_taken_name_is_refused_beside_the_field(tab: Tab, api: httpx.Client) -> None:
    number = cities(api)
    page = tab.open(f"/hierarchies?dataset={number}&column=city")
    page.locator("span[draggable]", has_text="Rome").click()
    page.get_by_role("button", name="Rename the selected node").click()
    page.get_by_label("New name").fill("North")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("names are unique")).to_be_visible()
    assert lines(api, number) == TREE.split()


@on_every_screen
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


def workbench(tmp_path: Path) -> tuple[SideInputs, str]:
    """The trees of a workspace with one table, without a server."""
    (tmp_path / "ages.csv").write_text(CITIES)
    workspace = Workspace(tmp_path / "workspace")
    datasets = Datasets(workspace, allow_paths=True)
    return SideInputs(workspace, datasets), datasets.add_path(str(tmp_path / "ages.csv")).number


def text_of(trees: SideInputs, dataset: str) -> str:
    entry = trees.hierarchy(dataset, "city")
    return "" if entry is None else hierarchy_text(trees.tree(entry))


def test_a_tree_of_other_values_is_refused_before_anything_is_replaced(tmp_path: Path) -> None:
    trees, dataset = workbench(tmp_path)
    trees.keep_text(dataset, "city", TREE)
    with pytest.raises(HierarchyError, match="covers none of the 2 values of 'city'"):
        trees.keep_text(dataset, "city", "Bonn;West;Any\nKiel;North;Any\n")
    assert text_of(trees, dataset) == TREE
    assert trees.coverage(dataset, "city", parse_hierarchy("Oslo;Any\nKiel;Any\n")) == (1, 2)
    trees.keep_text(dataset, "city", "Oslo;Any\nKiel;Any\n")  # some are covered: told on the page, and kept


def test_every_change_of_a_tree_can_be_undone(tmp_path: Path) -> None:
    trees, dataset = workbench(tmp_path)
    seen = [text_of(trees, dataset)]
    trees.keep_recipe(dataset, "city", "flat")
    seen.append(text_of(trees, dataset))
    trees.keep_text(dataset, "city", TREE)
    seen.append(text_of(trees, dataset))
    for change in (
        {"edit": "rename", "node": "North", "to": "Nord"},
        {"edit": "move", "node": "Rome", "parent": "Nord"},
        {"edit": "move", "node": "Rome", "parent": "Any"},
    ):
        trees.edit_tree(trees.hierarchy(dataset, "city").number, change)
        seen.append(text_of(trees, dataset))
    for before in reversed(seen[:-1]):
        trees.undo_tree(trees.hierarchy(dataset, "city").number)
        assert text_of(trees, dataset) == before
    assert trees.hierarchy(dataset, "city") is None
    entry = trees.keep_text(dataset, "city", TREE)
    for turn in range(30):
        entry = trees.edit_tree(
            entry.number, {"edit": "rename", "node": "Any" if turn == 0 else f"Any{turn}", "to": f"Any{turn + 1}"}
        )
    assert len(entry.content["undo"]) == 20
    assert len([*entry.folder.glob("undo-*.csv")]) == 20


@pytest.mark.long
@on_every_screen
def test_a_hierarchy_is_built_by_clicks_with_what_it_costs_and_values_are_grouped_by_key(
    tab: Tab, api: httpx.Client
) -> None:
    rows = "".join(f"{20 + n},{'abcd'[n % 4]}\n" for n in range(40))
    number = str(uploaded(api, "people.csv", f"age,town\n{rows}")["id"])
    columns = {"age": {"type": "int", "role": "quasi"}, "town": {"type": "category", "role": "quasi"}}
    section = {"kind": "table", "columns": columns, "each_row_is_a_person": True}
    api.put(f"/api/datasets/{number}/section", json={"section": section})
    page = tab.open(f"/hierarchies?dataset={number}&column=age")
    choose(page, page.get_by_label("Way to build it"), "Ranges between chosen cuts")
    expect(page.get_by_text("at least one cut is needed")).to_be_visible()
    page.get_by_label("Cuts", exact=True).fill("30 50")
    expect(page.get_by_text("Covers 40 of 40 values")).to_be_visible()
    expect(page.get_by_role("table", name="Levels").locator("tbody tr").first).to_contain_text("3")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("Fits the data")).to_be_visible()
    assert api.get("/api/hierarchies", params={"dataset": number}).json()[0]["auto"] == "cuts:30:50"

    page = tab.open(f"/hierarchies?dataset={number}&column=town")
    page.get_by_role("button", name=re.compile("^Build it: ")).click()
    expect(page.get_by_text("Fits the data")).to_be_visible()
    for value in "ab":
        box = page.get_by_role("checkbox", name=f"Tick {value}", exact=True)
        box.focus()
        page.keyboard.press("Space")
        expect(box).to_be_checked()
    page.get_by_role("button", name="Group the ticked nodes").click()
    page.get_by_label("Name of the group").fill("north")
    page.keyboard.press("Enter")
    group = page.get_by_role("checkbox", name="Tick north", exact=True)
    expect(group).to_be_visible()
    page.get_by_role("button", name="Undo the last edit").click()
    expect(group).to_have_count(0)
