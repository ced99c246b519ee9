"""Z-order of locations: by grid cells whose column and row numbers are interleaved bit by bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Float64s, Int64s
from crypsis.data.trajectory import Locations
from crypsis.errors import BadCoordinate

UInt64s = NDArray[np.uint64]

MOST_CELLS = 2.0**62


def grid_cells(locations: Locations, needed_by: str, cell: float | None) -> tuple[Int64s, Int64s]:
    """Column and row of each location: its coordinates themselves, or counted in cells from the lowest of each."""
    x, y = locations.coordinates(needed_by)
    if cell is not None:
        return _counted(x, cell, needed_by), _counted(y, cell, needed_by)
    for name, values in (("x", x), ("y", y)):
        bad = np.flatnonzero((values < 0) | (values != np.floor(values)) | (values >= MOST_CELLS))
        if len(bad):
            label = locations.labels[int(bad[0])]
            raise BadCoordinate(
                f"{needed_by} orders locations by grid cells, and {label!r} has {name}={values[bad[0]]:g}; "
                "cells are whole numbers from 0 on. Give such coordinates, or the side of a cell (cell=...).",
                location=label,
            )
    return x.astype(np.int64), y.astype(np.int64)


def z_order(codes: Int64s, columns: Int64s, rows: Int64s) -> Int64s:
    """The codes in ascending Z-value, equal ones by code. Bit j of the column is bit 2j, bit j of the row 2j + 1."""
    low, high = z_values(columns[codes], rows[codes])
    return codes[np.lexsort((codes, low, high))]


def z_values(columns: Int64s, rows: Int64s) -> tuple[UInt64s, UInt64s]:
    """The lower 64 bits of each Z-value, and the bits above them."""
    x, y = columns.astype(np.uint64), rows.astype(np.uint64)
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    return _interleaved(x & mask, y & mask), _interleaved(x >> half, y >> half)


def _counted(values: Float64s, cell: float, needed_by: str) -> Int64s:
    with np.errstate(over="ignore"):
        cells = np.floor((values - values.min(initial=np.inf)) / cell + 1e-9)
    if cells.max(initial=0) >= MOST_CELLS:
        raise BadCoordinate(f"{needed_by}: cells of side {cell:g} are too many to be numbered; give a larger side.")
    counted: Int64s = cells.astype(np.int64)
    return counted


def _interleaved(x: UInt64s, y: UInt64s) -> UInt64s:
    return _spread(x) | (_spread(y) << np.uint64(1))


def _spread(values: UInt64s) -> UInt64s:
    """Put a zero bit above each of the lowest 32 bits."""
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        values = (values | (values << np.uint64(shift))) & np.uint64(mask)
    return values
