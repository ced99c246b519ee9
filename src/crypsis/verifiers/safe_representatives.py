"""Recount what PPSG promises about places: the cells from the tracks, the people in each, and nobody's own position.

The tracks are generalized again from the generators, which the publisher keeps. The sequences themselves are another
verifier's; it is given the cell sequences that are recomputed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.data.cell_blocks import CellBlocks, nearest_cells
from crypsis.data.projection import unproject
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import Guarantee, Verdict, Witness

CLOSEST = 1e-9
_LOOKED_AT = 4
_AT_ONCE = 1 << 22
_DECIMALS_OF_DEGREES = 7  # GeoJSON files of a release have so many


@dataclass(frozen=True)
class PlaceProblem:
    """What is wrong with a published place: its label and a sentence. `support` counts the individuals behind it."""

    label: str
    sentence: str
    support: int


def verify_generalized_tracks(
    published: PublishedTrajectories,
    promised: Guarantee,
    tracks: Tracks,
    verifier: Callable[..., Verdict],
    generators: Locations | None = None,
) -> Verdict:
    """Generalize the tracks again, let `verifier` compare the sequences with that, and check every published place."""
    recomputed = generalized_tracks(tracks, generators_of(published, generators), published.cell_blocks)
    verdict = verifier(published, promised, recomputed)
    if not verdict.holds:
        return verdict
    parameters = promised.parameters()
    k, unit = parameters["k"], parameters.get("unit", "trajectory")
    unsafe = unsafe_place(published, tracks, k, unit, generators)
    how = f"{verdict.counted}; the cells were recomputed from the tracks, and each published point compared with them"
    if unsafe is None:
        return replace(verdict, counted=how)
    witness = Witness(((unsafe.label,),), unsafe.support, 1) if unsafe.label else None
    sentence = unsafe.sentence[0].upper() + unsafe.sentence[1:] + "."
    return Verdict(promised, False, unsafe.support, k, how, witness, sentence)


def generalized_tracks(tracks: Tracks, generators: Locations, blocks: CellBlocks | None = None) -> Trajectories:
    """The cell sequence of each track: nearest generators (of its block), the first of equals; consecutive repeats are
    one visit."""
    cells = _cells(tracks, generators, blocks)
    rows = np.repeat(np.arange(len(tracks)), tracks.lengths)
    visits = pl.DataFrame({"row": rows, "cell": cells}).filter(
        (pl.col("row") != pl.col("row").shift()).fill_null(True)
        | (pl.col("cell") != pl.col("cell").shift()).fill_null(True)
    )
    lengths = np.bincount(visits["row"].to_numpy(), minlength=len(tracks))
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return Trajectories(offsets, visits["cell"].to_numpy().astype(np.int32), generators, tracks.owners)


def unsafe_place(
    published: PublishedTrajectories, tracks: Tracks, k: int, unit: str, generators: Locations | None = None
) -> PlaceProblem | None:
    """The first published place that is not safe, or None.

    Each published cell must hold fixes of at least k individuals, have exactly one place, and that place must lie more
    than 1e-9 from every fix that fewer than k individuals share, and have other digits than these in every form in
    which it is written. So must the corners of its area. Cells in no published row must have no place.
    """
    generators = generators_of(published, generators)
    places = published.places
    if places is None or places.x is None or places.y is None:
        return PlaceProblem("", "no places are published for the cells", 0)
    occurring = sorted(
        {label for code in np.unique(published.codes).tolist() for label in published.symbols.label_lists[code]}
    )
    for label in places.labels:
        if label not in set(occurring):
            return PlaceProblem(label, f"the place of cell {label!r} is published, but the cell is in no row", 0)
    individuals = _individuals(tracks, unit)
    people = _visitors(tracks, generators, individuals, published.cell_blocks)
    for label in occurring:
        if label not in places.vocabulary:
            return PlaceProblem(label, f"cell {label!r} has no place", 0)
        support = people.get(label, 0)
        if support < k:
            return PlaceProblem(label, f"cell {label!r} was visited by {support}, {k} are required", support)
    return _hit_fix(places, tracks, individuals, k)


def visitors(published: PublishedTrajectories, tracks: Tracks, unit: str) -> dict[str, int]:
    """Number of individuals with fixes in each cell."""
    return _visitors(tracks, generators_of(published, None), _individuals(tracks, unit), published.cell_blocks)


def generators_of(published: PublishedTrajectories, given: Locations | None) -> Locations:
    """The generators that were given, or those that the published data still have in memory."""
    generators = given if given is not None else published.generators
    if generators is None:
        raise OriginalRequired(
            "The cells of the tracks can only be recomputed from their generators, which are not published. "
            "Give the private report that was written with the release (private_report='FILE'), or verify where it was "
            "made."
        )
    return generators


def _individuals(tracks: Tracks, unit: str) -> Int32s:
    if unit != "owner":
        return np.arange(len(tracks), dtype=np.int32)
    if tracks.owners is None:
        raise NotApplicable("Owners are to be counted; give the original with the owner of each track.")
    return tracks.owners


def _visitors(tracks: Tracks, generators: Locations, individuals: Int32s, blocks: CellBlocks | None) -> dict[str, int]:
    cells = _cells(tracks, generators, blocks)
    counted = (
        pl.DataFrame({"cell": cells, "who": np.repeat(individuals, tracks.lengths)})
        .group_by("cell")
        .agg(pl.col("who").n_unique())
    )
    labels = generators.labels
    return {labels[cell]: people for cell, people in counted.iter_rows()}


def _hit_fix(places: Locations, tracks: Tracks, individuals: Int32s, k: int) -> PlaceProblem | None:
    """The first place that is, in some form in which it is written, a position that fewer than k individuals share."""
    from scipy.spatial import cKDTree

    assert places.x is not None
    assert places.y is not None
    fixes = (
        pl.DataFrame(
            {"x": tracks.x + 0.0, "y": tracks.y + 0.0, "who": np.repeat(individuals, tracks.lengths)}
        )  # adding 0 makes -0 and 0 one
        .group_by("x", "y")
        .agg(pl.col("who").n_unique())
        .filter(pl.col("who") < k)
    )
    if not fixes.height or not len(places):
        return None
    tree = cKDTree(fixes.select("x", "y").to_numpy())
    distance, nearest = tree.query(np.column_stack((places.x, places.y)))
    hit = np.flatnonzero(distance <= CLOSEST)
    if len(hit):
        label, shared = places.labels[int(hit[0])], int(fixes["who"][int(nearest[hit[0]])])
        return _is_somebodys(f"the place of cell {label!r}", label, shared, k)
    return _hit_as_written(places, fixes, tracks.crs, k)


def _hit_as_written(places: Locations, fixes: pl.DataFrame, crs: str | None, k: int) -> PlaceProblem | None:
    """Compare the digits that files hold with those that positions would have there."""
    written = places.written
    planar = fixes["x"].to_numpy(), fixes["y"].to_numpy()
    if written is not None and written.decimals is not None:
        found = _first_equal(places.labels, (places.x, places.y), planar, written.decimals, fixes["who"].to_numpy())
        if found is not None:
            return _is_somebodys(f"the place of cell {found[0]!r}, as it is written,", *found, k)
    if crs is None or places.crs != crs:
        return None
    degrees = unproject(*planar, crs)
    points = None if written is None or written.longitude is None else (written.longitude, written.latitude)
    shown = unproject(places.x, places.y, crs) if points is None else points  # type: ignore[arg-type]
    found = _first_equal(places.labels, shown, degrees, _DECIMALS_OF_DEGREES, fixes["who"].to_numpy())
    if found is not None:
        return _is_somebodys(f"the place of cell {found[0]!r}, as it is written in degrees,", *found, k)
    rings = () if written is None or written.areas is None else written.areas
    corners = [(label, *corner) for label, ring in zip(places.labels, rings, strict=False) for corner in ring]
    if not corners:
        return None
    labels, longitude, latitude = zip(*corners, strict=True)
    found = _first_equal(
        labels, (np.array(longitude), np.array(latitude)), degrees, _DECIMALS_OF_DEGREES, fixes["who"].to_numpy()
    )
    if found is not None:
        return _is_somebodys(f"a corner of the area of cell {found[0]!r}, as it is written,", *found, k)
    return None


def _first_equal(
    labels: Sequence[str], points: Any, fixes: Any, decimals: int, shared: Int64s
) -> tuple[str, int] | None:
    """The first label whose point has the digits of a fix, and by how many individuals that fix is shared."""

    def digits(values: Any) -> pl.Series:
        scaled = np.round(np.asarray(values, np.float64), decimals) * 10.0**decimals
        return pl.Series(np.round(scaled).astype(np.int64))

    where = pl.DataFrame({"x": digits(fixes[0]), "y": digits(fixes[1]), "shared": shared})
    asked = pl.DataFrame({"label": list(labels), "x": digits(points[0]), "y": digits(points[1])})
    equal = asked.join(where, on=["x", "y"], how="inner", maintain_order="left")
    return (str(equal["label"][0]), int(equal["shared"][0])) if equal.height else None


def _is_somebodys(what: str, label: str, shared: int, k: int) -> PlaceProblem:
    return PlaceProblem(label, f"{what} is a position that {shared} individuals share, {k} are required", shared)


def _cells(tracks: Tracks, generators: Locations, blocks: CellBlocks | None) -> Int64s:
    """The cell of each fix."""
    return nearest_cells(tracks, *generators.coordinates("The verifier of tracks"), blocks, _nearest)


def _nearest(tracks: Tracks, x: Float64s, y: Float64s) -> Int64s:
    """The nearest generator of each fix; among those within a billionth of the nearest, the first."""
    from scipy.spatial import cKDTree

    if not len(x):
        if tracks.points:
            raise NotApplicable("There are fixes but no generators.")
        return np.zeros(0, np.int64)
    looked_at = min(_LOOKED_AT, len(x))
    points = np.column_stack((tracks.x, tracks.y))
    distance, index = cKDTree(np.column_stack((x, y))).query(points, k=np.arange(1, looked_at + 1))
    limit = distance[:, :1] + CLOSEST * np.maximum(1.0, distance[:, :1])
    equal = distance <= limit
    cells: Int64s = np.where(equal, index, len(x)).min(axis=1)
    if looked_at < len(x):  # more may be equal than were looked at
        crowded = np.flatnonzero(equal.all(axis=1))
        for chunk in np.array_split(crowded, max(1, len(crowded) * len(x) // _AT_ONCE + 1)):
            away = np.hypot(tracks.x[chunk, None] - x, tracks.y[chunk, None] - y)
            cells[chunk] = (away <= limit[chunk]).argmax(axis=1)
    return cells
