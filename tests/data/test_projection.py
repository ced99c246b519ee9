"""Projection: degrees become metres in the UTM zone of the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.projection import project, unproject, utm_zone
from crypsis.errors import BadCoordinate


@pytest.mark.parametrize(
    ("longitude", "latitude", "zone"),
    [
        (-73.9, 40.7, "EPSG:32618"),
        (116.3, 39.9, "EPSG:32650"),
        (151.2, -33.9, "EPSG:32756"),
        (-180.0, 1.0, "EPSG:32601"),
        (180.0, 1.0, "EPSG:32601"),
        (179.9, 1.0, "EPSG:32660"),
    ],
)
def test_the_zone_is_that_of_the_middle_of_the_data(longitude: float, latitude: float, zone: str) -> None:
    assert utm_zone(np.array([longitude]), np.array([latitude])) == zone


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_projecting_can_be_undone(east: float, north: float) -> None:
    longitude, latitude = np.array([8.0 + east]), np.array([47.0 + north])
    x, y, crs = project(longitude, latitude)
    again = unproject(x, y, crs)
    assert np.allclose(again[0], longitude, atol=1e-9)
    assert np.allclose(again[1], latitude, atol=1e-9)


def test_a_degree_of_latitude_is_about_111_kilometres() -> None:
    _, y, _ = project(np.array([9.0, 9.0]), np.array([47.0, 48.0]))
    assert 111_000 < y[1] - y[0] < 111_300


def test_nothing_can_be_projected_and_points_off_the_earth_cannot() -> None:
    assert len(project(np.zeros(0), np.zeros(0))[0]) == 0
    with pytest.raises(BadCoordinate, match="-180 to 180, got 200.0"):
        project(np.array([200.0]), np.array([0.0]))
    with pytest.raises(BadCoordinate, match="got nan"):
        project(np.array([0.0]), np.array([np.nan]))
