"""PPSG: what leaves the publisher is shared by k people and is nobody's own position."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import crypsis
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import BadRelease, NotApplicable, OriginalRequired, OwnerRepeated, TooFewTrajectories
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.run_context import RunContext
from crypsis.verifiers.safe_representatives import generalized_tracks, unsafe_place
from tests.reference import tracks as reference
from tests.reference.tracks import Fix
from tests.strategies import track_lists


def run(
    lists: list[list[Fix]], owners: list[int] | None = None, **parameters: Any
) -> tuple[PublishedTrajectories, Any]:
    context = RunContext()
    parameters = {"min_distance": 1.0, "max_distance": 60.0, **parameters}
    return PPSG(**parameters).anonymize(Tracks.from_lists(lists, owners), context), context.private


settings_drawn = {
    "k": st.integers(1, 4),
    "radius": st.sampled_from([1.0, 15.0, 60.0]),
    "inner": st.sampled_from(["kam-cut", "kam-rec"]),
    "precision": st.sampled_from([None, 0, 1]),
    "max_displacement": st.sampled_from([None, 20.0]),
    "rep": st.sampled_from(["mean", "medoid"]),
}


@pytest.mark.long
@given(track_lists(min_tracks=2, max_tracks=9), st.fixed_dictionaries(settings_drawn), st.booleans())
@settings(max_examples=200)
def test_every_published_cell_is_safe(lists: list[list[Fix]], parameters: dict[str, Any], by_owner: bool) -> None:
    owners = [number // 2 for number in range(len(lists))]
    individuals = owners if by_owner else list(range(len(lists)))
    assume(len(set(individuals)) >= parameters["k"])
    unit = "owner" if by_owner else "trajectory"
    published, private = run(lists, owners, unit=unit, **parameters)
    k, labels = parameters["k"], published.generators.labels
    generators = list(zip(published.generators.x.tolist(), published.generators.y.tolist(), strict=True))
    assert len(set(generators)) == len(generators)
    occurring = {label for row in published.to_lists() for label in row}
    assert set(published.places.labels) == occurring
    shared: dict[tuple[float, float], set[int]] = {}
    for who, track in zip(individuals, lists, strict=True):
        for x, y, _ in track:
            shared.setdefault((x, y), set()).add(who)
    for label, x, y in published.places.to_frame().iter_rows():
        cell = labels.index(label)
        visitors = {
            who
            for who, track in zip(individuals, lists, strict=True)
            for fix in track
            if reference.nearest(generators, fix)[0] == cell
        }
        assert len(visitors) >= k
        assert private["visitors"][label] == len(visitors)
        for point, whose in shared.items():
            assert len(whose) >= k or math.dist(point, (x, y)) > 1e-9
        if label not in private["moved_representatives"]:
            place = reference.representative(lists, generators, individuals, cell)
            if parameters["precision"] is None:
                assert (x, y) == pytest.approx(place, abs=1e-9)
            else:
                assert (x, y) == pytest.approx(place, abs=0.51 * 10.0 ** -parameters["precision"])
    tracks = Tracks.from_lists(lists, owners)
    assert unsafe_place(published, tracks, k, unit) is None
    again = [
        [labels.index(label) for label in row] for row in generalized_tracks(tracks, published.generators).to_lists()
    ]
    assert again == reference.sequences(lists, generators)
    # Cells are numbered from west to east: their numbers say nothing about the order of the input.
    assert sorted(occurring, key=lambda label: int(label[1:])) == [f"c{number}" for number in range(len(occurring))]
    places = list(zip(published.places.x.tolist(), published.places.y.tolist(), strict=True))
    assert private["moved_representatives"] or places == sorted(places)


@given(track_lists(min_tracks=3), st.sampled_from([15.0, 60.0]))
def test_a_run_repeats_exactly_and_leaves_its_input_alone(lists: list[list[Fix]], radius: float) -> None:
    tracks = Tracks.from_lists(lists)
    first = PPSG(k=2, radius=radius).anonymize(tracks, RunContext())
    second = PPSG(k=2, radius=radius).anonymize(Tracks.from_lists(lists), RunContext())
    assert first == second
    assert first.places == second.places
    assert tracks == Tracks.from_lists(lists)


LINE = [[(0.0, 0.0, 0.0)], [(1.0, 0.0, 0.0)], [(2.0, 0.0, 0.0)]]


def test_a_mean_that_hits_somebodys_fix_is_moved_off_it() -> None:
    published, private = run(LINE, k=3, radius=10.0)
    assert published.to_lists() == [["c0"], ["c0"], ["c0"]]
    assert published.places.x.tolist() == [1.01]
    assert private["moved_representatives"] == {"c0": 1}
    rounded, private = run([*LINE, [(1.0, 0.0, 0.0), (2.0, 0.0, 1.0)]], k=4, radius=10.0, precision=0)
    assert rounded.places.x.tolist() == [3.0]
    assert private["moved_representatives"] == {"c0": 2}


def test_a_mean_on_a_place_that_k_people_share_may_stay() -> None:
    published, private = run([[(1.0, 0.0, 0.0)]] * 3, k=3, radius=10.0)
    assert (published.places.x[0], private["moved_representatives"]) == (1.0, {})


def test_a_parked_car_does_not_outweigh_the_others() -> None:
    parked = [(0.0, 0.0, float(second)) for second in range(1000)]
    published, _ = run([parked, [(10.0, 0.0, 0.0)], [(20.0, 3.0, 0.0)]], k=3, radius=100.0)
    assert (published.places.x[0], published.places.y[0]) == (pytest.approx(10.0), pytest.approx(1.0))


def test_too_few_tracks_or_owners_are_refused() -> None:
    with pytest.raises(TooFewTrajectories, match="3 tracks were given, 4 are required"):
        run(LINE, k=4)
    with pytest.raises(TooFewTrajectories, match="2 owners have tracks, 3 are required"):
        run(LINE, [1, 1, 2], k=3, unit="owner")


def test_repeated_owners_demand_a_choice() -> None:
    with pytest.raises(OwnerRepeated):
        run(LINE, [1, 1, 2], k=1)
    with pytest.raises(NotApplicable, match="owner"):
        run(LINE, k=1, unit="owner")


def test_no_tracks_are_published_as_nothing_where_nothing_is_required() -> None:
    empty = Tracks(np.zeros(1, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    published = PPSG(k=1).anonymize(empty, RunContext())
    assert (len(published), len(published.places)) == (0, 0)
    with pytest.raises(TooFewTrajectories):
        PPSG(k=2).anonymize(empty, RunContext())


def test_steps_can_be_limited() -> None:
    ways = [
        [(0.0, 0.0, 0.0), (1000.0, 0.0, 60.0), (2000.0, 0.0, 120.0), (3000.0, 0.0, 180.0)],
        [(0.0, 9.0, 0.0), (1000.0, 9.0, 60.0), (2000.0, 9.0, 120.0)],
        [(0.0, 5.0, 0.0), (1000.0, 5.0, 60.0)],
    ]
    cells = []
    for most in (0, 1, None):
        _, private = run(ways, k=3, radius=300.0, max_steps=most)
        cells.append((len(private["cells"]), len(private["merged_cells"])))
    assert cells == [(4, 0), (3, 1), (2, 2)]


def walks(count: int = 40) -> Tracks:
    random = np.random.default_rng(3)
    lists = []
    for _ in range(count):
        start = random.integers(0, 3)
        lists.append(
            [
                (
                    500_000 + 1000.0 * (start + step) + random.normal(0, 20),
                    4_400_000 + random.normal(0, 20),
                    60.0 * step,
                )
                for step in range(4)
            ]
        )
    return Tracks.from_lists(lists, crs="EPSG:32650")


@pytest.fixture(scope="module")
def release() -> crypsis.Release:
    return crypsis.anonymize(walks(), PPSG(k=4, radius=300))


def test_a_release_of_tracks_is_written_verified_and_read_back(release: crypsis.Release, tmp_path: Any) -> None:
    assert release.verify().holds
    folder = release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    again = crypsis.read_release(folder)
    assert again.data.places == release.data.places
    assert again.data.places.crs == "EPSG:32650"
    assert again.data.generators is None
    assert sorted(again.data.to_lists()) == sorted(release.data.to_lists())
    assert "generators" not in "".join(path.read_text() for path in folder.iterdir())
    assert len(json.loads((tmp_path / "private.json").read_text())["cells"]) == len(release.data.generators)


def test_the_private_report_lets_a_release_of_tracks_be_rechecked_against_its_original(
    release: crypsis.Release, tmp_path: Any
) -> None:
    folder = release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    with pytest.raises(OriginalRequired, match="private_report="):
        crypsis.read_release(folder).verify(walks())
    again = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert again.verify(walks()).holds
    elsewhere = Tracks.from_lists([[(x + 5000, y, t) for x, y, t in track] for track in walks().to_lists()])
    assert not again.verify(elsewhere).holds


PRIVATE_REPORT = '{"schema": "crypsis-private-report/1", "suppressed_labels": []'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read"),
        ('{"schema": "crypsis-release/1"}', "crypsis-private-report/1"),
        (PRIVATE_REPORT + "}", "does not list the cells"),
        (PRIVATE_REPORT + ', "cells": {"c0": ["a", 1]}}', "does not list the cells"),
        (PRIVATE_REPORT + ', "cells": {"c0": [1]}}', "does not list the cells"),
    ],
)
def test_another_file_is_no_private_report(release: crypsis.Release, tmp_path: Any, content: str, words: str) -> None:
    folder = release.write(tmp_path / "release")
    (tmp_path / "private.json").write_text(content, encoding="utf-8")
    with pytest.raises(BadRelease, match=words):
        crypsis.read_release(folder, private_report=tmp_path / "private.json")


def test_cells_open_in_a_geographic_information_system(release: crypsis.Release, tmp_path: Any) -> None:
    folder = release.write(tmp_path / "release")
    points = json.loads((folder / "cells.geojson").read_text())["features"]
    assert [feature["id"] for feature in points] == list(release.data.places.labels)
    longitude, latitude = points[0]["geometry"]["coordinates"]
    assert 116 < longitude < 118
    assert 39 < latitude < 41
    rows = release.data.to_lists()
    assert all(feature["properties"]["rows"] == sum(feature["id"] in row for row in rows) for feature in points)
    areas = json.loads((folder / "cell_areas.geojson").read_text())["features"]
    assert len(areas) == len(points)
    for area in areas:
        ring = area["geometry"]["coordinates"][0]
        assert ring[0] == ring[-1]
        assert len(ring) >= 4
    package = json.loads((folder / "datapackage.json").read_text())
    assert {"cells.geojson", "cell_areas.geojson"} <= {resource["path"] for resource in package["resources"]}


def test_tracks_without_a_known_projection_have_no_geojson(tmp_path: Any) -> None:
    release = crypsis.anonymize(Tracks.from_lists(LINE), PPSG(k=3, radius=10.0))
    folder = release.write(tmp_path / "release")
    assert not (folder / "cells.geojson").exists()
    assert (folder / "locations.csv").exists()


def test_the_report_shows_how_people_move(release: crypsis.Release) -> None:
    page = release.report().html
    assert "How people move" in page
    assert "Where locations were merged" not in page


def test_utility_of_tracks_is_measured(release: crypsis.Release) -> None:
    figures = release.utility()
    assert {"track_length_mean", "displacement_loss"} <= figures.keys()
    assert 0 < figures["displacement_loss"] < 1500
