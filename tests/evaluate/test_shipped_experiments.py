"""The experiments of docs/experiments try every method that applies to their data, and end in a readable report."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from crypsis.evaluate import Experiment, Store, run, runner
from crypsis.evaluate.applicability import applicable_methods
from crypsis.evaluate.report import write_report
from tests.shared_data import dataset

FOLDER = Path(__file__).parents[2] / "docs" / "experiments"
NAMES = ("adult", "groceries", "informs2005", "gowalla_nyc")
LEFT_OUT = {"informs2005": {"diff-gen", "diff-multi"}}  # persons share an identifier, which their promise rules out
EACH = [pytest.param(name, marks=pytest.mark.real_data(name)) for name in NAMES]


def shipped(name, monkeypatch):
    monkeypatch.setenv("CRYPSIS_DATA", str(dataset(name).parent))
    return Experiment.read(FOLDER / f"{name}.toml")


def test_there_is_one_for_each():
    assert {file.stem for file in FOLDER.glob("*.toml")} == set(NAMES)


@pytest.mark.parametrize("name", EACH)
def test_every_method_that_applies_is_tried_and_the_end_is_a_report(name, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "WORKER", "tests.evaluate.odd_worker")
    experiment = shipped(name, monkeypatch)
    assert experiment.check() == []
    applicable = set(applicable_methods(experiment.dataset.load()))
    assert {cell.method for cell in experiment.cells()} == applicable - LEFT_OUT.get(name, set())
    content = copy.deepcopy(dict(experiment.content))
    content["dataset"]["rows"] = 400
    for one in content["run"]:
        one["sweep"] = {"param": "k", "values": [2]}
    small = Experiment(content, FOLDER)
    outcome = run(small, tmp_path / "out", workers=2)
    store = Store(tmp_path / "out")
    assert set(outcome.counts) <= {"done", "infeasible"}, [row["message"] for row in store.results() if row["message"]]
    assert outcome.counts["done"] >= 5
    page, _ = write_report(store)
    assert page.stat().st_size > 10_000
