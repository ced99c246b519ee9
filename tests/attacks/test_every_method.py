"""No adversary finds anybody in a release of any method more surely than the method promises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.attacks import ContainmentAttack, attack
from crypsis.attacks.reidentification import prefix_curve, sampled_curve
from crypsis.data.trajectory import Trajectories
from crypsis.errors import CrypsisError
from crypsis.methods import METHODS, KAMCut, KAMRec
from tests.strategies import datasets, settings_with_data

WITH_M = [
    name
    for name, method in METHODS.items()
    if "m" in method.__dataclass_fields__ and issubclass(method.accepts, Trajectories)
]


@pytest.mark.parametrize("name", WITH_M)
@given(data=st.data())
def test_m_known_locations_leave_k_candidates(name: str, data: st.DataObject) -> None:
    method, original = data.draw(settings_with_data(METHODS[name]))
    try:
        release = crypsis.anonymize(original, method)
    except CrypsisError:
        return
    unit = getattr(method, "unit", None) or "trajectory"
    if method.m == 0 or (unit == "owner" and release.data.owners is None):
        return
    found = attack(release.data, original, ContainmentAttack(knowledge=method.m, beyond=0, unit=unit))
    assert found.outcome.max_risk <= 1 / method.k


@pytest.mark.parametrize("method", [KAMCut, KAMRec])
@given(data=datasets(), k=st.integers(1, 4), seed=st.integers(0, 3))
def test_points_of_a_track_are_no_surer_than_one_in_k(method, data, k: int, seed: int) -> None:
    points = data.trajectories()
    cells = Trajectories.from_lists(
        [[label for place, label in enumerate(row) if place == 0 or label != row[place - 1]] for row in data.rows],
        points.locations,
    )
    try:
        release = crypsis.anonymize(cells, method(k=k))
    except CrypsisError:
        return
    assert prefix_curve(points, release.data, k).within_bound
    assert sampled_curve(points, release.data, k, sizes=(1, 2, 4), draws=40, seed=seed).within_bound
