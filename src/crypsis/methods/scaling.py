"""How a method works on parts of the data, and what it gives back.

A method is marked exact once tests show that its release of parts is the release of a table in memory, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from crypsis.errors import BadParameter, BlockTooLarge
from crypsis.executors.executor import Executor

BLOCK_ROWS = 1_000_000


class Scaling(Enum):
    """Whether and how a method can be run on parts."""

    EXACT = "exact"  # the release is the one that a single machine with enough memory would write
    BLOCKS = "blocks"  # the union of local releases of blocks, which depend on the data and `block_rows` alone
    NONE = "none"


@dataclass(frozen=True)
class BlockSize:
    """How many records are worked on at once."""

    rows: int = BLOCK_ROWS

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 1:
            raise BadParameter(f"block_rows must be an int of at least 1, got {self.rows!r}.", parameter="block_rows")

    def told(self, mode: Scaling, n_published: int) -> dict[str, Any] | None:
        """What a release of so many records says of its blocks. It follows from what is published alone: how many
        records there were beside, and which blocks had to be joined, is told to nobody."""
        if mode is not Scaling.BLOCKS or n_published <= self.rows:
            return None
        return {"mode": mode.value, "block_rows": self.rows}

    def check_fits(self, bytes_per_record: int, n_records: int, executor: Executor) -> None:
        """Refuse blocks that a worker could not hold, before anything is done."""
        most = max(executor.memory // 2 // bytes_per_record, 1)
        if min(self.rows, n_records) > most:
            raise BlockTooLarge(
                f"A block of {self.rows:,} records needs about {self.rows * bytes_per_record >> 20:,} MiB; a worker "
                f"may use {executor.memory >> 21:,} MiB for it. Blocks of {most:,} would do (block_rows={most}), or "
                "more memory.",
                block_rows=most,
            )


@dataclass(frozen=True, eq=False)
class RecodedBlocks:
    """Published records in blocks. `publish(block, *common)` gives a block's records as they are published, the same
    records as they were, and the number that each has in the input."""

    blocks: Sequence[Any]
    publish: Callable[..., tuple[Any, Any, Any]]
    common: tuple[Any, ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class RecodedRecords:
    """Published records of shards. `publish(shard, *common)` gives those of a shard, as they are published, as they
    were, and the number that each published one has in the input. All are in the symbols of `symbols`, one record that
    shows each that is published; `original` is one that holds everything that occurs. Where records are `truthful`,
    each is compared with the one that it was made of; where they are recoded `apart`, a location may have another
    symbol in another record."""

    shards: Sequence[Any]
    publish: Callable[..., tuple[Any, Any, Any]]
    symbols: Any
    original: Any
    common: tuple[Any, ...] = field(default=(), repr=False)
    truthful: bool = True
    apart: bool = False


@dataclass(frozen=True, eq=False)
class RecodedForests:
    """Disassociated records in runs of clusters that share nothing. `publish(run, *common)` gives the forest of a run
    with the leaf of each of its records, these records as they were, and their numbers among those of the input that
    are not empty, whose shards are `shards`. `original` has every term that occurs and how many records hold it."""

    runs: Sequence[Any]
    publish: Callable[..., tuple[Any, Any, Any]]
    shards: Sequence[Any]
    original: Any
    n_filled: int
    n_empty: int
    common: tuple[Any, ...] = field(default=(), repr=False)
