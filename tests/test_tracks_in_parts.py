"""Tracks in parts: read as in memory however files are cut, generalized in blocks, and safe for everybody together."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data.track import Tracks
from crypsis.errors import (
    BadCoordinate,
    BadRelease,
    BlockTooLarge,
    NotApplicable,
    OptionWithoutEffect,
    OwnerRepeated,
    PartsDiffer,
    TooFewTrajectories,
    TooLarge,
)
from crypsis.executors.serial import Serial
from crypsis.shards.tracks import codes_of_fixes, encode_tracks, fixes_of_codes
from tests.shards.cut_records import release_cut
from tests.shards.cut_sets import random_cuts
from tests.shards.cut_tracks import order_along_the_curve, random_tracks, rows_of
from tests.strategies import track_lists

SMALL = {"radius": 60.0, "min_distance": 1.0, "max_distance": 120.0}
ALONE = {"each_row_is_a_person": True}
WRITERS: dict[str, Any] = {"csv": pl.DataFrame.write_csv, "parquet": pl.DataFrame.write_parquet}
WRITERS["jsonl"] = pl.DataFrame.write_ndjson


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_parts(folder: Path, frame: pl.DataFrame, cuts: list[int], suffix: str = "csv") -> None:
    """The rows in files that end at the cuts; the names of files are in their order."""
    folder.mkdir(exist_ok=True)
    for number, (first, last) in enumerate(pairwise([0, *cuts, frame.height])):
        if first < last or suffix == "parquet":  # a text without records has no types
            WRITERS[suffix](frame.slice(first, last - first), folder / f"{number}.{suffix}")


def in_degrees(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows about the border of two UTM zones and the equator."""
    return frame.select(
        "track_id", (pl.col("x") / 1e5 + 5.998).alias("lon"), (pl.col("y") / 1e5 - 0.003).alias("lat"), "t"
    )


@pytest.mark.parametrize("seed", range(12))
def test_parts_are_read_as_the_same_rows_in_memory(seed: int, tmp_path: Path) -> None:
    """Tracks are divided between files, and rows lie in any order; degrees are projected to one zone."""
    rng = np.random.default_rng(seed)
    frame = rows_of(random_tracks(rng, 40).to_lists(), [f"w{number}" for number in rng.permutation(40)])
    if seed % 2:
        frame = frame[rng.permutation(frame.height)]
    if seed % 3 == 0:
        frame = in_degrees(frame)
    if seed % 4 == 1:
        frame = pl.concat([frame, frame.head(3)])  # fixes at an instant that their track has already
    suffix = list(WRITERS)[seed % 3]
    write_parts(tmp_path / "all", frame, [], suffix)
    write_parts(tmp_path / "parts", frame, random_cuts(rng, frame.height), suffix)
    options = ALONE | {"sort": True, "repeated": "first"}
    read = crypsis.read_tracks(tmp_path / "all" / f"0.{suffix}", **options)
    with Serial() as executor:
        whole = encode_tracks(crypsis.scan_tracks(tmp_path / "parts", **options), executor).whole
    assert whole == read
    assert whole.ids.to_list() == read.ids.to_list()
    assert (whole.repeated, whole.understood) == (read.repeated, read.understood)


def test_degrees_are_projected_to_the_zone_of_all_fixes_together(tmp_path: Path) -> None:
    """The first part lies in zone 31, most fixes in zone 32, north of the equator."""
    for number, (east, north, count) in enumerate([(5.9, -1.0, 4), (6.1, 1.0, 7)]):
        rows = [(f"{number}{ride}", north, east + ride / 1000, 60 * step) for ride in range(count) for step in (0, 1)]
        pl.DataFrame(rows, schema=["tid", "lat", "lng", "t"], orient="row").write_csv(tmp_path / f"{number}.csv")
    with Serial() as executor:
        encoded = encode_tracks(crypsis.scan_tracks(tmp_path / "*.csv", **ALONE), executor)
        chosen = encode_tracks(crypsis.scan_tracks(tmp_path / "*.csv", crs=32631, **ALONE), executor)
    assert encoded.crs == crypsis.read_tracks(tmp_path / "*.csv", **ALONE).crs == "EPSG:32632"
    assert chosen.crs == "EPSG:32631"


@given(st.lists(st.floats(-180, 180), min_size=1, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_the_zone_is_that_of_the_median_however_degrees_are_cut(east: list[float], cuts: list[int]) -> None:
    from crypsis.data.projection import utm_zone
    from crypsis.shards.projected_parts import CountedRanges

    values = np.array(east)
    pieces = np.split(values, sorted(min(cut, len(values)) for cut in cuts))
    counted = [CountedRanges.of(piece, ((piece + 180) // 6).astype(np.int64), 61) for piece in pieces]
    together = counted[0]
    for one in counted[1:]:
        together += one
    north = np.zeros(1)
    assert utm_zone(np.array([together.middle()]), north) == utm_zone(values, north)


@given(st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 2), min_size=1, max_size=8))
def test_fixes_are_coded_in_their_order_and_back(points: list[tuple[float, float]]) -> None:
    tracks = Tracks.from_lists([[(x, y, 0.0)] for x, y in points])
    offsets, codes = codes_of_fixes(tracks)
    x, y, _ = fixes_of_codes(codes)
    assert x.tobytes() + y.tobytes() == tracks.x.tobytes() + tracks.y.tobytes()
    lists = [codes[first:last].tolist() for first, last in pairwise(offsets.tolist())]
    for one, other in pairwise(range(len(points))):
        if points[one] != points[other]:
            assert (lists[one] < lists[other]) == (points[one] < points[other])


@pytest.mark.parametrize("seed", range(6))
def test_blocks_are_runs_of_the_order_along_a_curve(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tracks = random_tracks(rng, int(rng.integers(20, 60)))
    block_rows = int(rng.integers(8, 16))
    with Serial() as executor:
        release = release_cut(tracks, crypsis.PPSG(k=1, **SMALL), random_cuts(rng, len(tracks)), block_rows, executor)
    order = order_along_the_curve(tracks.to_lists())
    parts = np.array_split(np.array(order), -(-len(tracks) // block_rows))
    assert release.context.private["blocks"] == [sorted(part.tolist()) for part in parts]


@pytest.mark.parametrize("seed", range(8))
def test_every_way_to_cut_files_gives_the_same_release(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = rows_of(random_tracks(rng, 50).to_lists(), range(50))
    frame = frame[rng.permutation(frame.height)] if seed % 2 else frame
    frame = in_degrees(frame) if seed % 4 == 0 else frame
    options = ALONE | {"sort": True, "repeated": "first"}
    size = {1: 200.0, 0: 100.0}[seed % 2]
    method = crypsis.PPSG(k=3, radius=size, min_distance=1.0, max_distance=120.0)
    block_rows = [1, 20, 30, 1000][seed % 4]
    written = []
    for name, suffix in (("one", "csv"), ("two", "parquet"), ("three", "jsonl"), ("four", "parquet")):
        write_parts(tmp_path / name, frame, [] if name == "one" else random_cuts(rng, frame.height), suffix)
        scanned = crypsis.scan_tracks(tmp_path / name, **options)
        release = crypsis.anonymize(scanned, method, block_rows=block_rows)
        assert release.verify().holds
        written.append(contents(release.write(tmp_path / f"{name}-release")))
    assert all(one == written[0] for one in written)
    local = crypsis.anonymize(crypsis.read_tracks(tmp_path / "one", **options), method).write(tmp_path / "local")
    if block_rows >= 50 or "scaling" not in json.loads((tmp_path / "one-release" / "release.json").read_text()):
        assert contents(local) == written[0]


def test_blocks_that_are_too_small_are_joined_until_the_method_can() -> None:
    tracks = random_tracks(np.random.default_rng(3), 30)
    with Serial() as executor:
        release = release_cut(tracks, crypsis.PPSG(k=8, **SMALL), [], 5, executor)
        assert all(len(block) >= 8 for block in release.context.private["blocks"])
        with pytest.raises(TooFewTrajectories, match="30 tracks were given, 31 are required"):
            release_cut(tracks, crypsis.PPSG(k=31, **SMALL), [], 5, executor)


def test_a_point_is_nobodys_position_in_another_block_either() -> None:
    """In the block of the first two tracks their mean is free; somebody of the other block was exactly there."""
    far = [[(1000.0, 1000.0, 0.0), (1.0, 0.0, 60.0)], [(1000.0, 1001.0, 0.0), (3.0, 0.0, 60.0)]]
    tracks = Tracks.from_lists([[(0.0, 0.0, 0.0)], [(2.0, 0.0, 0.0)], *far])
    method = crypsis.PPSG(k=2, radius=10.0, min_distance=1.0, max_distance=2000.0)
    with Serial() as executor:
        release = release_cut(tracks, method, [1, 3], 2, executor)
    assert release.context.private["blocks"] == [[0, 1], [2, 3]]
    assert release.verify().holds
    assert 1.0 not in release.data.places.x.tolist()
    moved = release.context.private["moved_representatives"]
    assert moved
    at = release.data.places.labels.index(next(iter(moved)))
    x = release.data.places.x.copy()
    x[at] = 1.0
    places = replace(release.data.places, x=x)
    verdict = crypsis.verify(replace(release.data, places=places), release.guarantee, tracks)
    assert "is a position that 1 individuals share" in verdict.problem


@given(track_lists(min_tracks=4, max_tracks=12), st.integers(2, 5), st.integers(1, 3))
def test_the_union_of_blocks_keeps_the_promise(lists: Any, block_rows: int, k: int) -> None:
    """Whoever contains a published sequence in a block is among all (L6); the verifier counts the union."""
    tracks = Tracks.from_lists(lists)
    with Serial() as executor:
        release = release_cut(tracks, crypsis.PPSG(k=k, radius=15.0, min_distance=1.0), [1, 3], block_rows, executor)
    verdict = release.verify()
    assert verdict.holds, verdict
    rows = release.data.to_lists()
    for cells in ({label for row in rows for label in row},):
        assert set(release.data.places.labels) == cells


@pytest.fixture
def in_blocks() -> crypsis.Release:
    with Serial() as executor:
        release: crypsis.Release = release_cut(
            random_tracks(np.random.default_rng(1), 40, "EPSG:32650"), crypsis.PPSG(k=3, **SMALL), [15], 15, executor
        )
    return release


def test_blocks_are_those_of_the_original_only(in_blocks: crypsis.Release) -> None:
    tracks = in_blocks.original
    assert in_blocks.verify().holds
    with pytest.raises(BadRelease, match="blocks of 40 tracks; the original has 39"):
        crypsis.verify(in_blocks.data, in_blocks.guarantee, tracks.take(np.arange(39)))


def test_a_release_in_blocks_is_rechecked_and_measured_with_its_private_report(
    in_blocks: crypsis.Release, tmp_path: Path
) -> None:
    folder = in_blocks.write(tmp_path / "release", private_report=tmp_path / "private.json")
    assert json.loads((folder / "release.json").read_text())["scaling"] == {"mode": "blocks", "block_rows": 15}
    assert "blocks" not in json.loads((folder / "release.json").read_text())
    again = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert again.verify(in_blocks.original).holds
    told = json.loads((tmp_path / "private.json").read_text())
    for name, value in (
        ("cells_of_blocks", [1]),
        ("cells_of_blocks", "all"),
        ("blocks", [[0]] * 3),
        ("blocks", told["blocks"][:-1]),
        ("blocks", [*told["blocks"][:-1], [-1]]),
    ):
        (tmp_path / "damaged.json").write_text(json.dumps(told | {name: value}))
        with pytest.raises(BadRelease, match="which tracks and cells belong to which block"):
            crypsis.read_release(folder, private_report=tmp_path / "damaged.json")
    figures = in_blocks.utility()
    assert 0 < figures["displacement_loss"] < 400


def test_several_gpx_files_are_parts(tmp_path: Path) -> None:
    for number in range(3):
        points = "".join(
            f'<trkpt lat="{48 + step / 100}" lon="{11 + number / 1000}"><time>2024-05-01T08:0{step}:00Z</time></trkpt>'
            for step in range(4)
        )
        text = f"<gpx><trk><name>walk {number}</name><trkseg>{points}</trkseg></trk></gpx>"
        (tmp_path / f"{number}.gpx").write_text(text)
    with Serial() as executor:
        whole = encode_tracks(crypsis.scan_tracks(tmp_path / "*.gpx"), executor).whole
    assert whole == crypsis.read_tracks(tmp_path / "*.gpx")
    assert whole.crs == "EPSG:32632"


def test_tracks_of_several_files_that_are_called_alike_are_named_after_their_files_as_in_memory(tmp_path: Path) -> None:
    for number in range(2):
        points = f'<trkpt lat="48" lon="11"><time>2024-05-01T0{number}:00:00Z</time></trkpt>'
        text = f"<gpx><trk><name>walk</name><trkseg>{points}</trkseg></trk></gpx>"
        (tmp_path / f"{number}.gpx").write_text(text)
    with Serial() as executor:
        whole = encode_tracks(crypsis.scan_tracks(tmp_path / "*.gpx"), executor).whole
    assert whole == crypsis.read_tracks(tmp_path / "*.gpx")
    assert whole.ids is not None
    assert whole.ids.to_list() == ["0: walk", "1: walk"]


def two_parts(folder: Path, first: str, second: str) -> Any:
    (folder / "a.csv").write_text(first)
    (folder / "b.csv").write_text(second)
    return crypsis.scan_tracks(folder / "*.csv", **ALONE)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (
            "track_id,x,y,t\na,0,0,1\n",
            "tid,x,y,t\nb,0,0,1\n",
            "The id of this part is tid, and of the first one track_id",
        ),
        ("track_id,x,y,t\na,0,0,1\n", "track_id,lat,lng,t\nb,0,0,1\n", "The x of this part is nothing"),
        ("track_id,x,y,t\na,0,0,1\n", "track_id,x,y,t\nb,0,0,2024-05-01T08:00:00Z\n", "The time of this part is t"),
        ("track_id,x,y,t\n7,0,0,1\n", "track_id,x,y,t\n7.0,0,0,2\n", "Column 'track_id' holds names such as 7.0"),
    ],
)
def test_parts_that_would_be_read_differently_are_refused(first: str, second: str, words: str, tmp_path: Path) -> None:
    scanned = two_parts(tmp_path, first, second)
    with pytest.raises(PartsDiffer, match=words) as found:
        crypsis.anonymize(scanned, crypsis.PPSG(k=1))
    assert "b.csv" in str(found.value.where)


def test_whole_and_other_numbers_are_the_same_numbers(tmp_path: Path) -> None:
    scanned = two_parts(tmp_path, "track_id,x,y,t\na,0,0,1\nb,0,0,1\n", "track_id,x,y,t\na,0.5,0,2\nc,0,1.5,1\n")
    with Serial() as executor:
        whole = encode_tracks(scanned, executor).whole
    assert whole.to_lists()[0] == [(0.0, 0.0, 1.0), (0.5, 0.0, 2.0)]


def test_what_is_wrong_in_a_part_is_named(tmp_path: Path) -> None:
    scanned = two_parts(tmp_path, "track_id,lat,lng,t\na,0,0,1\n", "track_id,lat,lng,t\nb,95,0,1\n")
    with pytest.raises(BadCoordinate, match="from -90 to 90") as found:
        crypsis.anonymize(scanned, crypsis.PPSG(k=1))
    assert "b.csv" in str(found.value.where)


@pytest.mark.parametrize("seed", range(4))
def test_owners_of_tracks_in_several_parts_are_those_of_data_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = rows_of(random_tracks(rng, 50).to_lists(), range(50))
    owner = pl.Series([f"o{one}" for one in rng.integers(0, 20, 50)]).gather(frame["track_id"])
    frame = frame.with_columns(owner.alias("user_id"))
    frame = frame[rng.permutation(frame.height)] if seed % 2 else frame
    write_parts(tmp_path / "all", frame, [])
    write_parts(tmp_path / "parts", frame, random_cuts(rng, frame.height), "parquet")
    options: dict[str, Any] = {"sort": True, "repeated": "first"}
    read, scanned = crypsis.read_tracks(tmp_path / "all", **options), crypsis.scan_tracks(tmp_path / "parts", **options)
    with Serial() as executor:
        whole = encode_tracks(scanned, executor).whole
    assert whole == read
    assert list(map(str, whole.ids)) == list(map(str, read.ids))
    method = crypsis.PPSG(k=3, unit="owner", **SMALL)
    local = contents(crypsis.anonymize(read, method).write(tmp_path / "local"))
    assert contents(crypsis.anonymize(scanned, method).write(tmp_path / "one-block")) == local
    release = crypsis.anonymize(scanned, method, block_rows=12)
    assert release.verify().holds
    for rows in release.context.private["blocks"]:  # nobody is divided
        others = np.setdiff1d(np.arange(50), rows)
        assert not set(read.owners[rows].tolist()) & set(read.owners[others].tolist())
    with pytest.raises(OwnerRepeated):
        crypsis.anonymize(scanned, crypsis.PPSG(k=3, **SMALL), block_rows=12)
    by_track = crypsis.anonymize(scanned, crypsis.PPSG(k=3, unit="trajectory", **SMALL), block_rows=12)
    assert by_track.verify().holds


def test_blocks_of_owners_stand_where_their_first_tracks_stand() -> None:
    rng = np.random.default_rng(8)
    tracks = replace(random_tracks(rng, 60), owners=rng.integers(0, 25, 60).astype(np.int32))
    with Serial() as executor:
        release = release_cut(tracks, crypsis.PPSG(k=1, unit="owner", **SMALL), [7, 30], 15, executor)
    order = order_along_the_curve(tracks.to_lists(), np.unique(tracks.owners, return_index=True)[1].tolist())
    parts = np.array_split(tracks.owners[order], 4)
    expected = [np.flatnonzero(np.isin(tracks.owners, part)).tolist() for part in parts]
    assert release.context.private["blocks"] == expected


def test_a_person_with_one_track_is_named_by_the_column_of_the_track(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("uid,tid,x,y,t\n1,1,0,0,1\n2,2,0,0,1\n")
    for said in (ALONE, {"id": "uid", "person": "uid"}):
        assert len(crypsis.anonymize(crypsis.scan_tracks(tmp_path / "a.csv", **said), crypsis.PPSG(k=1)).data) == 2


def test_options_without_effect_and_other_methods_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("track_id,x,y,t\n1,0,0,1\n")
    (tmp_path / "a.gpx").write_text("<gpx></gpx>")
    with pytest.raises(OptionWithoutEffect, match="`lat`"):
        crypsis.scan_tracks(tmp_path / "a.gpx", lat="lat")
    with pytest.raises(OptionWithoutEffect, match="colour"):
        crypsis.scan_tracks(tmp_path / "a.csv", colour="red")
    with pytest.raises(NotApplicable, match="SeqAnon anonymizes Trajectories, got Tracks"):
        crypsis.anonymize(crypsis.scan_tracks(tmp_path / "a.csv", **ALONE), crypsis.SeqAnon(k=1))


def test_what_does_not_fit_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tracks = random_tracks(np.random.default_rng(0), 30)
    write_parts(tmp_path / "parts", rows_of(tracks.to_lists(), range(30)), [40])
    scanned = crypsis.scan_tracks(tmp_path / "parts", **ALONE)
    with Serial() as executor:
        monkeypatch.setattr("crypsis.methods.trajectory.track_blocks.BYTES_PER_FIX", 1 << 26)
        with pytest.raises(BlockTooLarge):
            crypsis.anonymize(scanned, crypsis.PPSG(k=2), executor=executor, block_rows=20)
        monkeypatch.setattr("crypsis.shards.tracks.BYTES_PER_FIX", 1 << 30)
        with pytest.raises(TooLarge, match="30 tracks with"):
            crypsis.anonymize(scanned, crypsis.PPSG(k=2), executor=executor)
