"""Questions to a finished result through REST: at least, at most; what cannot be asked has a code."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.conftest import Tab
from tests.web.experiments import ended, experiment
from tests.web.lights import ILL, table

pytestmark = pytest.mark.long


def test_a_result_is_asked_how_many(api: httpx.Client) -> None:
    number = table(api, "ill.csv", ILL, age="quasi", ill="other")
    made = experiment(api, number, run=[{"method": "mondrian", "params": {"k": 5}}])
    (cell,) = ended(api, made)["cells"]
    address = f"/api/experiments/{made}/cells/{cell['cell']}/query"
    answer = api.post(address, json={"kind": "count", "conditions": ["age in [20:29]", "ill in {flu}"]})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["definite"] <= 10 <= told["at_most"]
    assert told["words"].startswith("at least ")
    for wrong, code in (
        ({"kind": "count", "conditions": ["aged in [1:2]"]}, "bad-query"),
        ({"kind": "count"}, "bad-query"),
        ({"kind": "weather"}, "bad-query"),
        ({"kind": "count", "conditions": ["age in [1:2]"], "mode": "within"}, "option-without-effect"),
        ({"kind": "places"}, "not-applicable"),
    ):
        refused = api.post(address, json=wrong)
        assert refused.status_code in (400, 422), refused.text
        assert refused.json()["error"]["code"] == code


def test_the_page_asks_and_shows_a_bar_and_the_command(tab: Tab, api: httpx.Client) -> None:
    number = table(api, "asked.csv", ILL, age="quasi", ill="other")
    made = experiment(api, number, name="asked", run=[{"method": "mondrian", "params": {"k": 5}}])
    ended(api, made)
    page = tab.open("/query")
    page.set_viewport_size({"width": 390, "height": 844})
    field = page.get_by_label("Conditions, one on each line")
    field.fill("age in [20:29]\nill in {flu}")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text(re.compile("^At least .* at most .* records"))).to_be_visible(timeout=60_000)
    expect(page.get_by_role("img", name=re.compile("^Certain "))).to_be_visible()
    expect(page.get_by_text("crypsis query count release 'age in [20:29]' 'ill in {flu}'")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    field.fill("aged in [20:29]")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("This cannot be asked")).to_be_visible()
