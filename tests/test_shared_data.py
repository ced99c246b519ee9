"""Tests on real datasets: run where the data are, named where not, and never silently missing under CI=true."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import shared_data
from tests.shared_data import ROOT

REAL = "tests/methods/trajectory/test_seq_anon_on_real_data.py"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", REAL, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.long
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_test_whose_data_are_absent_is_left_out_and_named(workers: str, tmp_path: Path) -> None:
    ended = run("-n", workers, CRYPSIS_DATA=str(tmp_path), CI="")
    assert ended.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ended.stdout
    assert "left out: real datasets that are not here (set CRYPSIS_DATA)" in ended.stdout
    assert ended.stdout.count("needs gowalla_nyc") == 2
    assert "skipped" not in ended.stdout


@pytest.mark.long
def test_under_ci_absent_data_are_a_failure(tmp_path: Path) -> None:
    ended = run("-p", "no:xdist", CRYPSIS_DATA=str(tmp_path), CI="true")
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED, ended.stdout
    assert "set CRYPSIS_DATA" in ended.stdout
    assert "2 errors" in ended.stdout


def test_data_are_looked_for_where_told_and_else_beside_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRYPSIS_DATA", "somewhere")
    assert shared_data.dataset("adult") == Path("somewhere/adult")
    monkeypatch.setenv("CRYPSIS_DATA", "")
    assert shared_data.dataset("adult") == ROOT.parent / "shared" / "data" / "adult"


def test_vectors_are_read_from_the_repository_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRYPSIS_VECTORS", raising=False)
    assert shared_data.vectors_folder() == ROOT / "tests" / "golden"
    monkeypatch.setenv("CRYPSIS_VECTORS", "elsewhere")
    assert shared_data.vectors_folder() == Path("elsewhere")
