"""Whoever knows when visits were: the attack against the obvious count, and what each way to keep times leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import crypsis
from crypsis.attacks import ContainmentAttack, TimedVisitsAttack, attack
from crypsis.data.timed_places import TimedPlaces
from crypsis.errors import Infeasible, NotApplicable, TooLarge
from tests.timed_movements import candidates, knowledge, timed_movements

METHODS: dict[str, Callable[[], Any]] = {
    "seq": lambda: crypsis.SeqAnon(k=2, m=1),
    "zga": lambda: crypsis.ZGA(k=2, l=2, m=1, on_infeasible="suppress", clusters=2, cell=100.0),
}


def released(data: crypsis.Trajectories, way: str, width: int, name: str) -> crypsis.Release:
    """A release with times in steps of one width, whether it holds or not."""
    timed = data.bind_times(width=width) if way == "merge" else data.attach_times(way, widths=[width])
    return crypsis.anonymize(timed, METHODS[name]())


@pytest.mark.parametrize(("way", "name"), [("merge", "seq"), ("bin", "seq"), ("merge", "zga"), ("cluster", "zga")])
def test_the_attack_finds_what_trying_everything_finds(way: str, name: str) -> None:
    for seed in range(3):
        data, paths = timed_movements(np.random.default_rng(seed), 12, exits=bool(seed), sensitive=name == "zga")
        try:
            release = released(data, way, (15, 60, 180)[seed], name)
        except Infeasible:
            continue
        found = attack(release.data, data, TimedVisitsAttack(knowledge=2))
        shown = set(release.data.timed.places)
        for person, path in enumerate(paths):
            for size in (1, 2):
                counts = [
                    len(candidates(release.data, known))
                    for known in knowledge([visit for visit in path if visit[0] in shown], size, ("clinic",))
                ]
                fewest = min((count for count in counts if count), default=len(paths))
                assert found.candidates[person, size - 1] == fewest, (seed, person, size)


def test_without_times_in_the_release_times_do_not_help() -> None:
    data, _ = timed_movements(np.random.default_rng(3), 40)
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=2))
    with_times = attack(release.data, data, TimedVisitsAttack(knowledge=2))
    without = attack(release.data, data, ContainmentAttack(knowledge=2, beyond=0))
    assert with_times.curve == without.curve
    assert "does not help" in with_times.notes[-1]


def test_the_risk_falls_with_coarser_times_and_is_least_without() -> None:
    data, _ = timed_movements(np.random.default_rng(7), 60, visits=3)
    dropped = crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1))
    curves = [
        attack(released(data, "bin", width, "seq").data, data, TimedVisitsAttack(knowledge=2)).curve
        for width in (15, 60, 360, 1440)
    ]
    curves.append(attack(dropped.data, data, TimedVisitsAttack(knowledge=2)).curve)
    for finer, coarser in pairwise(curves):
        for one, other in zip(finer, coarser, strict=True):
            assert one.mean_risk >= other.mean_risk
            assert one.fewest_candidates <= other.fewest_candidates
    assert curves[0][0].mean_risk > curves[-1][0].mean_risk


def test_every_way_to_keep_times_has_a_curve_that_its_guarantee_bounds() -> None:
    data, _ = timed_movements(np.random.default_rng(5), 40, sensitive=True)
    risks = {}
    for way in ("drop", "merge", "bin", "cluster"):
        kept = data if way == "drop" else data.bind_times(width=1440) if way == "merge" else data.attach_times(way)
        release = crypsis.anonymize(kept, METHODS["zga"]())
        assert release.verify().holds
        found = attack(release.data, data, TimedVisitsAttack(knowledge=1, beyond=1))
        assert found.outcome.max_risk <= 1 / 2
        assert [point.knowledge for point in found.curve] == [1, 2]
        assert found.curve[0].mean_risk <= found.curve[1].mean_risk
        risks[way] = found.outcome.mean_risk
    assert all(risks["drop"] <= risks[way] for way in ("bin", "cluster"))


def test_an_adversary_with_times_needs_an_original_with_times() -> None:
    data, _ = timed_movements(np.random.default_rng(5), 20)
    release = crypsis.anonymize(data.bind_times(width=1440), crypsis.SeqAnon(k=2, m=1))
    plain = replace(data, times=None)
    with pytest.raises(NotApplicable, match="enter='COLUMN'"):
        attack(release.data, plain, TimedVisitsAttack())
    with pytest.raises(NotApplicable, match="read the original with them"):
        attack(release.data, plain, ContainmentAttack())


def test_too_much_knowledge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.attacks.timed_knowledge.MOST_COMBINATIONS", 3)
    data, _ = timed_movements(np.random.default_rng(5), 20)
    release = crypsis.anonymize(data.bind_times(width=1440), crypsis.SeqAnon(k=2, m=1))
    assert isinstance(release.data.timed, TimedPlaces)
    with pytest.raises(TooLarge, match="fewer visits"):
        attack(release.data, data, TimedVisitsAttack(knowledge=2))
