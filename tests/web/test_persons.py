"""The page Data asks who is one person, and remembers the answer."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.clicks import choose, load
from tests.web.conftest import Tab
from tests.web.screens import on_every_screen

ROWS = "user,age,town,ill\n" + "".join(
    f"u{row % 7 if row > 30 else 0},{30 + row % 9},{'Oslo' if row % 2 else 'Rome'},{'flu' if row % 3 else 'cold'}\n"
    for row in range(60)
)


@pytest.mark.long
@on_every_screen
def test_the_page_data_asks_and_the_answer_can_be_changed(tab: Tab, api: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(ROWS)
    number = load(tab, tmp_path / "visits.csv")
    page = tab.page
    question = page.get_by_text("Does one person have several rows?")
    expect(question).to_be_visible()
    page.get_by_role("button", name="Yes, user names the person").click()
    expect(question).to_have_count(0)
    expect(page.get_by_text("of the people are the only ones with their quasi-identifiers")).to_be_visible()
    section = api.get(f"/api/datasets/{number}").json()["section"]
    assert section["person"] == "user"
    choose(page, page.get_by_label("Person, where one has several rows"), "each row is another person")
    expect(page.get_by_text("of the records are the only ones with their quasi-identifiers")).to_be_visible()
    section = api.get(f"/api/datasets/{number}").json()["section"]
    assert section.get("person") is None
    assert section["each_row_is_a_person"] is True
    choose(page, page.get_by_label("Person, where one has several rows"), "not said")
    expect(question).to_be_visible()
