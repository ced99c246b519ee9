"""Trajectories in blocks: runs of an order that depends on the data alone, each anonymized by itself.

Every block keeps the promise by itself, and together they keep it: supports and shares add up, and whoever contains a
published sequence in a block is among all. So the union is published, as a recoding that differs from block to block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import Infeasible, TooManyClusters
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.row_order import sorted_rows
from crypsis.methods.joined_blocks import try_blocks
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, Scaling
from crypsis.methods.trajectory.z_order import z_values
from crypsis.run_context import RunContext
from crypsis.shards.ragged import joined_rows
from crypsis.shards.records import EncodedTrajectories

NOTED = ("lost", "published_input_rows", "accounting")
BYTES_PER_VISIT = 512  # of a block while it is anonymized


def anonymize_in_blocks(
    method: Method,
    data: EncodedTrajectories,
    executor: Executor,
    context: RunContext,
    block: BlockSize,
    *,
    by_place: bool,
) -> PublishedTrajectories:
    """The union of what the method publishes of each block; of one block it is the release of data in memory."""
    whole: Trajectories = data.whole
    n_blocks = -(-len(whole) // block.rows)
    if n_blocks > 1:
        visits = -(-whole.visits // len(whole)) + 1
        block.check_fits(BYTES_PER_VISIT * visits, len(whole), executor)
        with context.stage("blocks"):
            runs = np.array_split(blocking_order(whole, by_place), n_blocks)
            done = _feasible_blocks(method, whole, runs, executor)
        if done is not None and len(done) > 1:
            context.private["scaling"] = {"mode": Scaling.BLOCKS.value, "block_rows": block.rows}
            with context.stage("publish"):
                return _united(whole, done, context)
    published: PublishedTrajectories = method.anonymize(whole, context)
    return published


def blocking_order(data: Trajectories, by_place: bool) -> Int64s:
    """By the place of the first visit in Z-order, if asked for, then by labels, then by input number."""
    order = sorted_rows(data.offsets, data.locations.vocabulary.label_rank[data.codes].astype(np.int32))
    if not by_place:
        return order
    place = np.append(_z_ranks(data.locations), -1)
    filled = data.lengths > 0
    first = np.full(len(data), len(place) - 1)  # what visits nothing comes first
    first[filled] = data.codes[data.offsets[:-1][filled]]
    placed: Int64s = order[np.argsort(place[first[order]], kind="stable")]
    return placed


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
    method: Method, whole: Trajectories, runs: Sequence[Int64s], executor: Executor
) -> list[tuple[Int64s, str]] | None:
    """Blocks, and a file of what is published of each."""
    folder = str(executor.scratch.below("blocks").folder)
    scratch = Scratch.at(folder)

    def attempt(chosen: Sequence[Int64s]) -> list[str | None]:
        work = []
        for rows in chosen:
            name = f"{int(rows[0])}-{len(rows)}"
            work.append((name, scratch.save(f"block-{name}", replace(whole.take(rows), ids=None))))
        return executor.map(anonymize_block, work, folder, method)

    return try_blocks([np.sort(run) for run in runs], attempt, lambda one, other: np.sort(np.concatenate((one, other))))


def anonymize_block(work: tuple[str, str], folder: str, method: Method) -> str | None:
    """What is published of a block, and what is noted of it, in a file; None where the method cannot do it."""
    name, file = work
    context = RunContext()
    try:
        published = method.anonymize(load(file), context)
    except (Infeasible, TooManyClusters):
        return None
    facts = {key: value for key, value in context.private.items() if key in NOTED}
    return Scratch.at(folder).save(f"published-{name}", (published, facts))


def _united(whole: Trajectories, done: Sequence[tuple[Int64s, str]], context: RunContext) -> PublishedTrajectories:
    """All blocks in one numbering of symbols, rows in the order of the input."""
    numbers: dict[bytes, int] = {}
    pieces, inputs, lost, omits = [], [], [], False
    accounting: dict[str, int] = {}
    sensitive: set[str] = set()
    published: PublishedTrajectories | None = None
    for rows, file in done:
        published, facts = load(file)
        pieces.append((published.offsets, _numbered(published, numbers)))
        inputs.append(rows[np.asarray(facts.get("published_input_rows", np.arange(len(rows))))])
        omits = omits or "published_input_rows" in facts
        lost += [{**one, "row": int(rows[one["row"]])} for one in facts.get("lost", ())]
        for name, count in facts["accounting"].items():
            accounting[name] = accounting.get(name, 0) + count
        sensitive.update(published.sensitive)
    assert published is not None
    offsets, codes = joined_rows(pieces)
    order = np.argsort(np.concatenate(inputs), kind="stable")
    taken, positions = take_records(offsets, order)
    members = [np.frombuffer(own, np.int32) for own in numbers]
    symbols = Symbols(
        whole.locations.vocabulary,
        offsets_of(np.array([len(own) for own in members], np.int64)),
        np.concatenate([*members, np.zeros(0, np.int32)]),
    )
    context.private.update(
        blocks=[rows.tolist() for rows, _ in done],
        lost=sorted(lost, key=lambda one: one["row"]),
        accounting=accounting,
    )
    if omits:
        context.private["published_input_rows"] = np.concatenate(inputs)[order]
    return replace(
        published, offsets=taken, codes=codes[positions], symbols=symbols, sensitive=tuple(sorted(sensitive))
    )


def _numbered(published: PublishedTrajectories, numbers: dict[bytes, int]) -> Int32s:
    """The codes of a block in numbers of all symbols; new ones are added."""
    symbols = published.symbols
    own = np.array(
        [
            numbers.setdefault(symbols.members[start:end].astype(np.int32).tobytes(), len(numbers))
            for start, end in pairwise(symbols.offsets.tolist())
        ],
        np.int32,
    )
    return own[published.codes] if len(own) else published.codes
