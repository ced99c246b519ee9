"""Maps that say where they are: metres, north, coordinates, outlines, and no more than a hundred arrows."""

from __future__ import annotations

import json
import re
import struct
import warnings
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyogrio.raw
import pytest

from crypsis.data.projection import transformer
from crypsis.data.track import Tracks
from crypsis.drawing.flow_bundles import MOST_ARROWS, bundled
from crypsis.drawing.map_view import MapView
from crypsis.errors import CrypsisError, MissingExtra, UnreadableFile
from crypsis.reports.pictures.movement_maps import track_map, view_of_tracks
from crypsis.web.outlines import read_outlines

UTM = "EPSG:32650"
TRACKS = [[(447_000 + 40 * n, 4_427_000 + 25 * n, n) for n in range(60)]]


def test_a_projected_map_has_metres_north_and_degrees() -> None:
    data = Tracks.from_lists(TRACKS, crs=UTM)
    picture = str(track_map(data, view_of_tracks(data)))
    assert re.search(r">[\d.,]+ k?m<", picture)
    assert ">N<" in picture
    told = re.search(r"data-corners='([^']+)'", picture)
    assert told is not None
    corners = json.loads(told[1])
    assert corners["degrees"]
    assert all(116 < x < 117 for x in corners["x"])
    assert all(39.9 < y < 40.1 for y in corners["y"])
    assert corners["y"][0] > corners["y"][2]


def test_a_plane_that_nobody_named_says_so() -> None:
    data = Tracks.from_lists(TRACKS)
    picture = str(track_map(data, view_of_tracks(data)))
    assert "units of the map<" in picture
    assert ">N<" not in picture
    assert '"degrees": false' in picture
    assert view_of_tracks(data).unit == "units of the map"


def test_many_moves_become_few_and_none_is_lost() -> None:
    draw = np.random.default_rng(1)
    x, y = draw.uniform(0, 500, 200), draw.uniform(0, 500, 200)
    pairs = np.unique(draw.integers(0, 200, (3_000, 2)), axis=0)
    flows = np.column_stack([pairs, draw.integers(1, 9, len(pairs))])
    ways = bundled(flows, x, y)
    assert 1 < len(ways) <= MOST_ARROWS
    assert sum(way.count for way in ways) == flows[:, 2].sum()
    assert sum(way.connections for way in ways) == len(flows)
    assert all(0 <= end <= 500 for way in ways for end in (*way.start, *way.end))
    few = bundled(flows[:MOST_ARROWS], x, y)
    assert [way.count for way in few] == flows[:MOST_ARROWS, 2].tolist()
    assert not any(way.bundled for way in few)


def test_outlines_of_a_file_lie_where_the_data_lie(tmp_path: Path) -> None:
    file = tmp_path / "park.geojson"
    ring = [[116.38, 39.99], [116.40, 39.99], [116.40, 40.00], [116.38, 39.99]]
    shape = {"type": "Feature", "properties": {}, "geometry": {"type": "MultiPolygon", "coordinates": [[ring]]}}
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [shape]}))
    (outline,) = read_outlines(file, UTM)
    data = Tracks.from_lists(TRACKS, crs=UTM)
    view = MapView.of(data.x, data.y, UTM)
    assert outline.x.min() > 440_000
    drawn = MapView(view.plane, view.width, view.height, UTM, (outline,))
    assert 'class="outline"' in str(track_map(data, drawn))


def zipped_shapefile(folder: Path, crs: str | None = UTM) -> Path:
    """A triangle and a record without a shape, as GDAL writes them."""
    corners = np.add([[0, 0], [900, 0], [900, 600], [0, 0]], [447_000.0, 4_427_000.0])
    ring = struct.pack("<BIII", 1, 3, 1, len(corners)) + corners.tobytes()
    shapes = folder / "shapes"
    shapes.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a missing reference system
        pyogrio.raw.write(
            shapes / "park.shp",
            geometry=np.array([ring, None], object),
            field_data=[np.array([1, 2])],
            fields=["number"],
            geometry_type="Polygon",
            crs=crs,
        )
    archive = folder / "park.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in shapes.iterdir():
            packed.write(file, f"parks/{file.name}")
    return archive


def test_outlines_of_a_zipped_shapefile_come_from_its_own_reference_system(tmp_path: Path) -> None:
    (outline,) = read_outlines(zipped_shapefile(tmp_path), "EPSG:32649")
    back_x, back_y = transformer("EPSG:32649", UTM).transform(outline.x, outline.y)
    assert sorted(np.round(back_x).tolist()) == [447_000, 447_000, 447_900, 447_900]
    assert sorted(np.round(back_y).tolist()) == [4_427_000, 4_427_000, 4_427_000, 4_427_600]


def test_outlines_without_a_reference_system_lie_in_the_plane_of_the_data(tmp_path: Path) -> None:
    (outline,) = read_outlines(zipped_shapefile(tmp_path, None), None)
    assert (outline.x.max(), outline.y.max()) == (447_900, 4_427_600)


@pytest.mark.parametrize("content", [b"<OGRVRTDataSource/>", b"", struct.pack(">i", 9994) + b"\xff" * 200])
def test_an_archive_without_a_whole_shapefile_is_refused(tmp_path: Path, content: bytes) -> None:
    archive = tmp_path / "park.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("park.shp", content)
    with pytest.raises(UnreadableFile):
        read_outlines(archive, UTM)


def test_a_shapefile_names_the_package_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.web.shapefile.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[outlines\]'"):
        read_outlines(zipped_shapefile(tmp_path), UTM)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"type": "Polygon", "coordinates": 3}', '{"type": "Point"}', "\udc80"]
)
def test_what_holds_no_outlines_is_refused_in_words(tmp_path: Path, text: str) -> None:
    file = tmp_path / "park.geojson"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CrypsisError):
        read_outlines(file, None)


def test_areas_with_very_many_moves_stay_readable() -> None:
    from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
    from crypsis.web.maps import area_legend, area_map

    draw = np.random.default_rng(2)
    walks = []
    for _ in range(150):
        turns = draw.uniform(0, 5_000, (12, 2))
        line = np.concatenate([np.linspace(start, end, 6)[:-1] for start, end in pairwise(turns)])
        walks.append([(float(x), float(y), 60 * n) for n, (x, y) in enumerate(line)])
    tracks = Tracks.from_lists(walks, crs=UTM)
    areas = ProgressiveGeneralization.of_tracks(tracks, radius=400, k=2)
    assert len(areas.flows) > 2 * MOST_ARROWS
    picture = str(area_map(areas, set(), view_of_tracks(tracks)))
    drawn = re.findall(r'<path d="[^"]*" class="flow"[^>]*>', picture)
    dashed = [one for one in drawn if "dasharray" in one]
    assert 0 < len(dashed) <= MOST_ARROWS
    assert 0 < len(drawn) - len(dashed) <= MOST_ARROWS
    assert "neighbouring areas are one line" in area_legend(areas)


def test_names_lie_on_nothing_and_above_the_scale() -> None:
    from crypsis.web.maps import choosing_map

    labels = ["station", "market", "library", "museum", "park"]
    x, y = np.array([0.0, 200, 350, 2500, 2700]), np.array([0.0, 100, 0, 2500, 2400])
    picture = str(choosing_map(labels, x, y, None, None))
    written = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="note"[^>]*>([^<]+)<', picture)
    heights = {words: float(height) for _, height, words in written}
    scale = next(height for words, height in heights.items() if "units" in words)
    assert {"station", "market", "museum", "park"} <= set(heights)
    assert all(scale - height > 12 for words, height in heights.items() if words in labels)
    assert heights["station"] != heights["library"], "beside each other they do not fit"
