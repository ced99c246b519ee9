"""What leaves a store as a release: verified once more against the data, with method and figures as they were."""

from __future__ import annotations

import json

import pytest

from crypsis import read_release
from crypsis.errors import OriginalRequired, OutputExists
from crypsis.evaluate import Experiment, Store, worker
from crypsis.evaluate.export import export_inputs, export_release, publishers_word, sidecar

BASKETS = [["bread", "milk"], ["bread", "eggs"], ["milk", "eggs"], ["bread", "milk"], ["eggs", "milk"], ["bread"]]
CONTENT = {
    "dataset": {"path": "baskets.jsonl", "kind": "transactions"},
    "policy": {"privacy": {"auto": "all(2)"}, "utility": {"auto": "single"}},
    "run": [{"method": "coat", "params": {"k": 2}}],
    "metrics": {"list": ["ul", "tkd"]},
}


@pytest.fixture
def carried_out(tmp_path):
    """A store with one finished cell whose promise names sets that were derived from the original."""
    (tmp_path / "baskets.jsonl").write_text("".join(json.dumps(one) + "\n" for one in BASKETS))
    experiment = Experiment.parse(CONTENT, folder=tmp_path)
    assert experiment.check() == []
    (cell,) = experiment.cells()
    store = Store(tmp_path / "out")
    store.begin(experiment, [cell])
    outcome = worker.carry_out(experiment, store, cell, "", lambda event: None)
    assert outcome.end.state == "done", outcome
    return store, cell.id


def test_a_release_keeps_its_method_and_no_figures_and_is_verified_against_the_data(carried_out, tmp_path):
    store, id = carried_out
    figures = store.cell(id).figures
    manifest = json.loads((export_release(store, id, tmp_path / "release") / "release.json").read_text())
    assert manifest["method"]["name"] == "coat"
    assert manifest["method"]["parameters"]["k"] == 2
    assert store.release(id).utility() == pytest.approx(figures)
    assert not set(figures) & (set(manifest) | set(manifest["figures"]))
    assert manifest["data"]["order"] == "sorted"
    assert manifest["verdict"]["holds"] is True
    assert set(manifest["provenance"]) == {"python", "numpy"}
    assert read_release(tmp_path / "release").verify(store.release(id).with_original(_original(store)).original).holds
    with pytest.raises(OutputExists):
        export_release(store, id, tmp_path / "release")


def test_where_the_data_are_others_by_now_they_are_not_taken_for_the_original(carried_out, tmp_path):
    store, id = carried_out
    (tmp_path / "baskets.jsonl").write_text("".join(json.dumps(["other"]) + "\n" for _ in BASKETS))
    with pytest.raises(OriginalRequired):  # the sets of its promise were derived from data that are gone
        export_release(store, id, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def _original(store):
    return store.experiment().dataset.load()


def test_hierarchies_of_columns_with_similar_names_are_files_of_their_own(tmp_path):
    (tmp_path / "d.csv").write_text("a/b,a_b\n1,x\n2,y\n")
    columns = {name: {"role": "quasi"} for name in ("a/b", "a_b")}
    trees = {"a/b": {"auto": "equi_width(2)"}, "a_b": {"auto": "flat"}}
    content = {"dataset": {"path": "d.csv", "columns": columns}, "hierarchy": trees, "run": [{"method": "incognito"}]}
    before = Experiment.parse(content, folder=tmp_path)
    export_inputs(before, tmp_path / "out")
    after = Experiment.read(tmp_path / "out" / "experiment.toml")
    data = before.dataset.load()
    made, read = before.inputs.hierarchies(data).make(data), after.inputs.hierarchies(data)
    assert {name: sorted(made[name].to_pairs()) for name in columns} == {
        name: sorted(read[name].to_pairs()) for name in columns
    }
    with pytest.raises(OutputExists, match="is a file"):
        export_inputs(before, tmp_path / "d.csv")


def test_a_release_that_counts_people_is_counted_again_with_the_data(tmp_path):
    rows = [f"u{row % 9 if row > 20 else 0},{20 + row % 7},{'m' if row % 2 else 'f'}\n" for row in range(50)]
    (tmp_path / "people.csv").write_text("uid,age,sex\n" + "".join(rows))
    content = {
        "dataset": {
            "path": "people.csv",
            "person": "uid",
            "columns": {"age": {"role": "quasi"}, "sex": {"role": "quasi"}},
        },
        "run": [{"method": "mondrian", "params": {"k": 3}}],
        "metrics": {"list": ["ncp"]},
    }
    experiment = Experiment.parse(content, folder=tmp_path)
    assert experiment.check() == []
    (cell,) = experiment.cells()
    store = Store(tmp_path / "out")
    store.begin(experiment, [cell])
    outcome = worker.carry_out(experiment, store, cell, "", lambda event: None)
    assert outcome.end.state == "done", outcome
    folder = export_release(store, cell.id, tmp_path / "release")
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["guarantee"]["parameters"] == {"k": 3, "unit": "person"}
    assert "uid" not in (folder / "table.csv").read_text()
    (tmp_path / "people.csv").write_text("uid,age,sex\n" + "".join(rows[:40]))  # others by now
    with pytest.raises(OriginalRequired, match="people"):
        export_release(store, cell.id, tmp_path / "again")


def test_the_sidecar_tells_no_more_of_the_verdict_than_a_recipient_may_know():
    """The level that was counted with the original told how many people a class has that nobody can count."""
    verdict = {"holds": True, "achieved": 7, "required": 3, "counted": "…", "witness": {"support": 7}, "base_rates": {}}
    told = sidecar({"verdict": verdict}, publishers_word(verdict))["verdict"]
    assert told["holds"] is True
    assert set(told) == {"holds", "required", "counted"}
    assert sidecar({"verdict": verdict}, {})["verdict"] == told
