"""Trajectories in blocks: runs of an order that depends on the data alone, each anonymized by itself.

Every block keeps the promise by itself, and together they keep it: supports and shares add up, and whoever contains a
published sequence in a block is among all. So the union is published, as a recoding that differs from block to block.
Where owners are counted, an owner stands where the first of his or her trajectories does, with all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import Infeasible, TooManyClusters
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.methods.joined_blocks import try_blocks
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords
from crypsis.methods.trajectory.feasibility import counted_shards
from crypsis.methods.trajectory.ordered_blocks import Block, cut_order, first_rows
from crypsis.methods.trajectory.z_order import z_values
from crypsis.run_context import RunContext
from crypsis.shards.ragged import RaggedShard, joined_rows
from crypsis.shards.ragged_sort import Run, load_slice, merge_runs, save_run, take_rows
from crypsis.shards.records import EncodedTrajectories

NOTED = ("lost", "published_input_rows", "accounting")
BYTES_PER_VISIT = 512  # of a block while it is anonymized


@dataclass(frozen=True)
class Order:
    """By the place of the first visit, if asked for, then by labels, then as in the input; and whether the trajectories
    of an owner stay together."""

    by_place: bool
    by_owner: bool


@dataclass(frozen=True, eq=False)
class PublishedBlock:
    """A file with what is published of a block, its trajectories and their numbers; the symbols that are published, the
    sensitive locations, and what is noted. A last one `example` has no rows: what is the same in all blocks."""

    file: str
    n_records: int
    symbols: tuple[bytes, ...]
    facts: dict[str, Any]
    example: PublishedTrajectories


def anonymize_in_blocks(
    method: Method,
    data: EncodedTrajectories,
    executor: Executor,
    context: RunContext,
    block: BlockSize,
    *,
    by_place: bool,
    apart: bool = False,
) -> PublishedTrajectories | RecodedRecords:
    """The union of what the method publishes of each block; of one block it is the release of data in memory. Of
    many, every row is recoded `apart`, where the method does not only leave out visits."""
    n_blocks = -(-len(data) // block.rows)
    large = data.is_large and method.publishes_shards
    if n_blocks <= 1 and not large:
        alone: PublishedTrajectories = method.anonymize(data.whole, context)
        return alone
    visits = -(-int(data.supports.sum()) // len(data)) + 1
    block.check_fits(BYTES_PER_VISIT * visits, len(data), executor)
    unit = method.parameters()["unit"]
    counted = counted_shards(data, unit, type(method).__name__)
    order = Order(by_place, unit == "owner")
    with context.stage("blocks"):
        blocks = cut_into_blocks(counted, n_blocks, executor, order)
        done = _feasible_blocks(method, data, blocks, executor, order, large)
    if done is None:  # all blocks had to be joined: the method says why, or does it
        whole: PublishedTrajectories = method.anonymize(data.whole, context)
        return whole
    with context.stage("publish"):
        return _recoded(method, data, done, context, apart) if large else _united(data.whole, done, context)


def cut_into_blocks(data: EncodedTrajectories, n_blocks: int, executor: Executor, order: Order) -> list[Block]:
    """Blocks of the order, whose sizes differ by at most one trajectory, or one owner where these are kept together."""
    folder = str(executor.scratch.below("order").folder)
    rank = data.locations.vocabulary.label_rank.astype(np.int32)
    place = _z_ranks(data.locations) if order.by_place else None
    owners = data.owners if order.by_owner else None
    stands = first_rows(owners, len(data))
    runs = executor.map(sort_shard, list(enumerate(data.shards)), folder, rank, place, stands)
    return cut_order(merge_runs(runs, executor, folder), data.shards, n_blocks, owners, executor)


def sort_shard(
    numbered: tuple[int, RaggedShard], folder: str, rank: Int32s, place: Int64s | None, stands: Bools | None
) -> Run:
    """The trajectories of a shard in order, or those that `stands` marks: by the place of the first visit, which goes
    before the labels."""
    number, shard = numbered
    offsets, codes = shard.read()
    records = shard.first + np.arange(shard.rows)
    if stands is not None:
        offsets, codes, records = take_rows((offsets, codes, records), np.flatnonzero(stands[records]))
    values = rank[codes].astype(np.int32) if len(codes) else codes
    if place is not None:
        filled = np.flatnonzero(np.diff(offsets))  # what visits nothing comes first
        starts = offsets[:-1][filled]
        values = np.insert(values, starts, place[codes[starts]].astype(np.int32))
        offsets = offsets_of(np.diff(offsets) + (np.diff(offsets) > 0))
    return save_run(folder, number, offsets, values, records)[0]


def read_block(block: Block, known: Trajectories, order: Order) -> tuple[Trajectories, Int64s]:
    """The trajectories of a block in the order of the input, and their numbers."""
    if order.by_owner:
        return _read_block_of_owners(block, known)
    offsets, values, records = _joined_slices(block)
    if order.by_place:
        lengths = np.diff(offsets)
        values = np.delete(values, offsets[:-1][lengths > 0])
        offsets = offsets_of(lengths - (lengths > 0))
    code_of_rank = np.argsort(known.locations.vocabulary.label_rank).astype(np.int32)
    codes = code_of_rank[values] if len(values) else values
    offsets, codes, records = take_rows((offsets, codes, records), np.argsort(records, kind="stable"))
    return replace(known, offsets=offsets, codes=codes), records


def _read_block_of_owners(block: Block, known: Trajectories) -> tuple[Trajectories, Int64s]:
    pieces = [load(file) for files in block for file in files]
    offsets, codes = joined_rows([piece[:2] for piece in pieces])
    records, owners = (np.concatenate([piece[index] for piece in pieces]) for index in (2, 3))
    in_order = np.argsort(records, kind="stable")
    offsets, codes, records = take_rows((offsets, codes, records), in_order)
    return replace(known, offsets=offsets, codes=codes, owners=owners[in_order]), records


def _joined_slices(block: Block) -> tuple[Int64s, Int32s, Int64s]:
    pieces = [load_slice(wanted) for wanted in block]
    return *joined_rows([piece[:2] for piece in pieces]), np.concatenate([piece[2] for piece in pieces])


def _z_ranks(locations: Locations) -> Int64s:
    """The rank of each location in Z-order; columns and rows are the ranks of the coordinates."""
    x, y = locations.coordinates("blocks")
    columns, rows = (np.unique(values, return_inverse=True)[1].astype(np.int64) for values in (x, y))
    low, high = z_values(columns, rows)
    order = np.lexsort((low, high))
    new = np.ones(len(order), np.bool_)
    new[1:] = (low[order][1:] != low[order][:-1]) | (high[order][1:] != high[order][:-1])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def _feasible_blocks(
    method: Method,
    data: EncodedTrajectories,
    blocks: Sequence[Block],
    executor: Executor,
    order: Order,
    large: bool,
) -> list[PublishedBlock] | None:
    """What is published of each block, some of them joined; None where all would have to be."""
    folder = str(executor.scratch.below("blocks").folder)

    def attempt(chosen: Sequence[Block]) -> list[PublishedBlock | None]:
        return executor.map(anonymize_block, list(chosen), folder, method, data.one_of_each, order, False)

    done = try_blocks(blocks, attempt, lambda one, other: (*one, *other))
    if done is None and large:  # in a worker, where its memory is bounded
        every: list[Block] = [tuple(chain.from_iterable(blocks))]
        return executor.map(anonymize_block, every, folder, method, data.one_of_each, order, True)
    return None if done is None else [published for _, published in done]


def anonymize_block(
    block: Block, folder: str, method: Method, known: Trajectories, order: Order, demanded: bool
) -> PublishedBlock | None:
    """What is published of a block, and what is noted of it; None where the method cannot do it, unless `demanded`."""
    context = RunContext()
    own, records = read_block(block, known, order)
    try:
        published = method.anonymize(own, context)
    except (Infeasible, TooManyClusters):
        if demanded:
            raise
        return None
    symbols = published.symbols
    facts = {key: value for key, value in context.private.items() if key in NOTED}
    inputs = facts.pop("published_input_rows", None)
    lost = [{**one, "row": int(records[one["row"]])} for one in facts.pop("lost", ())]
    name = f"block-{int(records[0])}-{len(records)}"
    return PublishedBlock(
        Scratch.at(folder).save(name, (published, own, records, inputs, lost)),
        len(records),
        tuple(
            symbols.members[start:end].astype(np.int32).tobytes() for start, end in pairwise(symbols.offsets.tolist())
        ),
        facts,
        published.take(np.zeros(0, np.int64)),
    )


def _united_symbols(
    locations: Locations, done: Sequence[PublishedBlock]
) -> tuple[Symbols, list[Int32s], tuple[str, ...]]:
    """The symbols of all blocks in one numbering, those of each block in it, and all sensitive locations."""
    numbers: dict[bytes, int] = {}
    own = [np.array([numbers.setdefault(symbol, len(numbers)) for symbol in block.symbols], np.int32) for block in done]
    members = [np.frombuffer(symbol, np.int32) for symbol in numbers]
    symbols = Symbols(
        locations.vocabulary,
        offsets_of(np.array([len(member) for member in members], np.int64)),
        np.concatenate([*members, np.zeros(0, np.int32)]),
    )
    return symbols, own, tuple(sorted({label for block in done for label in block.example.sensitive}))


def _accounting(done: Sequence[PublishedBlock]) -> dict[str, int]:
    names = list(dict.fromkeys(name for block in done for name in block.facts["accounting"]))
    return {name: sum(block.facts["accounting"].get(name, 0) for block in done) for name in names}


def _united(whole: Trajectories, done: Sequence[PublishedBlock], context: RunContext) -> PublishedTrajectories:
    """All blocks together, rows in the order of the input."""
    symbols, numbers, sensitive = _united_symbols(whole.locations, done)
    pieces, inputs, lost, blocks, omits = [], [], [], [], False
    for block, own in zip(done, numbers, strict=True):
        published, _, records, rows, lost_here = load(block.file)
        pieces.append((published.offsets, own[published.codes] if len(own) else published.codes))
        inputs.append(records if rows is None else records[rows])
        omits = omits or rows is not None
        lost += lost_here
        blocks.append(records.tolist())
    offsets, codes = joined_rows(pieces)
    order = np.argsort(np.concatenate(inputs), kind="stable")
    taken, positions = take_records(offsets, order)
    context.private.update(blocks=blocks, lost=sorted(lost, key=lambda one: one["row"]), accounting=_accounting(done))
    if omits:
        context.private["published_input_rows"] = np.concatenate(inputs)[order]
    owners = None if whole.owners is None else whole.owners[np.concatenate(inputs)[order]]
    return replace(
        done[-1].example, offsets=taken, codes=codes[positions], symbols=symbols, sensitive=sensitive, owners=owners
    )


def _recoded(
    method: Method, data: EncodedTrajectories, done: Sequence[PublishedBlock], context: RunContext, apart: bool
) -> RecodedRecords:
    """What is published of each block, in the symbols of all; the private report tells the sizes of blocks."""
    symbols, numbers, sensitive = _united_symbols(data.locations, done)
    shown = np.arange(len(symbols), dtype=np.int32)
    offsets = np.array([0, len(symbols)], np.int64)
    every = replace(done[-1].example, offsets=offsets, codes=shown, symbols=symbols, sensitive=sensitive)
    context.private.update(accounting=_accounting(done), blocks=[block.n_records for block in done])
    work = [(block.file, own) for block, own in zip(done, numbers, strict=True)]
    return RecodedRecords(work, publish_block, every, data.one_of_each, (every,), method.truthful, apart)


def publish_block(
    work: tuple[str, Int32s], symbols: PublishedTrajectories
) -> tuple[PublishedTrajectories, Trajectories, Int64s]:
    """The rows of a block as they are published, its trajectories, and the number of each row's in the input."""
    file, numbers = work
    published, own, records, rows, _ = load(file)
    codes = numbers[published.codes] if len(numbers) else published.codes
    shown = replace(symbols, offsets=published.offsets, codes=codes, input_rows=rows)
    return shown, own, records if rows is None else records[rows]
