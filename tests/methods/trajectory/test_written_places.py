"""No point in the files of a release has the digits of a position that fewer than k people share."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.errors import BadRelease
from crypsis.verifiers import verify

DEGREES = Decimal("1e-7")


def tracks_of(fixes: list[tuple[int, int, str, str]]) -> crypsis.Tracks:
    """From (person, track, longitude, latitude); one fix a second."""
    return crypsis.Tracks.from_frame(
        pl.DataFrame(
            {
                "user": [f"p{person}" for person, *_ in fixes],
                "tid": [f"p{person}t{track}" for person, track, *_ in fixes],
                "lng": [float(longitude) for *_, longitude, _ in fixes],
                "lat": [float(latitude) for *_, latitude in fixes],
                "t": range(len(fixes)),
            }
        )
    )


def written_points(folder: Path) -> dict[str, set[tuple[Decimal, Decimal]]]:
    """Every pair of coordinates in the files of a release, digit by digit."""
    found: dict[str, set[tuple[Decimal, Decimal]]] = defaultdict(set)
    for name in ("cells.geojson", "cell_areas.geojson"):
        for feature in json.loads((folder / name).read_text(), parse_float=Decimal)["features"]:
            held = feature["geometry"]["coordinates"] if feature["geometry"] else []
            for pair in [held] if held and not isinstance(held[0], list) else (held[0] if held else []):
                found[name].add((Decimal(pair[0]).quantize(DEGREES), Decimal(pair[1]).quantize(DEGREES)))
    for line in (folder / "locations.csv").read_text().splitlines()[1:]:
        _, x, y = line.split(",")
        found["locations.csv"].add((Decimal(x), Decimal(y)))
    return found


def rare_degrees(fixes: list[tuple[int, int, str, str]], k: int) -> set[tuple[Decimal, Decimal]]:
    sharing: dict[tuple[str, str], set[int]] = defaultdict(set)
    for person, _, longitude, latitude in fixes:
        sharing[longitude, latitude].add(person)
    return {
        (Decimal(longitude).quantize(DEGREES), Decimal(latitude).quantize(DEGREES))
        for (longitude, latitude), people in sharing.items()
        if len(people) < k
    }


def released(fixes, folder: Path, **parameters) -> tuple[crypsis.Release, dict[str, set[tuple[Decimal, Decimal]]]]:
    release = crypsis.anonymize(tracks_of(fixes), crypsis.PPSG(unit="owner", **parameters))
    release.write(folder / "release", private_report=folder / "private.json")
    return release, written_points(folder / "release")


def test_three_people_on_a_line_do_not_have_the_middle_one_published(tmp_path: Path) -> None:
    fixes = [(0, 0, "-122.40000", "37.78"), (1, 0, "-122.40001", "37.78"), (2, 0, "-122.40002", "37.78")]
    _, points = released(fixes, tmp_path, k=3)
    assert points["cells.geojson"]
    assert not points["cells.geojson"] & rare_degrees(fixes, 3)


@st.composite
def crowded_grids(draw: st.DrawFn) -> list[tuple[int, int, str, str]]:
    """People on the crossings of a fine grid, so that means of their positions are crossings, too."""
    unit = Decimal(draw(st.sampled_from(["1e-7", "1e-6", "1e-5", "5e-8"])))
    west = Decimal(draw(st.sampled_from(["-122.4", "7.0", "116.3"])))
    south = Decimal(draw(st.sampled_from(["37.78", "-33.9"])))
    fixes = []
    for person in range(draw(st.integers(3, 7))):
        for track in range(draw(st.integers(1, 2))):
            for _ in range(draw(st.integers(1, 3))):
                across, up = draw(st.integers(0, 6)), draw(st.integers(0, 2))
                fixes.append((person, track, str(west + across * unit), str(south + up * unit)))
    return fixes


@pytest.mark.long
@given(crowded_grids(), st.integers(2, 3), st.sampled_from([None, 0, 2, 4, 9]), st.sampled_from([0.5, 500.0]))
def test_no_written_point_is_a_position_that_few_share(tmp_path_factory, fixes, k, precision, radius) -> None:
    folder = tmp_path_factory.mktemp("places")
    release, points = released(fixes, folder, k=k, precision=precision, radius=radius)
    rare = rare_degrees(fixes, k)
    assert not points["cells.geojson"] & rare
    assert not points["cell_areas.geojson"] & rare
    tracks = release.original
    if precision is not None:
        sharing: dict[tuple[float, float], set[int]] = defaultdict(set)
        for x, y, person in zip(tracks.x, tracks.y, np.repeat(tracks.owners, tracks.lengths), strict=True):
            sharing[x, y].add(person)
        near = {
            (round(x, precision) + 0.0, round(y, precision) + 0.0)
            for (x, y), people in sharing.items()
            if len(people) < k
        }
        assert not {(float(x), float(y)) for x, y in points["locations.csv"]} & near
    again = crypsis.read_release(folder / "release", private_report=folder / "private.json")
    assert again.verify(tracks).holds


def test_a_dense_row_of_positions_is_passed_as_often_as_needed(tmp_path: Path) -> None:
    row = [str(Decimal("7.0") + across * DEGREES) for across in range(900)]
    fixes = [(person, 0, longitude, "50.0") for person in range(3) for longitude in row[person::3]]
    _, points = released(fixes, tmp_path, k=3, precision=2)
    assert points["cells.geojson"]
    assert not points["cells.geojson"] & rare_degrees(fixes, 3)


FIXES = [(person, 0, f"-122.400{person}", "37.78") for person in range(4)]


@pytest.mark.parametrize("what", ["planar", "degrees", "corner"])
def test_the_verifier_notices_a_written_point_that_is_somebodys(what: str) -> None:
    release = crypsis.anonymize(tracks_of(FIXES), crypsis.PPSG(k=4, precision=1))
    places, tracks = release.data.places, release.original
    assert places.written is not None
    written = places.written
    if what == "planar":  # further off than a billionth, but with the digits that the position would have
        places = replace(places, x=np.round(tracks.x[:1], 1), y=np.round(tracks.y[:1], 1), written=replace(written))
        expected = "as it is written,"
    elif what == "degrees":
        written = replace(written, longitude=np.array([-122.4001]), latitude=np.array([37.78]))
        places, expected = replace(places, written=written), "written in degrees"
    else:
        ring = ((-122.4002, 37.78), *written.areas[0][1:])
        places, expected = replace(places, written=replace(written, areas=(ring,))), "corner of the area"
    verdict = verify(replace(release.data, places=places), release.guarantee, tracks)
    assert not verdict.holds
    assert expected in verdict.problem


def test_cell_files_that_do_not_show_the_cells_are_refused(tmp_path: Path) -> None:
    crypsis.anonymize(tracks_of(FIXES), crypsis.PPSG(k=4)).write(tmp_path / "release")
    (tmp_path / "release" / "cells.geojson").write_text('{"features": [{"id": "c7", "geometry": null}]}')
    with pytest.raises(BadRelease, match="do not show the cells"):
        crypsis.read_release(tmp_path / "release")
