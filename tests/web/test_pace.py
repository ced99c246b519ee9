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


def test_a_stage_that_does_not_tell_its_share_is_expected_to_take_as_long_as_the_last_time() -> None:
    pace = Pace()
    assert pace.expect("verify", now=10.0) is None  # never seen before
    pace.expected = {"verify": 20.0}
    assert pace.expect("verify", now=15.0) == pytest.approx((0.25, 15.0))
    assert pace.expect("verify", now=31.0) is None  # it takes longer: nothing is claimed any more
    assert pace.expect("write", now=32.0) is None
