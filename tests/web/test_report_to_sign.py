"""The report as a document to sign: declared once per workspace, then in every report and release."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from crypsis.errors import BadParameter, UnreadableFile
from crypsis.reports.about import LABELS, REQUIRED
from crypsis.web.declaration import FILE, Declaration
from tests.web.clicks import choose
from tests.web.conftest import Tab
from tests.web.lights import table

SAID = {name: f"The {LABELS[name].lower()}" for name in REQUIRED}
ROWS = "age,town,ill\n" + "".join(f"{20 + n % 37},{'abcd'[n % 4]},{'xyz'[n % 3]}\n" for n in range(120))


def test_a_declaration_is_kept_whole_for_its_owner_alone_or_not_at_all(tmp_path: Path) -> None:
    declaration = Declaration(tmp_path)
    assert declaration.about is None
    with pytest.raises(BadParameter, match="Not said yet: Controller, Purpose"):
        declaration.declare({"title": "x", "controller": "  "})
    assert declaration.about is None
    assert declaration.declare({**SAID, "contact": ""}).title == "The dataset"
    assert Declaration(tmp_path).about == declaration.about
    assert oct((tmp_path / FILE).stat().st_mode)[-3:] == "600"
    (tmp_path / FILE).write_text("[]")
    with pytest.raises(UnreadableFile, match="declare it again"):
        _ = declaration.about
    declaration.forget()
    assert declaration.about is None


@pytest.mark.long
@pytest.mark.parametrize("width", [1440, 390])
def test_a_person_declares_once_and_takes_the_pdf_to_sign(tab: Tab, api: httpx.Client, width: int) -> None:
    api.delete("/api/workspace/about")
    number = table(api, "people.csv", ROWS, age="quasi", town="quasi", ill="sensitive")
    tab.page.set_viewport_size({"width": width, "height": 900})
    page = tab.open(f"/evaluate?dataset={number}&method=mondrian")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Declare who answers for it").click()
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("alert").filter(has_text="Not said yet: Dataset, Controller")).to_be_visible()
    for name, value in SAID.items():
        page.get_by_role("dialog").get_by_label(LABELS[name], exact=True).fill(value)
    choose(page, page.get_by_role("dialog").get_by_label("Language of the report"), "Deutsch")
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_text("The dataset · The controller")).to_be_visible()
    declared = SAID | {"language": "de"}
    assert api.get("/api/workspace/about").json() == declared
    with page.expect_popup() as opened, tab.page.context.expect_event("page"):
        page.get_by_role("button", name="Public report (page)").click()
    expect(opened.value.locator("h1")).to_have_text("The dataset")
    expect(opened.value.get_by_text("The legal basis")).to_be_visible()
    expect(opened.value.get_by_role("heading", name="Was garantiert ist und was nicht")).to_be_visible()
    assert opened.value.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    opened.value.close()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    experiment = next(one for one in api.get("/api/experiments").json() if one["dataset"] == number)["id"]
    [cell] = [row["cell"] for row in api.get(f"/api/experiments/{experiment}/results").json()]
    address = f"/api/experiments/{experiment}/cells/{cell}"
    for private in (False, True):
        printed = api.get(f"{address}/report.pdf", params={"private": private})
        assert printed.content.startswith(b"%PDF-"), printed.text[:200]
        assert ("not-for-release" in printed.headers["content-disposition"]) is private
    with zipfile.ZipFile(io.BytesIO(api.get(f"{address}/release.zip").content)) as archive:
        assert json.loads(archive.read("release/release.json"))["about"] == declared
        assert '<html lang="de">' in archive.read("release/report.html").decode()
        assert "release/datacite.json" in archive.namelist()
    assert 'title = "The dataset"' in api.get(f"/api/experiments/{experiment}/experiment.toml").text
    assert api.put("/api/workspace/about", json={"about": {"title": "x"}}).status_code == 400
    api.delete("/api/workspace/about")
    assert api.get("/api/workspace/about").json() == {}
