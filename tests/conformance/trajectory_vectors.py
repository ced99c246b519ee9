"""What trajectory vectors state, as tests compare it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from crypsis.data.trajectory import Locations, Trajectories


def close(value: float) -> Any:
    """The tolerance of all golden numbers."""
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def read(described: Mapping[str, Any], order: list[str] | None = None) -> Trajectories:
    """The trajectories of a vector's input; `order` rearranges the location table."""
    locations = [{name: _float(value) for name, value in row.items()} for row in described["locations"]]
    if order is not None:
        locations.sort(key=lambda row: order.index(row["location"]))
    return Trajectories.from_lists(described["trajectories"], locations=Locations.of(locations))


def _float(value: Any) -> Any:
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def partition_of(private: Mapping[str, Any]) -> list[list[str]]:
    return sorted(private["partition"])
