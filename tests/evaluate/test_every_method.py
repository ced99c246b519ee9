"""Every method of the registry runs as a cell on generated data of its kind, whatever is added to the registry."""

from __future__ import annotations

import pytest

from crypsis.data.writing import write_data
from crypsis.evaluate import Experiment, Store, worker
from crypsis.evaluate.applicability import domain_parameters, why_not
from crypsis.evaluate.dataset import can_show
from crypsis.evaluate.export import export_release
from crypsis.evaluate.output_page import output_page
from crypsis.methods import METHODS
from crypsis.release import MANIFEST
from crypsis.samples import SAMPLES

PEOPLE = 120
SECTIONS = {
    "Trajectories": {"kind": "trajectories", "locations": "places.csv", "sensitive": ["Hospital"]},
    "Tracks": {"kind": "tracks"},
    "Transactions": {"kind": "transactions"},
    "Events": {"kind": "events"},
    "Mixed": {"kind": "mixed"},
}


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    """A [dataset] for every kind of data that a sample can be made of."""
    folder = tmp_path_factory.mktemp("samples")
    made = {}
    for name, sample in SAMPLES.items():
        data = sample.make(PEOPLE)
        kind = type(data).__name__
        if kind in made or kind not in SECTIONS:
            continue
        section = dict(SECTIONS[kind])
        file = folder / f"{name}.{'jsonl' if kind == 'Transactions' else 'csv'}"
        write_data(data, file)
        section["path"] = str(file)
        if kind == "Trajectories":
            places = data.locations
            write_data(places, folder / "places.csv")
            section |= {"locations": str(folder / "places.csv"), "sensitive": [places.labels[0]]}
        if kind == "Mixed":
            columns = {column.name: {"role": column.role, "type": column.type} for column in data.table.columns}
            section["columns"] = columns | {data.column: {"type": "items", "item_separator": " "}}
        made[kind] = (section, data)
    return made


def of_kind(sections, accepts):
    for section, data in sections.values():
        if can_show(type(data), accepts):
            return section
    raise AssertionError(f"no sample of {accepts.__name__}")


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_a_method_runs_as_a_cell(name, sections, tmp_path):
    method = METHODS[name]
    section = of_kind(sections, method.accepts)
    known = {parameter["name"]: parameter for parameter in method.describe()["parameters"]}
    easy = {"k": 2, "K": 2, "delta": 1.0, "radius": 500.0, "cell": 500.0}
    params = {key: value for key, value in easy.items() if key in known}
    params |= dict.fromkeys(domain_parameters(name), "public-in-data")  # they are made up
    if "truncate" in known.get("on_infeasible", {}).get("choices", ()):
        params["on_infeasible"] = "truncate"
    experiment = Experiment.parse({"dataset": section, "run": [{"method": name, "params": params}]}, folder=tmp_path)
    assert why_not(name, experiment.dataset.load()) is None
    assert experiment.check() == []
    (cell,) = experiment.cells()
    store = Store(tmp_path / "out")
    store.begin(experiment, [cell])
    worker.carry_out(experiment, store, cell, "", lambda event: None)
    stored = store.cell(cell.id)
    assert stored.state in ("done", "infeasible"), stored
    if stored.state == "done":
        assert stored.proof.verified is True
        assert stored.figures
        page = output_page(experiment.data_for(cell), store.release(cell.id).data, 0, 5)
        assert page.rows or METHODS[name].by_record  # of a private release noise may leave nothing
        assert all(len(row) == len(page.columns) for row in page.rows)
        exported = export_release(store, cell.id, tmp_path / "release")
        assert (exported / MANIFEST).is_file()
        assert "private.json" not in {file.name for file in exported.iterdir()}
