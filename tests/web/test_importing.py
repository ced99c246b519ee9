"""A file on its way into the workspace: *Load* takes what the preview found, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import NotApplicable
from crypsis.web import datasets as web_datasets
from crypsis.web.datasets import Datasets
from crypsis.web.importing import Imports, Staged
from crypsis.web.workspace import Workspace

NUMBER = "0123456789ab"


def test_a_previewed_upload_is_loaded_without_a_second_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path)
    imports = Imports(Datasets(workspace, allow_paths=False))
    uploads = tmp_path / "uploads"
    uploads.mkdir(exist_ok=True)
    staged, settings = Staged(upload=NUMBER, name="people.csv"), {"missing": ["-9"]}
    (uploads / f"{NUMBER}.csv").write_text("town,age\nRome,20\nOslo,-9\n")
    shown = imports.preview(staged, settings)
    again = Imports(Datasets(workspace, allow_paths=False)).preview(staged, settings)
    assert (again.section, again.inspection) == (shown.section, shown.inspection)

    def refuse(*_: Any) -> Any:
        raise AssertionError("the file is looked at again")

    monkeypatch.setattr(web_datasets, "first_look", refuse)
    entry = imports.load(staged, settings, shown)
    assert {key: entry.content["section"][key] for key in shown.section} == shown.section
    assert entry.content["inspection"] == json.loads(json.dumps(shown.inspection))
    assert len(imports.datasets.load(entry.number)) == 2


def test_rows_of_another_upload_are_sets_beside_the_records_and_move_with_them(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    imports = Imports(Datasets(workspace, allow_paths=False))
    uploads, other = tmp_path / "uploads", "ba9876543210"
    (uploads / f"{NUMBER}.csv").write_text("pid,age\np1,20\np2,30\np3,40\n")
    (uploads / f"{other}.csv").write_text("pid,code\n" + "p1,J10\np1,I10\np2,-9\np3,J10\n" * 10)
    staged = Staged(upload=NUMBER, name="people.csv")
    settings = imports.sets_beside(staged, {}, other)
    assert settings["sets"] == {"code": {"path": f"{other}.csv", "id": "pid", "item": "code", "missing": ["-9"]}}
    shown = imports.preview(staged, settings)
    assert shown.problem is None
    assert shown.section["kind"] == "mixed"
    assert [row[-1] for row in shown.rows] == ["I10 J10", "", "J10"]
    entry = imports.load(staged, settings, shown)
    assert sorted(path.name for path in entry.folder.iterdir()) == [f"{other}.csv", "entry.json", "original.csv"]
    assert len(imports.datasets.load(entry.number)) == 3
    assert not list(uploads.iterdir())
    (uploads / f"{NUMBER}.csv").write_text("x,y\n1,2\n3,4\n")
    (uploads / f"{other}.csv").write_text("z\n1\n")
    with pytest.raises(NotApplicable, match="They share no column"):
        imports.sets_beside(staged, {}, other)
