"""Published windows as text: only what a window says may stand in its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crypsis
from crypsis.data.windows import digest_of, read_windows, window_line
from crypsis.errors import BadRelease

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    events = [(str(person), "ab"[person % 2], t) for t in range(6) for person in range(8)]
    recorded = crypsis.Events.from_lists(events)
    folder: Path = tmp_path_factory.mktemp("windows") / "release"
    crypsis.anonymize(recorded, crypsis.ITSA(K=2, L=1, N=3)).write(folder)
    return (folder / "windows.jsonl").read_bytes().splitlines()


CHANGES: list[Change] = [
    lambda window: window.update(note="zq-secret-417"),
    lambda window: window["records"][0].update(name="Ada"),
    lambda window: window.update(n_records=window["n_records"] + 1),
    lambda window: window.update(K="5"),
    lambda window: window.pop("n_records"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_window_with_anything_else_in_it_is_refused(lines: list[bytes], change: Change) -> None:
    assert len(read_windows(lines)) > 1
    content = json.loads(lines[0])
    change(content)
    forged = window_line({**content, "digest": digest_of(content)})
    with pytest.raises(BadRelease, match="Line 1 is no published window"):
        read_windows([forged, *lines[1:]])
