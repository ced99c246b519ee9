"""Every page on a phone and on a wide screen, light and dark: nothing scrolls sideways, and axe-core finds nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from crypsis.web.theme import NAVIGATION
from tests.web.clicks import choose, drop_file, parameter
from tests.web.conftest import Tab, sample
from tests.web.experiments import ended, experiment
from tests.web.full_workspace import built_warehouse
from tests.web.screens import SIZES, cut_words, fits, program_words, still, violations

pytestmark = pytest.mark.long

KINDS = ("patients", "baskets", "checkins", "tracks", "metro")
EVALUATED = KINDS[:4]
# Every page, with data of a kind that it is for, and a result where it shows one: the address, and what is there then.
VIEWS = {
    "/": ("/", "Load your data"),
    "/data": ("/data?dataset={patients}", "Unique records"),
    "/parts": ("/parts", "need not fit in memory"),
    "/parts people": ("/parts?parts={parts}", "Where to run"),
    "/hierarchies": ("/hierarchies?dataset={patients}&column=age", "Fits the data"),
    "/policies": ("/policies?dataset={baskets}", "In use"),
    "/queries": ("/queries?dataset={patients}", "Draw queries from the data"),
    "/warehouse": ("/warehouse", "about the same people or things"),
    **{f"/evaluate {kind}": (f"/evaluate?dataset={{{kind}}}", "Three lights") for kind in EVALUATED},
    "/compare": ("/compare?dataset={checkins}", "Trade-off"),
    "/results": ("/results?experiment={compared}", "Trade-off"),
    "/trajectories": ("/trajectories?dataset={checkins}", "as collected"),
    "/streams": ("/streams?dataset={metro}", "Over time"),
    "/query": ("/query", "What is asked"),
    "/verify": ("/verify", "What was published"),
    "/methods": ("/methods?name=mondrian", "Mondrian"),
}

PEOPLE = "patient_id,born,town,age,illness\n" + "".join(
    f"p{row // 2},0{1 + row % 6}/0{1 + row % 7}/1980,{'AB'[row % 2]}ford,{20 + row % 7},flu\n" for row in range(60)
)
# Files as they are dropped, and what the page Import shows then: a table with questions, a refusal with its remedy.
FILES = {
    "visits.csv": (PEOPLE, "Yes, patient_id names the person"),
    "baskets.csv": ("bread|milk|eggs\nbread\nmilk|tea\n" * 3, "Each line is a set of items"),
}


@pytest.fixture(scope="module")
def filled(api: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Sample data of each kind with a hierarchy and a policy, results of each, a comparison, a stream, parts."""
    numbers = {name: str(sample(api, name, size=60)["id"]) for name in KINDS}
    made = [
        api.post("/api/hierarchies", json={"dataset": numbers["patients"], "column": "age", "auto": "equi_width:8"}),
        api.post("/api/policies", json={"dataset": numbers["baskets"], "policy": "privacy", "auto": "rare:8:2"}),
        api.post("/api/streams", json={"dataset": numbers["metro"], "K": 5}),
    ]
    assert [answer.status_code for answer in made] == [201] * 3, [answer.text for answer in made]
    api.post(f"/api/streams/{made[2].json()['id']}/start").raise_for_status()
    releases = {}
    for kind in EVALUATED:
        evaluated = api.post("/api/experiments", json={"dataset": numbers[kind], "mode": "evaluate"}).json()["id"]
        (cell,) = ended(api, evaluated)["cells"]
        assert cell["state"] == "done", cell
        releases[kind] = f"/api/experiments/{evaluated}/cells/{cell['cell']}/release.zip"
    sweep = {"param": "k", "values": [2, 3]}
    compared = experiment(api, numbers["checkins"], run=[{"method": "seq-anon", "sweep": sweep}], metrics={})
    ended(api, compared)
    folder = tmp_path_factory.mktemp("parts")
    (folder / "people.csv").write_text(PEOPLE)
    parts = api.post("/api/parts", json={"path": f"{folder}/*.csv"}).json()["id"]
    return {**numbers, "compared": compared, "release": releases["checkins"], "parts": str(parts)}


def test_every_page_of_the_navigation_is_walked() -> None:
    assert {"/", *(link.path for link in NAVIGATION)} <= {name.split()[0] for name in VIEWS}


OF_DATA = "patient_id"  # the columns of the data that these tests load


def walk(tab: Tab, show: Callable[[], Page], data: str = OF_DATA) -> None:
    """At 390 and 1440 px, light and dark: what `show` shows fits, axe-core finds nothing, the console stays empty.

    Words as programs spell them are made of words of the data alone.
    """
    said: list[str] = []
    tab.page.on("console", lambda message: said.append(message.text))
    for size_name, size in SIZES.items():
        tab.page.set_viewport_size(size)
        tab.page.emulate_media(color_scheme="light")
        page = show()
        page.mouse.move(0, 0)  # away from what was clicked, whose tooltip covers what is below
        expect(page.locator(".q-tooltip")).to_have_count(0)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            expect(page.locator(f"body.body--{scheme}")).to_have_count(1)
            still(page)
            assert fits(page), (size_name, scheme)
            assert violations(page) == [], (size_name, scheme)
        assert cut_words(page) == [], size_name
        strange = [word for word in program_words(page) if not all(piece in data for piece in word.split("_"))]
        assert strange == [], size_name
    assert said == []


@pytest.mark.parametrize("name", VIEWS)
def test_no_page_scrolls_sideways_or_shuts_anybody_out_or_complains(
    tab: Tab, filled: dict[str, str], name: str
) -> None:
    path, there = VIEWS[name]

    def show() -> Page:
        page = tab.open(path.format(**filled))
        expect(page.locator("main").get_by_text(there).first).to_be_visible(timeout=60_000)
        if name.startswith("/evaluate"):
            expect(page.get_by_role("heading", name="Output")).to_be_visible()
            expect(page.locator("svg.crypsis-plot").first).to_be_visible()
        return page

    walk(tab, show)


# Dialogs, by the page and the button that opens them.
DIALOGS = {
    "a file to copy": ("/evaluate?dataset={patients}", "Show as file"),
    "who answers": ("/evaluate?dataset={patients}", re.compile("^(Declare who answers|Change the declaration)")),
    "more data": ("/data?dataset={patients}", "Add data"),
    "a tree as text": ("/hierarchies?dataset={patients}&column=age", "Edit as text"),
    "an experiment": ("/results?experiment={compared}", "Open an experiment file"),
    "an experiment to remove": ("/results?experiment={compared}", "Remove this experiment"),
    "a new name": ("/data?dataset={patients}", "Rename age"),
    "a stream to begin again": ("/streams?dataset={metro}", "Start over"),
    "other parts": ("/parts?parts={parts}", "Open others"),
    "parts to remove": ("/parts?parts={parts}", "Remove …"),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_is_named_and_fits_every_screen(tab: Tab, filled: dict[str, str], name: str) -> None:
    path, button = DIALOGS[name]

    def show() -> Page:
        page = tab.open(path.format(**filled))
        page.get_by_role("button", name=button).first.click()
        expect(page.get_by_role("dialog")).to_have_accessible_name(re.compile(r"\w{4}"))
        page.wait_for_timeout(500)  # until it has begun to fade in; `walk` waits until it has done so
        expect(page.locator("[class*=-enter-active]")).to_have_count(0)
        return page

    walk(tab, show)


def type_query(page: Page) -> None:
    page.get_by_role("button", name="Add a query").first.click()
    field = page.get_by_label("Query 1", exact=True)
    field.fill("height in [1:2]")
    field.press("Tab")


def type_policy(page: Page) -> None:
    card = page.locator("section").filter(has=page.get_by_role("heading", name="Privacy policy"))
    card.get_by_label("One set on each line").fill("no such item")
    card.get_by_role("button", name="Save").click()


def ask_for_too_much(page: Page) -> None:
    parameter(page, "k").fill("100000")
    parameter(page, "k").press("Tab")
    page.get_by_role("button", name=re.compile("^Run")).first.click()


# What people get wrong on a page, and the words that tell them so.
ERRORS: dict[str, tuple[str, Callable[[Page], None], str | re.Pattern[str]]] = {
    "a query of no column": ("/queries?dataset={patients}", type_query, re.compile("height")),
    "a policy of no item": ("/policies?dataset={baskets}", type_policy, re.compile("no such item")),
    "a k that nobody reaches": ("/evaluate?dataset={patients}", ask_for_too_much, re.compile("100,?000")),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_shown_on_every_screen(tab: Tab, filled: dict[str, str], name: str) -> None:
    path, go_wrong, words = ERRORS[name]

    def show() -> Page:
        page = tab.open(path.format(**filled))
        go_wrong(page)
        expect(page.locator("main, .q-dialog").get_by_text(words).first).to_be_visible(timeout=60_000)
        expect(page.locator(".q-notification")).to_have_count(0)  # a notice that fades has less contrast
        return page

    walk(tab, show)


@pytest.mark.parametrize("name", FILES)
def test_a_dropped_file_is_shown_on_every_screen(tab: Tab, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    text, there = FILES[name]
    file.write_text(text)

    def show() -> Page:
        page = drop_file(tab, file)
        expect(page.get_by_text(there).first).to_be_visible()
        return page

    walk(tab, show)


@pytest.mark.parametrize("with_data", [False, True], ids=["alone", "with its dataset"])
def test_a_verdict_is_shown_on_every_screen(
    tab: Tab, api: httpx.Client, filled: dict[str, str], tmp_path: Path, with_data: bool
) -> None:
    """A verified release, and with the dataset that it was made of also the attacks on it."""
    archive = tmp_path / "release.zip"
    archive.write_bytes(api.get(filled["release"]).content)
    name = "check-ins of the verdict"  # other tests have datasets called checkins
    api.put(f"/api/datasets/{filled['checkins']}/name", json={"name": name}).raise_for_status()

    def show() -> Page:
        page = tab.open("/verify")
        if with_data:
            page.get_by_text("Check it with the data, the private report or a trusted key").click()
            field = page.get_by_label("Dataset of this workspace that it was made of")
            choose(page, field, name)
        page.get_by_label("Drop the archive of a release, or a published file").set_input_files(archive)
        expect(page.get_by_text("Verified: release.zip")).to_be_visible()
        if with_data:
            expect(page.get_by_role("heading", name="Attack")).to_be_visible()
        return page

    walk(tab, show)


def test_a_table_that_is_not_safe_is_shown_on_every_screen(tab: Tab, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)

    def show() -> Page:
        page = tab.open("/verify")
        page.get_by_label("Drop the archive of a release, or a published file").set_input_files(file)
        expect(page.get_by_text("Not safe: people.csv")).to_be_visible()
        return page

    walk(tab, show)


def test_a_warehouse_is_shown_on_every_screen(tab: Tab, api: httpx.Client, tmp_path: Path) -> None:
    """One that is built, with what its sources say of a species, and the pairs to decide on."""
    number = built_warehouse(api, tmp_path / "tuna")

    def show() -> Page:
        page = tab.open(f"/warehouse?warehouse={number}")
        expect(page.locator(".tile", has_text="State").locator(".tile-value")).to_have_text("active")
        page.get_by_label("Name of an entity").fill("albacares")
        page.get_by_role("button", name="Thunnus albacares", exact=True).click()
        expect(page.locator("dl.says").first).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("are not one$")).first).to_be_visible()
        return page

    files = [path for path in (tmp_path / "tuna").rglob("*") if path.suffix in (".ttl", ".csv", ".json", ".txt")]
    assert len(files) > 4
    walk(tab, show, " ".join(path.read_text(encoding="utf-8").lower() for path in files))


@pytest.mark.parametrize("size", SIZES)
def test_the_releases_of_a_comparison_are_in_sight(tab: Tab, filled: dict[str, str], size: str) -> None:
    """However wide the table is: its last column, with the links, does not scroll out of the card."""
    tab.page.set_viewport_size(SIZES[size])
    page = tab.open(f"/results?experiment={filled['compared']}")
    link = page.get_by_role("link", name="Download", exact=True).first
    expect(link).to_be_visible()
    around, shown = page.locator(".scroll", has=page.locator("table.cells")).bounding_box(), link.bounding_box()
    assert around is not None
    assert shown is not None
    assert shown["x"] + shown["width"] <= around["x"] + around["width"]


def test_on_a_phone_a_query_has_the_whole_line(phone: Tab, filled: dict[str, str]) -> None:
    page = phone.open(f"/queries?dataset={filled['patients']}")
    page.get_by_role("button", name="Add a query").first.click()
    field = page.locator(".q-field", has=page.get_by_label("Query 1", exact=True)).bounding_box()
    assert field is not None
    assert field["width"] > 300
    assert fits(page)


def test_axe_finds_what_is_wrong(tab: Tab) -> None:
    page = tab.open("/methods")
    page.evaluate("() => document.querySelector('#main').insertAdjacentHTML('beforeend', '<button></button>')")
    assert [one for one in violations(page) if one.startswith("button-name")]


@pytest.fixture
def phone(tab: Tab) -> Tab:
    tab.page.set_viewport_size(SIZES["phone"])
    return tab


def test_on_a_phone_the_navigation_is_a_menu_that_opens_closes_and_leads_on(phone: Tab) -> None:
    page = phone.open("/methods")
    pages = page.get_by_role("navigation", name="Pages")
    menu = page.get_by_role("button", name="Menu")
    expect(pages).to_be_hidden()
    expect(menu).to_have_attribute("aria-expanded", "false")
    menu.click()
    expect(pages).to_be_visible()
    expect(menu).to_have_attribute("aria-expanded", "true")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(pages).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Enter")
    page.mouse.click(370, 700)  # beside the menu
    expect(pages).to_be_hidden()
    menu.click()
    pages.get_by_role("link", name="Verify").click()
    page.wait_for_url(re.compile("/verify"))
    expect(pages).to_be_hidden()


def test_a_wide_screen_shows_the_navigation_and_no_menu(tab: Tab) -> None:
    page = tab.open("/methods")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()


def test_on_a_phone_a_sample_becomes_a_verified_release_by_touch(phone: Tab) -> None:
    page = phone.open("/")
    page.get_by_role("button", name="Load the sample baskets").click()
    page.wait_for_url(re.compile(r"/data\?dataset="))
    assert fits(page)
    page.get_by_role("button", name="Try a method").click()
    page.wait_for_url(re.compile("/evaluate"))
    page.get_by_role("button", name="Run", exact=True).click()
    verdict = page.get_by_text("Verified", exact=True)
    expect(verdict).to_be_visible(timeout=240_000)
    expect(verdict).to_be_in_viewport()  # although it stands below a form that is longer than the screen
    assert fits(page)
    assert violations(page) == []


def test_no_bar_without_a_name_follows_requests(tab: Tab) -> None:
    page = tab.open("/methods")
    page.evaluate(
        "() => { const request = new XMLHttpRequest(); request.open('GET', '/methods'); request.send();"
        " return new Promise(done => setTimeout(done, 500)) }"
    )
    assert page.evaluate("[...document.querySelectorAll('.q-loading-bar')].every(bar => bar.style.opacity !== '1')")
