"""MapView: where places lie on a map, with its scale, where north is, and outlines below it.

A map has the proportion of its data, and two maps of the same data the same view, so that they lie side by side.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.projection import is_metric, unproject
from crypsis.drawing.markup import Markup, element
from crypsis.drawing.plane import Plane
from crypsis.drawing.svg import drawing, polyline, rounded_up, text
from crypsis.errors import MissingExtra
from crypsis.translation import _
from crypsis.translation.wording import figure

SIZE, LOWEST, MARGIN = 520.0, 150.0, 22.0
_STRIP = 24.0  # below the places and their names, for the scale


@dataclass(frozen=True)
class Outline:
    """One line, in the plane of the map."""

    x: Float64s
    y: Float64s


def unit_words(crs: str | None) -> str:
    """What distances are told in."""
    return _("metres") if is_metric(crs) else _("units of the map")


def length_words(length: float, crs: str | None) -> str:
    """`500 m`, `2 km`; of a plane that nobody named, `5 units of the map`."""
    if not is_metric(crs):
        return _("1 unit of the map") if length == 1 else _("{length} units of the map", length=figure(length))
    return f"{figure(length / 1000)} km" if length >= 1000 else f"{figure(length)} m"


def north_arrow(right: float, crs: str | None) -> list[Markup]:
    """Where north is, of a projection; a plane that nobody named has none."""
    if crs is None:
        return []
    x = right - 16
    arrow = element("path", d=f"M{x:.1f} 34v-18m-4 6l4 -7l4 7", class_="scale", pointer_events="none")
    return [arrow, text(x, 11, _("N"), "note", "middle")]


@dataclass(frozen=True)
class MapView:
    """Where places lie on the page, and how large the page is."""

    plane: Plane
    width: float
    height: float
    crs: str | None = None  # the projection, where it is known
    outlines: tuple[Outline, ...] = ()  # of a file that somebody gave

    @classmethod
    def of(cls, x: Float64s, y: Float64s, crs: str | None = None, size: float = SIZE) -> MapView:
        """A view of all points, as wide and as high as they ask for, and no more than `size`."""
        known = np.isfinite(x) & np.isfinite(y)
        x, y = (x[known], y[known]) if known.any() else (np.zeros(1), np.zeros(1))
        across, along = float(x.max() / 2 - x.min() / 2), float(y.max() / 2 - y.min() / 2)
        inner = size - 2 * MARGIN
        width = size if along <= across else max(LOWEST, inner * across / along + 2 * MARGIN)
        plane, height = Plane.fitted(x, y, width, (LOWEST, size), MARGIN)
        return cls(plane, width, height + _STRIP, crs)

    @property
    def unit(self) -> str:
        """What distances are told in."""
        return unit_words(self.crs)

    def drawing(self, label: str, *marks: str) -> Markup:
        """The map with its frame and outlines and, in its corners, its scale and where north is."""
        frame = element("rect", x=0, y=0, width=self.width, height=self.height, class_="frame")
        drawn = [self._outline(outline) for outline in self.outlines]
        signs = (*self._scale(), *north_arrow(self.width, self.crs))
        picture = drawing(self.width, self.height, label, frame, *drawn, *marks, *signs, kind="map")
        return Markup(picture.replace("<svg ", f"<svg {self._corners()} ", 1))  # for coordinates on hover

    def _outline(self, outline: Outline) -> Markup:
        x, y = self.plane.place(outline.x, outline.y)
        points = polyline(list(zip(x.tolist(), y.tolist(), strict=True)))
        return element("path", d=points, class_="outline", pointer_events="none")

    def _scale(self) -> list[Markup]:
        if not self.plane.half_span:
            return []
        length = rounded_up(self.plane.length_of(self.width / 9))
        pixels, y = self.plane.pixels_of(length), self.height - 9
        bar = element("path", d=f"M9 {y - 4:.1f}v4h{pixels:.1f}v-4", class_="scale", pointer_events="none")
        return [bar, text(9 + pixels + 6, y + 1, length_words(length, self.crs), "note")]

    def _corners(self) -> str:
        """What the corners are called, from the upper left on: degrees north and east, or coordinates of the plane."""
        if not self.plane.half_span:
            return ""
        unit = self.plane.length_of(1.0)
        west, north = self.plane.west - self.plane.left * unit, self.plane.north + self.plane.top * unit
        x = np.array([west, west + self.width * unit] * 2)
        y = np.array([north, north, north - self.height * unit, north - self.height * unit])
        if self.crs is not None:
            try:
                x, y = unproject(x, y, self.crs)
            except MissingExtra:  # a map without coordinates on hover is a map
                return ""
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            return ""
        told = json.dumps({"x": x.tolist(), "y": y.tolist(), "degrees": self.crs is not None})
        return f"data-corners='{told}'"
