"""Every text of every page is in the catalogue: in the pseudo-language it stands between brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from crypsis.attacks import ATTACKS
from crypsis.data.formats import FORMATS
from crypsis.data.sources import SOURCES
from crypsis.data.steps import STEPS
from crypsis.guarantees import GUARANTEES
from crypsis.methods import METHODS
from crypsis.metrics import all_figures
from crypsis.parameters import parameters_of
from crypsis.web.theme import NAVIGATION
from tests.web.conftest import Server, Tab, let_in, start
from tests.web.full_workspace import FullWorkspace, filled
from tests.web.unmarked import outside, read_between_brackets, unmarked

pytestmark = pytest.mark.long

# Files, columns and roles of published data as they are called in files, and what no catalogue translates.
OF_FILES = (
    "csv json toml pdf svg png jpg bmp chunk node parent size line type term published original experiments results"
)
WIDGETS = {"Expand", "Collapse"}  # of the catalogue that the widgets have
NAMES = {*WIDGETS, "Crypsis", "English", "Deutsch", "UTC", "ms", "min", "MB", "kB", *OF_FILES.split()}

FILES = {  # that are imported: a table, too few rows of one, and one in which a column seems to name the person
    "towns.csv": "age,town\n" + "".join(f"{20 + row % 7},{'AB'[row % 2]}ford\n" for row in range(60)),
    "few.csv": "age,town\n20,Aford\n30,Bford\n",
    "visits.csv": "patient_id,ward,age\n" + "".join(f"p{n // 3},w{n % 2},{20 + n // 3}\n" for n in range(60)),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, FullWorkspace]]:
    """A server whose data are known, so that their words can be told from those of pages."""
    folder = tmp_path_factory.mktemp("pseudo")
    server = start(folder / "workspace")
    try:
        with server.client() as api:
            yield server, filled(api, server.workspace, folder / "tuna")
    finally:
        server.stop()


def members() -> set[str]:
    """Names of methods, figures, options and choices, which are the same in every language."""
    owners = (*METHODS.values(), *ATTACKS.values(), *GUARANTEES.values(), *FORMATS.values(), *STEPS.values())
    options = [option for owner in owners for option in parameters_of(owner)]
    options += [option for source in SOURCES.values() for option in source.options().values()]
    names = {method.__name__ for method in METHODS.values()} | set(METHODS)
    names |= {figure.abbreviation for figure in all_figures().values()}
    names |= {format.label.partition(":")[0] for format in FORMATS.values()} | set(FORMATS)
    return names | {word for option in options for word in (option.name, *map(str, option.choices))}


@pytest.mark.parametrize("path", ["/", *(link.path for link in NAVIGATION)])
def test_nothing_is_said_outside_of_the_catalogue(
    browser: Browser, own: tuple[Server, FullWorkspace], path: str
) -> None:
    server, workspace = own
    known = {*NAMES, *members(), *workspace.words, *workspace.datasets}
    with let_in(browser, server) as window:
        read_between_brackets(window, server)
        tab = Tab(window.new_page(), server)
        found: set[str] = set()
        for address in workspace.addresses(path):
            page = tab.open(address)
            expect(page.locator("html")).to_have_attribute("lang", "en-XA")
            page.wait_for_timeout(900)  # what is drawn once the page is there
            found |= unmarked(page, known)
        assert sorted(found) == []
        assert tab.errors == []


def test_nothing_is_said_outside_of_the_catalogue_while_a_file_is_imported(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    known = {*NAMES, *members(), *FILES, *(word for content in FILES.values() for word in content.split())}
    with let_in(browser, server) as window:
        read_between_brackets(window, server)
        tab = Tab(window.new_page(), server)
        for name, content in FILES.items():
            (tmp_path / name).write_text(content)
            page = tab.open("/data")
            if not page.locator("input[type=file]").count():
                page.get_by_role("button", name="Add data").click()
            page.locator("input[type=file]").first.set_input_files(tmp_path / name)
            page.wait_for_url(re.compile(r"/import\?file="))
            expect(page.get_by_role("region", name="Command").first).to_be_visible()
            found = sorted(unmarked(page, known))
            assert not found, "; ".join(found)
        assert tab.errors == []


def test_a_text_outside_of_the_catalogue_is_found(browser: Browser, own: tuple[Server, FullWorkspace]) -> None:
    server, _workspace = own
    with let_in(browser, server) as window:
        read_between_brackets(window, server)
        page = Tab(window.new_page(), server).open("/methods")
        page.evaluate("() => document.querySelector('#main').insertAdjacentHTML('beforeend', '<p>Left out</p>')")
        assert any(text.startswith("Left out") for text in unmarked(page, {*NAMES, *members()}))


def test_brackets_hold_what_they_hold() -> None:
    assert outside("⟦a ⟦b⟧ c⟧ left").split() == ["left"]
    assert outside("⟦cut off").strip() == outside("cut off⟧").strip() == ""
