"""From coordinates to the page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.drawing.plane import Plane

WIDTH, HEIGHTS, MARGIN = 960.0, (300.0, 560.0), 30.0
coordinate = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=8))
def test_every_point_lies_within_the_margins(drawn: list[tuple[float, float]]) -> None:
    x, y = np.array(drawn).T
    plane, height = Plane.fitted(x, y, WIDTH, HEIGHTS, MARGIN)
    across, down = plane.place(x, y)
    assert HEIGHTS[0] <= height <= HEIGHTS[1]
    assert ((across > MARGIN - 1) & (across < WIDTH - MARGIN + 1)).all()
    assert ((down > MARGIN - 1) & (down < height - MARGIN + 1)).all()


def test_north_is_up_and_both_directions_have_one_scale() -> None:
    x, y = np.array([0.0, 100.0, 0.0]), np.array([0.0, 0.0, 50.0])
    plane, _ = Plane.fitted(x, y, WIDTH, HEIGHTS, MARGIN)
    across, down = plane.place(x, y)
    assert down[2] < down[0]
    assert across[1] - across[0] == pytest.approx(2 * (down[0] - down[2]), abs=0.3)


def test_equal_points_lie_in_the_middle() -> None:
    x = y = np.array([7.0, 7.0])
    plane, height = Plane.fitted(x, y, WIDTH, HEIGHTS, MARGIN)
    assert plane.half_span == 0
    assert [set(values.tolist()) for values in plane.place(x, y)] == [{WIDTH / 2}, {height / 2}]
