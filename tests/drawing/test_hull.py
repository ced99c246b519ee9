"""The convex hull, against its definition."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from crypsis.drawing.hull import convex_hull

points = st.tuples(st.integers(-9, 9), st.integers(-9, 9))


def left_of(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@given(st.lists(points, min_size=1))
def test_every_point_lies_inside_and_every_corner_turns_left(drawn: list[tuple[int, int]]) -> None:
    hull = convex_hull(drawn)
    assert set(hull) <= set(drawn)
    if len(hull) > 2:
        edges = list(pairwise([*hull, hull[0]]))
        assert all(left_of(a, b, point) >= 0 for a, b in edges for point in drawn)
        assert all(left_of(a, b, c) > 0 for (a, b), (_, c) in pairwise([*edges, edges[0]]))
    else:
        assert {min(drawn), max(drawn)} == set(hull)
        assert all(left_of(hull[0], hull[-1], point) == 0 for point in drawn)


def test_the_corners_of_a_square_are_its_hull() -> None:
    grid = [(x, y) for x in range(4) for y in range(4)]
    assert convex_hull(grid) == [(0, 0), (3, 0), (3, 3), (0, 3)]
