"""How many records are expected to have each original value, read from a published column.

A published cell is spread evenly over the original values that it covers: the values of the column inside a range, the
members of a set, the leaves of a node, all values for `*`. Missing and suppressed cells stand for no value.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn
from crypsis.data.value_texts import value_texts
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import NotApplicable


def expected_values(before: Column, after: PublishedColumn) -> Float64s:
    """Expected number of records with each value of the original domain."""
    cells, size = after.cells, len(before.domain)
    weights = after.cell_counts.astype(np.float64)
    kinds = np.where(weights > 0, cells.kinds, -1)
    expected = np.zeros(size + 1)  # the last one takes what the original does not have
    codes = _places(cells.values, before.domain)
    codes[codes < 0] = size
    listed = np.flatnonzero((kinds == CellKind.VALUE) | (kinds == CellKind.SET))
    lengths = np.diff(cells.offsets)[listed]
    members = np.repeat(cells.offsets[listed], lengths) + _counted_on(lengths)
    np.add.at(expected, codes[cells.members[members]], np.repeat(weights[listed] / np.maximum(lengths, 1), lengths))
    nodes = np.flatnonzero(kinds == CellKind.NODE).tolist()
    code_of = {text: code for code, text in enumerate(value_texts(before.domain))} if nodes else {}
    for cell in nodes:
        if after.hierarchy is None:
            raise NotApplicable(
                f"The release does not say what the nodes of column '{after.name}' stand for, so their "
                "frequency cannot be spread over values."
            )
        leaves = after.hierarchy.leaves[str(cells.nodes[int(cells.members[cells.offsets[cell]])])]
        held = [code_of[leaf] for leaf in leaves if leaf in code_of]
        expected[held] += weights[cell] / len(leaves)
    total = size if after.hierarchy is None else after.hierarchy.total
    everywhere = float(weights[kinds == CellKind.ANY].sum()) / max(total, 1)
    return expected[:size] + everywhere + _of_ranges(before, after, np.flatnonzero(kinds == CellKind.RANGE), weights)


def _places(values: pl.Series, domain: pl.Series) -> Int64s:
    """Where each value stands in a sorted domain, -1 where it does not; values of another type by their texts."""
    if values.dtype != domain.dtype or values.dtype == pl.String:
        return Vocabulary(value_texts(domain)).encode(value_texts(values)).astype(np.int64)
    if values.equals(domain):  # published as it was
        return np.arange(len(domain))
    if not len(domain):
        return np.full(len(values), -1)
    held, asked = domain.to_physical().to_numpy(), values.to_physical().to_numpy()
    places = np.minimum(np.searchsorted(held, asked), len(held) - 1)
    return np.where(held[places] == asked, places, -1)


def _of_ranges(before: Column, after: PublishedColumn, ranges: Int64s, weights: Float64s) -> Float64s:
    """What ranges contribute: steps up where they begin and down where they end, added up."""
    steps = np.zeros(len(before.domain) + 1)
    if len(ranges):
        cells, domain = after.cells, before.domain
        values = cells.values.cast(domain.dtype)
        first, last = cells.members[cells.offsets[ranges]], cells.members[cells.offsets[ranges] + 1]
        low = domain.search_sorted(values, side="left").to_numpy()[first]
        high = domain.search_sorted(values, side="right").to_numpy()[last]
        share = np.where(high > low, weights[ranges] / np.maximum(high - low, 1), 0.0)
        np.add.at(steps, low, share)
        np.subtract.at(steps, high, share)
    contributed: Float64s = np.cumsum(steps)[:-1]
    return contributed


def _counted_on(lengths: Int64s) -> Int64s:
    """0 to length - 1 for each length, one after another."""
    starts: Int64s = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
