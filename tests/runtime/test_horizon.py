"""Cumulative mode is verified while it runs: each window, and all that is out of the horizon together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crypsis.errors import BadConfiguration, VerificationFailed
from crypsis.runtime import StreamConfiguration, StreamRun, stream
from crypsis.runtime.horizon import Horizon
from tests.runtime.streams import lively_lines, prepared, published, tables, windows_of

CUMULATIVE: dict[str, Any] = {"mode": "cumulative", "H": 8}


def certificates(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in published(folder)[1].splitlines()]


@pytest.mark.parametrize("more", [{}, {"pseudonyms": "stable"}, {"H": "unbounded"}, {"step_size": 3}])
def test_all_that_is_out_is_recounted_before_each_window(more: dict[str, Any], tmp_path: Path) -> None:
    stream(prepared(tmp_path / "run", lively_lines(timestamps=25), privacy={**CUMULATIVE, **more}))
    said = certificates(tmp_path / "run")
    assert len(said) >= 7
    assert all(one["verified"] and one["horizon_verified"] for one in said)


def test_a_sample_or_nothing_may_be_recounted(tmp_path: Path) -> None:
    for asked, least, most in (("off", 0, 0), ("sample:1/2", 5, 32)):
        folder = tmp_path / asked.replace("/", "-")
        stream(prepared(folder, lively_lines(), privacy=CUMULATIVE, run={"verify_horizon": asked}))
        said = certificates(folder)
        assert all(one["verified"] for one in said)
        assert least <= sum(one["horizon_verified"] for one in said) <= most


def test_windows_that_are_private_alone_but_not_together_are_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A method that forgets what is out: each window passes, their union does not."""
    from crypsis.methods.stream.itsa import ITSA

    honest = ITSA.sliding_window

    def forgetful(self: ITSA, origin: int) -> Any:
        from dataclasses import replace

        return honest(replace(self, mode="itsa", H=None), origin)

    monkeypatch.setattr(ITSA, "sliding_window", forgetful)
    lines = lively_lines(seed=3)
    stream(prepared(tmp_path / "unseen", lines, privacy=CUMULATIVE, run={"verify_horizon": "off"}))
    assert len(windows_of(tmp_path / "unseen")) == 37
    with pytest.raises(VerificationFailed, match="already out"):
        stream(prepared(tmp_path / "run", lines, privacy=CUMULATIVE))
    assert len(windows_of(tmp_path / "run")) < 37


def test_what_is_out_is_known_after_a_stop(tmp_path: Path) -> None:
    lines = lively_lines(seed=6)
    stream(prepared(tmp_path / "whole", lines, privacy=CUMULATIVE))
    configuration = prepared(tmp_path / "run", lines, privacy=CUMULATIVE)
    stopped_after(configuration, 10)
    stream(configuration)
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def test_it_cannot_be_turned_on_later(tmp_path: Path) -> None:
    lines = lively_lines(seed=6)
    stopped_after(prepared(tmp_path / "run", lines, privacy=CUMULATIVE, run={"verify_horizon": "off"}), 10)
    with pytest.raises(BadConfiguration, match="verify_horizon"):
        stream(StreamConfiguration.from_tables(tables(privacy=CUMULATIVE), tmp_path / "run"))


def stopped_after(configuration: StreamConfiguration, windows: int) -> None:
    running = StreamRun(configuration)
    running.listener = lambda observed: running.stop() if observed.windows > windows else None
    assert not running.execute()["finished"]


def test_the_joined_table_holds_each_published_doublet_once_and_forgets_what_is_older(tmp_path: Path) -> None:
    from crypsis.data.windows import read_windows

    stream(prepared(tmp_path / "run", lively_lines(), privacy={**CUMULATIVE, "pseudonyms": "stable"}))
    lines = published(tmp_path / "run")[0].splitlines()
    horizon, number, known = Horizon(8), {}, {}
    for line in lines:
        read = read_windows([line])
        for record in json.loads(line)["records"]:
            number.setdefault(record["p"], len(number))
            known.setdefault(record["p"], set()).update((t, place) for place, t in record["doublets"])
        horizon.add(read, np.array([number[one] for one in read.windows[0].pseudonyms], np.int32))
        joined = horizon.joined(np.zeros(len(number), np.int32), [frozenset()])
        last = read.windows[0].y
        rows = {
            int(who): [(t, place) for place, t in row]
            for who, row in zip(joined.windows[0].pseudonyms, joined.rows(joined.windows[0]), strict=True)
        }
        expected = {number[who]: sorted(one for one in seen if one[0] > last - 8) for who, seen in known.items()}
        assert rows == {who: row for who, row in expected.items() if row}
