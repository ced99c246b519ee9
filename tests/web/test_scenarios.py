"""The acceptance scenarios of the workbench in a real browser, by clicks and keys only.

They are the demonstration that SECRETA gave, on the worked example of mixed data. The interface for programs is only
asked afterwards what came of it, and to prepare data where a scenario is not about loading them. The same scenarios
from the command line are in `tests/cli/test_scenarios.py`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from crypsis.cli.main import main
from crypsis.evaluate.results import is_time_column
from crypsis.methods import RumBound
from crypsis.parameters import parameters_of
from tests.drawing.pdf_texts import texts_in_pdf
from tests.evaluate.examples import write_example
from tests.shared_data import GOLDEN
from tests.web.clicks import (
    cell,
    choose,
    copied_file,
    downloaded,
    from_menu,
    load,
    parameter,
    set_role,
    set_type,
    show_more,
    type_into_cell,
    vary,
)
from tests.web.conftest import Server, Tab, ready, sample, start, uploaded

FIGURES = json.loads((GOLDEN / "rt" / "rt_figures.json").read_text(encoding="utf-8"))
SECTION = {
    "kind": "mixed",
    "columns": {
        "Age": {"type": "int", "role": "quasi"},
        "Origin": {"type": "category", "role": "quasi"},
        "Gender": {"type": "category", "role": "quasi"},
        "items": {"type": "items", "item_separator": " "},
    },
}


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A folder with the example as files: rt.csv, Origin.csv and Gender.csv."""
    return write_example(tmp_path)


def prepared(api: httpx.Client, folder: Path) -> str:
    """The example as a dataset with its roles and hierarchies."""
    number = str(uploaded(api, "rt.csv", (folder / "rt.csv").read_text())["id"])
    assert api.put(f"/api/datasets/{number}/section", json={"section": SECTION}).status_code == 200
    for column in ("Origin", "Gender"):
        text = (folder / f"{column}.csv").read_text()
        kept = api.post("/api/hierarchies", json={"dataset": number, "column": column, "text": text})
        assert kept.status_code == 201, kept.text
    return number


def test_1_a_table_is_loaded_edited_undone_exported_and_loaded_again(
    tab: Tab, api: httpx.Client, example: Path, tmp_path: Path
) -> None:
    number = load(tab, example / "rt.csv")
    page = tab.page
    set_type(page, "items", "set of items")
    expect(page.get_by_text("A set of items in every record")).to_be_visible()
    for column in ("Age", "Origin"):  # what is suggested for Gender is right
        set_role(page, column, "quasi-identifier")
    expect(page.locator(".tile", has_text="Kind").locator(".tile-value")).to_have_text("Table with sets")
    assert api.get(f"/api/datasets/{number}").json()["section"]["columns"] == SECTION["columns"]

    page.get_by_role("button", name="Rename Origin").click()
    page.get_by_label("New name of the column").fill("Country")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_role("columnheader", name="Country")).to_be_visible()
    type_into_cell(page, 1, 0, "99")
    edits = page.locator(".tile", has_text="Edits").locator(".tile-value")
    expect(edits).to_have_text("2")
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, 1, 0)).to_have_text("22")
    page.get_by_role("button", name="Redo").click()
    expect(cell(page, 1, 0)).to_have_text("99")
    page.locator("h1").click()
    page.keyboard.press("Control+z")
    expect(cell(page, 1, 0)).to_have_text("22")

    exported = from_menu(page, page.get_by_role("button", name="Export"), "Data as CSV", tmp_path)
    again = load(tab, exported)
    one, other = (api.get(f"/api/datasets/{which}/rows").json() for which in (number, again))
    assert one["columns"] == ["Age", "Country", "Gender", "items"] == other["columns"]
    assert one["rows"] == other["rows"]
    assert [row[0] for row in one["rows"]] == [str(values[0]) for values in FIGURES["relational"]]


def test_1_overwriting_asks_first_and_saving_as_keeps_the_original(tab: Tab, api: httpx.Client, example: Path) -> None:
    number = load(tab, example / "rt.csv")
    page = tab.page
    type_into_cell(page, 0, 1, "Malta")
    edits = page.locator(".tile", has_text="Edits").locator(".tile-value")
    expect(edits).to_have_text("1")
    file = tab.server.workspace / "datasets" / number / "original.csv"
    before = file.read_text()

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Save as a new dataset").click()
    page.get_by_label("Name of the dataset").fill("with Malta")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(lambda url: "dataset=" in url and number not in url)
    expect(cell(page, 0, 1)).to_have_text("Malta")
    expect(edits).to_have_text("0")

    page = tab.open(f"/data?dataset={number}")
    for answer, expected in (("Keep", before), ("Overwrite", before.replace("19,France", "19,Malta"))):
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("menuitem", name="Overwrite the file").click()
        expect(page.get_by_text("Overwrite the file?")).to_be_visible()
        page.get_by_role("button", name=answer, exact=True).click()
        expect(page.get_by_text("Overwrite the file?")).to_be_hidden()
        expect(edits).to_have_text("1" if answer == "Keep" else "0")
        assert file.read_text() == expected


def test_2_a_hierarchy_is_loaded_a_leaf_moved_a_second_parent_told_mended_and_saved(
    tab: Tab, api: httpx.Client, example: Path
) -> None:
    number = str(uploaded(api, "rt.csv", (example / "rt.csv").read_text())["id"])
    api.put(f"/api/datasets/{number}/section", json={"section": SECTION})
    page = tab.open(f"/hierarchies?dataset={number}&column=Origin")

    def parent(leaf: str) -> str:
        (kept,) = api.get("/api/hierarchies", params={"dataset": number}).json()
        text = api.get(f"/api/hierarchies/{kept['id']}/hierarchy.csv", params={"form": "edges"}).text
        return dict(line.split(";") for line in text.splitlines())[leaf]

    page.get_by_label("Drop a hierarchy file").set_input_files(example / "Origin.csv")
    expect(page.get_by_text("Fits the data")).to_be_visible()
    ready(page)
    nodes = page.locator("span[draggable]")
    nodes.filter(has_text="Spain").drag_to(nodes.filter(has_text="Africa"))
    expect(page.get_by_text("Changed and saved")).to_be_visible()
    expect(nodes.filter(has_text="Europe")).to_have_text(re.compile("3"))
    assert parent("Spain") == "Africa"
    nodes.filter(has_text="Spain").click()
    page.get_by_role("button", name="Move the selected node", exact=True).click()
    page.get_by_label("Name of the new parent").fill("Europe")
    page.keyboard.press("Enter")
    expect(nodes.filter(has_text="Europe")).to_have_text(re.compile("4"))
    assert parent("Spain") == "Europe"

    # A file in which a value has two parents
    wrong = example / "wrong.csv"
    wrong.write_text((example / "Origin.csv").read_text() + "Spain;Africa\n")
    page.get_by_label("Drop a hierarchy file").set_input_files(wrong)
    words = "line 10: 'Spain' has two parents, 'Europe' on line 9 and 'Africa' on line 10"
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    assert parent("Spain") == "Europe"

    # Its lines, mended in place
    page.get_by_role("button", name="Mend it as text").click()
    dialog = page.get_by_role("dialog")
    lines = dialog.get_by_label("Lines of the hierarchy")
    expect(dialog.get_by_text(words)).to_be_visible()
    line_is_shown(lines, "Spain;Africa")
    dialog.get_by_role("button", name="Save").click()
    line_is_shown(lines, "Spain;Africa")
    expect(dialog.get_by_text(words)).to_be_visible()
    assert parent("Spain") == "Europe"
    expect(lines).to_have_value(re.compile("Spain;Europe"))
    lines.fill(lines.input_value().replace("Spain;Europe\n", ""))
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("Fits the data")).to_be_visible()
    assert parent("Spain") == "Africa"

    # A value that is somewhere else already
    nodes.filter(has_text="Europe").click()
    page.get_by_role("button", name="Add a value below the selected node").click()
    page.get_by_label("Name of the value").fill("Spain")
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("'Spain' already has the parent 'Africa', and a node has one parent")).to_be_visible()
    page.get_by_role("button", name="Move Spain below Europe").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert parent("Spain") == "Europe"


def line_is_shown(field: Locator, line: str) -> None:
    """The line with the problem gets selected a moment after it is told; whoever types before is typing elsewhere."""
    told = """([field, line]) => {
        if (field.value.slice(field.selectionStart, field.selectionEnd) !== line) return false;
        field.setSelectionRange(0, 0);
        return true;
    }"""
    field.page.wait_for_function(told, arg=[field.element_handle(), line])


def test_3_a_workload_is_loaded_edited_counted_saved_exported_and_loaded_again(
    tab: Tab, api: httpx.Client, example: Path, tmp_path: Path
) -> None:
    number = prepared(api, example)
    page = tab.open(f"/queries?dataset={number}")
    file = example / "queries.txt"
    file.write_text("Age in [19:30]\nitems all {E, F}\n")
    drop = page.get_by_label("Drop a file with one query on each line")
    drop.set_input_files(file)
    first, count = page.get_by_label("Query 1", exact=True), page.get_by_label("Count of query 1")
    expect(first).to_have_value("Age in [19:30]")
    expect(count).to_have_text("3")
    expect(page.get_by_label("Count of query 2")).to_have_text("2")
    first.fill("Age in [19:60]")
    expect(count).to_have_text("5")
    first.fill("Age in [19:60")
    expect(page.get_by_text("(character 8)")).to_be_visible()
    expect(count).to_have_text("–")
    first.fill("Age in [19:56]")
    expect(count).to_have_text("5")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("2 queries saved")).to_be_visible()
    assert api.get("/api/queries", params={"dataset": number}).json()["queries"] == [
        "Age in [19:56]",
        "items all {E, F}",
    ]

    exported = downloaded(page, page.get_by_role("button", name="Export the queries").click, tmp_path)
    assert exported.read_text() == "Age in [19:56]\nitems all {E, F}\n"
    page = tab.open(f"/queries?dataset={number}")
    page.get_by_role("button", name="Remove query 2").click()
    expect(page.get_by_label("Query 2", exact=True)).to_have_count(0)
    drop.set_input_files(exported)
    expect(page.get_by_label("Query 2", exact=True)).to_have_value("items all {E, F}")
    expect(first).to_have_value("Age in [19:56]")
    file.write_text("Age in [19:30]\nAge in [19:30\n")
    drop.set_input_files(file)
    expect(page.get_by_text("(line 2, character 8)")).to_be_visible()
    expect(first).to_have_value("Age in [19:56]")


def test_4_cluster_with_pcta_and_a_bound_is_set_up_in_the_form_and_gives_the_printed_classes(
    tab: Tab, api: httpx.Client, example: Path
) -> None:
    number = prepared(api, example)
    page = tab.open(f"/evaluate?dataset={number}")
    choose(page, page.get_by_label("Method", exact=True), re.compile("^RumBound"))
    for name, value in (("k", "2"), ("m", "2")):
        parameter(page, name).fill(value)
    delta, slider = parameter(page, "delta"), page.get_by_role("slider", name="delta, slider")
    if not delta.is_visible():
        show_more(page)
    choose(page, parameter(page, "relational"), "Cluster")
    choose(page, parameter(page, "transaction"), "PCTA")
    if not parameter(page, "seeds").is_visible():
        show_more(page)
    choose(page, parameter(page, "seeds"), "the first record")
    for merge, value, ages, classes in (
        ("r", "0.65", "19:39", [[0, 1, 2, 3], [4, 5]]),
        ("t", "0.77", "19:70", [[0, 1, 4, 5], [2, 3]]),
    ):
        delta.fill(value)
        expect(slider).to_have_attribute("aria-valuenow", value)
        choose(page, parameter(page, "merge"), label_of_choice("merge", merge))
        page.get_by_role("button", name="Run", exact=True).click()
        expect(cell(page, 0, 0)).to_contain_text(ages)
        expect(page.get_by_text("Verified", exact=True)).to_be_visible()
        expect(page.locator(".ag-cell.changed").first).to_be_visible()
        if merge == "r":
            ncp = page.locator(".tile-value").filter(has_text=re.compile(r"^(0\.638|63\.8 %)$"))
            expect(ncp.first).to_be_visible()
        rows = page.locator(".ag-center-cols-container .ag-row")
        expect(rows).to_have_count(6)
        by_values: dict[tuple[str, ...], list[int]] = {}
        for row in range(6):
            told = tuple(cell(page, row, column).inner_text() for column in range(3))
            by_values.setdefault(told, []).append(row)
        assert sorted(by_values.values()) == classes
    slider.locator("[tabindex]").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(delta).to_have_value("0.76")


@dataclass(frozen=True)
class Compared:
    """Three bounding methods over delta, set up and run by clicks."""

    page: Page
    file: str  # copied out of "Show as file" before the run


@pytest.fixture(scope="module")
def compared(
    admitted: BrowserContext, server: Server, api: httpx.Client, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Compared]:
    number = prepared(api, write_example(tmp_path_factory.mktemp("example")))
    tab = Tab(admitted.new_page(), server)
    page = tab.open(f"/queries?dataset={number}")
    page.get_by_label("How many").fill("20")
    page.get_by_role("button", name="Draw", exact=True).click()
    expect(page.get_by_label("Count of query 20")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("20 queries saved")).to_be_visible()

    page = tab.open(f"/compare?dataset={number}")
    cards = page.get_by_role("group", name=re.compile("^Configuration"))
    expect(cards).to_have_count(1)

    def give_label(card: Locator, label: str) -> None:
        """What is typed is kept once the field is left, unless its card was just drawn anew."""
        for _ in range(20):
            card.get_by_label("Label", exact=True).fill(label)
            card.get_by_label("Label", exact=True).press("Tab")
            until = time.monotonic() + 5
            while time.monotonic() < until:
                if label in labels_kept(server.workspace, number):
                    return
                time.sleep(0.05)
        raise AssertionError(f"The label {label} is not kept.")

    give_label(cards.first, "RMERGE_R")
    choose(page, cards.first.get_by_label("Vary"), re.compile(r"\(delta\)$"))
    vary(cards.first, "0.4", "1", "0.1")
    cards.first.get_by_text(re.compile("^Settings")).click()
    for name, value in (("k", "3"), ("m", "2")):
        parameter(cards.first, name).fill(value)
    for name, value in (("merge", "r"), ("seeds", "first")):
        if not parameter(cards.first, name).is_visible():
            show_more(cards.first)
        choose(page, parameter(cards.first, name), label_of_choice(name, value))
    for place, (label, method) in enumerate((("RMERGE_T", "RumBound"), ("TMERGE_R", "TumBound")), start=1):
        page.get_by_role("button", name=re.compile("^Duplicate")).nth(place - 1).click()
        expect(cards).to_have_count(place + 1)
        card = cards.nth(place)
        if method == "TumBound":
            choose(page, card.get_by_label("Method", exact=True), method)
            expect(card.get_by_label("Label", exact=True)).to_have_value(method)
        else:
            card.get_by_text(re.compile("^Settings")).click()
            if not parameter(card, "merge").is_visible():
                show_more(card)
            choose(page, parameter(card, "merge"), label_of_choice("merge", "t"))
        give_label(card, label)
    page.reload()  # everything that was set up is kept
    for place, label in enumerate(("RMERGE_R", "RMERGE_T", "TMERGE_R")):
        expect(cards.nth(place).get_by_label("Label", exact=True)).to_have_value(label)
    told = copied_file(page)
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("21 of 21 finished")).to_be_visible(timeout=240_000)
    yield Compared(page, told)
    page.close()
    assert tab.errors == []


def labels_kept(workspace: Path, dataset: str) -> list[str]:
    """The labels of the configurations of a dataset, as the workspace keeps them."""
    entries = [json.loads(file.read_text())["content"] for file in workspace.glob("experiments/*/entry.json")]
    return [run.get("label") for entry in entries if entry.get("dataset") == dataset for run in entry["tables"]["run"]]


def test_5_three_bounding_methods_over_delta_are_lines_with_gaps(compared: Compared) -> None:
    page = compared.page
    plot = page.locator("section", has=page.get_by_role("heading", name="What protection costs"))
    svg = plot.locator("svg.crypsis-plot")
    view = svg.locator("g.view:not([display=none])")  # the others have other axes
    for figure in (
        r"^Average relative error \(ARE\)",
        r"^Normalized certainty penalty \(NCP\)$",
        r"^Utility loss \(UL\)",
        "^Seconds",
    ):
        choose(page, plot.get_by_label("Figure"), re.compile(figure))
        expect(plot.get_by_label("Figure")).to_have_value(re.compile(figure))
        expect(view.locator("path.curve")).to_have_count(3)
        for label in ("RMERGE_R", "RMERGE_T", "TMERGE_R"):
            expect(svg.get_by_text(label, exact=True)).to_be_visible()
    expect(page.locator("tbody tr", has_text="not possible")).to_have_count(4)  # RMERGE below 0.6
    expect(view.locator("path.gap")).to_have_count(4)
    expect(view.locator("path.gap").first).to_be_visible()


def test_6_the_four_visualizations_are_chosen_drawn_and_exported(compared: Compared, tmp_path: Path) -> None:
    page = compared.page
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.locator("h1")).to_have_text("Results")
    plots = page.locator("section", has=page.get_by_role("heading", name="Plots", exact=True))
    kind = plots.get_by_label("Plot", exact=True)
    for title, options, words, numbers in (
        (
            "Figure over a parameter",
            {"Figure": re.compile(r"^Average relative error \(ARE\)"), "Over": "delta"},
            "RMERGE_T",
            "TMERGE_R,0.4,",
        ),
        ("Time per phase", {}, "unite clusters", "unite clusters"),
        ("Frequency of generalized values", {"Column": "Origin"}, "Published values of Origin", "All,6"),
        ("Error of item frequencies", {}, "relative error", ",G,3,"),
    ):
        choose(page, kind, title)
        for label, option in options.items():
            choose(page, plots.get_by_label(label, exact=True), option)
        plots.get_by_role("button", name="Add plot").click()
        tile = plots.get_by_role("group", name=f"Plot {title}").first
        expect(tile.locator("svg.crypsis-plot")).to_be_visible()
        exports = tile.get_by_role("button", name="Export this plot")
        pdf = from_menu(page, exports, "PDF", tmp_path).read_bytes()
        assert pdf.startswith(b"%PDF"), title
        assert any(words in text for text in texts_in_pdf(pdf)), title
        png = from_menu(page, exports, "PNG", tmp_path)
        assert png.suffix == ".png"
        assert png.read_bytes().startswith(b"\x89PNG"), title
        table = from_menu(page, exports, "Numbers (CSV)", tmp_path)
        assert table.suffix == ".csv"
        assert numbers in table.read_text(), title


def test_7_a_server_that_is_killed_leaves_finished_cells_and_a_click_runs_the_others(
    browser: Browser, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    first = start(workspace)
    try:
        with first.client() as client:
            number = sample(client, "patients", size=3000)["id"]
        page = context.new_page()
        page.goto(first.address)
        page = Tab(page, first).open(f"/compare?dataset={number}")
        vary(page, "5", "24", "1")
        page.get_by_role("button", name="Run all").click()
        store = with_a_finished_cell(workspace)
    finally:
        first.kill()
    kept = settled(store)
    assert 1 <= len(kept) < 20

    second = start(workspace)
    try:
        page.goto(second.address)
        tab = Tab(page, second)
        page = tab.open(f"/compare?dataset={number}")
        expect(page.get_by_text(f"{20 - len(kept)} of 20 cells are not finished")).to_be_visible()
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("20 of 20 finished")).to_be_visible(timeout=240_000)
        expect(page.get_by_text("not finished")).to_have_count(0)
        assert tab.errors == []
    finally:
        context.close()
        second.stop()
    after = states(store)
    assert len(after) == 20
    assert {name: after[name] for name in kept} == kept


def with_a_finished_cell(workspace: Path) -> Path:
    """The store of the only experiment, as soon as one of its cells has finished."""
    until = time.monotonic() + 240
    while time.monotonic() < until:
        for store in workspace.glob("experiments/*/store/cells"):
            if states(store):
                return store
        time.sleep(0.02)
    raise AssertionError("No cell finished.")


def states(store: Path) -> dict[str, int]:
    """When the state of each finished cell was written."""
    whole = [path for path in store.glob("*/state.json") if not path.parent.name.startswith(".")]  # a kill leaves parts
    return {path.parent.name: path.stat().st_mtime_ns for path in whole}


def settled(store: Path) -> dict[str, int]:
    """The same, once the worker of a killed server has ended, too."""
    before: dict[str, int] = {}
    while (now := states(store)) != before:
        before = now
        time.sleep(0.5)
    return before


def test_8_the_copied_file_gives_the_same_results_on_the_command_line(compared: Compared, tmp_path: Path) -> None:
    file = tmp_path / "experiment.toml"
    file.write_text(compared.file)
    with pytest.raises(SystemExit):
        main(["run", str(file), "--out", str(tmp_path / "out"), "--quiet", "--workers", "1"])
    page = compared.page
    if "/results" not in page.url:
        page.get_by_role("link", name="Results", exact=True).click()
    clicked = downloaded(page, page.get_by_role("button", name="results.csv").click, tmp_path)
    browser, line = (without_times(path.read_text()) for path in (clicked, tmp_path / "out" / "results.csv"))
    assert len(browser) == 21
    assert browser == line


def without_times(text: str) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO(text))
    return [{name: value for name, value in row.items() if not is_time_column(name)} for row in rows]


def label_of_choice(name: str, choice: str) -> str:
    """What the form of RumBound and TumBound shows for a choice."""
    return {parameter.name: parameter.choice_labels for parameter in parameters_of(RumBound)}[name][choice]
