"""`crypsis report` in another language, also of a release that only its publisher can count."""

from __future__ import annotations

from pathlib import Path

import pytest

import crypsis
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


def test_a_damaged_one_has_none(run: Run, folder: Path) -> None:
    data = folder / "trajectories.jsonl"
    data.write_text(data.read_text(encoding="utf-8").replace("shop", "mall"), encoding="utf-8")
    page = folder.parent / "bericht.html"
    assert run("report", folder, "--language", "de", "--out", page).code == 2
    assert not page.exists()
