"""Whoever knows exactly when a person was where still finds k people; and what was tampered with is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.constraints import UtilityConstraints
from crypsis.data.timed_places import NO_TIME, TimedPlaces
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadRelease, Infeasible, NotApplicable, VerificationFailed
from crypsis.verifiers import verify
from tests.timed_movements import candidates, knowledge, share, timed_movements, trajectories_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "reference" / "release.schema.json").read_text())
ON_PLACES = UtilityConstraints([["home", "park"], ["shop", "school"], ["clinic"]])
KM: list[Callable[[int, int], Any]] = [
    lambda k, m: crypsis.SeqAnon(k=k, m=m, on_infeasible="truncate"),
    lambda k, m: crypsis.SDSeqAnon(k=k, m=m, on_infeasible="truncate"),
    lambda k, m: crypsis.USeqAnon(k=k, m=m, delta=100),
    lambda k, m: crypsis.USeqAnon(k=k, m=m, constraints=ON_PLACES, delta=100),
]
KLM: list[Callable[[int, int], Any]] = [
    lambda k, m: crypsis.LmAnon(k=k, l=2, m=m, on_infeasible="suppress"),
    lambda k, m: crypsis.ZGA(k=k, l=2, m=m, on_infeasible="suppress", clusters=2, cell=100.0),
    lambda k, m: crypsis.SGA(k=k, l=2, m=m, on_infeasible="suppress", clusters=2),
]
SEQUENCES: list[Callable[[int, int], Any]] = [
    lambda k, m: crypsis.KAMCut(k=k),
    lambda k, m: crypsis.KAMRec(k=k),
    lambda k, m: crypsis.BFP2kA(k=k),
]
LADDER = (15, 60, 180, 360, 1440)
WITH_BINS = [*KM, *KLM]
WITH_CLUSTERS = KLM[1:]
SETTINGS = [(15, "none"), (60, "day"), (360, "week"), (1440, "none")]


def check_people(make: Callable[[int, int], Any], seed: int, k: int, m: int, way: str = "merge") -> bool:
    """One random release of every kind, attacked with all subsets of up to m exactly timed visits of everybody."""
    rng = np.random.default_rng(seed)
    sensitive = make in KLM
    data, paths = timed_movements(rng, exits=bool(seed % 3), sensitive=sensitive)
    width, cycle = SETTINGS[seed % len(SETTINGS)]
    bound = (
        data.bind_times(width=width, cycle=cycle, weight=[None, 0.0, 1.0][seed % 3])
        if way == "merge"
        else data.attach_times(way, widths=LADDER, cycle=cycle)
    )
    method = make(k, m)
    try:
        release = crypsis.anonymize(bound, method)
    except Infeasible:
        return False
    assert release.guarantee.parameters()["knows"] == "time"
    if not release.verify().holds:
        assert "Choose wider steps of time" in str(release.verify())
        return False
    published = release.data
    secret = [
        {label for code in path for label in published.symbols.label_lists[code] if label == "clinic"}
        for path in published.paths()
    ]
    for path in paths:
        for known in knowledge(path, m, ("clinic",) if sensitive else ()):
            found = candidates(published, known)
            if not found:
                continue  # nothing of it is published
            if make in SEQUENCES:
                assert max(len(found), share(paths, published, known)) >= k
                continue
            assert len(found) >= k, (known, found)
            if sensitive:
                assert 2 * sum(bool(secret[row]) for row in found) <= len(found), (known, found)
    return True


@pytest.mark.parametrize("make", [*KM, *KLM, *SEQUENCES], ids=lambda make: type(make(2, 1)).__name__)
def test_who_knows_exact_times_of_up_to_m_visits_finds_k_people(make: Callable[[int, int], Any]) -> None:
    assert sum(check_people(make, seed, k=2 + seed % 2, m=1 + seed % 2) for seed in range(4)) >= 2


@pytest.mark.parametrize("make", WITH_BINS, ids=lambda make: type(make(2, 1)).__name__)
def test_who_knows_exact_times_finds_k_people_in_bins(make: Callable[[int, int], Any]) -> None:
    assert sum(check_people(make, seed, k=2, m=1 + seed % 2, way="bin") for seed in range(4)) >= 2


@pytest.mark.parametrize("make", WITH_CLUSTERS, ids=lambda make: type(make(2, 1)).__name__)
def test_who_knows_exact_times_finds_k_people_by_cluster(make: Callable[[int, int], Any]) -> None:
    assert sum(check_people(make, seed, k=2, m=1 + seed % 2, way="cluster") for seed in range(4)) >= 2


@pytest.mark.long
@pytest.mark.parametrize("make", WITH_BINS, ids=lambda make: type(make(2, 1)).__name__)
def test_who_knows_exact_times_finds_k_people_in_bins_of_many_releases(make: Callable[[int, int], Any]) -> None:
    assert sum(check_people(make, seed, k=2 + seed % 2, m=1 + seed % 2, way="bin") for seed in range(4, 20)) >= 5


@pytest.mark.long
@pytest.mark.parametrize("make", WITH_CLUSTERS, ids=lambda make: type(make(2, 1)).__name__)
def test_who_knows_exact_times_finds_k_people_by_cluster_of_many_releases(make: Callable[[int, int], Any]) -> None:
    assert sum(check_people(make, seed, k=2 + seed % 2, m=1 + seed % 2, way="cluster") for seed in range(4, 20)) >= 5


@pytest.mark.long
@pytest.mark.parametrize("make", [*KM, *KLM, *SEQUENCES], ids=lambda make: type(make(2, 1)).__name__)
def test_who_knows_exact_times_finds_k_people_in_many_releases(make: Callable[[int, int], Any]) -> None:
    assert sum(check_people(make, seed, k=2 + seed % 2, m=1 + seed % 2) for seed in range(4, 16)) >= 5


def test_who_sees_which_times_a_row_cannot_have_is_counted_with() -> None:
    eight, nine, ten, eleven = (1_709_280_000 + hour * 3600 for hour in range(4))
    paths = [
        [("home", eight, eight + 60), ("shop", nine, nine + 60)],
        [("home", ten, ten + 60), ("shop", eleven, eleven + 60)],
        [("school", eight, eight + 60), ("shop", nine, nine + 60)],
        [("school", eight, eight + 60), ("shop", eleven, eleven + 60)],
    ]
    # Each symbol is in two rows. Yet who was home at ten cannot have been in the shop at nine, so only one row fits.
    bound = trajectories_of(paths).bind_times(width=60, weight=0.0)
    release = crypsis.anonymize(bound, crypsis.SeqAnon(k=2, m=1))
    assert [len(symbol) for symbol in release.data.symbols.label_lists] == [2, 1, 1, 1]
    assert candidates(release.data, [paths[1][0]]) == [1]
    assert "1 of the rows that hold it, 2 are required" in str(release.verify())
    with pytest.raises(VerificationFailed, match="time_width"):
        release.write("never")


def commutes() -> Trajectories:
    """Two people each go at eight and at ten; nothing need be merged."""
    eight = 1_709_280_000
    early = [("home", eight, eight + 1800), ("shop", eight + 3600, eight + 5400)]
    late = [(place, enter + 7200, exit + 7200) for place, enter, exit in early]
    return trajectories_of([early, late, early, late])


@pytest.fixture
def release() -> crypsis.Release:
    return crypsis.anonymize(commutes().bind_times(width=60), crypsis.SeqAnon(k=2, m=2))


def with_times(release: crypsis.Release, **changes: Any) -> PublishedTrajectories:
    timed = release.data.timed
    return replace(release.data, timed=replace(timed, **changes))


def test_a_release_with_times_and_a_guarantee_without_fails(release: crypsis.Release) -> None:
    weaker = replace(release.guarantee, knows="order")
    assert "knows none" in str(verify(release.data, weaker))


def test_a_guarantee_with_times_and_a_release_without_fails(release: crypsis.Release) -> None:
    assert not verify(replace(release.data, timed=None), release.guarantee).holds


def changed(timed: TimedPlaces, name: str, row: int, value: int) -> np.ndarray[Any, Any]:
    values = np.array(getattr(timed, name))
    values[row] = value
    return values


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: {"enter": changed(t, "enter", 0, int(t.enter[0]) + 60)}, "no steps"),
        (lambda t: {"exit": changed(t, "exit", 0, int(t.enter[0]) - 3600)}, "end before they begin"),
        (lambda t: {"exit": changed(t, "exit", 0, NO_TIME)}, "only one of both"),
        (
            lambda t: {
                "places": (t.places[1], *t.places[1:]),
                "enter": changed(t, "enter", 0, int(t.enter[1])),
                "exit": changed(t, "exit", 0, int(t.exit[1])),
            },
            "have one place and the same times",
        ),
        (lambda t: {"labels": ("elsewhere", *t.labels[1:])}, "is not listed"),
        (lambda t: {"labels": (t.labels[1], *t.labels[1:])}, "listed twice"),
        (lambda t: {"cycle": "day"}, "begin outside the day"),
    ],
)
def test_a_table_of_times_that_was_tampered_with_fails(
    release: crypsis.Release, change: Callable[[TimedPlaces], dict[str, Any]], words: str
) -> None:
    tampered = with_times(release, **change(release.data.timed))
    verdict = verify(tampered, release.guarantee)
    assert not verdict.holds
    assert words in str(verdict)


def test_a_place_with_and_without_times_fails(release: crypsis.Release) -> None:
    timed = release.data.timed
    row = next(row for row in range(len(timed)) if timed.places.count(timed.places[row]) > 1)
    tampered = with_times(
        release, enter=changed(timed, "enter", row, NO_TIME), exit=changed(timed, "exit", row, NO_TIME)
    )
    assert "with times and without" in str(verify(tampered, release.guarantee))


def test_times_that_are_not_those_of_the_original_fail(release: crypsis.Release) -> None:
    timed = release.data.timed
    tampered = with_times(release, exit=changed(timed, "exit", 0, int(timed.exit[0]) + 36_000_000))
    assert verify(tampered, release.guarantee).holds
    assert "of the original" in str(verify(tampered, release.guarantee, release.original))


def test_the_original_is_read_with_times_too(release: crypsis.Release) -> None:
    assert verify(release.data, release.guarantee, commutes()).holds
    with pytest.raises(NotApplicable, match="read the original with them"):
        verify(release.data, release.guarantee, replace(commutes(), times=None))


def test_bins_are_as_narrow_as_the_guarantee_allows() -> None:
    eight = 1_709_280_000
    paths = [[("home", eight + 60 * minute, eight + 60 * minute + 30)] for minute in (0, 20, 65, 100)]
    release = crypsis.anonymize(trajectories_of(paths).attach_times("bin"), crypsis.SeqAnon(k=2, m=1))
    assert release.verify().holds
    assert release.context.private["time_widths_tried"] == [15, 60]
    assert release.data.timed.describe() == {
        "width": 3600,
        "cycle": "none",
        "clock": True,
        "exits": True,
        "way": "bin",
    }


def test_bins_that_leave_too_few_people_are_refused_with_what_would_help() -> None:
    eight = 1_709_280_000
    data = trajectories_of([[("home", eight + 86_400 * day, eight + 86_400 * day + 30)] for day in range(3)])
    release = crypsis.anonymize(data.attach_times("bin"), crypsis.SeqAnon(k=2, m=1))
    assert release.context.private["time_widths_tried"] == [15, 60, 360, 1440]
    assert "time_cycle='day'" in str(release.verify())
    with pytest.raises(VerificationFailed):
        release.write("never")
    by_day = crypsis.anonymize(data.attach_times("bin", cycle="day"), crypsis.SeqAnon(k=2, m=1))
    assert by_day.verify().holds
    assert by_day.data.timed.width == 900


def test_all_members_of_a_cluster_have_one_span_of_time() -> None:
    data, _ = timed_movements(np.random.default_rng(5), 30, sensitive=True)
    method = crypsis.ZGA(k=2, l=2, m=1, on_infeasible="suppress", clusters=3, cell=100.0)
    release = crypsis.anonymize(data.attach_times("cluster"), method)
    assert release.verify().holds
    published, places = release.data, {}
    for rows in release.context.private["clusters"]:
        for row in rows:
            for symbol in list(published.paths())[row]:
                named = {published.timed.place_of(label) for label in published.symbols.label_lists[symbol]}
                for place in named - {"clinic"}:
                    assert places.setdefault((tuple(rows), place), symbol) == symbol


@pytest.mark.parametrize("make", SEQUENCES, ids=lambda make: type(make(2, 1)).__name__)
def test_times_are_not_attached_to_sequences_that_are_replaced(make: Callable[[int, int], Any]) -> None:
    data, _ = timed_movements(np.random.default_rng(4))
    with pytest.raises(NotApplicable, match="times='merge'"):
        crypsis.anonymize(data.attach_times("bin"), make(2, 1))


def test_a_method_without_clusters_says_which_have_them() -> None:
    data, _ = timed_movements(np.random.default_rng(4))
    with pytest.raises(NotApplicable, match="zga"):
        crypsis.anonymize(data.attach_times("cluster"), crypsis.SeqAnon(k=2, m=1))


@pytest.mark.parametrize("way", ["bin", "cluster"])
def test_a_folder_with_attached_times_is_verified_by_whoever_receives_it(way: str, tmp_path: Path) -> None:
    data, _ = timed_movements(np.random.default_rng(5), 30, sensitive=True)
    method = crypsis.SGA(k=2, l=2, m=1, on_infeasible="suppress", clusters=2)
    folder = crypsis.anonymize(data.attach_times(way), method).write(tmp_path / "release")
    back = crypsis.read_release(folder)
    assert back.verify().holds
    assert back.verify(data).holds
    told = json.loads((folder / "release.json").read_text())
    jsonschema.validate(told, SCHEMA)
    assert told["data"]["times"]["way"] == way


def test_a_sensitive_place_with_a_time_fails() -> None:
    data, _ = timed_movements(np.random.default_rng(8), 20, sensitive=True)
    bound = data.bind_times(width=1440)
    label = next(label for label in bound.locations.labels if label.startswith("shop@"))
    marked = replace(bound, locations=bound.locations.marked(["clinic", label]))
    release = crypsis.anonymize(marked, crypsis.LmAnon(k=2, l=1, m=1))
    assert "has a time" in str(release.verify())


def test_sensitive_places_are_published_without_times() -> None:
    data, _ = timed_movements(np.random.default_rng(2), 30, sensitive=True)
    release = crypsis.anonymize(data.bind_times(width=1440), crypsis.LmAnon(k=2, l=2, m=1, on_infeasible="suppress"))
    timed = release.data.timed
    assert timed is not None
    assert [int(timed.enter[row]) == NO_TIME for row in range(len(timed))] == [
        place == "clinic" for place in timed.places
    ]


def test_people_are_counted_and_not_rows() -> None:
    morning, noon = ("home", 1_709_280_000, 1_709_281_000), ("shop", 1_709_290_000, 1_709_291_000)
    data = trajectories_of([[morning, noon]] * 3)
    data = replace(data, owners=np.array([0, 0, 1], np.int32)).bind_times(width=60)
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=2, unit="owner"))
    assert release.verify().achieved == 2
    with pytest.raises(Infeasible):
        crypsis.anonymize(data, crypsis.SeqAnon(k=3, m=2, unit="owner"))


def test_a_folder_with_times_is_verified_by_whoever_receives_it(release: crypsis.Release, tmp_path: Path) -> None:
    folder = release.write(tmp_path / "release")
    back = crypsis.read_release(folder)
    assert back.verify().holds
    assert back.verify(release.original).holds
    told = json.loads((folder / "release.json").read_text())
    jsonschema.validate(told, SCHEMA)
    assert told["guarantee"]["parameters"]["knows"] == "time"
    assert told["data"]["times"] == {"width": 3600, "cycle": "none", "clock": True, "exits": True}


def test_a_folder_whose_bins_were_changed_is_refused(release: crypsis.Release, tmp_path: Path) -> None:
    folder = release.write(tmp_path / "release")
    table = folder / "timed_places.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], lines[1].replace(":00:00", ":30:00", 1), *lines[2:]]) + "\n")
    with pytest.raises(BadRelease, match="seconds wide"):
        crypsis.read_release(folder)


def test_what_happens_inside_a_bin_is_not_told(tmp_path: Path) -> None:
    _, paths = timed_movements(np.random.default_rng(4), 20)
    width = 6 * 3600
    moved = [
        [(place, enter // width * width, exit // width * width + width - 1) for place, enter, exit in path]
        for path in paths
    ]
    folders = []
    for number, visits in enumerate((paths, moved)):
        bound = trajectories_of(visits).bind_times(width=360)
        folders.append(crypsis.anonymize(bound, crypsis.SeqAnon(k=2, m=1)).write(tmp_path / str(number)))
    for path in sorted(folders[0].iterdir()):
        assert path.read_bytes() == (folders[1] / path.name).read_bytes(), path.name


def test_data_with_times_say_that_times_were_dropped(tmp_path: Path) -> None:
    data, _ = timed_movements(np.random.default_rng(4))
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1))
    assert release.guarantee.parameters()["knows"] == "order"
    assert any("dropped" in note for note in release.kind.notes(release.data))
    folder = release.write(tmp_path / "release")
    assert json.loads((folder / "release.json").read_text())["data"]["times"] == "dropped"
    assert "knows" not in json.loads((folder / "release.json").read_text())["guarantee"]["parameters"]


def test_times_without_a_zone_are_taken_as_utc_and_that_is_said(release: crypsis.Release) -> None:
    assert any("in UTC" in note for note in release.kind.notes(release.data))
    visits = pl.DataFrame({"trajectory_id": ["a", "b"], "location": ["home", "home"]})
    plain, zoned = (
        Trajectories.from_frame(visits.with_columns(enter=pl.lit(text)), enter="enter").times
        for text in ("2024-03-01T08:00:00", "2024-03-01T09:00:00+01:00")
    )
    assert plain == zoned
