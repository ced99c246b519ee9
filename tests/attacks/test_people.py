"""Attacks count people, not trips, also on releases of GPS tracks, in memory and from the files."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.attacks import (
    ATTACKS,
    ContainmentAttack,
    HomeWorkAttack,
    LocationAttack,
    LocationSequenceAttack,
    ReidentificationAttack,
    UniqueLocationAttack,
)
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import NotApplicable, OriginalRequired

LABELS = "abcd"


def fits(row: list, known: tuple[str, ...]) -> bool:
    at = 0
    for symbol in row:
        if at < len(known) and known[at] in ([symbol] if isinstance(symbol, str) else symbol):
            at += 1
    return at == len(known)


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[list[str]], list[int]]:
    """One person has most of the trips."""
    paths = draw(st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4), min_size=4, max_size=9))
    owners = [0 if number < len(paths) // 2 else draw(st.integers(0, 3)) for number in range(len(paths))]
    return paths, owners


@given(crowds(), st.integers(1, 2))
def test_the_fewest_people_are_those_of_the_obvious_count(case, k: int) -> None:
    paths, owners = case
    data = crypsis.Trajectories.from_lists(paths, {label: (i, i % 2) for i, label in enumerate(LABELS)}, owners)
    if len(set(owners)) < k:
        return
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=k, m=1, unit="owner", on_infeasible="truncate"))
    result = LocationSequenceAttack(knowledge=2, unit="owner").run(release.data, data)
    shown = {label for names in release.data.to_lists() for symbol in names for label in symbol}
    for size in (1, 2):
        expected = {}
        for path, owner in zip(paths, owners, strict=True):
            seen = [label for label in path if label in shown]
            for known in set(combinations(seen, min(size, len(seen)))):
                who = {o for row, o in zip(release.data.to_lists(), owners, strict=True) if fits(row, known)}
                if who:
                    expected[owner] = min(expected.get(owner, 99), len(who))
        found = result.candidates[:, size - 1].tolist()
        assert found == [expected.get(owner, 0) for owner in sorted(set(owners))]


@pytest.mark.long
@given(crowds())
def test_files_with_the_original_say_what_memory_says(tmp_path_factory, case) -> None:
    paths, owners = case
    data = crypsis.Trajectories.from_lists(paths, {label: (i, i % 2) for i, label in enumerate(LABELS)}, owners)
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=1, m=1, unit="owner"))
    folder = tmp_path_factory.mktemp("release") / "r"
    release.write(folder)
    again = crypsis.read_release(folder)
    assert again.data.owners is None
    for attack in (ContainmentAttack(), LocationAttack(), UniqueLocationAttack(), HomeWorkAttack()):
        before, after = attack.run(release.data, data), attack.run(again.data, data)
        assert before.to_dict() == after.to_dict()
        assert before.parameters["unit"] == ("trajectory" if data.person is None else "owner")


def test_a_trip_that_fits_nowhere_does_not_hide_its_person() -> None:
    data = crypsis.Trajectories.from_lists([["a"], ["b"], ["c"]], owners=["p", "p", "q"])
    published = PublishedTrajectories.from_lists([["b"], ["c"]], suppressed=["a"])
    rows = PublishedTrajectories(published.offsets, published.codes, published.symbols, owners=data.owners[1:])
    assert LocationSequenceAttack(knowledge=1).run(rows, data).candidates[:, 0].tolist() == [1, 1]


def diverse(owners: list[str]) -> crypsis.Trajectories:
    paths = [list(path) for path in ("abS", "acT", "bc", "ab", "cdS", "dbT", "ad", "c")]
    table = {label: (number, number % 3) for number, label in enumerate("abcdST")}
    data = crypsis.Trajectories.from_lists(paths, table, owners)
    return crypsis.Trajectories(data.offsets, data.codes, data.locations.marked("ST"), data.owners)


@pytest.mark.parametrize("method", [crypsis.LmAnon, crypsis.ZGA, crypsis.SGA])
def test_owner_releases_can_be_rechecked_from_disk(tmp_path: Path, method: type) -> None:
    data = diverse(["p", "p", "p", "q", "q", "r", "r", "s"])
    clusters = {} if method is crypsis.LmAnon else {"clusters": 2}
    setting = method(k=2, l=2, m=1, unit="owner", on_infeasible="suppress", **clusters)
    release = crypsis.anonymize(data, setting)
    assert release.verify().holds
    release.write(tmp_path / "r", private_report=tmp_path / "private.json")
    again = crypsis.read_release(tmp_path / "r", private_report=tmp_path / "private.json")
    assert again.verify(data).holds
    attacked = LocationSequenceAttack(knowledge=1).run(again.data, data)
    assert attacked.to_dict() == LocationSequenceAttack(knowledge=1).run(release.data, data).to_dict()
    swapped = diverse(["p"] * 7 + ["q"])  # nobody but two people: far fewer than were promised
    assert not again.verify(swapped).holds


WAYS = [[(0, 0, 0), (900, 5, 60), (1800, 0, 120)], [(9, 9, 0), (908, 0, 60), (1790, 8, 120)],
        [(3, 1, 0), (901, 9, 60), (1802, 4, 120)], [(5, 3, 0), (905, 2, 60), (1801, 1, 120)],
        [(900, 1, 0), (905, 990, 60)]]  # fmt: skip
TRACKS = crypsis.Tracks.from_lists(WAYS, owners=["p", "p", "p", "q", "q"])


@pytest.fixture
def gps(tmp_path: Path) -> tuple[crypsis.Release, Path]:
    release = crypsis.anonymize(TRACKS, crypsis.PPSG(radius=300, k=2, unit="owner"))
    release.write(tmp_path / "r", private_report=tmp_path / "private.json")
    return release, tmp_path


@pytest.mark.parametrize("name", [name for name, one in ATTACKS.items() if crypsis.Tracks in one.accepts])
def test_every_attack_on_movement_takes_gps_releases_by_person(gps, name: str) -> None:
    release, folder = gps
    again = crypsis.read_release(folder / "r", private_report=folder / "private.json")
    attack = ATTACKS[name]()
    before, after = attack.run(release.data, TRACKS), attack.run(again.data, TRACKS)
    assert before.to_dict() == after.to_dict()
    assert before.individuals == 2
    assert before.parameters["unit"] == "owner"
    assert any("private generators" in note for note in before.notes)
    if name not in ("location-frequency", "reidentification"):
        assert after.outcome.max_risk <= 0.5, "two people share every published sequence"


def test_without_the_private_report_people_are_not_guessed(gps) -> None:
    _, folder = gps
    again = crypsis.read_release(folder / "r")
    far = crypsis.Tracks.from_lists([*WAYS, [(90_000, 0, 0)]], owners=["p", "p", "p", "q", "q", "q"])
    with pytest.raises(OriginalRequired, match="private_report="):
        LocationAttack().run(again.data, far)
    trips = LocationAttack(unit="trajectory").run(again.data, TRACKS)
    assert trips.individuals == len(TRACKS)
    assert any("nearest" in note for note in trips.notes)
    with pytest.raises(NotApplicable, match="person"):
        LocationAttack(unit="owner").run(again.data, crypsis.Tracks.from_lists(WAYS))


def test_home_and_work_are_where_a_person_spends_most_time() -> None:
    release = crypsis.anonymize(TRACKS, crypsis.PPSG(radius=300, k=2, unit="owner"))
    result = HomeWorkAttack().run(release.data, TRACKS)
    assert result.candidates.tolist() == [[2], [2]]


def test_the_reidentification_curve_counts_people() -> None:
    release = crypsis.anonymize(TRACKS, crypsis.PPSG(radius=300, k=2, unit="owner"))
    people = ReidentificationAttack(k=2, draws=200).run(release.data, TRACKS)
    trips = ReidentificationAttack(k=2, draws=200, unit="trajectory").run(release.data, TRACKS)
    assert people.individuals == 2
    assert trips.individuals == 5
    assert people.curve[0].mean_risk > trips.curve[0].mean_risk
    assert people.found.within_bound
    prefix = ReidentificationAttack(k=2, variant="prefix").run(release.data, TRACKS)
    assert [point.knowledge for point in prefix.curve] == [1, 2, 3]
    assert np.isfinite([point.mean_risk for point in prefix.curve]).all()
