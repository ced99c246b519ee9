"""Every state as a file, and back: the file says all of it, and taking it changes nothing that others work on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.runtime import StreamConfiguration
from tests.web.conftest import Tab, sample, uploaded

PEOPLE = "name,age,city,illness\nAda,30,Oslo,flu\nBo,31,Oslo,cold\nCy,40,Rome,flu\nDi,41,Rome,none\n"
BASKETS = "id,item\n1,bread\n1,milk\n2,bread\n2,eggs\n3,milk\n3,eggs\n"


def as_file(api: httpx.Client, kind: str, number: str, name: str = "experiment.toml") -> str:
    answer = api.get(f"/api/{kind}/{number}/{name}")
    assert answer.status_code == 200, answer.text
    return answer.text


def taken(api: httpx.Client, kind: str, number: str, text: str, name: str = "experiment.toml") -> dict[str, Any]:
    answer = api.put(f"/api/{kind}/{number}/{name}", json={"text": text})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_dataset_with_everything_that_goes_with_it_is_a_file_and_comes_back(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    api.post("/api/hierarchies", json={"dataset": number, "column": "city", "auto": "flat"})
    api.put("/api/queries", params={"dataset": number}, json={"queries": ["age in [30:40]"]})
    before = as_file(api, "datasets", number)
    assert '"age in [30:40]"' in before
    assert 'auto = "flat"' in before
    same = taken(api, "datasets", number, before)
    assert same["id"] == number
    assert as_file(api, "datasets", number) == before
    changed = before.replace('auto = "flat"', 'auto = "balanced:2"').replace("[30:40]", "[30:41]")
    assert taken(api, "datasets", number, changed)["id"] == number
    (kept,) = api.get("/api/hierarchies", params={"dataset": number}).json()
    assert kept["auto"] == "balanced:2"
    without = re.sub(r"\[hierarchy\.city\]\nauto = \S+\n", "", as_file(api, "datasets", number))
    taken(api, "datasets", number, without)
    assert api.get("/api/hierarchies", params={"dataset": number}).json() == []


def test_a_file_with_other_edits_opens_as_a_dataset_of_its_own(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    made = api.post("/api/experiments", json={"dataset": number, "mode": "compare"}).json()
    before = as_file(api, "experiments", made["id"])
    edits = '[[dataset.edits]]\nedit = "rename"\ncolumn = "city"\nto = "town"\n\n'
    told = re.sub(r"^city = ", "town = ", before.replace("[[run]]", edits + "[[run]]", 1), flags=re.MULTILINE)
    opened = taken(api, "experiments", made["id"], told)
    assert opened["dataset"] != number
    rows = api.get(f"/api/datasets/{opened['dataset']}/rows").json()
    assert rows["columns"] == ["name", "age", "town", "illness"]
    assert api.get(f"/api/datasets/{number}/rows").json()["columns"] == ["name", "age", "city", "illness"]
    undone = api.post(f"/api/datasets/{opened['dataset']}/undo").json()
    assert undone["section"]["columns"]["city"]["role"] == "quasi"
    again = api.post("/api/experiments", json={"text": as_file(api, "experiments", made["id"])}).json()
    assert again["dataset"] == opened["dataset"]  # what is there already is not opened twice


def test_edits_that_cannot_be_carried_out_open_nothing(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    before = len(api.get("/api/datasets").json())
    text = as_file(api, "datasets", number)
    bad = text + '\n[[dataset.edits]]\nedit = "rename"\ncolumn = "nothing"\nto = "town"\n'
    answer = api.put(f"/api/datasets/{number}/experiment.toml", json={"text": bad})
    assert answer.status_code == 400
    assert "nothing" in answer.json()["error"]["message"]
    assert len(api.get("/api/datasets").json()) == before


def test_policies_hierarchies_and_queries_are_read_from_the_paths_of_a_file(api: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "baskets.csv").write_text(BASKETS)
    (tmp_path / "secret.txt").write_text("bread;milk\neggs\n")
    (tmp_path / "joined.txt").write_text("bread;milk\n")
    text = (
        f'name = "mine"\n[dataset]\npath = "{tmp_path}/baskets.csv"\nkind = "transactions"\n'
        f'[policy.privacy]\npath = "{tmp_path}/secret.txt"\n[policy.utility]\npath = "{tmp_path}/joined.txt"\n'
        '[[run]]\nmethod = "coat"\nparams = {k = 2}\n'
    )
    made = api.post("/api/experiments", json={"text": text})
    assert made.status_code == 201, made.text
    policies = {
        one["policy"]: one for one in api.get("/api/policies", params={"dataset": made.json()["dataset"]}).json()
    }
    assert policies["privacy"]["sets"] == [["bread", "milk"], ["eggs"]]
    assert policies["utility"]["sets"] == [["bread", "milk"]]
    assert api.get(f"/api/experiments/{made.json()['id']}/problems").json() == []
    lost = text.replace("secret.txt", "lost.txt").replace('"mine"', '"other"')
    assert api.post("/api/experiments", json={"text": lost}).status_code == 400


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("this is no file", "neither TOML nor JSON"),
        ('name = "x"', "no table [dataset]"),
        ('hierarchy = 3\n[dataset]\npath = "PATH"', "must be tables"),
        ('[dataset]\npath = "PATH"\n[hierarchy.age]\nfile = "x"', "needs auto or path"),
        ('[dataset]\npath = "PATH"\n[policy.none]\nauto = "all:2"', "A policy is one of"),
        ('[dataset]\npath = "relative.csv"', "whole path"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_in_words(api: httpx.Client, text: str, words: str) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    path = re.search(r'path = "(.*)"', as_file(api, "datasets", number))
    assert path
    answer = api.put(f"/api/datasets/{number}/experiment.toml", json={"text": text.replace("PATH", path[1])})
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_a_tessellation_is_a_file_and_comes_back_after_as_many_steps(api: httpx.Client) -> None:
    number = sample(api, "tracks", size=60)["id"]
    begun = api.post("/api/tessellations", json={"dataset": number, "radius": 300, "k": 5}).json()["id"]
    stepped = api.post(f"/api/tessellations/{begun}/steps", json={"steps": 2}).json()
    text = as_file(api, "tessellations", begun)
    assert "max_steps = 2" in text
    again = taken(api, "tessellations", begun, text)
    told = ("dataset", "cells", "steps", "k", "radius", "mean_displacement")
    assert {name: again[name] for name in told} == {name: stepped[name] for name in told}
    wrong = api.put(
        f"/api/tessellations/{begun}/experiment.toml", json={"text": text.replace("max_steps", "precision")}
    )
    assert wrong.status_code == 400


def test_a_stream_is_the_file_of_the_command_line_and_comes_back(api: httpx.Client) -> None:
    number = sample(api, "metro", size=60)["id"]
    made = api.post("/api/streams", json={"dataset": number, "K": 5, "rate": 4000}).json()["id"]
    text = as_file(api, "streams", made, "stream.toml")
    assert StreamConfiguration.from_tables(tomllib.loads(text)).method.K == 5
    changed = taken(api, "streams", made, text.replace("K = 5", "K = 6").replace("4000", "5000"), "stream.toml")
    assert (changed["K"], changed["rate"]) == (6, 5000)
    again = as_file(api, "streams", changed["id"], "stream.toml")
    elsewhere = again.replace("windows.ndjson", "elsewhere.ndjson")
    refused = api.put(f"/api/streams/{changed['id']}/stream.toml", json={"text": elsewhere})
    assert refused.status_code == 400
    assert "rate" in refused.json()["error"]["message"]


def test_every_page_with_a_state_shows_its_file_and_takes_it_back(tab: Tab, api: httpx.Client) -> None:
    people = uploaded(api, "people.csv", PEOPLE)["id"]
    baskets = sample(api, "baskets", size=100)["id"]
    metro = sample(api, "metro", size=60)["id"]
    for path, number, old, new in (
        ("data", people, 'role = "sensitive"', 'role = "other"'),
        ("hierarchies", people, "", '[hierarchy.city]\nauto = "flat"\n'),
        ("queries", people, "", '[queries]\nlist = ["age in [30:40]"]\n'),
        ("policies", baskets, "", '[policy.privacy]\nauto = "all:1"\n'),
        ("streams", metro, "K = 20", "K = 7"),
    ):
        page = tab.open(f"/{path}?dataset={number}")
        page.get_by_role("button", name="Show as file").click()
        field = page.get_by_label(re.compile("file \\(TOML\\)"))
        expect(field).not_to_have_value("")
        text = field.input_value()
        assert old in text, path
        field.fill(text.replace(old, new, 1) if old else f"{text.rstrip()}\n\n{new}")
        page.get_by_role("button", name="Use this file").click()
        expect(field).to_have_count(0)
        page.get_by_role("button", name="Show as file").click()
        expect(field).to_have_value(re.compile(re.escape(new.strip().splitlines()[-1])))


def test_the_files_of_trajectories_and_results_are_shown_and_taken_back(tab: Tab, api: httpx.Client) -> None:
    """Of tracks the steps that were made, of check-ins and of results the experiment that ran."""
    tracks = sample(api, "tracks", size=60)["id"]
    page = tab.open(f"/trajectories?dataset={tracks}")
    expect(page.locator("path.area").first).to_be_visible()
    before = page.locator("path.area").count()
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator("path.area")).not_to_have_count(before)
    merged = page.locator("path.area").count()
    field = page.get_by_label(re.compile(r"file \(TOML\)"))
    page.get_by_role("button", name="Show as file").click()
    expect(field).to_have_value(re.compile("max_steps = 1"))
    field.fill(field.input_value().replace("max_steps = 1", "max_steps = 0"))
    page.get_by_role("button", name="Use this file").click()
    expect(page.locator("path.area")).to_have_count(before)
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator("path.area")).to_have_count(merged)

    visits = sample(api, "checkins", size=60)["id"]
    tables = {"run": [{"method": "seq-anon", "params": {"k": 3, "m": 2}}]}
    made = api.post("/api/experiments", json={"dataset": visits, "mode": "compare", "tables": tables}).json()["id"]
    api.post(f"/api/experiments/{made}/start", json={"workers": 1})
    for path in (f"/results?experiment={made}", f"/trajectories?dataset={visits}"):
        page = tab.open(path)
        if path.startswith("/results"):
            expect(page.get_by_text("1 of 1 finished")).to_be_visible(timeout=240_000)
        page.get_by_role("button", name="Show as file").click()
        expect(field).to_have_value(re.compile(r"k = 3"))
        field.fill("this is no file")
        page.get_by_role("button", name="Use this file").click()
        expect(page.get_by_text("neither TOML nor JSON")).to_be_visible()
        field.fill(as_file(api, "experiments", made).replace("m = 2", "m = 1"))
        page.get_by_role("button", name="Use this file").click()
        expect(field).to_have_count(0)
        assert "m = 1" in as_file(api, "experiments", made)
        taken(api, "experiments", made, as_file(api, "experiments", made).replace("m = 1", "m = 2"))
