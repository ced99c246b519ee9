"""How series are told apart: by colour, and always by a second sign (marker, dashes, hatching).

The colours keep their distance for every kind of colour vision; both themes have the same order.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sign:
    """One series: its colours on light and on dark paper, its marker, its dashes and its hatching.

    `marker` is a name that both drawers know; `dash` are lengths of strokes and gaps; `hatch` is a name, too.
    """

    light: str
    dark: str
    marker: str
    dash: tuple[float, ...]
    hatch: str


SIGNS = (
    Sign("#0b68a8", "#58aee8", "circle", (), "plain"),
    Sign("#c65b00", "#eb9a3c", "square", (6, 3), "diagonal"),
    Sign("#0a7a5c", "#4fc7a0", "triangle", (2, 2), "dots"),
    Sign("#8e3b8a", "#d58ad0", "diamond", (8, 3, 2, 3), "back"),
    Sign("#8a6d00", "#d6bb4a", "inverted", (4, 2, 1.5, 2, 1.5, 2), "level"),
    Sign("#b3261e", "#f28b82", "cross", (10, 3), "grid"),
    Sign("#3b4cc0", "#9aa8f5", "plus", (1.5, 3), "upright"),
    Sign("#5a646e", "#aab4be", "pentagon", (6, 2, 6, 4), "crossed"),
)


def sign(series: int) -> Sign:
    """The sign of a series; after the last colour they start over with the dashes of the next."""
    turn, index = divmod(series, len(SIGNS))
    first, other = SIGNS[index], SIGNS[(index + turn) % len(SIGNS)]
    return Sign(first.light, first.dark, other.marker, other.dash, other.hatch)
