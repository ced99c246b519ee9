"""From planar coordinates to a place on the page: one scale for both directions, y pointing up.

Lengths are kept by half, because the distance of two huge coordinates would overflow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s

_NARROWEST = 1e-290  # what is closer lies at one point; such numbers have few digits


@dataclass(frozen=True)
class Plane:
    """A box of the page that shows points; twice `half_span` of their coordinates is drawn `pixels` long.

    `half_span` is 0 where all points are equal; they lie in the middle then.
    """

    west: float
    north: float
    half_span: float
    pixels: float
    left: float
    top: float

    @classmethod
    def fitted(
        cls, x: Float64s, y: Float64s, width: float, heights: tuple[float, float], margin: float
    ) -> tuple[Plane, float]:
        """The plane that shows all points in a box of this width, and the height of the box, within bounds."""
        half_x, half_y = _half_span(x), _half_span(y)
        half_span = max(half_x, half_y)
        west, north = float(x.min()), float(y.max())
        if half_span == 0:
            return cls(west, north, 0.0, 0.0, width / 2, heights[0] / 2), heights[0]
        share_x, share_y = half_x / half_span, half_y / half_span
        inner = width - 2 * margin
        wanted = inner * share_y / share_x + 2 * margin if share_x else math.inf
        height = min(max(wanted, heights[0]), heights[1])
        pixels = min(
            inner / share_x if share_x else math.inf,
            (height - 2 * margin) / share_y if share_y else math.inf,
        )
        left, top = (width - share_x * pixels) / 2, (height - share_y * pixels) / 2
        return cls(west, north, half_span, pixels, left, top), height

    def place(self, x: Float64s, y: Float64s) -> tuple[Float64s, Float64s]:
        """Points of the page, to a tenth."""
        if not self.half_span:
            return np.full(len(x), self.left), np.full(len(y), self.top)
        east = (x / 2 - self.west / 2) / self.half_span
        south = (self.north / 2 - y / 2) / self.half_span
        return np.round(self.left + east * self.pixels, 1), np.round(self.top + south * self.pixels, 1)

    def length_of(self, pixels: float) -> float:
        """The distance, in coordinates, that is drawn so long."""
        return self.half_span * (2 * pixels / self.pixels)

    def pixels_of(self, length: float) -> float:
        """How long a distance is drawn."""
        return length / 2 / self.half_span * self.pixels


def _half_span(values: Float64s) -> float:
    half = float(values.max() / 2 - values.min() / 2)
    return half if half > _NARROWEST else 0.0
