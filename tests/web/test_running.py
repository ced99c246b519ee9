"""Running methods in the browser: what must be told first, cards, cancelling, and the file of an experiment."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.web.clicks import parameter
from tests.web.conftest import Tab, sample
from tests.web.screens import on_every_screen


@on_every_screen
def test_what_a_private_method_must_be_told_is_asked_for_beside_the_field(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "baskets", size=200)["id"]
    page = tab.open(f"/evaluate?dataset={number}&method=diff-part")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(re.compile("[Dd]eclare it: taking it from the data would tell who is in"))).to_be_visible()
    page.get_by_role("button", name=re.compile("in the data (are|is) public")).click()
    expect(parameter(page, "item_domain")).to_have_value("public-in-data")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible(timeout=240_000)
    page = tab.open("/methods?name=diff-part")
    expect(page.get_by_text("differential privacy").first).to_be_visible()


@on_every_screen
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


@on_every_screen
def test_an_experiment_file_is_shown_changed_and_taken_back(tab: Tab, api: httpx.Client) -> None:
    number = sample(api, "checkins", size=200)["id"]
    page = tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Show as file").click()
    field = page.get_by_label("Experiment file (TOML)")
    expect(field).not_to_have_value("")
    text = field.input_value()
    assert "seq-anon" in text
    field.fill(text.replace("k = 5", "k = 9"))
    page.get_by_role("button", name="Use this file").click()
    expect(parameter(page, "k")).to_have_value("9")
    page.get_by_role("button", name="Show as file").click()
    field.fill("this is no file")
    page.get_by_role("button", name="Use this file").click()
    expect(page.get_by_text("neither TOML nor JSON")).to_be_visible()
