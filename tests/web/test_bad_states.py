"""Bad input and states of section 9 of the workbench: what the API answers and what the person at the page sees.

The same rows on the command line are in tests/cli/test_bad_experiments.py.
"""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.web.server import listening
from tests.web.conftest import Server, Tab, uploaded
from tests.web.experiments import ended, experiment

PEOPLE = "age,city,ill\n" + "".join(f"{20 + n % 9},{'abc'[n % 3]}town,{('flu', 'cold')[n % 2]}\n" for n in range(36))
ROLES = {
    "kind": "table",
    "columns": {
        "age": {"type": "int", "role": "quasi"},
        "city": {"type": "category", "role": "quasi"},
        "ill": {"type": "category", "role": "sensitive"},
    },
}


@pytest.fixture(scope="module")
def people(api: httpx.Client) -> str:
    return dataset(api)


def dataset(api: httpx.Client) -> str:
    number = str(uploaded(api, "people.csv", PEOPLE)["id"])
    assert api.put(f"/api/datasets/{number}/section", json={"section": ROLES}).status_code == 200
    return number


def refused(api: httpx.Client, number: str, **tables: Any) -> str:
    """What is wrong with an experiment, after making sure that it cannot be started."""
    made = experiment(api, number, **tables)
    problems = api.get(f"/api/experiments/{made}/problems").json()
    answer = api.post(f"/api/experiments/{made}/start", json={})
    assert answer.status_code == 400
    assert answer.json()["error"]["problems"] == problems
    return "\n".join(f"{one['code']}: {one['message']} ({one['where']})" for one in problems)


def test_no_run_unknown_method_and_a_parameter_out_of_range_are_all_listed_at_once(
    api: httpx.Client, people: str, tab: Tab
) -> None:
    assert "the experiment has no run" in refused(api, people, run=[])
    runs = [
        {"label": "one", "method": "mondrain"},
        {"label": "two", "method": "mondrian", "params": {"k": 0, "kk": 2}},
    ]
    told = refused(api, people, run=runs)
    for words in ("Did you mean 'mondrian'", "k must be an int of at least 1, got 0", "no parameter 'kk'"):
        assert words in told
    made = experiment(api, people, run=runs)
    page = tab.open(f"/compare?dataset={people}&experiment={made}")
    page.get_by_role("button", name="Run all").click()
    for words in ("there is no method 'mondrain'", "got 0", "no parameter 'kk'"):
        expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    wrong = page.get_by_role("alert").filter(has_text="there is no method 'mondrain'")
    page.get_by_role("button", name="Run all").click()
    expect(wrong).to_have_count(1)  # said once, however often it is tried
    expect(wrong.get_by_role("button", name="Look at the columns on the page Data")).to_be_visible()
    cards = page.get_by_role("group", name=re.compile("^Configuration"))
    before = cards.count()
    wrong.get_by_role("button", name="Remove this configuration").click()
    expect(cards).to_have_count(before - 1)
    expect(page.get_by_role("group", name="Configuration one")).to_have_count(0)


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        ({"param": "k", "start": 2, "end": 9, "step": 0}, "step must not be 0"),
        ({"param": "k", "start": 2, "end": 9, "step": -1}, "change its sign"),
        ({"param": "k", "start": 1, "end": 10_001, "step": 1}, "at most 10,000 are allowed"),
    ],
)
def test_a_sweep_with_step_0_wrong_sign_or_more_than_10000_cells(
    api: httpx.Client, people: str, sweep: dict[str, Any], words: str
) -> None:
    assert words in refused(api, people, run=[{"method": "mondrian", "sweep": sweep}])


def test_a_method_that_is_not_applicable_is_rejected_with_the_reason(api: httpx.Client, people: str, tab: Tab) -> None:
    told = refused(api, people, run=[{"method": "lra"}, {"method": "mondrian"}])
    assert told.count("\n") == 0  # that run, and no other
    assert "lra cannot be run: it needs sets of items" in told
    page = tab.open(f"/evaluate?dataset={people}")
    page.get_by_text("methods do not fit these data").click()
    expect(page.get_by_text(re.compile("^LRA: it needs sets of items"))).to_be_visible()


def test_where_a_hierarchy_is_missing_auto_is_offered(api: httpx.Client) -> None:
    number = dataset(api)
    made = experiment(api, number, run=[{"method": "incognito", "params": {"k": 3}}])  # which needs hierarchies
    assert api.get(f"/api/experiments/{made}/problems").json() == []  # they are built by themselves
    offered = api.get("/api/hierarchies/preview", params={"dataset": number, "column": "city", "auto": "auto"})
    assert offered.status_code == 200


def test_two_runs_with_the_same_label(api: httpx.Client, people: str) -> None:
    runs = [{"label": "a", "method": "mondrian"}, {"label": "a", "method": "cluster"}]
    assert "the label 'a' is that of run 1 already" in refused(api, people, run=runs)


def test_when_the_dataset_changes_after_results_exist_old_results_are_kept_and_marked_stale(
    api: httpx.Client, tab: Tab
) -> None:
    number = dataset(api)
    made = experiment(api, number, run=[{"label": "m", "method": "mondrian", "sweep": {"param": "k", "values": [2]}}])
    (first,) = ended(api, made)["cells"]
    assert (first["state"], first["stale"]) == ("done", False)
    edit = {"edit": "set", "row": 0, "column": "age", "value": "33"}
    assert api.post(f"/api/datasets/{number}/edits", json={"edit": edit}).status_code == 200
    seen = api.get(f"/api/experiments/{made}/progress").json()
    assert [(cell["cell"], cell["stale"]) for cell in seen["cells"]] == [(first["cell"], True)]
    page = tab.open(f"/results?experiment={made}")
    expect(page.get_by_text("1 result is stale")).to_be_visible()
    expect(page.locator("tbody tr").filter(has_text="stale")).to_have_count(1)
    (second,) = ended(api, made)["cells"]
    assert second["cell"] != first["cell"]
    assert second["stale"] is False
    rows = api.get(f"/api/experiments/{made}/results", params={"stale": True}).json()
    assert [(row["cell"], row["state"], row["stale"]) for row in rows] == [
        (second["cell"], "done", False),
        (first["cell"], "done", True),
    ]
    expect(page.get_by_text("1 of 1 finished")).to_be_visible()
    expect(page.locator("tbody tr").filter(has_text="done")).to_have_count(2)
    expect(page.locator("tbody tr").filter(has_text="stale")).to_have_count(1)
    assert "Stale results" in api.get(f"/api/experiments/{made}/report.html").text
    kept = api.get(f"/api/experiments/{made}/cells/{first['cell']}/rows")
    assert kept.json()["total"] == 36
    assert not any(kept.json()["changed"])  # there is nothing to compare them with any more
    archive = f"/api/experiments/{made}/cells/{first['cell']}/release.zip"
    refused_archive = api.get(archive)
    assert refused_archive.json()["error"]["code"] == "stale-result"
    assert api.get(archive, params={"stale": True}).content.startswith(b"PK")
    undone = api.post(f"/api/datasets/{number}/undo")
    assert undone.status_code == 200
    again = ended(api, made)
    assert [cell["cell"] for cell in again["cells"]] == [first["cell"]]  # known already, so it is taken as it is
    assert [cell["cell"] for cell in again["stale"]] == [second["cell"]]


def test_one_cell_that_exceeds_its_limit_leaves_the_others_alone(api: httpx.Client, people: str, tab: Tab) -> None:
    made = experiment(
        api,
        people,
        limits={"seconds": 0.0001},
        run=[
            {"label": "slow", "method": "cluster", "params": {"k": 2}},
            {"label": "none", "method": "mondrian", "params": {"k": 500}},
        ],
    )
    seen = ended(api, made)
    states = {cell["label"]: cell["state"] for cell in seen["cells"]}
    assert states["slow"] == "too_slow"
    assert states["none"] in ("infeasible", "too_slow")
    assert seen["finished"] == 2
    assert seen["error"] is None
    page = tab.open(f"/results?experiment={made}")
    expect(page.locator("tbody tr").filter(has_text="slow").first).to_contain_text("longer than its limit")


def test_a_port_in_use_gives_the_next_free_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with listening("127.0.0.1", port) as opened:
            assert port < opened.getsockname()[1] < port + 50


def test_an_invalid_token_and_a_cross_origin_request_are_answered_with_403(server: Server, tab: Tab) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {server.token}", "Origin": "http://evil.example"},
    ):
        answer = httpx.get(f"{server.base}/api/datasets", headers=headers, trust_env=False, timeout=120)
        assert answer.status_code == 403
        assert set(answer.json()["error"]) >= {"code", "message"}
    answer = httpx.get(f"{server.base}/?token=wrong", trust_env=False, timeout=120)
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), bytes(range(256)) * 20, b"\xff\xfe\x00"]
)
def test_the_upload_of_a_non_csv_binary_is_an_input_error(api: httpx.Client, content: bytes) -> None:
    sent = api.post("/api/uploads", params={"name": "table.csv"}, content=content).json()["id"]
    answer = api.post("/api/datasets", json={"upload": sent})
    assert answer.status_code == 400
    assert answer.json()["error"]["family"] == "input-error"


def test_a_binary_that_is_dropped_on_the_page_is_refused_in_words(people: str, tab: Tab) -> None:
    page = tab.open(f"/data?dataset={people}")
    page.get_by_role("button", name="Add data").click()
    content = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))
    page.get_by_label("Drop a file here, or choose one").set_input_files(
        {"name": "table.csv", "mimeType": "text/csv", "buffer": content}
    )
    expect(page.get_by_text("By its first bytes table.csv is PNG, which is not read").first).to_be_visible()


def test_cancel_during_a_run_stops_the_worker_removes_partial_files_and_says_cancelled(
    api: httpx.Client, server: Server, tab: Tab
) -> None:
    number = str(api.post("/api/datasets", json={"sample": "checkins", "size": 3000}).json()["id"])
    sweep = {"param": "k", "start": 2, "end": 60, "step": 1}
    run = {"label": "seq", "method": "seq-anon", "params": {"m": 3}, "sweep": sweep}
    made = experiment(api, number, run=[run], metrics={"list": ["visit_query_loss"]})
    assert api.post(f"/api/experiments/{made}/start", json={"workers": 1}).status_code == 202
    page = tab.open(f"/compare?dataset={number}&experiment={made}")
    expect(page.get_by_text("running").first).to_be_visible()
    assert len(workers_of(server)) == 1
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("tbody tr").filter(has_text="cancelled").first).to_be_visible()
    seen = api.get(f"/api/experiments/{made}/progress").json()
    assert seen["running"] is False
    assert {cell["state"] for cell in seen["cells"]} <= {"done", "cancelled", "waiting"}
    store = server.workspace / "experiments" / made / "store"
    assert not list((store / "cells").glob(".*"))
    assert workers_of(server) == []


def workers_of(server: Server) -> list[str]:
    """The processes that carry out cells for a server."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status, command = (folder / "status").read_text(), (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended in the meantime
        if f"PPid:\t{server.process.pid}\n" in status and b"crypsis.evaluate.worker" in command:
            found.append(folder.name)
    return found
