"""The time left of a stage."""

from __future__ import annotations

import pytest

from crypsis.web.pace import Pace


def test_the_time_left_follows_the_pace_of_the_stage() -> None:
    pace = Pace()
    assert pace.left("merge", 0.2, now=10.0) is None
    assert pace.left("merge", 0.4, now=20.0) == pytest.approx(30.0)
    assert pace.left("cut", 0.1, now=21.0) is None  # another stage begins anew
    assert pace.left("cut", 0.6, now=26.0) == pytest.approx(4.0)
