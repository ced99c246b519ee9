"""The page Import: a file as it is understood, every setting changes what is shown, and *Load* loads just that."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.web.clicks import choose, drop_file, load_import, number_of
from tests.web.conftest import Tab

pytestmark = pytest.mark.long

GERMAN = """Name;PLZ;Geburtsdatum;Betrag;Kosten
Anna Meier;10115;03.04.1980;1.234,50;-9
Bernd Krüger;80331;12.11.1975;99,00;7
"""


def rows_shown(page: Page) -> list[list[str]]:
    table = page.get_by_role("table", name="First rows")
    expect(table.locator("tbody tr").first).to_be_visible()
    return [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]


def test_a_german_export_is_shown_as_it_is_understood_and_loaded_so(
    tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    file = tmp_path / "Patienten.csv"
    file.write_bytes(GERMAN.encode("cp1252"))
    page = drop_file(tab, file)
    assert rows_shown(page)[1][1:4] == ["80331", "1975-11-12", "99.0"]
    expect(page.get_by_text("Detected: cp1252")).to_be_visible()
    expect(page.get_by_text("Detected: ';'")).to_be_visible()
    expect(page.get_by_role("region", name="Command").first).to_contain_text("crypsis anonymize Patienten.csv")
    load_import(page)
    kept = api.get(f"/api/datasets/{number_of(page)}").json()
    assert kept["section"]["columns"]["Geburtsdatum"]["type"] == "date"


def test_each_change_is_seen_at_once(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("town,age\nRome,20\nOslo,-9\n")
    page = drop_file(tab, file)
    assert rows_shown(page) == [["Rome", "20"], ["Oslo", "-9"]]
    page.get_by_label("Texts that mean a missing value").fill("-9")
    expect(page.get_by_role("table", name="First rows").locator("tbody tr").nth(1).locator("td").nth(1)).to_have_text(
        ""
    )
    choose(page, page.get_by_label("Role of town"), "sensitive · must not be learned")
    page.get_by_label("Separator").fill(";")
    expect(page.get_by_role("table", name="First rows").locator("th")).to_have_count(1)
    page.get_by_label("Separator").fill("")
    expect(page.get_by_role("table", name="First rows").locator("th")).to_have_count(2)
    expect(page.get_by_label("Role of town")).to_have_value("sensitive · must not be learned")
    load_import(page)
    expect(page.get_by_text("sensitive · must not be learned").first).to_be_attached()


def test_who_is_a_person_is_asked_and_answered_before_loading(tab: Tab, api: httpx.Client, tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text("patient_id,ward,age\n" + "".join(f"p{n // 3},w{n % 2},{20 + n // 3}\n" for n in range(60)))
    page = drop_file(tab, file)
    page.get_by_role("button", name="Yes, patient_id names the person").click()
    expect(page.get_by_role("button", name="Yes, patient_id names the person")).to_have_count(0)
    load_import(page)
    assert api.get(f"/api/datasets/{number_of(page)}").json()["section"]["person"] == "patient_id"


def test_a_file_that_is_discarded_is_gone(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("town,age\nRome,20\nOslo,30\n")
    page = drop_file(tab, file)
    address = page.url
    rows_shown(page)
    page.get_by_role("button", name="Discard").click()
    page.wait_for_url(re.compile(r"/data"))
    page.goto(address)
    expect(page.get_by_text(re.compile("There is no upload|drop it again")).first).to_be_visible()


def test_rest_shows_the_same(api: httpx.Client) -> None:
    sent = api.post("/api/uploads", params={"name": "Patienten.csv"}, content=GERMAN.encode("cp1252")).json()["id"]
    seen = api.post("/api/datasets/preview", json={"upload": sent, "name": "Patienten"}).json()
    assert seen["inspection"]["understood"]["read_as"]["encoding"] == "cp1252"
    assert seen["rows"][1][1:4] == ["80331", "1975-11-12", "99.0"]
    wrong = api.post("/api/datasets/preview", json={"upload": sent, "section": {"encoding": "no such"}})
    assert wrong.status_code == 400
    odd = {"upload": sent, "section": {"columns": 7, "missing": 5, "person": ["x"]}}
    assert api.post("/api/datasets/preview", json=odd).status_code in (400, 422)


def test_columns_are_united_by_a_click_that_shows_its_step(tab: Tab, api: httpx.Client, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    rows = "".join(f"{20 + n % 5},{'xyz'[n % 3]},{'' if n % 2 else 'q'},\n" for n in range(40))
    file.write_text(f"age,dx01,dx02,dx03\n{rows}")
    page = drop_file(tab, file)
    page.get_by_role("button", name="unite(columns=dx01..dx03, to=dx)").click()
    expect(page.get_by_text("unite(columns=dx01..dx03, to=dx)", exact=True)).to_be_visible()
    expect(page.get_by_role("table", name="First rows").locator("th")).to_have_count(2)
    expect(page.get_by_role("region", name="Command").first).to_contain_text(
        "--step 'unite(columns=dx01..dx03, to=dx)'"
    )
    choose(page, page.get_by_label("Step", exact=True), "Derive bins of a number")
    page.get_by_label("Column", exact=True).fill("age")
    page.get_by_label("Width", exact=True).fill("2")
    page.get_by_label("To", exact=True).fill("decade")
    page.get_by_label("To", exact=True).blur()
    page.get_by_role("button", name="Add step").click()
    expect(page.get_by_role("table", name="First rows").locator("th")).to_have_count(3)
    load_import(page)
    section = api.get(f"/api/datasets/{number_of(page)}").json()["section"]
    assert [step["step"] for step in section["step"]] == ["unite", "bins"]


def test_the_order_of_day_and_month_is_answered_by_a_click(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("born,town\n06/08/2008,Rome\n07/09/2009,Oslo\n")
    page = drop_file(tab, file)
    page.get_by_role("button", name="Dates like 12/31/2008").click()
    first = page.get_by_role("table", name="First rows").locator("tbody tr").first.locator("td").first
    expect(first).to_have_text("2008-06-08")


def test_codes_for_a_missing_value_are_answered_inside_the_question(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    ages = "".join(f"{20 + row},{1 + row % 3}\n" for row in range(30))
    file.write_text(f"age,marry\n{ages}51,-7\n52,-9\n")
    page = drop_file(tab, file)
    asked = page.locator(".message", has_text="-7, -9 in 'marry' may be codes for a missing value.")
    expect(asked).to_have_count(1)
    asked.get_by_role("button", name="Read -7, -9 in 'marry' as missing").click()
    expect(asked).to_have_count(0)
    expect(page.get_by_text("missing_tokens")).to_have_count(0)
    assert rows_shown(page)[0] == ["20", "1"]
