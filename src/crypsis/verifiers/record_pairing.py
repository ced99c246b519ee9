"""Can sorted rows be paired with the original records that they recode: a flow between distinct rows and records."""

from __future__ import annotations

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.errors import TooLarge
from crypsis.verifiers.table_classes import joined_codes

MOST_COMPARISONS = 200_000_000_000
MOST_PAIRS = 80_000_000


def refuse_too_many(n_rows: int, n_records: int) -> None:
    """Every distinct row is compared with every distinct record."""
    if n_rows * n_records > MOST_COMPARISONS:
        raise TooLarge(
            "The rows are sorted, and pairing so many with the original would take hours; verify the release before it "
            "is written, give its private report, or a file that was written in input order.",
            rows=n_rows,
        )


def distinct_records(columns: list[Int64s], n_records: int) -> tuple[Int64s, Int64s]:
    """A record of each distinct row, and how many there are."""
    _, first, counts = np.unique(joined_codes(columns, n_records), return_index=True, return_counts=True)
    return first.astype(np.int64), counts.astype(np.int64)


def most_pairs(left: Int64s, right: Int64s, supply: Int64s, demand: Int64s) -> int:
    """The most records that can be paired: a flow from published rows to the original records that they contain."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n_left, n_right = len(supply), len(demand)
    source, sink = n_left + n_right, n_left + n_right + 1
    tails = np.concatenate([np.full(n_left, source), left, n_left + np.arange(n_right)])
    heads = np.concatenate([np.arange(n_left), n_left + right, np.full(n_right, sink)])
    capacity = np.concatenate([supply, np.minimum(supply[left], demand[right]), demand]).astype(np.int32)
    graph = csr_array((capacity, (tails, heads)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(graph, source, sink).flow_value)
