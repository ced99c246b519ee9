"""Every awkward file, dropped on the page Import: shown and loaded as it is meant, or refused with what to do."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from crypsis.data.formats import format_options
from tests.web.clicks import choose, drop_file, load_import, number_of, open_path
from tests.web.conftest import Tab
from tests.zoo.animals import TABLES, Animal

pytestmark = pytest.mark.long

ROWS_SHOWN = 20


def as_shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="auto" if value.microsecond % 1000 else "milliseconds").removesuffix(
            ".000"
        )
    return str(value)


def say(page: Page, animal: Animal) -> None:
    """Fill in the fields of the page with what has to be said about the file."""
    for name, value in animal.options.items():
        if name == "missing":
            page.get_by_label("Texts that mean a missing value").fill(", ".join(value))  # type: ignore[arg-type]
            continue
        if name == "time_format":
            page.get_by_label("Format of times").fill(str(value))
            continue
        field = page.get_by_label(name.capitalize(), exact=True)
        option = format_options().get(name)
        if name == "format":
            choose(page, field, re.compile(f"^{value}", re.IGNORECASE))
        elif option is not None and (option.choices or option.type is bool):
            choose(
                page,
                field,
                {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value),
            )
        else:
            field.fill(str(value))


@pytest.mark.parametrize("animal", TABLES, ids=lambda animal: animal.name)
def test_a_dropped_file_is_shown_right_or_says_what_to_do(
    animal: Animal, tab: Tab, api: httpx.Client, tmp_path: Path
) -> None:
    file = animal.write(tmp_path)
    page = drop_file(tab, file) if file.is_file() else open_path(tab, file)
    if animal.refused == "option-without-effect":  # its field is not offered
        expect(page.get_by_role("table", name="First rows").locator("tbody tr").first).to_be_visible()
        for name in animal.options:
            expect(page.get_by_label(name.capitalize(), exact=True)).to_be_hidden()
        return
    say(page, animal)
    if animal.refused:
        expect(page.get_by_role("alert").filter(has_text=animal.advice)).to_be_visible()
        expect(page.get_by_role("button", name="Load", exact=True)).to_be_disabled()
        return
    if page.get_by_label("Kind of data").input_value() != "Table":
        choose(page, page.get_by_label("Kind of data"), "Table")
    table = page.get_by_role("table", name="First rows")
    rows = [*zip(*animal.columns.values(), strict=True)][:ROWS_SHOWN]
    for number, row in enumerate(rows):
        expect(table.locator("tbody tr").nth(number).locator("td")).to_have_text([as_shown(cell) for cell in row])
    load_import(page)
    kept = api.get(f"/api/datasets/{number_of(page)}").json()
    assert [*kept["section"]["columns"]] == [*animal.columns]
