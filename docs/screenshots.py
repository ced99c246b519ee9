"""Screenshots of every page, light and dark, empty and with data, into docs/images: `make screenshots`.

Starts a server on a workspace of its own, fills it with sample data, and looks at it with Chromium.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
SIZE = {"width": 1280, "height": 720}
PAGES = (
    "start", "data", "hierarchies", "policies", "queries", "evaluate", "compare", "results", "trajectories", "streams",
    "query", "verify", "methods",
)  # fmt: skip


TOWN = {
    "station": (0, 0, "Old town"), "market": (200, 100, "Old town"), "library": (350, 0, "Old town"),
    "museum": (2500, 2500, "Hill"), "park": (2700, 2400, "Hill"),
}  # fmt: skip
TOWN_RUN = {"run": [{"method": "seq-anon", "params": {"k": 5, "m": 1}}], "metrics": {"list": ["ncp"]}}
INSTANTS = (
    "Beginning at the earliest, UTC", "Beginning at the latest, UTC", "End at the earliest, UTC",
    "End at the latest, UTC",
)  # fmt: skip


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "Screenshots are made with chromium, which is not installed."
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-m", "crypsis", "serve", f"{folder}/workspace", "--json", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = json.loads(server.stdout.readline())["address"]
            browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
            shoot(browser, address, "empty", {})
            release = Path(folder) / "release.zip"
            shoot(browser, address, "", filled(address, release), release)
            browser.close()
        finally:
            server.terminate()
            server.wait(20)


def filled(address: str, release: Path) -> dict[str, str]:
    """Sample data, an evaluation, a comparison and a stream; the addresses of the pages that show them.

    What the evaluation published is downloaded to `release`.
    """
    base, token = address.split("/?token=")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{base}/api", headers=headers, timeout=120, trust_env=False) as api:

        def made(resource: str, **content: Any) -> str:
            answer = api.post(f"/{resource}", json=content)
            assert answer.status_code == 201, answer.text
            return str(answer.json()["id"])

        numbers = {name: made("datasets", sample=name) for name in ("tracks", "baskets", "patients")}
        numbers["metro"] = made("datasets", sample="metro-flow", size=20_000)
        checkins = made("datasets", sample="checkins")
        for column, recipe in (("age", "equi_width:8"), ("zip", "prefix")):
            made("hierarchies", dataset=numbers["patients"], column=column, auto=recipe)
        for policy, recipe in (("privacy", "rare:8:2"), ("utility", "frequency:5")):
            made("policies", dataset=numbers["baskets"], policy=policy, auto=recipe)
        drawn = api.post("/queries/drawn", params={"dataset": numbers["patients"]}, json={"count": 8, "seed": 4}).json()
        api.put("/queries", params={"dataset": numbers["patients"]}, json={"queries": drawn})
        sweep = {"param": "k", "start": 5, "end": 25, "step": 5}
        runs = [
            {"label": name, "method": name, "params": {"m": 2}, "sweep": sweep} for name in ("seq-anon", "sd-seq-anon")
        ]
        ran = [
            made("experiments", dataset=checkins, mode="evaluate"),
            made(
                "experiments", dataset=checkins, mode="compare", tables={"run": runs}, name="check-ins, k from 5 to 25"
            ),
        ]
        for number in ran:
            api.post(f"/experiments/{number}/start", json={}).raise_for_status()
            while api.get(f"/experiments/{number}/progress").json()["running"]:
                time.sleep(0.5)
        (cell,) = api.get(f"/experiments/{ran[0]}/progress").json()["cells"]
        release.write_bytes(api.get(f"/experiments/{ran[0]}/cells/{cell['cell']}/release.zip").content)
        asked = made(
            "experiments", dataset=timed_town(api, release.parent), mode="compare", name="town", tables=TOWN_RUN
        )
        api.post(f"/experiments/{asked}/start", json={}).raise_for_status()
        while api.get(f"/experiments/{asked}/progress").json()["running"]:
            time.sleep(0.5)
        stream = made("streams", dataset=numbers["metro"], K=20, rate=1200)
        api.post(f"/streams/{stream}/start").raise_for_status()
        time.sleep(8)
    patients = numbers["patients"]
    return {
        "data": f"?dataset={patients}",
        "hierarchies": f"?dataset={patients}&column=age",
        "policies": f"?dataset={numbers['baskets']}",
        "queries": f"?dataset={patients}",
        "evaluate": f"?dataset={checkins}",
        "compare": f"?dataset={checkins}",
        "results": f"?experiment={ran[1]}",
        "trajectories": f"?dataset={numbers['tracks']}",
        "tour": f"?dataset={checkins}",
        "streams": f"?dataset={numbers['metro']}",
    }


def timed_town(api: httpx.Client, folder: Path) -> str:
    """The visits of the tutorial "at least, at most" as a dataset, with the tree of their places."""
    draw = random.Random(7)
    rows = ["card,place,arrived,left"]
    for card in range(400):
        minute = 7 * 60 + draw.randrange(0, 180)
        for place in draw.sample(sorted(TOWN), draw.choice((1, 2, 3))):
            stay = draw.randrange(20, 100)
            times = (f"2024-03-01T{m // 60:02d}:{m % 60:02d}" for m in (minute, minute + stay))
            rows.append(",".join([str(card), place, *times]))
            minute += stay + draw.randrange(5, 30)
    (folder / "visits.csv").write_text("\n".join(rows) + "\n")
    places = "".join(f"{name},{x},{y}\n" for name, (x, y, _) in TOWN.items())
    (folder / "places.csv").write_text(f"location,x,y\n{places}")
    number = api.post("/datasets", json={"path": str(folder / "visits.csv"), "name": "town"}).json()["id"]
    section = {
        "kind": "trajectories", "locations": str(folder / "places.csv"), "id": "card", "location": "place",
        "enter": "arrived", "exit": "left", "each_row_is_a_person": True, "times": "merge", "time_width": 120,
    }  # fmt: skip
    api.put(f"/datasets/{number}/section", json={"section": section}).raise_for_status()
    areas = sorted({area for _, _, area in TOWN.values()})
    tree = "child,parent\n" + "".join(f"{name},{area}\n" for name, (_, _, area) in TOWN.items())
    tree += "".join(f"{area},town\n" for area in areas)
    upload = api.post("/uploads", params={"name": "tree.csv"}, content=tree).json()["id"]
    api.post("/hierarchies", json={"dataset": number, "column": "locations", "upload": upload}).raise_for_status()
    return str(number)


def ask_for_old_town(page: Page) -> None:
    """A node as the region, and a period whose ends are not exact."""
    page.locator(".choosing[data-ready]").wait_for()
    page.get_by_label("Region: places or areas").fill("old")
    page.get_by_role("option", name="Old town (area of 3 places)").click()
    page.keyboard.press("Escape")
    page.get_by_text("Beginning and end are not exact").click()
    page.locator("[data-ready='4']").wait_for()
    for label, time_of_day in zip(INSTANTS, ("08:00", "08:15", "10:00", "10:30"), strict=True):
        page.get_by_label(label).fill(f"2024-03-01T{time_of_day}")
        page.wait_for_timeout(700)
    page.set_viewport_size({"width": 1280, "height": 1100})
    page.evaluate("scrollTo(0, 0)")


def shoot(browser: Browser, address: str, state: str, queries: dict[str, str], release: Path | None = None) -> None:
    base = address.split("/?")[0]
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        for name in PAGES:
            page.goto(f"{base}/{'' if name == 'start' else name}{queries.get(name, '')}")
            page.wait_for_selector("h1")
            if name == "verify" and release is not None:
                page.get_by_label("Drop the archive of a release, or a published file").set_input_files(release)
                page.get_by_text("Verified: release.zip").wait_for()
            if name == "query" and queries:
                ask_for_old_town(page)
            page.wait_for_timeout(3000 if queries else 500)
            keep(page, "-".join(part for part in (name, scheme, state) if part))
            page.set_viewport_size(SIZE)  # type: ignore[arg-type]
        if scheme == "light" and "tour" in queries:
            page.goto(f"{base}/data{queries['tour']}")
            page.get_by_text("Unique records").wait_for()
            page.wait_for_timeout(1500)
            keep(page, "tour-data")
            page.goto(f"{base}/trajectories{queries['tour']}")
            page.locator("svg.map .hull").first.wait_for()
            keep(page, "tour-map")
        context.close()


def keep(page: Page, name: str) -> None:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(160, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
