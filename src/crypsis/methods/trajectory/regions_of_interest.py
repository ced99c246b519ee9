"""RegionsOfInterest: data preparation. Busy parts of a grid become regions, tracks become sequences of regions.

Giannotti, Nanni, Pinelli, Pedreschi. Trajectory pattern mining. KDD 2007, 330-339: regions of interest; with the
changes of Pensa, Monreale, Pinelli, Pedreschi. Pattern-preserving k-anonymization of sequences. PinKDD 2008.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, NotApplicable, TooLarge
from crypsis.kernels.dense_rectangles import grow_rectangles
from crypsis.methods.trajectory.cell_sequences import cell_sequences
from crypsis.parameters import MAP_UNITS, Above, Between, Checked, OneOf, Unit

_MOST_GRID_CELLS = 100_000_000
_EDGE = 1e-9


@dataclass(frozen=True)
class Regions:
    """The regions that were found, and the tracks as sequences of them.

    Region g is called "r<g>" and covers the columns and rows `rectangles[g]` = (first column, first row, last column,
    last row) of the grid, both ends included. `rows` are the tracks that meet a region, one for each trajectory; the
    others are lost. Locations have coordinates (the middles of the rectangles) only where rectangles may be published.
    """

    trajectories: Trajectories
    rectangles: Int64s
    origin: tuple[float, float]
    cell: float
    rows: Int64s
    lost: int
    publishable: bool

    def bounds(self, published: PublishedTrajectories) -> dict[str, tuple[float, float, float, float]]:
        """(x1, y1, x2, y2) of the regions that occur in published rows; others would show where few people go.

        The default origin is the position of one or two people and can be read off a rectangle, so with it rectangles
        cannot be had.
        """
        if not self.publishable:
            raise NotApplicable(
                "These regions lie on a grid that begins at somebody's position, so their rectangles cannot be "
                "published. Give origin='snapped', or origin_x and origin_y."
            )
        occurring = np.unique(published.codes)
        names = {label for code in occurring.tolist() for label in published.symbols.label_lists[code]}
        shown = [code for code, label in enumerate(self.trajectories.locations.labels) if label in names]
        return {f"r{code}": self._bounds(self.rectangles[code].tolist()) for code in shown}

    def _bounds(self, rectangle: Iterable[int]) -> tuple[float, float, float, float]:
        left, low, right, high = rectangle
        (x, y), cell = self.origin, self.cell
        return x + left * cell, y + low * cell, x + (right + 1) * cell, y + (high + 1) * cell


@dataclass(frozen=True, kw_only=True)
class RegionsOfInterest(Checked):
    """Find the rectangles of a grid that many tracks pass, and rewrite the tracks as the regions they pass.

    A cell is dense if `min_density` of the tracks have a fix in it. From the densest cell on, a rectangle grows by the
    column or row that keeps its mean density highest, as long as that stays dense enough. This prepares data and
    protects nobody: give the trajectories to a method such as BFP2kA.

    >>> import crypsis
    >>> tracks = crypsis.Tracks.from_lists([[(5, 5, 0), (95, 5, 9)], [(6, 4, 0), (55, 5, 5), (94, 6, 9)]])
    >>> RegionsOfInterest(cell=10, min_density=1.0, origin="snapped").prepare(tracks).trajectories.to_lists()
    [['r0', 'r1'], ['r0', 'r1']]

    Giannotti, Nanni, Pinelli, Pedreschi. Trajectory pattern mining. KDD 2007, 330-339.
    """

    cell: Annotated[
        float,
        Above(0),
        Unit(MAP_UNITS),
        "Width of the square cells of the grid, in the unit of the coordinates.",
    ] = 200.0
    min_density: Annotated[
        float, Above(0), Between(0, 1), "Share of the tracks that must have a fix in a dense cell."
    ] = 0.05
    origin: Annotated[
        str,
        OneOf(data="at the least coordinates", snapped="at multiples of the cell"),
        "Where the grid begins: at the least coordinates of the data, or at multiples of the cell below them.",
    ] = "data"
    origin_x: Annotated[float | None, "Where the grid begins, if given with origin_y."] = None
    origin_y: Annotated[float | None, "Where the grid begins, if given with origin_x."] = None

    def prepare(self, tracks: Tracks) -> Regions:
        """The regions of these tracks, numbered in the order in which they were found, and the tracks in them."""
        if (self.origin_x is None) != (self.origin_y is None):
            raise BadParameter("RegionsOfInterest: give both origin_x and origin_y, or none.", parameter="origin_x")
        origin = self._origin(tracks)
        column, row = _places(tracks.x, origin[0], self.cell), _places(tracks.y, origin[1], self.cell)
        if len(column) and min(int(column.min()), int(row.min())) < 0:
            raise BadParameter(
                "RegionsOfInterest: the origin must not lie right of or above any point; choose a smaller one.",
                parameter="origin_x",
            )
        density = self._density(tracks, column, row)
        rectangles = self._rectangles(density, len(tracks))
        region_of_cell = np.full(density.shape, -1, np.int32)
        for index, (left, low, right, high) in enumerate(rectangles.tolist()):
            region_of_cell[left : right + 1, low : high + 1] = index
        region_of_point: Int32s = region_of_cell[column, row]
        offsets, codes = cell_sequences(tracks.offsets, region_of_point)
        rows = np.flatnonzero(np.diff(offsets) > 0)
        publishable = self.origin_x is not None or self.origin == "snapped"
        locations = self._locations(rectangles, origin, publishable, tracks.crs)
        all_tracks = Trajectories(offsets, codes, locations, tracks.owners, tracks.ids)
        return Regions(all_tracks.take(rows), rectangles, origin, self.cell, rows, len(tracks) - len(rows), publishable)

    def _origin(self, tracks: Tracks) -> tuple[float, float]:
        if self.origin_x is not None and self.origin_y is not None:
            return self.origin_x, self.origin_y
        least = [float(values.min()) if len(values) else 0.0 for values in (tracks.x, tracks.y)]
        if self.origin == "snapped":
            least = [float(np.floor(value / self.cell) * self.cell) for value in least]
        return least[0], least[1]

    def _density(self, tracks: Tracks, column: Int64s, row: Int64s) -> Int64s:
        """Number of tracks with a fix in each cell of the grid."""
        columns, rows = (int(places.max(initial=-1)) + 1 for places in (column, row))
        if columns * rows > _MOST_GRID_CELLS:
            raise TooLarge(
                f"RegionsOfInterest: a grid of {columns:,} x {rows:,} cells is too fine; choose a larger cell."
            )
        track = np.repeat(np.arange(len(tracks)), tracks.lengths)
        visited = np.unique((column * rows + row) * len(tracks) + track) // max(len(tracks), 1)
        counts = np.bincount(visited, minlength=columns * rows).astype(np.int64)
        return counts.reshape(columns, rows)

    def _rectangles(self, density: Int64s, tracks: int) -> Int64s:
        threshold = self.min_density * tracks
        columns, rows = np.nonzero(density >= max(threshold - 1e-9 * max(1.0, threshold), 1e-300))
        order = np.lexsort((rows, columns, -density[columns, rows]))
        return grow_rectangles(density, columns[order], rows[order], threshold)

    def _locations(
        self, rectangles: Int64s, origin: tuple[float, float], publishable: bool, crs: str | None
    ) -> Locations:
        labels = Vocabulary([f"r{index}" for index in range(len(rectangles))])
        if not publishable:
            return Locations(labels)
        x = origin[0] + self.cell * (rectangles[:, 0] + rectangles[:, 2] + 1) / 2
        y = origin[1] + self.cell * (rectangles[:, 1] + rectangles[:, 3] + 1) / 2
        return Locations(labels, x, y, crs=crs)


def _places(values: np.ndarray[tuple[int], np.dtype[np.float64]], origin: float, cell: float) -> Int64s:
    """Columns or rows of coordinates; a point a billionth before a line lies behind it."""
    places: Int64s = np.floor((values - origin) / cell + _EDGE).astype(np.int64)
    return places
