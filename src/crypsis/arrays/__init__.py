"""The flat arrays that all data live in, and the one way to make them immutable and to compare them.

The modules of this package are compiled work on such arrays. They know no class of data.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

Int8s: TypeAlias = NDArray[np.int8]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
Float64s: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


class Lists(NamedTuple):
    """Lists of codes end to end, as compiled code takes them: list i is values[offsets[i]:offsets[i + 1]]."""

    offsets: Int64s
    values: Int32s


def frozen(array: Array) -> Array:
    """The same values as an array that cannot be written; a view is copied, so nobody else can write it either."""
    if array.flags.writeable:
        if array.base is not None:
            array = array.copy()
        array.flags.writeable = False
    return array


class FrozenArrays:
    """A frozen dataclass whose arrays cannot be written; a view is replaced by a copy of its own."""

    def __post_init__(self) -> None:
        for name, value in tuple(vars(self).items()):
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, frozen(value))


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


def offsets_of(lengths: NDArray[np.integer[Any]]) -> Int64s:
    """Offsets of records with these lengths: record r is `values[offsets[r]:offsets[r + 1]]`."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def take_records(offsets: Int64s, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Offsets of the chosen records laid one after another, and the position of each of their values."""
    lengths = np.diff(offsets)[rows]
    taken = offsets_of(lengths)
    positions = np.arange(taken[-1]) + np.repeat(offsets[:-1][rows] - taken[:-1], lengths)
    return taken, positions


def mixed_bits(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64: spreads the bits, so that sums of different sets differ."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = values ^ (values >> np.uint64(31))
    return mixed
