"""Names on a map: beside their places, and nowhere on each other."""

from __future__ import annotations

from collections.abc import Sequence

from crypsis.drawing.markup import Markup
from crypsis.drawing.naming import room_for
from crypsis.drawing.svg import text

MOST_NAMED = 25  # places whose names stand beside them

_Box = tuple[float, float, float, float]


def names_beside(points: Sequence[tuple[str, float, float]], radius: float, width: float) -> list[Markup]:
    """Names at the right of their places, else left, above or below; none where it would lie on another."""
    taken = [(x - radius, y - radius, x + radius, y + radius) for _name, x, y in points]
    names = []
    for name, x, y in points:
        room, gap = room_for(name), radius + 4
        middle = max(2.0, min(x - room / 2, width - room - 2))  # inside the map
        for left, base in ((x + gap, y + 4), (x - gap - room, y + 4), (middle, y - gap), (middle, y + gap + 9)):
            box = (left, base - 10, left + room, base + 3)
            if left >= 0 and box[2] <= width and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                names.append(text(left + room / 2, base, name, "note", "middle"))
                break
    return names


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
