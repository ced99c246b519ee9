"""Voronoi cells of published points as polygons, cut off at a box: for maps and for geographic information systems."""

from __future__ import annotations

from crypsis.arrays import Float64s
from crypsis.methods.trajectory.voronoi import neighbouring_pairs, without_duplicates

Polygon = list[tuple[float, float]]
Box = tuple[float, float, float, float]


def voronoi_polygons(x: Float64s, y: Float64s, box: Box) -> list[Polygon]:
    """The part of the box (west, south, east, north) that is nearest to each point, corner by corner.

    Points that repeat an earlier one have no area and an empty polygon.
    """
    west, south, east, north = box
    corners: Polygon = [(west, south), (east, south), (east, north), (west, north)]
    stays = without_duplicates(x, y)
    numbers = stays.nonzero()[0].tolist()
    around: list[list[int]] = [[] for _ in range(len(x))]
    for one, other in neighbouring_pairs(x[stays], y[stays]).tolist():
        around[numbers[one]].append(numbers[other])
        around[numbers[other]].append(numbers[one])
    polygons: list[Polygon] = []
    for point in range(len(x)):
        polygon = corners if stays[point] else []
        for other in around[point]:
            polygon = _nearer_half(polygon, (float(x[point]), float(y[point])), (float(x[other]), float(y[other])))
        polygons.append(polygon)
    return polygons


def box_around(x: Float64s, y: Float64s, margin: float = 0.08) -> Box:
    """The bounding box of points, wider by a share of its longer side."""
    room = margin * max(float(x.max() - x.min()), float(y.max() - y.min())) or 1.0
    return float(x.min()) - room, float(y.min()) - room, float(x.max()) + room, float(y.max()) + room


def _nearer_half(polygon: Polygon, here: tuple[float, float], there: tuple[float, float]) -> Polygon:
    """The part of a convex polygon that is nearer to one point than to another."""
    middle = (here[0] + there[0]) / 2, (here[1] + there[1]) / 2
    towards = there[0] - here[0], there[1] - here[1]
    depth = [(x - middle[0]) * towards[0] + (y - middle[1]) * towards[1] for x, y in polygon]
    kept: Polygon = []
    for index, (corner, value) in enumerate(zip(polygon, depth, strict=True)):
        before, value_before = polygon[index - 1], depth[index - 1]
        if (value > 0) != (value_before > 0):
            share = value_before / (value_before - value)
            kept.append((before[0] + share * (corner[0] - before[0]), before[1] + share * (corner[1] - before[1])))
        if value <= 0:
            kept.append(corner)
    return kept
