"""Step of PPSG: sequences of cells as they are published, of all tracks or of several blocks of them together.

Cells get new names, numbered from west to east over all blocks, so that the number of a cell says nothing about whose
track opened it, nor how many cells are kept back. Cells of different blocks are different, also where they overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.methods.trajectory.progressive_generalization import CellMerge
from crypsis.methods.trajectory.rare_fixes import RareFixes
from crypsis.methods.trajectory.representatives import CellMeans, move_off_fixes
from crypsis.methods.trajectory.written_cells import written_places
from crypsis.run_context import RunContext
from crypsis.shards.ragged import joined_rows


@dataclass(frozen=True, eq=False)
class CellRows:
    """The protected sequences of some tracks, in numbers of their cells; generators `x`, `y` and means of all cells,
    which of them are `shown`, and the steps in which cells were joined."""

    offsets: Int64s
    cells: Int32s
    owners: Int32s | None
    x: Float64s
    y: Float64s
    shown: Bools
    means: CellMeans
    steps: list[list[CellMerge]]


def publish_cells(
    blocks: Sequence[CellRows],
    crs: str | None,
    fixes: RareFixes | None,
    context: RunContext,
    *,
    precision: int | None,
    unit_length: float,
    order: Int64s | None = None,
) -> PublishedTrajectories:
    """The rows of all blocks, in this order, with a point for each cell. `fixes` are positions of all tracks."""
    first_cell = offsets_of(np.array([len(block.x) for block in blocks])).tolist()
    offsets, cells = joined_rows(
        [(block.offsets, block.cells + np.int32(first)) for block, first in zip(blocks, first_cell, strict=False)]
    )
    wanted = np.concatenate([block.shown for block in blocks])
    x = np.concatenate([block.means.x for block in blocks])
    y = np.concatenate([block.means.y for block in blocks])
    people = np.concatenate([block.means.individuals for block in blocks])
    shown = np.flatnonzero(wanted)
    moved = np.zeros(len(x), np.int64)
    x[shown], moved[shown] = move_off_fixes(x[shown], y[shown], fixes, precision=precision, unit_length=unit_length)
    shown = shown[np.lexsort((shown, y[shown], x[shown]))]
    name_of_cell = np.empty(len(wanted), np.int32)
    name_of_cell[np.concatenate((shown, np.flatnonzero(~wanted)))] = np.arange(len(wanted))
    names = Vocabulary([f"c{index}" for index in range(len(shown))])
    places = Locations(
        names,
        x[shown],
        y[shown],
        crs=crs,
        written=written_places(x[shown], y[shown], crs, fixes, precision),
    )
    generators = Locations(
        Vocabulary([f"c{number}" for number in name_of_cell.tolist()]),
        np.concatenate([block.x for block in blocks]),
        np.concatenate([block.y for block in blocks]),
    )
    merged: list[Any] = [
        [[[merge.first, merge.second, merge.count] for merge in step] for step in block.steps] for block in blocks
    ]
    context.private.update(
        {
            "cells": {label: [east, north] for label, east, north in generators.to_frame().iter_rows()},
            "merged_cells": merged[0] if len(blocks) == 1 else merged,
            "moved_representatives": {
                names[index]: int(moved[cell]) for index, cell in enumerate(shown) if moved[cell]
            },
            "visitors": {names[index]: int(people[cell]) for index, cell in enumerate(shown)},
        }
    )
    if order is not None:
        offsets, positions = take_records(offsets, order)
        cells = cells[positions]
    each = np.arange(len(shown) + 1)
    return PublishedTrajectories(
        offsets,
        name_of_cell[cells],
        Symbols(names, each, each[:-1].astype(np.int32)),
        owners=blocks[0].owners if len(blocks) == 1 else None,
        places=places,
        generators=generators,
    )
