"""Real data in the browser with suggested settings: lights and attacks tell the number. Whole files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.people_with_codes import people_with_codes
from tests.shared_data import dataset
from tests.web.clicks import load
from tests.web.conftest import Tab
from tests.web.lights import attacked, light

SLOW = 480_000  # milliseconds; loading and running a whole file on a busy machine


def walk(tab: Tab, file: Path, answer: str | None = None) -> tuple[Any, str]:
    """The page Evaluate after the suggested method ran, and the number of the dataset."""
    number = load(tab, file)
    page = tab.page
    question = page.get_by_text(re.compile("^Does one person have several "))
    if answer is None:
        expect(page.get_by_text("Unique records")).to_be_visible(timeout=SLOW)
        expect(question).to_have_count(0)
    else:
        expect(question).to_be_visible(timeout=SLOW)
        page.get_by_role("button", name=answer).click()
        expect(question).to_have_count(0, timeout=SLOW)
    tab.open(f"/evaluate?dataset={number}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(light(page, "disclosure")).to_be_visible(timeout=SLOW)
    return page, number


@pytest.mark.real_data("adult")
def test_adult_shows_the_salaries_that_are_revealed(tab: Tab, api: httpx.Client) -> None:
    page, number = walk(tab, dataset("adult") / "adult.csv")
    expect(light(page, "disclosure")).to_have_attribute("data-colour", "red")
    expect(light(page, "disclosure")).to_contain_text("revealed for 10,091 of 30,162 people (33 %)")
    expect(page.get_by_role("button", name="Set l = 2")).to_be_visible()
    assert attacked(api, number, "linkage")["curve"][0]["fewest_candidates"] >= 5


@pytest.mark.real_data("citibike_jc")
def test_bikes_are_asked_about_before_anything_runs(tab: Tab, api: httpx.Client) -> None:
    file = dataset("citibike_jc") / "citibike_jc_202003_202004.parquet"
    page, number = walk(tab, file, "Yes, bikeid names the person")
    expect(light(page, "disclosure")).to_contain_text("551 of 555 people (99 %) are in several classes")
    found = attacked(api, number, "linkage")
    assert (found["individuals"], found["people"]) == (555, True)
    assert found["curve"][0]["fewest_candidates"] >= 5


@pytest.mark.real_data("informs2005")
def test_informs_shows_the_information_that_is_lost(tab: Tab, tmp_path: Path) -> None:
    """A sample of 3,000 people with their codes."""
    page, _ = walk(tab, people_with_codes(tmp_path, 3_000))
    expect(light(page, "usefulness")).to_have_attribute("data-colour", "amber")
    expect(light(page, "usefulness")).to_contain_text("65 % of the information in the quasi-identifiers is lost")
