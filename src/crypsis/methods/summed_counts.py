"""What shards counted, added up: each tells which numbers occur and how often, and so does the sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crypsis.arrays import Int64s
from crypsis.errors import TooLarge

MOST_NUMBERS = 20_000_000  # that are added up at once, of all shards together: 16 bytes each


def sum_keys(counted: Sequence[tuple[Int64s, Int64s]]) -> tuple[Int64s, Int64s]:
    """The numbers that occur in any shard, ascending, and how often all of them together hold each."""
    told = sum(len(keys) for keys, _ in counted)
    if told > MOST_NUMBERS:
        raise TooLarge(
            f"The shards counted {told:,} different things, and {MOST_NUMBERS:,} can be added up at once. Take smaller "
            "domains, or fewer and larger parts."
        )
    keys, index = np.unique(
        np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in counted)]), return_inverse=True
    )
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, index, np.concatenate([np.zeros(0, np.int64), *(counts for _, counts in counted)]))
    return keys, counts
