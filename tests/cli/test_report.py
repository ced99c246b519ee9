"""`crypsis report` in another language, also of a release that only its publisher can count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pypdf import PdfReader

import crypsis
from crypsis.reports.about import REQUIRED
from tests.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [["home", "shop"]] * 6 + [["gym", "inn"], ["pool", "home", "shop", "inn"], ["zoo", "home", "shop", "inn"]]
    release = crypsis.anonymize(crypsis.Trajectories.from_lists(rows), crypsis.KAMRec(k=3, p=10))
    return release.write(tmp_path / "release")


def test_a_release_that_only_its_publisher_can_count_has_a_report_in_german(run: Run, folder: Path) -> None:
    assert run("verify", folder).code == 2, "a release that needs the original"
    page = folder.parent / "bericht.html"
    done = run("report", folder, "--language", "de", "--out", page)
    assert done.code == 0, done.err
    told = page.read_text(encoding="utf-8")
    assert "Was garantiert ist und was nicht" in told
    assert "crypsis verify FOLDER --original FILE" in told


def test_the_report_and_the_certificate_are_in_the_declared_language(run: Run, tmp_path: Path) -> None:
    data, about = tmp_path / "people.csv", tmp_path / "about.json"
    data.write_text("age,ill\n" + "30,flu\n40,cold\n" * 6)
    about.write_text(json.dumps(dict.fromkeys(REQUIRED, "Klinik") | {"language": "de"}))
    folder, page = tmp_path / "release", tmp_path / "report.html"
    options = ("--quasi", "age", "--sensitive", "ill", "--each-row-is-a-person", "--out", folder, "--about", about)
    done = run("anonymize", data, "--method", "mondrian", "-k", "3", *options)
    assert done.code == 0, done.err
    assert run("report", folder, "--out", page).code == 0
    own = (folder / "report.html").read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8") == own
    assert "Was garantiert ist und was nicht" in own
    assert run("report", folder, "--language", "en", "--out", page).code == 0
    assert "What is guaranteed, and what is not" in page.read_text(encoding="utf-8")
    refused = run("report", tmp_path / "release.private.html", "--language", "en", "--pdf", tmp_path / "own.pdf")
    assert refused.code == 2
    assert "keeps its language" in refused.err
    certificate = tmp_path / "certificate.pdf"
    assert run("certificate", folder, "--out", certificate).code == 0
    assert "Zertifikat einer Veröffentlichung" in (PdfReader(certificate).metadata or {})["/Title"]


def test_a_damaged_one_has_none(run: Run, folder: Path) -> None:
    data = folder / "trajectories.jsonl"
    data.write_text(data.read_text(encoding="utf-8").replace("shop", "mall"), encoding="utf-8")
    page = folder.parent / "bericht.html"
    assert run("report", folder, "--language", "de", "--out", page).code == 2
    assert not page.exists()
