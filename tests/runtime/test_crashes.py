"""Killed at any point and started again, a stream publishes the windows of the undisturbed run, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.runtime import stream
from tests.runtime.kills import killed_again_and_again
from tests.runtime.streams import lively_lines, prepared, published

pytestmark = pytest.mark.long


@pytest.mark.parametrize("mode", ["itsa", "cumulative"])
def test_kills_around_every_write_change_nothing_that_is_published(mode: str, tmp_path: Path) -> None:
    changes = {"privacy": {"mode": mode}}
    lines = lively_lines(seed=3)
    stream(prepared(tmp_path / "whole", lines, **changes))
    prepared(tmp_path / "killed", lines, **changes)
    kills = killed_again_and_again(tmp_path / "killed", "sync", 11, **changes)
    assert kills >= 15
    assert published(tmp_path / "killed") == published(tmp_path / "whole")
    assert len(published(tmp_path / "whole")[0].splitlines()) == 37


def test_kills_at_random_moments_change_nothing_that_is_published(tmp_path: Path) -> None:
    lines = lively_lines(seed=4, people=200, timestamps=80)
    stream(prepared(tmp_path / "whole", lines))
    prepared(tmp_path / "killed", lines)
    kills = killed_again_and_again(tmp_path / "killed", "time", 5)
    assert kills >= 5
    assert published(tmp_path / "killed") == published(tmp_path / "whole")


def test_kills_change_nothing_in_a_folder_of_windows(tmp_path: Path) -> None:
    changes = {"sink": {"kind": "folder", "path": "windows"}}
    lines = lively_lines(seed=5, timestamps=20)
    stream(prepared(tmp_path / "whole", lines, **changes))
    prepared(tmp_path / "killed", lines, **changes)
    assert killed_again_and_again(tmp_path / "killed", "sync", 2, **changes) >= 5
    whole, killed = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "windows").iterdir() if path.name[0] != "."}
        for name in ("whole", "killed")
    )
    assert killed == whole
    assert len(whole) == 2 * 17
