"""Running the command line inside the test process, and a folder with sample files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from crypsis.cli import main
from crypsis.evaluate import runner
from tests.evaluate.examples import DATASET, MERGE_R, write_example


class Outcome(NamedTuple):
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        code = stopped.value.code
        out, err = capsys.readouterr()
        return Outcome(code if isinstance(code, int) else 0, out, err)

    return run


@pytest.fixture
def quick_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of experiments that also know how to fail."""
    monkeypatch.setattr(runner, "WORKER", "tests.evaluate.odd_worker")


@pytest.fixture
def rt(tmp_path: Path) -> Path:
    """A folder with the example of the figures (rt.csv), its hierarchies, and an experiment on it (e.toml)."""
    write_example(tmp_path)
    (tmp_path / "e.toml").write_text(DATASET + MERGE_R)
    return tmp_path


@pytest.fixture
def town(run: Run, tmp_path: Path) -> Path:
    """A folder with check-ins (checkins.csv) and their map (places.csv)."""
    made = run("sample", "checkins", "--out", tmp_path / "checkins.csv", "--locations", tmp_path / "places.csv")
    assert made.code == 0, made.err
    return tmp_path
