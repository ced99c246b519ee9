"""`crypsis certificate`: from a release and a file of declarations to a PDF."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

import crypsis
from tests.cli.conftest import Run

SAID = ("title", "controller", "purpose", "recipient", "legal_basis", "made_by", "approved_by")


def test_what_is_missing_is_asked_for_and_then_the_pdf_is_written(run: Run, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 21, 50, 51], "ill": ["flu", "cold"] * 2})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    folder = crypsis.anonymize(table, crypsis.Mondrian(k=2)).write(tmp_path / "release")
    out = tmp_path / "c.pdf"
    refused = run("certificate", folder, "--out", out)
    assert refused.code == 2
    assert "--legal-basis" in refused.err
    assert not out.exists()
    (tmp_path / "about.json").write_text(json.dumps(dict.fromkeys(SAID, "said")))
    done = run("certificate", folder, "--about", tmp_path / "about.json", "--out", out, "--title", "Other")
    assert done.code == 0, done.err
    assert out.read_bytes().startswith(b"%PDF-")
