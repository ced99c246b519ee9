"""The functions that join the layers: data and a method in, a release out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from crypsis.data.bare_frames import refuse_frame
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.scanned import ScannedTable
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, NotApplicable
from crypsis.methods import Method
from crypsis.methods.scaling import BLOCK_ROWS, BlockSize, Scaling
from crypsis.parameters import Deferred
from crypsis.progress_bar import listening
from crypsis.publication import kind_of
from crypsis.release import Release, read_release
from crypsis.run_context import Listener, RunContext
from crypsis.verifiers import verify

if TYPE_CHECKING:  # what work on parts needs is imported when there are some
    from crypsis.executors.executor import Executor
    from crypsis.methods.private_method import PrivateMethod
    from crypsis.mixed_release import MixedPartsRelease
    from crypsis.parts_release import PartsRelease
    from crypsis.record_release import RecordPartsRelease
    from crypsis.shards.mixed import EncodedMixed
    from crypsis.shards.private import PrivateParts
    from crypsis.shards.records import EncodedRecords
    from crypsis.shards.table import EncodedTable
    from crypsis.shards.tracks import EncodedTracks

__all__ = ["anonymize", "anonymize_parts", "read_release", "verify"]


@overload
def anonymize(
    data: ScannedTable,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor | None = None,
    block_rows: int = BLOCK_ROWS,
) -> PartsRelease: ...


@overload
def anonymize(
    data: ScannedRecords | ScannedMixed,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor | None = None,
    block_rows: int = BLOCK_ROWS,
) -> Release: ...


@overload
def anonymize(
    data: Any, method: Method, *, listener: Listener | None = None, executor: None = None, block_rows: int = BLOCK_ROWS
) -> Release: ...


@overload
def anonymize(
    data: Table,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor,
    block_rows: int = BLOCK_ROWS,
) -> PartsRelease: ...


@overload
def anonymize(
    data: Any,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor,
    block_rows: int = BLOCK_ROWS,
) -> PartsRelease | Release: ...


def anonymize(
    data: Any,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor | None = None,
    block_rows: int = BLOCK_ROWS,
) -> Release | PartsRelease:
    """Anonymize data with a method; the release keeps the rows in input order until it is written.

    `listener` is told the stage and the share done, and may raise `Cancelled`; without one a notebook shows a bar.
    Scanned data (`crypsis.scan_table`) are worked on in parts, and so are data in memory where an `executor` is given:
    "serial", "dask", the address of a scheduler, or an executor. `block_rows` is how many records are worked on at
    once; the release never shows it.
    """
    _refuse_no_method(method)
    if isinstance(data, (ScannedTable, ScannedMixed, ScannedRecords)) or executor is not None:
        return anonymize_parts(data, method, listener=listener, executor=executor, block_rows=block_rows)
    refuse_frame(data, method.accepts, method)
    method.check_applicable(data)
    with listening(listener) as heard:
        context = RunContext(heard)
        resolved = method.resolve(data)
        return _release(data, resolved.anonymize(data, context), resolved, method, context)


def anonymize_parts(
    data: ScannedTable | ScannedMixed | ScannedRecords | Table | Mixed | Transactions | Trajectories | Tracks | Events,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor | None = None,
    block_rows: int = BLOCK_ROWS,
) -> PartsRelease | Release:
    """Anonymize data in parts. The release of a table has its files in scratch until it is written or closed."""
    from crypsis.executors.choice import chosen_executor
    from crypsis.methods.private_method import PrivateMethod
    from crypsis.parts_release import PartsRelease
    from crypsis.shards.table import EncodedTable

    _refuse_no_method(method)
    block = BlockSize(block_rows)
    kind = getattr(data, "stands_for", type(data))
    if kind not in (Table, Mixed, Transactions, Trajectories, Tracks, Events):
        raise NotApplicable(
            "Only tables, mixed data, transactions, trajectories, tracks and events are worked on in parts; got "
            f"{type(data).__name__}."
        )
    if method.accepts is not kind:
        raise NotApplicable(f"{type(method).__name__} anonymizes {method.accepts.__name__}, got {kind.__name__}.")
    if method.scaling is Scaling.NONE:
        raise method.not_scalable()
    running = chosen_executor(executor)
    context = RunContext(listener)
    closes = running is not executor
    try:
        if isinstance(method, PrivateMethod):
            return release_private(method.in_parts(data, running), method, context, block)
        with context.stage("read"):
            encoded = _encoded(data, method, running)
        release = (
            release_shards(encoded, method, running, block, context)
            if isinstance(encoded, EncodedTable)
            else release_records(encoded, method, running, block, context)
        )
        if closes and isinstance(release, PartsRelease):
            release.own_executor()
            closes = False
        return release
    finally:
        if closes:
            running.close()


def _refuse_no_method(method: Any) -> None:
    if not isinstance(method, Method):
        shown = f"the class {method.__name__}" if isinstance(method, type) else type(method).__name__
        raise BadParameter(
            f"anonymize: the method must be one with its parameters, such as crypsis.Mondrian(k=5), got {shown}.",
            parameter="method",
        )


def _encoded(
    data: Any, method: Method, executor: Executor
) -> EncodedTable | EncodedMixed | EncodedTracks | EncodedRecords:
    from crypsis.shards.mixed import encode_mixed, shard_mixed
    from crypsis.shards.records import encode_records, shard_records
    from crypsis.shards.table import encode_table, shard_table
    from crypsis.shards.tracks import encode_tracks, shard_tracks

    if isinstance(data, ScannedTable):
        return encode_table(data, method.declarations(), executor)
    if isinstance(data, ScannedMixed):
        return encode_mixed(data, method.declarations(), executor)
    if isinstance(data, ScannedRecords):
        return encode_tracks(data, executor) if data.stands_for is Tracks else encode_records(data, executor)
    bounds = [len(data) * index // executor.workers for index in range(executor.workers + 1)]
    if isinstance(data, Table):
        return shard_table(data, executor, bounds)
    if isinstance(data, Mixed):
        return shard_mixed(data, executor, bounds)
    if isinstance(data, Tracks):
        return shard_tracks(data, executor, bounds)
    return shard_records(data, executor, bounds)


def release_records(
    encoded: EncodedRecords | EncodedMixed | EncodedTracks,
    method: Method,
    executor: Executor,
    block: BlockSize,
    context: RunContext,
) -> Release | PartsRelease:
    """The release of other data in shards than tables; put together in memory unless there are too many records."""
    from crypsis.shards.mixed import EncodedMixed
    from crypsis.shards.records import EncodedRecords

    method.check_people(encoded)
    if isinstance(encoded, EncodedRecords) and encoded.is_large and method.publishes_shards_here:
        return release_many(encoded, method, executor, context, block)
    if isinstance(encoded, EncodedMixed) and encoded.is_large and method.publishes_shards_here:
        return release_mixed(encoded, method, executor, context, block)
    encoded.check_fits(executor)
    data: Any = encoded.whole
    encoded = replace(encoded, in_memory=data)
    resolved = method.resolve(data)
    release = _release(data, resolved.anonymize_parts(encoded, executor, context, block), resolved, method, context)
    release.scaling = block.told(resolved.scaling_here, len(release.data))
    return release


def release_private(data: PrivateParts, method: PrivateMethod, context: RunContext, block: BlockSize) -> Release:
    """The release of a private method, which is put together here: it grows with what passes, not with the data."""
    method.check_people(data.head)
    if any(isinstance(value, Deferred) for value in method.parameters().values()):
        resolved = method.resolve(data.known())
    else:
        resolved = method
    published = resolved.anonymize_parts(data, data.executor, context, block)
    release = _release(data.head, published, resolved, method, context)
    release.original = data.whole
    return release


def release_many(
    encoded: EncodedRecords, method: Method, executor: Executor, context: RunContext, block: BlockSize
) -> RecordPartsRelease:
    """The release of many sets or trajectories in shards, in parts."""
    from crypsis.methods.scaling import RecodedForests
    from crypsis.publication.forest_parts import sort_forests
    from crypsis.publication.record_parts import sort_records
    from crypsis.record_release import ForestPartsRelease, SetPartsRelease, TrajectoryPartsRelease

    known = encoded.one_of_each
    resolved = method.resolve(known)
    recoded = resolved.anonymize_parts(encoded, executor, context, block)
    parts: Any
    release: type[RecordPartsRelease]
    if isinstance(recoded, RecodedForests):
        guarantee, release = resolved.guarantee, ForestPartsRelease
        parts = sort_forests(recoded, guarantee, executor, context)
    else:
        kind = kind_of(recoded.symbols)
        symbols = kind.completed(recoded.symbols, known)
        guarantee = kind.promised(resolved.guarantee_of(known, symbols), symbols)
        release = SetPartsRelease if isinstance(known, Transactions) else TrajectoryPartsRelease
        parts = sort_records(replace(recoded, symbols=symbols), kind, executor, context)
    return release(
        parts=parts,
        guarantee=guarantee,
        method=resolved,
        declared=method,
        encoded=encoded,
        executor=executor,
        context=context,
        scaling=block.told(resolved.scaling_here, parts.n_records),
    )


def release_mixed(
    encoded: EncodedMixed, method: Method, executor: Executor, context: RunContext, block: BlockSize
) -> MixedPartsRelease:
    """The release of many records with sets, in parts."""
    from crypsis.mixed_release import MixedPartsRelease
    from crypsis.publication.mixed_parts import sort_mixed

    known = encoded.facts
    resolved = method.resolve(known)
    recoded = resolved.anonymize_parts(encoded, executor, context, block)
    columns = [column for column in encoded.table.columns if column.role != "identifier"]
    parts = sort_mixed(recoded, columns, encoded.column, executor, context)
    return MixedPartsRelease(
        parts=parts,
        guarantee=resolved.guarantee_of(known, parts.symbols),
        method=resolved,
        declared=method,
        encoded=encoded,
        executor=executor,
        context=context,
        scaling=block.told(resolved.scaling_here, parts.n_records),
    )


def _release(data: Any, published: Any, method: Method, declared: Method, context: RunContext) -> Release:
    kind = kind_of(published)
    published, data = kind.with_times(published, data, method.guarantee_of, context)
    published = kind.with_public_inputs(kind.completed(published, data), declared.side_inputs())
    return Release(
        data=published,
        guarantee=kind.promised(method.guarantee_of(data, published), published),
        side_file=kind.side_file(data, published),
        method=method,
        declared=declared,
        original=data,
        context=context,
    )


def release_shards(
    encoded: EncodedTable, method: Method, executor: Executor, block: BlockSize, context: RunContext
) -> PartsRelease:
    """The release of a table in shards, in parts."""
    from crypsis.parts_release import PartsRelease
    from crypsis.publication.parts_sort import publish_blocks

    method.check_people(encoded)
    recoded = method.anonymize_parts(encoded, executor, context, block)
    parts = publish_blocks(recoded, encoded.columns, executor, context)
    return PartsRelease(
        parts=parts,
        guarantee=method.guarantee_of(encoded, None),
        method=method,
        declared=method,
        encoded=encoded,
        executor=executor,
        context=context,
        scaling=block.told(method.scaling_here, parts.n_records),
    )
