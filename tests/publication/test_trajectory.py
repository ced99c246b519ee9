"""Where rows were cut is told by the private report alone: what a release without it can still be checked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import crypsis
from crypsis import SeqAnon, Trajectories
from crypsis.errors import BadRelease

PLACES = {label: (float(place), 0.0) for place, label in enumerate("abc")}
WALKS = [["a", "b"]] * 5 + [["a", "b", "c", "a"]]  # the last is cut to two visits


@pytest.fixture
def cut(tmp_path: Path) -> tuple[Trajectories, Path, Path]:
    walks = Trajectories.from_lists(WALKS, locations=PLACES)
    release = crypsis.anonymize(walks, SeqAnon(k=3, m=3, on_infeasible="truncate"))
    assert release.data.longest == 2
    private = tmp_path / "private.json"
    return walks, release.write(tmp_path / "release", private_report=private), private


def test_a_manifest_does_not_tell_where_rows_were_cut_and_is_checked_without(cut: Any) -> None:
    walks, folder, _ = cut
    assert "longest" not in json.loads((folder / "release.json").read_text())["data"]
    read = crypsis.read_release(folder)
    assert read.data.longest is None
    assert read.verify().holds
    assert read.verify(walks).holds  # the longest published row explains what is missing
    others = Trajectories.from_lists([*WALKS[:5], ["a", "c", "c", "a"]], locations=PLACES)
    assert not read.verify(others).holds


def test_the_private_report_tells_where_rows_were_cut(cut: Any) -> None:
    walks, folder, private = cut
    read = crypsis.read_release(folder, private_report=private)
    assert read.data.longest == 2
    assert read.verify(walks).holds


@pytest.mark.parametrize(("told", "holds"), [(2, True), (1, False), (None, False), (3, False)])
def test_a_report_that_tells_another_length_does_not_explain_the_rows(cut: Any, told: Any, holds: bool) -> None:
    walks, folder, private = cut
    report = json.loads(private.read_text()) | {"longest": told}
    private.write_text(json.dumps(report))
    assert crypsis.read_release(folder, private_report=private).verify(walks).holds is holds


@pytest.mark.parametrize("told", ["2", True, -1, 2.5, [2]])
def test_a_length_that_is_none_is_refused(cut: Any, told: Any) -> None:
    _, folder, private = cut
    private.write_text(json.dumps(json.loads(private.read_text()) | {"longest": told}))
    with pytest.raises(BadRelease, match="how rows were cut"):
        crypsis.read_release(folder, private_report=private)


def test_a_manifest_that_tells_a_length_is_not_believed(cut: Any) -> None:
    walks, folder, _ = cut
    manifest = json.loads((folder / "release.json").read_text())
    manifest["data"]["longest"] = 1
    (folder / "release.json").write_text(json.dumps(manifest))
    try:
        read = crypsis.read_release(folder)
    except BadRelease:
        return
    assert read.data.longest is None
    assert read.verify(walks).holds
