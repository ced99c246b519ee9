"""Tracks in blocks: runs of an order that depends on the data alone, each generalized and protected by itself.

Tracks stand by the place of their first fix along a Z-curve, then by their fixes, then by their place in the input.
Where owners are counted, an owner stands where the first of his or her tracks does, with all of them.
A block has cells of its own, so a published sequence names cells of one block, and whoever contains it there is among
all. What must hold for everybody is looked at for all blocks together: no point that is published is, as it is written,
a position that fewer than k of all people share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, offsets_of
from crypsis.data.cell_blocks import CellBlocks
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import Infeasible
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.methods.joined_blocks import try_blocks
from crypsis.methods.scaling import BlockSize
from crypsis.methods.trajectory.ordered_blocks import cut_order, first_rows
from crypsis.methods.trajectory.published_cells import CellRows, publish_cells
from crypsis.methods.trajectory.rare_fixes import RareFixes
from crypsis.methods.trajectory.representatives import people_of_fixes
from crypsis.methods.trajectory.track_owners import individuals_of
from crypsis.methods.trajectory.z_order import z_values
from crypsis.run_context import RunContext
from crypsis.shards.ragged import RaggedShard, joined_rows
from crypsis.shards.ragged_sort import Run, Slice, load_slice, merge_runs, save_run, take_rows
from crypsis.shards.tracks import CODES_PER_FIX, EncodedTracks, fixes_of_codes

if TYPE_CHECKING:
    from crypsis.methods.trajectory.ppsg import PPSG

BYTES_PER_FIX = 512  # of a block while it is anonymized; 120 to 270 were measured
CURVE_BITS = 31  # of the place along each axis: the box around all first fixes has so many halves
_BEFORE = 2  # numbers that stand before the fixes of a track while it is sorted
Block = tuple[Slice | Sequence[str], ...]  # where its tracks lie; several where blocks were joined
Box = tuple[float, float, float, float]  # west, south, east, north


@dataclass(frozen=True, eq=False)
class ProtectedBlock:
    """A file with the rows of cells that a block publishes, the numbers of all its tracks and of those that have a row;
    how many tracks there are, and what is noted."""

    file: str
    n_tracks: int
    facts: dict[str, Any]


def anonymize_tracks(
    method: PPSG, data: EncodedTracks, executor: Executor, context: RunContext, block: BlockSize
) -> PublishedTrajectories:
    """The union of what the method publishes of each block; of one block it is the release of data in memory."""
    n_blocks = -(-len(data) // block.rows)
    if n_blocks <= 1:
        return method.anonymize(data.whole, context)
    block.check_fits(BYTES_PER_FIX * -(-data.n_fixes // len(data)), len(data), executor)
    individuals_of(data.whole, method.unit, type(method).__name__)  # refuses what the method does not count
    with context.stage("blocks"):
        owners = data.owners if method.unit == "owner" else None
        blocks = cut_into_blocks(data, n_blocks, executor, owners)
        done = _feasible_blocks(method, data, blocks, executor, owners is not None)
    if done is None or len(done) < 2:  # all blocks had to be joined: the method says why, or does it
        return method.anonymize(data.whole, context)
    with context.stage("publish"):
        return _united(method, data.whole, done, context)


def cut_into_blocks(
    data: EncodedTracks, n_blocks: int, executor: Executor, owners: Int32s | None = None
) -> list[Block]:
    """Blocks of the order, whose sizes differ by at most one track, or one owner where these are kept together."""
    folder = str(executor.scratch.below("order").folder)
    box = executor.fold(first_fixes_of, wider_box, data.shards)
    runs = executor.map(sort_shard, list(enumerate(data.shards)), folder, box, first_rows(owners, len(data)))
    return cut_order(merge_runs(runs, executor, folder), data.shards, n_blocks, owners, executor)


def first_fixes_of(shard: RaggedShard) -> Box:
    """The box around the first fixes of a shard."""
    x, y = _first_fixes(*shard.read())
    if not len(x):
        return np.inf, np.inf, -np.inf, -np.inf
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def wider_box(one: Box, other: Box) -> Box:
    """The box around two boxes."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def sort_shard(numbered: tuple[int, RaggedShard], folder: str, box: Box, stands: Bools | None) -> Run:
    """The tracks of a shard in order, or some: the place of the first fix along the curve goes before the fixes."""
    number, shard = numbered
    numbers = shard.first + np.arange(shard.rows)
    chosen = np.arange(shard.rows) if stands is None else np.flatnonzero(stands[numbers])
    offsets, codes, numbers = take_rows((*shard.read(), numbers), chosen)
    places = places_on_curve(*_first_fixes(offsets, codes), box)
    before = np.column_stack((places >> CURVE_BITS, places & ((1 << CURVE_BITS) - 1))).astype(np.int32)
    starts = np.repeat(offsets[:-1], _BEFORE)
    values = np.insert(codes, starts, before.ravel())
    lengths = np.diff(offsets) + _BEFORE
    return save_run(folder, number, offsets_of(lengths), values, numbers)[0]


def places_on_curve(x: Float64s, y: Float64s, box: Box) -> Int64s:
    """The place of points along a Z-curve through the square at the south-west corner of the box that holds it."""
    west, south, east, north = (value / 2 for value in box)  # so that differences are numbers
    side = max(east - west, north - south)
    if not len(x) or side <= 0:
        return np.zeros(len(x), np.int64)
    most = (1 << CURVE_BITS) - 1
    columns, rows = (
        np.minimum((values / 2 - lowest) / side * (1 << CURVE_BITS), most).astype(np.int64)
        for values, lowest in ((x, west), (y, south))
    )
    return z_values(columns, rows)[0].astype(np.int64)


def _first_fixes(offsets: Int64s, codes: Int32s) -> tuple[Float64s, Float64s]:
    first = offsets[:-1, None] + np.arange(CODES_PER_FIX)
    x, y, _ = fixes_of_codes(codes[first.ravel()])
    return x, y


def read_block(block: Block, crs: str | None) -> tuple[Tracks, Int64s]:
    """The tracks of a block in the order of the input, and their numbers."""
    pieces = [load_slice(wanted) for wanted in block]  # type: ignore[arg-type]
    offsets, values = joined_rows([piece[:2] for piece in pieces])
    records = np.concatenate([piece[2] for piece in pieces])
    offsets, values, records = take_rows((offsets, values, records), np.argsort(records, kind="stable"))
    starts = offsets[:-1]
    values = np.delete(values, np.concatenate([starts + index for index in range(_BEFORE)]))
    lengths = (np.diff(offsets) - _BEFORE) // CODES_PER_FIX
    return Tracks(offsets_of(lengths), *fixes_of_codes(values), crs=crs), records


def read_block_of_owners(block: Block, crs: str | None) -> tuple[Tracks, Int64s]:
    """The same of a block of owners."""
    pieces = [load(file) for files in block for file in files]  # type: ignore[arg-type]
    rows = *joined_rows([piece[:2] for piece in pieces]), np.concatenate([piece[2] for piece in pieces])
    owners = np.concatenate([piece[3] for piece in pieces])
    order = np.argsort(rows[2], kind="stable")
    offsets, codes, records = take_rows(rows, order)
    return Tracks(offsets // CODES_PER_FIX, *fixes_of_codes(codes), owners=owners[order], crs=crs), records


def _feasible_blocks(
    method: PPSG, data: EncodedTracks, blocks: Sequence[Block], executor: Executor, by_owner: bool
) -> list[ProtectedBlock] | None:
    """What is published of each block, some of them joined; None where all would have to be."""
    folder = str(executor.scratch.below("blocks").folder)

    def attempt(chosen: Sequence[Block]) -> list[ProtectedBlock | None]:
        return executor.map(protect_block, list(chosen), folder, method, data.crs, by_owner)

    done = try_blocks(blocks, attempt, lambda one, other: (*one, *other))
    return None if done is None else [protected for _, protected in done]


def protect_block(block: Block, folder: str, method: PPSG, crs: str | None, by_owner: bool) -> ProtectedBlock | None:
    """What is published of a block, and what is noted of it; None where the method cannot do it."""
    context = RunContext()
    tracks, records = (read_block_of_owners if by_owner else read_block)(block, crs)
    try:
        rows = method.rows_of_cells(tracks, context)
    except Infeasible:
        return None
    published = records[np.asarray(context.private["published_input_rows"])]
    lost = [{**one, "row": int(records[one["row"]])} for one in context.private["lost"]]
    name = f"block-{int(records[0])}-{len(records)}"
    file = Scratch.at(folder).save(name, (rows, records, published))
    return ProtectedBlock(file, len(records), {"lost": lost, "accounting": context.private["accounting"]})


def _united(method: PPSG, whole: Tracks, done: Sequence[ProtectedBlock], context: RunContext) -> PublishedTrajectories:
    """All blocks together, rows in the order of the input."""
    loaded: list[tuple[CellRows, Int64s, Int64s]] = [load(block.file) for block in done]
    rows = [cells for cells, _, _ in loaded]
    inputs = np.concatenate([published for _, _, published in loaded])
    order = np.argsort(inputs, kind="stable")
    lost = sorted((one for block in done for one in block.facts["lost"]), key=lambda one: int(one["row"]))
    accounts = [block.facts["accounting"] for block in done]
    accounting = {name: sum(account[name] for account in accounts) for name in accounts[0]}
    context.private.update(lost=lost, published_input_rows=inputs[order], accounting=accounting)
    individuals = individuals_of(whole, method.unit, type(method).__name__)
    fixes = RareFixes.of(whole, people_of_fixes(whole, individuals), method.k, method.precision)
    published = publish_cells(rows, whole.crs, fixes, context, order=order, **method.drawn)
    blocks = CellBlocks.of([len(cells.x) for cells in rows], [records for _, records, _ in loaded])
    context.private.update(blocks.to_facts())
    owners = None if whole.owners is None else whole.owners[inputs[order]]
    return replace(published, owners=owners, cell_blocks=blocks)
