"""Select-Organize-Anonymize: rows in Gray order of their keys, cut into clusters, each recoded by itself.

The key of a row has one bit for each selected thing, 1 where the row contains it. In Gray order neighbours differ in
few bits, so clusters of neighbours need little merging.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of, take_records
from crypsis.kernels.gray_order import gray_order
from crypsis.methods.trajectory.diverse_merging import (
    Recoding,
    Requirement,
    ShortLength,
    Unresolved,
    make_diverse,
    suppress_excess,
)
from crypsis.methods.trajectory.sensitive_visits import SplitTrajectories
from crypsis.run_context import RunContext


def keys_in_gray_order(n_keys: int, owners: Int64s, bits: Int64s) -> Int64s:
    """Key numbers by Gray rank, equal ones in ascending number. Key owners[i] has bit bits[i] set; repetitions do."""
    width = int(bits.max(initial=0)) + 1
    keys, from_top = np.divmod(np.unique(owners * width + (width - 1 - bits)), width)
    return gray_order(offsets_of(np.bincount(keys, minlength=n_keys)), from_top.astype(np.int32))


def consecutive_clusters(groups: Int32s, order: Int64s, clusters: int) -> list[Int64s]:
    """Rows of consecutive individuals in the order given; sizes differ by at most one, larger ones first."""
    by_individual = np.argsort(groups, kind="stable")
    starts = offsets_of(np.bincount(groups, minlength=len(order)))
    parts = []
    for individuals in np.array_split(order, clusters):
        _, positions = take_records(starts, individuals)
        parts.append(by_individual[positions])
    return parts


def in_order_of_appearance(groups: Int32s) -> Int32s:
    """Individuals renumbered by their first row."""
    distinct, first = np.unique(groups, return_index=True)
    number = np.empty(len(distinct), np.int32)
    number[np.argsort(first)] = np.arange(len(distinct), dtype=np.int32)
    return number[groups]


def recode_clusters(
    split: SplitTrajectories,
    clusters: list[Int64s],
    x: Float64s,
    y: Float64s,
    asked: Requirement,
    on_infeasible: str,
    context: RunContext,
) -> list[Recoding] | ShortLength | Unresolved:
    """Recode each cluster by itself; one that fails is united with the next, the last one with those before it.

    The failure is returned where it remains with all rows in one cluster.
    """
    finished: list[Recoding] = []
    current = np.empty(0, np.int64)
    for index, rows in enumerate(clusters):
        current = np.concatenate([current, rows])
        outcome = make_diverse(split, current, x, y, asked)
        if isinstance(outcome, Recoding):
            finished.append(outcome)
            current = np.empty(0, np.int64)
        context.report_progress((index + 1) / len(clusters))
    while len(current):
        if not finished:
            if on_infeasible == "suppress":
                outcome = suppress_excess(split, current, x, y, asked)
            return [outcome] if isinstance(outcome, Recoding) else outcome
        current = np.concatenate([finished.pop().rows, current])
        outcome = make_diverse(split, current, x, y, asked)
        if isinstance(outcome, Recoding):
            finished.append(outcome)
            current = np.empty(0, np.int64)
    return finished
