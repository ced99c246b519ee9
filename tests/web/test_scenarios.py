"""What people do in the browser, in a real one: the acceptance scenarios, and the path of somebody who is new."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from crypsis.cli.main import main
from tests.shared_data import GOLDEN
from tests.web.conftest import Server, Tab, sample, start, uploaded

FIGURES = json.loads((GOLDEN / "rt" / "rt_figures.json").read_text(encoding="utf-8"))


def rt_csv() -> str:
    """The example of the figures as a table with a column of items."""
    lines = ["Age,Origin,Gender,items"]
    for values, items in zip(FIGURES["relational"], FIGURES["transactions"], strict=True):
        lines.append(",".join(map(str, values)) + "," + " ".join(items))
    return "\n".join(lines) + "\n"


SECTION = {
    "kind": "mixed",
    "columns": {
        "Age": {"type": "int", "role": "quasi"},
        "Origin": {"type": "category", "role": "quasi"},
        "Gender": {"type": "category", "role": "quasi"},
        "items": {"type": "items", "item_separator": " "},
    },
}


def rt_dataset(api: httpx.Client) -> str:
    number = str(uploaded(api, "rt.csv", rt_csv())["id"])
    answer = api.put(f"/api/datasets/{number}/section", json={"section": SECTION})
    assert answer.status_code == 200, answer.text
    for column in ("Origin", "Gender"):
        pairs = "child;parent\n" + "".join(f"{a};{b}\n" for a, b in FIGURES["hierarchies"][column].items())
        sent = api.post("/api/uploads", params={"name": "h.csv"}, content=pairs).json()["id"]
        kept = api.post("/api/hierarchies", json={"dataset": number, "column": column, "upload": sent})
        assert kept.status_code == 201, kept.text
    return number


def cell(page: Page, row: int, column: int) -> Any:
    return page.locator(f'.ag-center-cols-container [row-index="{row}"] [col-id="c{column}"]')


def test_somebody_new_loads_runs_reads_the_verdict_compares_downloads_and_verifies(
    tab: Tab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tab.open("/data")
    add = page.get_by_role("button", name="Add data")
    if add.is_visible():
        add.click()
    page.get_by_role("button", name="Load the sample checkins").click()
    page.wait_for_url(re.compile(r"dataset="))
    expect(page.get_by_text("Stand out")).to_be_visible()
    page.get_by_role("button", name="Try a method").click()
    expect(page.get_by_text("SeqAnon · suggested")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=90_000)
    expect(page.get_by_text("k^m-anonymity (k=5, m=2) holds")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download release").click()
    archive = tmp_path / "release.zip"
    waiting.value.save_as(archive)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["verify", str(tmp_path / "release")])
    assert stopped.value.code == 0
    assert "verified" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "release" / "release.json").read_text())
    assert manifest["method"]["name"] == "seq-anon"
    assert str(tab.server.workspace) not in (tmp_path / "release" / "release.json").read_text()

    page.get_by_role("button", name="Compare with others").click()
    page.get_by_role("button", name="Add a configuration").click()
    expect(page.get_by_role("group", name=re.compile("^Configuration"))).to_have_count(2)
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("10 of 10 finished")).to_be_visible(timeout=90_000)
    expect(page.locator("svg.crypsis-plot")).to_have_count(2)

    page = tab.open("/verify")
    page.get_by_label("Drop the archive of a release, or a published file").set_input_files(archive)
    expect(page.get_by_text("Verified: release.zip")).to_be_visible()


def test_rename_change_undo_export_and_load_again_gives_equal_tables(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    number = rt_dataset(api)
    page = tab.open(f"/data?dataset={number}")
    expect(cell(page, 0, 0)).to_be_visible()
    page.get_by_role("button", name="Rename Origin").click()
    page.get_by_label("New name of the column").fill("Country")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_role("columnheader", name="Country")).to_be_visible()
    cell(page, 1, 0).dblclick()
    page.keyboard.press("Control+A")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    expect(page.locator(".tile", has_text="Edits").locator(".tile-value")).to_have_text("2")
    assert api.get(f"/api/datasets/{number}/rows").json()["rows"][1][0] == "99"
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, 1, 0)).to_have_text(str(FIGURES["relational"][1][0]))
    page.reload()
    expect(page.get_by_role("columnheader", name="Country")).to_be_visible()
    exported = api.get(f"/api/datasets/{number}/file.csv").content
    again = uploaded(api, "again.csv", exported)["id"]
    one, other = (api.get(f"/api/datasets/{n}/rows").json() for n in (number, again))
    assert one["rows"] == other["rows"]
    assert one["columns"] == ["Age", "Country", "Gender", "items"] == other["columns"]


def test_a_leaf_is_moved_a_taken_name_is_refused_beside_the_field_and_then_mended(tab: Tab, api: httpx.Client) -> None:
    number = rt_dataset(api)
    page = tab.open(f"/hierarchies?dataset={number}&column=Origin")
    expect(page.get_by_text("Fits the data")).to_be_visible()
    nodes = FIGURES["hierarchies"]["Origin"]
    leaf = next(child for child in nodes if child not in nodes.values())
    inner = sorted({parent for parent in nodes.values() if parent in nodes} - {nodes[leaf]})
    other = inner[0]
    page.locator(".q-tree__node-header", has_text=leaf).last.click()
    page.get_by_role("button", name="Rename the selected node").click()
    page.get_by_label("New name").fill(other)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("names are unique")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Move the selected node", exact=True).click()
    page.get_by_label("Name of the new parent").fill(other)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_text("Changed and saved")).to_be_visible()
    kept = api.get("/api/hierarchies", params={"dataset": number}).json()
    origin = next(one for one in kept if one["column"] == "Origin")
    text = api.get(f"/api/hierarchies/{origin['id']}/hierarchy.csv").text
    assert any(line.startswith(f"{leaf};{other}") for line in text.splitlines())


def test_a_value_is_dragged_below_another_node(tab: Tab, api: httpx.Client) -> None:
    number = uploaded(api, "ages.csv", "age,city\n20,Oslo\n30,Oslo\n40,Rome\n")["id"]
    sent = api.post("/api/uploads", params={"name": "h.csv"}, content="Oslo;North;Any\nRome;South;Any\n").json()["id"]
    kept = api.post("/api/hierarchies", json={"dataset": number, "column": "city", "upload": sent})
    assert kept.status_code == 201, kept.text
    page = tab.open(f"/hierarchies?dataset={number}&column=city")
    nodes = page.locator("span[draggable]")
    expect(nodes).to_have_count(5)
    nodes.filter(has_text="Rome").drag_to(nodes.filter(has_text="North"))
    expect(nodes).to_have_count(4)  # South has no values any more
    expect(nodes.filter(has_text="South")).to_have_count(0)


def test_the_count_of_a_query_changes_as_it_is_typed(tab: Tab, api: httpx.Client) -> None:
    number = uploaded(api, "ages.csv", "age,city\n20,Oslo\n30,Oslo\n40,Rome\n")["id"]
    section = {
        "kind": "table",
        "columns": {"age": {"type": "int", "role": "quasi"}, "city": {"type": "category", "role": "quasi"}},
    }
    api.put(f"/api/datasets/{number}/section", json={"section": section})
    api.put("/api/queries", params={"dataset": number}, json={"queries": ["age in [20:30]"]})
    page = tab.open(f"/queries?dataset={number}")
    expect(page.get_by_label("Count of query 1")).to_have_text("2")
    page.get_by_label("Query 1", exact=True).fill("age in [20:40]")
    expect(page.get_by_label("Count of query 1")).to_have_text("3")
    page.get_by_label("Query 1", exact=True).fill("age in [20:")
    expect(page.get_by_text("is not closed")).to_be_visible()


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


def test_a_second_tab_sees_what_the_first_saved_and_is_told_when_it_is_behind(tab: Tab, api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", "age,city\n20,Oslo\n30,Oslo\n")["id"]
    page = tab.open(f"/data?dataset={number}")
    expect(cell(page, 0, 1)).to_have_text("Oslo")
    change = {"edit": "set", "row": 0, "column": "city", "value": "Riga"}
    assert api.post(f"/api/datasets/{number}/edits", json={"edit": change}).status_code == 200
    cell(page, 1, 1).dblclick()
    page.keyboard.press("Control+A")
    page.keyboard.type("Rome")
    page.keyboard.press("Enter")
    expect(page.get_by_text("was changed in another tab")).to_be_visible()
    expect(cell(page, 0, 1)).to_have_text("Riga")
    expect(cell(page, 1, 1)).to_have_text("Oslo")


def test_any_row_of_a_million_is_answered_in_half_a_second_and_shown_without_loading_the_others(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    import polars as pl

    file = tmp_path / "million.csv"
    pl.DataFrame({"n": range(1_000_000), "city": ["Oslo", "Rome"] * 500_000}).write_csv(file)
    number = api.post("/api/datasets", json={"path": str(file)}).json()["id"]
    page = tab.open(f"/data?dataset={number}")
    expect(cell(page, 0, 0)).to_have_text("0")
    taken = []
    for row in (999_900, 1, 765_431, 500_000, 250_000):
        answer = api.get(f"/api/datasets/{number}/rows", params={"offset": row, "limit": 100})
        assert answer.json()["rows"][0][0] == str(row)
        taken.append(answer.elapsed.total_seconds())
    assert sorted(taken)[2] < 0.5
    page.get_by_label("Go to row").fill("765432")
    page.keyboard.press("Enter")
    expect(page.locator('.ag-center-cols-container [col-id="c0"]', has_text="765431").first).to_be_visible()
    assert page.locator(".ag-center-cols-container .ag-row").count() < 400


def test_the_keyboard_reaches_everything_and_every_field_has_a_name(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "patients", size=100)["id"]
    for path in ("/data", "/evaluate", "/queries", "/verify", "/compare"):
        page = tab.open(f"{path}?dataset={number}")
        page.wait_for_timeout(300)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll('input:not([type=hidden]), textarea, select, button')]
            .filter(one => one.offsetParent !== null && !one.closest('.ag-root-wrapper'))
            .filter(one => !(one.getAttribute('aria-label') || one.innerText?.trim() || one.labels?.length
                || one.closest('label')?.innerText.trim() || one.closest('[aria-label]')))
            .map(one => one.outerHTML.slice(0, 120))"""
        )
        assert unnamed == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    page = tab.open("/methods")
    seen = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement?.innerText?.trim() || ''"))
    assert {"Evaluate", "Compare", "Verify"} <= {text.split("\n")[-1] for text in seen}


def test_light_and_dark_are_kept(tab: Tab) -> None:
    page = tab.open("/methods")
    was_dark = page.evaluate("document.body.classList.contains('body--dark')")
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body")).to_have_class(re.compile("body--light" if was_dark else "body--dark"))
    page.reload()
    expect(page.locator("body")).to_have_class(re.compile("body--light" if was_dark else "body--dark"))


def test_a_stream_is_watched_stopped_and_goes_on(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "metro", size=150)["id"]
    page = tab.open(f"/streams?dataset={number}")
    page.get_by_label("People who must fit what is known (K)").fill("5")
    page.get_by_label("Speed of the replay, in events a second").fill("40")  # so that it lasts until it is stopped
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Windows out")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("In the window")).to_be_visible()
    page.get_by_role("button", name="Stop").click()


def test_areas_of_a_tessellation_are_merged_marked_and_undone(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "tracks", size=60)["id"]
    page = tab.open(f"/trajectories?dataset={number}")
    expect(page.locator("path.area").first).to_be_visible(timeout=60_000)
    before = page.locator("path.area").count()
    page.get_by_role("button", name="Step").click()
    expect(page.locator("path.area")).not_to_have_count(before)
    page.locator("path.area").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("path.area.marked")).to_have_count(1)
    page.get_by_role("button", name="Suggest a limit").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("path.area")).to_have_count(before)


def finished(api: httpx.Client, number: str, patience: float = 120) -> dict[str, Any]:
    import time

    until = time.monotonic() + patience
    while time.monotonic() < until:
        seen = dict(api.get(f"/api/experiments/{number}/progress").json())
        if not seen["running"]:
            assert seen["error"] is None, seen["error"]
            return seen
        time.sleep(0.3)
    raise AssertionError("The experiment did not end.")


RT_RUN = {
    "relational": {"method": "cluster", "seeds": "first"},
    "transaction": {"method": "pcta"},
    "params": {"k": 2, "m": 2},
}


def test_sweeping_delta_over_three_bounding_methods_gives_lines_gaps_and_the_same_results_as_the_command_line(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    import csv

    number = rt_dataset(api)
    sweep = {"param": "delta", "start": 0.3, "end": 1.0, "step": 0.1}
    runs = [
        {**RT_RUN, "label": name, "bound": {"method": f"RMERGE_{name}"}, "sweep": sweep} for name in ("R", "T", "RT")
    ]
    tables = {
        "run": runs,
        "workers": 1,
        "metrics": {"list": ["ncp", "ul", "are", "runtime"]},
        "queries": {"generate": {"count": 20, "relational": 1, "items": 1, "range_share": 0.3, "seed": 3}},
    }
    made = api.post("/api/experiments", json={"dataset": number, "mode": "compare", "tables": tables}).json()
    page = tab.open(f"/compare?dataset={number}&experiment={made['id']}")
    page.get_by_role("button", name="Run all").click()
    expect(page.get_by_text("24 of 24 finished")).to_be_visible(timeout=120_000)
    expect(page.get_by_text("not possible").first).to_be_visible()
    expect(page.locator("svg.crypsis-plot")).to_have_count(2)

    file = tmp_path / "experiment.toml"
    file.write_text(api.get(f"/api/experiments/{made['id']}/experiment.toml").text)
    with pytest.raises(SystemExit):
        main(["run", str(file), "--out", str(tmp_path / "out"), "--quiet"])

    def told(text: str) -> list[dict[str, str]]:
        rows = list(csv.DictReader(io.StringIO(text)))
        times = re.compile(r"runtime|seconds|memory|^s_|phase")
        return [{name: value for name, value in row.items() if not times.search(name)} for row in rows]

    from_browser = told(api.get(f"/api/experiments/{made['id']}/results.csv").text)
    from_line = told((tmp_path / "out" / "results.csv").read_text())
    assert len(from_browser) == 24
    assert from_browser == from_line
    for kind, query in (
        ("line", {"x": "delta", "y": "are"}),
        ("tradeoff", {"x": "ncp", "y": "ul"}),
        ("phases", {}),
        ("generalized_frequency", {"column": "Origin"}),
        ("value_difference", {"column": "Origin"}),
        ("item_error", {}),
    ):
        for format, start_of in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
            answer = api.get(f"/api/experiments/{made['id']}/plots/{kind}", params={**query, "format": format})
            assert answer.status_code == 200, answer.text
            assert answer.content.startswith(start_of)


@pytest.mark.parametrize(
    ("merge", "delta", "classes"), [("r", 0.65, [[0, 1, 2, 3], [4, 5]]), ("t", 0.77, [[0, 1, 4, 5], [2, 3]])]
)
def test_the_worked_example_gives_its_classes_in_the_browser(
    tab: Tab, api: httpx.Client, merge: str, delta: float, classes: list[list[int]]
) -> None:
    number = rt_dataset(api)
    params = {
        "k": 2,
        "m": 2,
        "delta": delta,
        "relational": "cluster",
        "transaction": "pcta",
        "merge": merge,
        "seeds": "first",
    }
    tables = {"run": [{"method": "rum-bound", "params": params}], "metrics": {"list": ["ncp", "ul"]}}
    made = api.post("/api/experiments", json={"dataset": number, "mode": "evaluate", "tables": tables}).json()["id"]
    page = tab.open(f"/evaluate?dataset={number}")
    expect(page.get_by_label("(delta)")).to_have_value(str(delta))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=90_000)
    if merge == "r":
        expect(page.locator(".tile", has_text="NCP").locator(".tile-value")).to_have_text("0.638")
    (found,) = api.get(f"/api/experiments/{made}/progress").json()["cells"]
    shown = api.get(f"/api/experiments/{made}/cells/{found['cell']}/rows").json()
    by_values: dict[tuple[str, ...], list[int]] = {}
    for place, row in zip(shown["places"], shown["rows"], strict=True):
        by_values.setdefault(tuple(row[:3]), []).append(place)
    assert sorted(by_values.values()) == classes
    expect(page.locator(".ag-cell.changed").first).to_be_visible()


def test_what_a_private_method_must_be_told_is_asked_for_beside_the_field(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "baskets", size=200)["id"]
    page = tab.open(f"/evaluate?dataset={number}&method=diff-part")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Declare it: taking it from the data would tell who is in them")).to_be_visible()
    page.get_by_role("button", name="What is in the data is public").click()
    expect(page.get_by_label("item_domain")).to_have_value("public-in-data")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=120_000)
    page = tab.open("/methods?name=diff-part")
    expect(page.get_by_text("differential privacy").first).to_be_visible()


def test_configurations_are_duplicated_moved_and_removed(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "checkins", size=100)["id"]
    runs = [{"label": name, "method": "seq-anon", "params": {"k": 3}} for name in ("one", "two")]
    made = api.post("/api/experiments", json={"dataset": number, "mode": "compare", "tables": {"run": runs}}).json()[
        "id"
    ]

    def labels() -> list[str]:
        return [run["label"] for run in api.get(f"/api/experiments/{made}").json()["tables"]["run"]]

    page = tab.open(f"/compare?dataset={number}")
    page.get_by_role("button", name="Duplicate one").click()
    expect(page.get_by_role("group", name=re.compile("^Configuration"))).to_have_count(3)
    assert labels() == ["one", "one 2", "two"]
    page.get_by_role("button", name="Move two to the front").click()
    expect(page.get_by_role("group", name=re.compile("^Configuration")).nth(1)).to_have_attribute(
        "aria-label", "Configuration two"
    )
    assert labels() == ["one", "two", "one 2"]
    page.get_by_role("button", name="Remove one", exact=True).click()
    expect(page.get_by_role("group", name=re.compile("^Configuration"))).to_have_count(2)
    assert labels() == ["two", "one 2"]
    page.reload()
    expect(page.get_by_role("group", name="Configuration two")).to_be_visible()


def test_killing_the_server_in_the_middle_loses_only_unfinished_cells(tmp_path: Path) -> None:
    import time

    workspace = tmp_path / "workspace"
    first = start(workspace)
    with httpx.Client(
        base_url=first.base, headers={"Authorization": f"Bearer {first.token}"}, timeout=60, trust_env=False
    ) as client:
        number = sample(client, "checkins", size=800)["id"]
        sweep = {"param": "k", "start": 2, "end": 61, "step": 1}
        tables = {"run": [{"label": "seq", "method": "seq-anon", "params": {"m": 2}, "sweep": sweep}], "workers": 1}
        made = client.post("/api/experiments", json={"dataset": number, "mode": "compare", "tables": tables}).json()
        client.post(f"/api/experiments/{made['id']}/start", json={"workers": 1})
        until = time.monotonic() + 90
        while client.get(f"/api/experiments/{made['id']}/progress").json()["finished"] < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
    first.kill()
    store = workspace / "experiments" / made["id"] / "store" / "cells"
    kept = {path.parent.name: path.stat().st_mtime_ns for path in store.glob("*/state.json")}
    assert 2 <= len(kept) < 60
    second = start(workspace)
    try:
        headers = {"Authorization": f"Bearer {second.token}"}
        with httpx.Client(base_url=second.base, headers=headers, timeout=60, trust_env=False) as client:
            assert client.post(f"/api/experiments/{made['id']}/start", json={"workers": 1}).status_code == 202
            seen = finished(client, made["id"])
            assert {cell["state"] for cell in seen["cells"]} == {"done"}
            assert len(seen["cells"]) == 60
    finally:
        second.stop()
    after = {path.parent.name: path.stat().st_mtime_ns for path in store.glob("*/state.json")}
    assert {name: after[name] for name in kept} == kept


def test_a_run_is_cancelled_and_its_state_says_so(api: httpx.Client) -> None:
    number = sample(api, "checkins", size=2000)["id"]
    sweep = {"param": "k", "start": 2, "end": 60, "step": 1}
    tables = {"run": [{"label": "seq", "method": "seq-anon", "params": {"m": 2}, "sweep": sweep}]}
    made = api.post("/api/experiments", json={"dataset": number, "mode": "compare", "tables": tables}).json()["id"]
    api.post(f"/api/experiments/{made}/start", json={"workers": 1})
    seen = api.post(f"/api/experiments/{made}/cancel").json()
    assert seen["running"] is False
    states = {cell["state"] for cell in seen["cells"]}
    assert states & {"cancelled", "waiting"}
    assert "running" not in states


def test_an_experiment_file_is_shown_changed_and_taken_back(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "checkins", size=200)["id"]
    page = tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Show as file").click()
    field = page.get_by_label("Experiment file (TOML)")
    text = field.input_value()
    assert "seq-anon" in text
    field.fill(text.replace("k = 5", "k = 9"))
    page.get_by_role("button", name="Use this file").click()
    expect(page.get_by_label("(k)")).to_have_value("9")
    page.get_by_role("button", name="Show as file").click()
    field.fill("this is no file")
    page.get_by_role("button", name="Use this file").click()
    expect(page.get_by_text("neither TOML nor JSON")).to_be_visible()


def test_every_page_opens_empty_and_with_data_without_asking_anybody_else(
    tab: Tab, tmp_path: Path, server: Server
) -> None:
    for path in (
        "data",
        "hierarchies",
        "policies",
        "queries",
        "evaluate",
        "compare",
        "results",
        "trajectories",
        "streams",
        "verify",
        "methods",
    ):
        page = tab.open(f"/{path}")
        expect(page.locator("h1")).to_have_text(path.capitalize())
    assert tab.elsewhere == []
