"""The marine files are built into a warehouse, and their taxonomy serves as the hierarchy of a release."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.warehouse import Warehouse
from tests.shared_data import ROOT


@pytest.mark.real_data("marine")
def test_the_marine_sources_become_one_warehouse_whose_taxonomy_generalizes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests import shared_data

    monkeypatch.setenv("CRYPSIS_DATA", str(shared_data.data_folder()))
    configuration = ROOT / "docs" / "warehouses" / "marine" / "marine.toml"
    warehouse = Warehouse.from_config(configuration, work=tmp_path / "work")
    report = warehouse.build()
    assert (report.active, report.failed) == (True, [])
    metrics = report.content["metrics"]
    assert metrics["common_iris"]["fao|fishbase"][0] > 7_000
    assert "Competence queries" in (warehouse._active / "report.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "work" / "raw" / "fao" / "fetch.json").read_text())["files"]

    rows = warehouse.query(
        "SELECT DISTINCT ?name WHERE { ?s fao:alpha3 ?c ; rdfs:label ?name ; tlo:LT8_usually_belongs_to ?f . "
        "?f a tlo:BT25_Family ; tlo:LT8_usually_belongs_to ?o . ?o rdfs:label ?order } ORDER BY ?name LIMIT 400"
    ).rows
    names = sorted({str(name).strip('"') for (name,) in rows})
    tree = warehouse.hierarchy("tlo:LT8_usually_belongs_to")
    labelled = {tree.labels.get(node, node): node for node in tree.parent}
    known = [name for name in names if name in labelled]
    assert len(known) > 200
    frame = pl.DataFrame({"catch": known * 3, "port": ["north", "south", "east"] * len(known)})
    table = crypsis.Table.from_frame(frame, {"catch": "quasi", "port": "quasi"})
    hierarchy = tmp_path / "species.csv"
    hierarchy.write_text(tree.paths_csv(), encoding="utf-8")
    plan = crypsis.HierarchyPlan({"catch": crypsis.Hierarchy.from_file(hierarchy)})
    method = crypsis.TopDown(k=5, hierarchy=plan)
    release = crypsis.anonymize(table, method)
    assert release.verify().holds
