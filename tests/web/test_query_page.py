"""The page Query as a person uses it: draw a region, slide the handles of a period, read at least and at most."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from crypsis.web.pages.query import LABELS
from tests.web.clicks import choose
from tests.web.conftest import ROOT, Tab
from tests.web.experiments import ended, experiment
from tests.web.screens import SIZES, fits, on_every_screen, violations

pytestmark = pytest.mark.long

PLACES = {"station": (0, 0), "market": (0, 300), "library": (300, 0), "museum": (2500, 2500), "park": (2700, 2400)}
TREE = "child,parent\n" + "".join(
    f"{place},{'Old town' if place in ('station', 'market', 'library') else 'Hill'}\n" for place in PLACES
)
COLUMNS = {"id": "card", "location": "place", "enter": "arrived", "exit": "left", "each_row_is_a_person": True}


@pytest.fixture(scope="module")
def town(api: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Visits of sixty cards with times, their places on a map and in a tree, and results by method."""
    folder = tmp_path_factory.mktemp("town")
    rows = "".join(
        f"{card},{place},2024-03-01T{7 + stop * 2:02d}:{card % 60:02d},2024-03-01T{8 + stop * 2:02d}:{card % 60:02d}\n"
        for card in range(60)
        for stop, place in enumerate((list(PLACES) * 2)[card % 5 : card % 5 + 2])
    )
    (folder / "visits.csv").write_text(f"card,place,arrived,left\n{rows}")
    (folder / "places.csv").write_text("location,x,y\n" + "".join(f"{n},{x},{y}\n" for n, (x, y) in PLACES.items()))
    number = api.post("/api/datasets", json={"path": str(folder / "visits.csv"), "name": "town"}).json()["id"]
    section = {"kind": "trajectories", "locations": str(folder / "places.csv"), **COLUMNS}
    answer = api.put(
        f"/api/datasets/{number}/section", json={"section": {**section, "times": "merge", "time_width": 60}}
    )
    assert answer.status_code == 200, answer.text
    text = api.post("/api/uploads", params={"name": "tree.csv"}, content=f"{TREE}Old town,town\nHill,town\n").json()[
        "id"
    ]
    answer = api.post("/api/hierarchies", json={"dataset": number, "column": "locations", "upload": text})
    assert answer.status_code == 201, answer.text
    made = {}
    for method, params in (("bf-p2ka", {"k": 5}), ("seq-anon", {"k": 5, "m": 1})):
        made[method] = experiment(api, number, name=f"town {method}", run=[{"method": method, "params": params}])
        (cell,) = ended(api, made[method])["cells"]
        assert cell["state"] == "done", cell
        made[f"{method} cell"] = cell["cell"]
    return made


def open_query(tab: Tab, town: dict[str, str], method: str = "seq-anon") -> Page:
    page = tab.open("/query")
    expect(page.locator("[data-asked]")).to_be_visible()  # the fields of some result
    choose(page, page.get_by_label("Result"), re.compile(f"^town {method}"))
    await_fields(page, town, "presence", method)
    return page


def await_fields(page: Page, town: dict[str, str], kind: str, method: str = "seq-anon") -> None:
    """Wait until the fields are those of this question to this result, and every map can be drawn on."""
    fields = page.locator(f'[data-asked="{kind} {town[method]}/{town[f"{method} cell"]}"]')
    expect(fields).to_have_count(1)
    expect(fields.locator(".choosing[data-ready] svg.map")).to_have_count({"od": 2, "copresence": 0}.get(kind, 1))


def sentence(page: Page) -> str:
    shown = page.get_by_text(re.compile("^(At least|About) "))
    expect(shown).to_be_visible()
    return shown.inner_text()


def drag_box(page: Page, *places: str) -> None:
    """A box around some places of the map, drawn with the mouse."""
    page.locator("svg.map").scroll_into_view_if_needed()
    boxes = [page.locator(".place").filter(has_text=place).bounding_box() for place in places]
    found = [box for box in boxes if box is not None]
    page.mouse.move(min(box["x"] for box in found) - 2, min(box["y"] for box in found) - 2)
    page.mouse.down()
    page.mouse.move(max(box["x"] for box in found), max(box["y"] for box in found))
    page.mouse.move(
        max(box["x"] + box["width"] for box in found) + 2, max(box["y"] + box["height"] for box in found) + 2
    )
    page.mouse.up()


@on_every_screen
def test_a_region_is_drawn_and_the_command_gives_the_same_answer(
    tab: Tab, api: httpx.Client, town: dict[str, str], tmp_path: Path
) -> None:
    said: list[str] = []
    tab.page.on("console", lambda message: said.append(message.text))
    page = open_query(tab, town)
    page.locator(".place").filter(has_text="park").click()
    expect(page.locator(".place.chosen")).to_have_count(1)
    one = sentence(page)
    drag_box(page, "station", "market", "library")
    expect(page.locator(".place.chosen")).to_have_count(4)
    page.locator(".place").filter(has_text="park").click()
    expect(page.locator(".place.chosen")).to_have_count(3)
    expect(page.get_by_text(one, exact=True)).to_have_count(0)
    expect(page.get_by_role("img", name=re.compile("^Certain .* possible "))).to_be_visible()
    page.get_by_text("Beginning and end are not exact").click()
    expect(page.locator("[data-ready='4']")).to_be_visible()
    last = page.get_by_role("slider", name="End at the latest")
    last.focus()
    for _ in range(3):
        last.press("ArrowRight")
    moved = str(last.get_attribute("aria-valuetext")).replace(" ", "T")
    expect(page.get_by_label("End at the latest, UTC")).to_have_value(moved)
    shown = page.locator(".code")
    expect(shown).to_contain_text(f"/{moved} --mode")
    command = shlex.split(shown.inner_text())
    archive = api.get(f"/api/experiments/{town['seq-anon']}/cells/{town['seq-anon cell']}/release.zip")
    zipfile.ZipFile(io.BytesIO(archive.content)).extractall(tmp_path)
    answered = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answered.stdout.splitlines()[0].lower() == sentence(page).lower()
    assert said == []


@on_every_screen
def test_a_node_from_the_list_typed_instants_and_places_by_keyboard(tab: Tab, town: dict[str, str]) -> None:
    page = open_query(tab, town)
    field = page.get_by_label("Region: places or areas")
    field.fill("old")
    page.get_by_role("option", name="Old town (area of 3 places)").click()
    page.keyboard.press("Escape")
    expect(page.locator(".place.chosen")).to_have_count(3)
    expect(page.locator(".code")).to_contain_text("--region 'node:Old town'")
    expect(page.locator(".code")).to_contain_text("--taxonomy hierarchy.csv")
    expect(page.get_by_role("link", name=re.compile("^Download hierarchy.csv"))).to_be_visible()
    begin = page.get_by_label("Beginning, UTC")
    begin.fill("2024-03-01T08:00")
    expect(page.locator(".code")).to_contain_text("2024-03-01T08:00/")
    expect(page.get_by_role("slider", name="Beginning")).to_have_attribute("aria-valuetext", "2024-03-01 08:00")
    begin.fill("tomorrow")
    expect(page.get_by_text(re.compile("'tomorrow' is no instant of this release"))).to_be_visible()
    begin.fill("2024-03-01T08:00")
    page.get_by_role("application", name=re.compile("^Map of 5 places")).focus()
    page.keyboard.press("Enter")  # the node becomes its other places
    expect(page.locator(".place.chosen")).to_have_count(2)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".code")).not_to_contain_text("node:")


@pytest.mark.parametrize("kind", ["dwell", "relation", "od", "copresence"])
@on_every_screen
def test_every_question_has_a_form_and_an_answer(tab: Tab, town: dict[str, str], kind: str) -> None:
    page = open_query(tab, town)
    choose(page, page.get_by_label("What is asked"), LABELS[kind])
    await_fields(page, town, kind)
    for place in range(page.locator("svg.map").count()):
        page.locator("svg.map").nth(place).locator(".place").nth(place).click()
        expect(page.locator(".place.chosen")).to_have_count(place + 1)
    page.get_by_role("button", name="Ask", exact=True).click()
    assert sentence(page).startswith("At least ")
    expect(page.locator(".code")).to_contain_text("crypsis query ")


def test_the_page_fits_every_screen_and_shuts_nobody_out(tab: Tab, town: dict[str, str]) -> None:
    page = open_query(tab, town)
    page.locator(".place").first.click()
    page.get_by_text("Beginning and end are not exact").click()
    sentence(page)
    for size in SIZES.values():
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            expect(page.locator(f"body.body--{scheme}")).to_have_count(1)
            page.wait_for_timeout(300)  # colours fade into each other
            assert fits(page)
            assert violations(page) == []


@on_every_screen
def test_replaced_records_give_an_estimate_and_the_reason(tab: Tab, town: dict[str, str]) -> None:
    page = open_query(tab, town, "bf-p2ka")
    page.locator(".place").first.click()
    expect(page.get_by_text("An estimate, without bounds")).to_be_visible()
    expect(page.get_by_text(re.compile("^The published records are drawn, replaced or noisy"))).to_be_visible()
    assert sentence(page).startswith("About ")
    choose(page, page.get_by_label("What is asked"), LABELS["od"])
    await_fields(page, town, "od", "bf-p2ka")
    for place in range(2):
        page.locator("svg.map").nth(place).locator(".place").nth(place).click()
        expect(page.locator(".place.chosen")).to_have_count(place + 1)
    expect(page.get_by_text("This cannot be asked")).to_be_visible()


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        ({"region": ["node:Old twn"]}, "bad-query", "Did you mean 'Old town'"),
        ({"region": ["statoin"]}, "bad-query", "Did you mean 'station'"),
        ({"period": "2024-03-01T10:00/08:00"}, "bad-query", "must not fall"),
        ({"period": "2024-03-01T08:00Z/10:00"}, "bad-query", "others have none"),
        ({"mode": "often"}, "bad-parameter", "must be one of"),
        ({"kind": "od", "region": []}, "option-without-effect", "does not use period"),
    ],
)
def test_what_cannot_be_asked_has_a_code(
    api: httpx.Client, town: dict[str, str], asked: dict[str, object], code: str, words: str
) -> None:
    question = {"kind": "presence", "region": ["node:Old town"], "period": "2024-03-01T08:00/09:00/10:00/10:30"}
    address = f"/api/experiments/{town['seq-anon']}/cells/{town['seq-anon cell']}/query"
    answered = api.post(address, json=question)
    assert answered.status_code == 200, answered.text
    assert answered.json()["definite"] <= answered.json()["estimate"] <= answered.json()["possible"]
    refused = api.post(address, json={**question, **asked})
    assert refused.status_code == 400, refused.text
    assert refused.json()["error"]["code"] == code
    assert words in refused.json()["error"]["message"]
