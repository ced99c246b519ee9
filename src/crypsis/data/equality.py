"""Data that are equal when they say the same."""

from __future__ import annotations

import numpy as np
import polars as pl


class EqualByContent:
    """Equal to another of its kind that says the same. Not hashable: such data may be large."""

    @property
    def compared(self) -> tuple[object, ...]:
        """What has to be equal: arrays, columns and anything else."""
        return (id(self),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and all(map(_are_equal, self.compared, other.compared))

    __hash__ = None  # type: ignore[assignment]


def _are_equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)  # type: ignore[arg-type]
    if isinstance(one, pl.Series) and isinstance(other, pl.Series):
        return one.equals(other)
    return one == other
