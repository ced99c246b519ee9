"""What a person does on a page, by clicks and keys: load a file, choose, type, download, copy."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.reports.parameter_labels import named_label
from tests.web.conftest import Tab, ready


def drop_file(tab: Tab, file: Path) -> Page:
    """Drop a file on the page Data; the page Import, which shows it."""
    page = tab.open("/data")
    place = page.get_by_label("Drop a file here, or choose one")
    if not place.count():
        page.get_by_role("button", name="Add data").click()
    place.set_input_files(file)
    page.wait_for_url(re.compile(r"/import\?file="))
    expect(page.locator("h1")).to_have_text("Import")
    return page


def open_path(tab: Tab, path: Path) -> Page:
    """Name a file or folder of this machine on the page Data; the page Import, which shows it."""
    page = tab.open("/data")
    field = page.get_by_label("Or the path of a file on this machine")
    if not field.count():
        page.get_by_role("button", name="Add data").click()
    field.fill(str(path))
    field.press("Enter")
    page.wait_for_url(re.compile(r"/import\?file="))
    return page


def load(tab: Tab, file: Path) -> str:
    """Load a file as it is understood; the number of the dataset."""
    page = drop_file(tab, file)
    load_import(page)
    ready(page)
    expect(cell(page, 0, 0)).to_be_visible()
    return number_of(page)


def load_import(page: Page) -> None:
    """Load the file that the page Import shows, as it is understood."""
    page.wait_for_url(re.compile(r"/import\?file="))
    button = page.get_by_role("button", name="Load", exact=True)
    expect(button).to_be_enabled()
    expect(page.get_by_role("table", name="First rows").locator("tbody tr").first).to_be_visible()
    button.click()
    page.wait_for_url(re.compile(r"/data\?dataset="))


def number_of(page: Page) -> str:
    """The dataset of a page, as its address says."""
    found = re.search(r"dataset=([0-9a-f]+)", page.url)
    assert found, page.url
    return found[1]


def cell(page: Page, row: int, column: int) -> Locator:
    """A cell of the grid on the page."""
    return page.locator(f'.ag-center-cols-container [row-index="{row}"] [col-id="c{column}"]')


def type_into_cell(page: Page, row: int, column: int, text: str) -> None:
    cell(page, row, column).dblclick()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def choose(page: Page, field: Locator, option: str | re.Pattern[str]) -> None:
    """An option of a list that opens; it closes again where the page moves under it, and is then opened again."""
    wanted = page.get_by_role("option", name=option, exact=isinstance(option, str))
    expect(page.get_by_role("listbox")).to_have_count(0)  # the one before fades out for a moment
    for _ in range(20):
        if not page.get_by_role("listbox").count():
            field.click()
        try:
            wanted.click(timeout=5_000)
            return
        except TimeoutError:
            continue
    raise AssertionError(f"No option {option} can be chosen.")


def vary(card: Page | Locator, start: str, end: str, step: str) -> None:
    """The range of a configuration."""
    for words, value in (("From", start), ("to", end), ("step", step)):
        field = card.get_by_label(words, exact=True)
        field.fill(value)
        field.press("Tab")


def parameter(place: Page | Locator, name: str) -> Locator:
    """The field of a method's parameter, by the label that people read."""
    labels = {named_label(one) for method in METHODS.values() for one in parameters_of(method) if one.name == name}
    return place.get_by_label(re.compile(rf"^({'|'.join(map(re.escape, labels))})$"))


def show_more(place: Page | Locator) -> None:
    """Open what a form folds away."""
    place.get_by_text(re.compile("^More settings")).click()


def downloaded(page: Page, click: Any, folder: Path, name: str = "") -> Path:
    """What comes of a click as a file in the folder."""
    with page.expect_download() as waiting:
        click()
    file = folder / (name or waiting.value.suggested_filename)
    waiting.value.save_as(file)
    return file


def from_menu(page: Page, button: Locator, item: str, folder: Path) -> Path:
    """A file that a menu offers."""
    expect(page.get_by_role("menuitem")).to_have_count(0)  # a click on the button of an open menu would close it
    button.click()
    return downloaded(page, page.get_by_role("menuitem", name=item, exact=True).click, folder)


def copied_file(page: Page) -> str:
    """The text of "Show as file", by way of the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Show as file").click()
    field = page.get_by_label(re.compile(r"file \(TOML\)"))
    expect(field).not_to_have_value("")
    page.get_by_role("button", name="Copy").click()
    text, shown = "", field.input_value()
    until = time.monotonic() + 120
    while text != shown:
        assert time.monotonic() < until, "The text was not copied."
        text = str(page.evaluate("navigator.clipboard.readText()"))
    page.get_by_role("button", name="Close").click()
    expect(field).to_have_count(0)
    return text


def set_role(page: Page, column: str, role: str) -> None:
    """A role on the page Data, such as quasi-identifier."""
    choose(page, page.get_by_label(f"Role of {column}", exact=True), re.compile(f"^{role} "))


def set_type(page: Page, column: str, kind: str) -> None:
    choose(page, page.get_by_label(f"Type of {column}", exact=True), kind)
