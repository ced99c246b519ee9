"""The report tells how coarse times are and draws who was present when, from what is published alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import crypsis
from crypsis.data.trajectory import Trajectories
from tests.timed_movements import timed_movements


@pytest.fixture(scope="module")
def movements() -> Trajectories:
    return timed_movements(np.random.default_rng(3))[0]


def test_a_release_with_times_shows_presence_over_the_day(movements: Trajectories, tmp_path: Path) -> None:
    release = crypsis.anonymize(movements.bind_times(width=360, cycle="day"), crypsis.SeqAnon(k=2, m=1))
    page = release.report().html
    assert "Times of visits are published in steps of 6 hours, by time of day." in page
    assert "The publisher chose these steps" in page
    assert "Present in each step" in page
    assert "08:00 to 09:00: at least " in page
    folder = release.write(tmp_path / "release")
    again = crypsis.read_release(folder)
    assert "08:00 to 09:00: at least " in again.report().html


def test_a_release_with_bins_says_that_the_guarantee_chose_them(movements: Trajectories) -> None:
    release = crypsis.anonymize(movements.attach_times("bin"), crypsis.SeqAnon(k=2, m=1))
    page = release.report().html
    assert "the narrowest steps of the public ladder for which the guarantee holds" in page
    assert "hours together, on average" in page


def test_a_release_without_times_says_that_they_were_dropped(movements: Trajectories) -> None:
    page = crypsis.anonymize(movements, crypsis.SeqAnon(k=2, m=1)).report().html
    assert "The visits had times. They were dropped" in page
    assert "Present in each step" not in page


def test_a_release_of_replaced_records_draws_no_bounds(movements: Trajectories) -> None:
    page = crypsis.anonymize(movements.bind_times(width=360), crypsis.BFP2kA(k=2)).report().html
    assert "Times of visits are published in steps of 6 hours" in page
    assert "Present in each step" not in page
