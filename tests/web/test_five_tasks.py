"""Five tasks of people who see the workbench for the first time, on raw files: eight clicks to a report to sign."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Locator, Page, Response, expect

from crypsis.reports.about import LABELS, REQUIRED
from tests.shared_data import dataset
from tests.web.clicks import number_of
from tests.web.conftest import Tab
from tests.web.lights import attacked, light

MOST_CLICKS = 8
SLOW = 480_000  # milliseconds; loading and running a whole file on a busy machine


class Stranger:
    """Somebody who clicks; typing is free, choosing a file is a click."""

    def __init__(self, tab: Tab) -> None:
        self.page: Page = tab.open("/data")
        self.clicks = 0

    def click(self, button: Locator) -> None:
        expect(button).to_be_enabled(timeout=SLOW)
        button.click()
        self.clicks += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))

    def give(self, place: str, file: Path) -> None:
        field = self.page.get_by_label(place)
        field.set_input_files(file)
        self.clicks += 1

    def bring(self, file: Path) -> None:
        place = "Drop a file here, or choose one"
        expect(self.page.get_by_label(place).or_(self.page.get_by_role("button", name="Add data")).first).to_be_visible(
            timeout=SLOW
        )
        if not self.page.get_by_label(place).count():
            self.press("Add data")
        self.give(place, file)
        self.page.wait_for_url(re.compile(r"/import\?file="))
        expect(self.page.get_by_role("table", name="First rows").locator("tbody tr").first).to_be_visible(timeout=SLOW)

    def answer(self, name: str) -> None:
        self.press(name)
        expect(self.page.get_by_role("button", name=name, exact=True)).to_have_count(0, timeout=SLOW)

    def anonymize(self, *, guarantee: str) -> None:
        """Run what is suggested. Green: a recipient can recount the guarantee. Amber: the publisher alone can, because
        a person has several records and nobody else is told whose they are."""
        self.press("Load and anonymize")
        self.page.wait_for_url(re.compile(r"/evaluate\?dataset="), timeout=SLOW)
        self.press("Run")
        expect(light(self.page, "guarantee")).to_be_visible(timeout=SLOW)
        expect(light(self.page, "guarantee")).to_have_attribute("data-colour", guarantee)
        expect(light(self.page, "guarantee")).to_contain_text("Verified ")
        expect(self.page.get_by_text("Verified", exact=True)).to_be_visible()

    def sign(self) -> None:
        """Take the report to sign; who answers for it is asked once."""
        self.press("Public report (PDF)")
        for name in REQUIRED:
            self.page.get_by_role("dialog").get_by_label(LABELS[name], exact=True).fill(f"The {LABELS[name]}")

        def is_report(response: Response) -> bool:
            return urlsplit(response.url).path.endswith("report.pdf")

        with self.page.context.expect_event("response", is_report, timeout=SLOW) as taken:
            self.press("Keep")
        assert taken.value.status == 200
        assert taken.value.headers["content-type"] == "application/pdf"
        assert self.clicks <= MOST_CLICKS


@pytest.fixture
def stranger(tab: Tab, api: httpx.Client) -> Iterator[Stranger]:
    api.delete("/api/workspace/about")
    yield Stranger(tab)
    for page in tab.page.context.pages:
        if page != tab.page:
            page.close()
    api.delete("/api/workspace/about")


def head_of(file: Path, folder: Path, lines: int) -> Path:
    """The first lines of a packed file, as it is."""
    with gzip.open(file, "rt", encoding="utf-8") as told:
        text = "".join(islice(told, lines))
    head = folder / file.name
    with gzip.open(head, "wt", encoding="utf-8") as stream:
        stream.write(text)
    return head


@pytest.mark.real_data("informs2005")
def test_a_hospital_table(stranger: Stranger) -> None:
    stranger.bring(dataset("informs2005") / "demographics05.csv.gz")
    stranger.answer("Yes, DUID names the person")
    stranger.anonymize(guarantee="amber")
    expect(light(stranger.page, "disclosure")).to_contain_text("revealed for 3,841 of 11,918 people (32 %)")
    stranger.sign()


@pytest.mark.real_data("groceries")
def test_baskets(stranger: Stranger) -> None:
    stranger.bring(dataset("groceries") / "groceries.csv.gz")
    stranger.anonymize(guarantee="green")
    stranger.sign()


@pytest.mark.real_data("informs2005")
def test_discharge_records_with_diagnoses_in_a_file_of_their_own(stranger: Stranger, tmp_path: Path) -> None:
    """Of the first 3,000 people; the method takes minutes for all."""
    stranger.bring(head_of(dataset("informs2005") / "demographics05.csv.gz", tmp_path, 3_001))
    stranger.give("Drop a file that belongs to these records", dataset("informs2005") / "conditions05.csv.gz")
    expect(stranger.page.get_by_text("ICD9CODX of conditions05.csv.gz, by DUPERSID; -1, -9 mean")).to_be_visible()
    stranger.answer("No, each of the rows is another person")
    stranger.anonymize(guarantee="green")
    stranger.sign()


@pytest.mark.real_data("citibike_jc")
def test_bike_trips_between_places(stranger: Stranger) -> None:
    stranger.bring(dataset("citibike_jc") / "citibike_jc_202003_202004.parquet")
    stranger.answer("Read as trips between places")
    stranger.answer("Yes, bikeid names the person")
    stranger.anonymize(guarantee="amber")
    expect(light(stranger.page, "guarantee")).to_contain_text("where all records of a person count as one")
    stranger.sign()


@pytest.mark.real_data("geolife_sample")
def test_gps_tracks(stranger: Stranger, api: httpx.Client) -> None:
    stranger.bring(dataset("geolife_sample") / "geolife_11users.csv.xz")
    stranger.anonymize(guarantee="amber")
    number = number_of(stranger.page)
    section = api.get(f"/api/datasets/{number}").json()["section"]
    assert (section["kind"], section["t"], section["repeated"]) == ("tracks", "datetime_gmt", "first")
    expect(light(stranger.page, "guarantee")).to_contain_text("where all records of a person count as one")
    expect(light(stranger.page, "usefulness")).to_have_attribute("data-colour", "red")
    expect(light(stranger.page, "usefulness")).to_contain_text("109 of 109 published tracks (100 %) have length 0")
    found = attacked(api, number, "unique-location")
    assert (found["individuals"], found["people"]) == (11, True)
    assert max(point["share_unique"] for point in found["curve"]) == 0
    stranger.sign()
