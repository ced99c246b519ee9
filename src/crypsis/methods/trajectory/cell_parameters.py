"""Parameters of the methods that generalize tracks to cells."""

from __future__ import annotations

from typing import Annotated

from crypsis.parameters import AtLeast, OneOf

ComparedDistance = Annotated[
    str,
    OneOf(max="the largest distance", mean="the mean distance"),
    "Which distance of the points of a cell the limit is compared with.",
]
FewestCells = Annotated[int, AtLeast(1), "With this many cells left no further step is begun."]
GENERATORS = OneOf(mean="the middle of its points", medoid="its most central point")
