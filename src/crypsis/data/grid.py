"""A square grid over a plane: a public way to turn points into cells.

Cell c12_7 covers x from 12 to 13 and y from 7 to 8 sizes of a cell, counted from the origin of the projection. Its name
follows from the grid alone and says nothing about where other people were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Grid:
    """Squares of `size` units of the projection `crs`; `origin` is the corner of cell c0_0."""

    size: float
    crs: str | None = None
    origin: tuple[float, float] = (0.0, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """What a manifest says: public parameters only."""
        return {"crs": self.crs, "origin": list(self.origin), "size": self.size}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Grid:
        """The grid that a manifest describes; `ValueError` where it describes none."""
        try:
            x, y = (float(value) for value in told["origin"])
            crs = told.get("crs")
            if crs is not None and not isinstance(crs, str):
                raise ValueError("crs must be text")
            return cls(float(told["size"]), crs, (x, y))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("a grid has crs, origin and size") from error
