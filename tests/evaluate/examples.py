"""The worked example of mixed data (golden/rt) as files, and experiments on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crypsis.evaluate import runner

GOLDEN = Path(__file__).parents[1] / "golden" / "rt" / "rt_figures.json"

DATASET = """
[dataset]
path = "rt.csv"
[dataset.columns]
Age = {type = "int", role = "quasi"}
Origin = {type = "category", role = "quasi"}
Gender = {type = "category", role = "quasi"}
items = {type = "items", item_separator = " ", sensitive = ["G", "H"]}
[hierarchy.Origin]
path = "Origin.csv"
[hierarchy.Gender]
path = "Gender.csv"
"""

MERGE_R = """
[[run]]
label = "R"
relational = {method = "cluster", seeds = "first"}
transaction = {method = "pcta"}
bound = {method = "RMERGE_R"}
params = {k = 2, m = 2, delta = 0.65}
"""


def write_example(folder: Path) -> Path:
    """rt.csv and the two hierarchies; returns the folder."""
    content = json.loads(GOLDEN.read_text())
    lines = ["Age,Origin,Gender,items"]
    for cells, items in zip(content["relational"], content["transactions"], strict=True):
        lines.append(",".join(map(str, cells)) + "," + " ".join(items))
    (folder / "rt.csv").write_text("\n".join(lines) + "\n")
    for column, parents in content["hierarchies"].items():
        pairs = "".join(f"{child};{parent}\n" for child, parent in parents.items())
        (folder / f"{column}.csv").write_text("child;parent\n" + pairs)
    return folder


def people(folder: Path, count: int = 60) -> Path:
    """A small table without items, people.csv."""
    lines = ["age,city,ill"]
    lines += [f"{20 + (7 * n) % 41},{'abcde'[n % 5]}town,{('flu', 'cold', 'burn')[n % 3]}" for n in range(count)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return folder


PEOPLE = """
[dataset]
path = "people.csv"
[dataset.columns]
age = {type = "int", role = "quasi"}
city = {role = "quasi"}
ill = {role = "sensitive"}
"""


def sweep_of_people(values: str = "[2, 3, 4]", extra: str = "") -> str:
    return f"""{extra}
{PEOPLE}
[[run]]
label = "m"
method = "mondrian"
sweep = {{param = "k", values = {values}}}
[metrics]
list = ["ncp"]
"""


def let_hours_pass_at_a_cell_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of a cell with k = 14 runs ahead, so that a limit in which any other ends is soon over for it."""
    is_late = runner._Session._is_late

    def hours_later(self: Any, worker: Any, spent: float = 0.0) -> bool:
        if worker.started is not None and worker.cell is not None and worker.cell.params.get("k") == 14:
            worker.started -= 3600
        return is_late(self, worker, spent)

    monkeypatch.setattr(runner._Session, "_is_late", hours_later)
