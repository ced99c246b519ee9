"""The functions that join the layers: data and a method in, a release out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from crypsis.data.bare_frames import refuse_frame
from crypsis.data.relational import Table
from crypsis.data.scanned import ScannedTable
from crypsis.errors import BadParameter, NotApplicable
from crypsis.journal import Journal, Listener
from crypsis.methods import Method
from crypsis.methods.scaling import BLOCK_ROWS, BlockSize, Scaling
from crypsis.publication import kind_of
from crypsis.release import Release, read_release
from crypsis.verifiers import verify

if TYPE_CHECKING:  # what work on parts needs is imported when there are some
    from crypsis.executors.executor import Executor
    from crypsis.methods.relational.relational_method import RelationalMethod
    from crypsis.parts_release import PartsRelease
    from crypsis.shards.table import EncodedTable

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
    data: Any, method: Method, *, listener: Listener | None = None, executor: None = None, block_rows: int = BLOCK_ROWS
) -> Release: ...


@overload
def anonymize(
    data: Any,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor,
    block_rows: int = BLOCK_ROWS,
) -> PartsRelease: ...


def anonymize(
    data: Any,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor | None = None,
    block_rows: int = BLOCK_ROWS,
) -> Release | PartsRelease:
    """Anonymize data with a method; the release keeps the rows in input order until it is written.

    `listener` is told the stage and the share done, and may raise `Cancelled`. Scanned data (`crypsis.scan_table`) are
    worked on in parts, and so are data in memory where an `executor` is given: "serial", "dask", the address of a
    scheduler, or an executor. `block_rows` is how many records are worked on at once; the release never shows it.
    """
    if isinstance(data, ScannedTable) or executor is not None:
        return anonymize_parts(data, method, listener=listener, executor=executor, block_rows=block_rows)
    refuse_frame(data, method.accepts, method)
    method.check_applicable(data)
    declared, method = method, method.prepared(data)
    journal = Journal(listener)
    published = method.anonymize(data, journal)
    kind = kind_of(published)
    published, data = kind.with_times(published, data, method.guarantee_of, journal)
    published = kind.completed(published, data)
    return Release(
        data=published,
        guarantee=kind.promised(method.guarantee_of(data, published), published),
        side_file=kind.side_file(data, published),
        method=method,
        declared=declared,
        original=data,
        journal=journal,
    )


def anonymize_parts(
    data: ScannedTable | Table,
    method: Method,
    *,
    listener: Listener | None = None,
    executor: str | Executor | None = None,
    block_rows: int = BLOCK_ROWS,
) -> PartsRelease:
    """Anonymize a table in parts. The release has its files in scratch until it is written or closed."""
    from crypsis.executors.choice import chosen_executor
    from crypsis.methods.relational.relational_method import RelationalMethod
    from crypsis.shards.table import encode_table, shard_table

    block = BlockSize(block_rows)
    if not isinstance(data, (ScannedTable, Table)):
        raise NotApplicable(f"Only tables are worked on in parts, so far; got {type(data).__name__}.")
    if method.accepts is not Table:
        raise NotApplicable(f"{type(method).__name__} anonymizes {method.accepts.__name__}, got a table.")
    if method.scaling is Scaling.NONE or not isinstance(method, RelationalMethod):
        raise method.not_scalable()
    if method.by_record:
        raise BadParameter("Private methods read records one by one and are not run on parts.", parameter="method")
    running = chosen_executor(executor)
    journal = Journal(listener)
    try:
        with journal.stage("read"):
            encoded: EncodedTable = (
                encode_table(data, method.declarations(), running)
                if isinstance(data, ScannedTable)
                else shard_table(data, running, running.workers)
            )
        release = release_shards(encoded, method, running, block, journal)
    except BaseException:
        if running is not executor:
            running.close()
        raise
    if running is not executor:
        release.own_executor()
    return release


def release_shards(
    encoded: EncodedTable, method: RelationalMethod, executor: Executor, block: BlockSize, journal: Journal
) -> PartsRelease:
    """The release of a table in shards, in parts."""
    from crypsis.parts_release import PartsRelease
    from crypsis.publication.parts_sort import sort_blocks

    method.check_people(encoded)
    recoded = method.anonymize_parts(encoded, executor, journal, block)
    return PartsRelease(
        parts=sort_blocks(recoded, encoded.columns, executor, journal),
        guarantee=method.guarantee,
        method=method,
        declared=method,
        encoded=encoded,
        executor=executor,
        journal=journal,
    )
