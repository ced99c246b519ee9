"""A server has the methods compiled that are suggested for its data, before anybody asks for them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from crypsis.web import preparation
from crypsis.web.datasets import KIND, Datasets
from crypsis.web.preparation import Preparation, is_prepared, suggested_methods
from crypsis.web.workspace import Workspace

NOTES = """
import os, sys
with open(os.environ["NOTES"], "a") as notes:
    notes.write(f"{sys.argv[1]} {os.getpriority(os.PRIO_PROCESS, 0)}\\n")
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for compiled kernels."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(preparation, "cache_directory", lambda: folder)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    return folder


def wait_until_prepared(name: str, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not is_prepared(name):
        assert time.monotonic() < until, f"{name} was not prepared"
        time.sleep(0.05)


def test_new_data_has_its_method_compiled_once_at_the_lowest_priority(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, end = preparation._COMPILE.split("from crypsis.cli.warmup")[0], NOTES
    monkeypatch.setattr(preparation, "_COMPILE", start + end)
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    workspace, running = Workspace(tmp_path / "workspace"), Preparation()
    workspace.when_created(KIND, running.prepare_for)
    datasets = Datasets(workspace, allow_paths=True)
    try:
        datasets.add_sample("patients", 60)
        wait_until_prepared("rum-bound")
        datasets.add_sample("patients", 60)
        datasets.add_sample("checkins", 60)
        wait_until_prepared("seq-anon")
        wait_until_prepared("kam-cut")
    finally:
        running.close()
    told = (tmp_path / "notes").read_text(encoding="utf-8").split()
    assert told[::2] == ["rum-bound", "seq-anon", "kam-cut"]
    assert set(told[1::2]) == {"19"}


def test_what_fails_is_not_marked_and_closing_ends_what_runs(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "_COMPILE", "import time; time.sleep(600)")
    workspace, running = Workspace(tmp_path / "workspace"), Preparation()
    running.prepare_for(Datasets(workspace, allow_paths=True).add_sample("baskets", 60))
    while running._process is None:
        time.sleep(0.01)
    started = time.monotonic()
    running.close()
    assert time.monotonic() - started < 10
    assert not is_prepared("disassociation")
    assert list(cache.iterdir()) == []


@pytest.mark.long
def test_afterwards_the_kernels_of_the_method_are_kept(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    running = Preparation()
    try:
        running.prepare_for(Datasets(Workspace(tmp_path / "workspace"), allow_paths=True).add_sample("patients", 60))
        wait_until_prepared("rum-bound", 900)  # whatever else runs comes first
    finally:
        running.close()
    assert any("merge_within_bound" in path.name for path in cache.rglob("*.nbc"))


def test_every_kind_of_data_that_has_a_suggestion_is_prepared_for() -> None:
    assert suggested_methods("trajectories") == ("seq-anon", "kam-cut")
    assert suggested_methods("table") == ("mondrian",)
    assert suggested_methods("none of these") == ()


def test_where_nothing_can_be_kept_nothing_is_compiled_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "cache_directory", lambda: None)
    assert is_prepared("mondrian")
