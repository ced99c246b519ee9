"""A workspace with something on every page: a small dataset of each kind, results, a policy, queries, a warehouse."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.warehouse import sample as warehouse
from tests.web.conftest import sample
from tests.web.experiments import ended

KINDS = {"patients": "mixed", "baskets": "transaction", "checkins": "trajectory", "tracks": "track", "metro": "stream"}
OF_EVERY_DATASET = (
    "/",
    "/methods",
    "/verify",
    "/query",
    "/warehouse",
    "/results",
    "/parts",
)  # the same whatever is chosen
_PEOPLE = "age,town,illness\n" + "".join(
    f"{20 + row % 7},{'AB'[row % 2]}ford,{['flu', 'cold'][row % 2]}\n" for row in range(60)
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass
class FullWorkspace:
    """Where to look, and the words that are of the data."""

    datasets: dict[str, str] = field(default_factory=dict)
    warehouse: str = ""
    words: set[str] = field(default_factory=set)

    def addresses(self, path: str) -> list[str]:
        """The page with each dataset, or alone where it shows the same with all."""
        if path == "/warehouse":
            return [f"{path}?warehouse={self.warehouse}"]
        chosen = ["patients"] if path in OF_EVERY_DATASET else [*self.datasets]
        return [f"{path}?dataset={self.datasets[name]}" for name in chosen]


def filled(api: httpx.Client, workspace: Path, folder: Path) -> FullWorkspace:
    """Fill the workspace that `api` serves; `folder` is another one, for the files of the warehouse."""
    made = FullWorkspace()
    for name in KINDS:
        made.datasets[name] = str(sample(api, name, size=60)["id"])
    sent = api.post("/api/uploads", params={"name": "people.csv"}, content=_PEOPLE).json()["id"]
    made.datasets["people"] = str(api.post("/api/datasets", json={"upload": sent, "name": "people"}).json()["id"])
    for name in ("patients", "baskets", "checkins", "tracks", "people"):
        new = api.post("/api/experiments", json={"dataset": made.datasets[name], "mode": "evaluate"}).json()["id"]
        assert [cell["state"] for cell in ended(api, new)["cells"]] == ["done"], name
    policy = {"dataset": made.datasets["baskets"], "policy": "privacy", "sets": [["milk"], ["milk", "bread"]]}
    api.post("/api/policies", json=policy)
    made.warehouse = built_warehouse(api, folder)
    files = [file for ending in ("csv", "json", "nt", "ttl") for file in folder.rglob(f"*.{ending}")]
    for file in (*files, *workspace.rglob("*.csv")):
        made.words |= set(_WORD.findall(file.read_text(encoding="utf-8", errors="replace")))
    for number in made.datasets.values():
        made.words |= set(_WORD.findall(api.get(f"/api/datasets/{number}/file.csv").text))
        made.words |= set(_WORD.findall(json.dumps(api.get(f"/api/datasets/{number}").json()["section"])))
    return made


def built_warehouse(api: httpx.Client, folder: Path) -> str:
    """The number of a warehouse of tuna that is opened and built; its files are put into `folder`."""
    warehouse.copy_to(folder)
    (folder / "tuna.json").write_text(json.dumps(warehouse.content()))
    number = str(api.post("/api/warehouses", json={"path": str(folder / "tuna.json")}).json()["id"])
    api.post(f"/api/warehouses/{number}/build", json={}).raise_for_status()
    until = time.monotonic() + 120
    while api.get(f"/api/warehouses/{number}/build").json()["running"]:
        assert time.monotonic() < until
        time.sleep(0.2)
    return number
