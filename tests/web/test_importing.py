"""A file on its way into the workspace: *Load* takes what the preview found, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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

    monkeypatch.setattr(web_datasets, "described", refuse)
    entry = imports.load(staged, settings, shown)
    assert {key: entry.content["section"][key] for key in shown.section} == shown.section
    assert entry.content["inspection"] == json.loads(json.dumps(shown.inspection))
    assert len(imports.datasets.load(entry.number)) == 2
