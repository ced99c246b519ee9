"""Upper levels of a hierarchy over ordered bins: groups of neighbours, level after level, up to one root."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import polars as pl

from crypsis.errors import BadParameter
from crypsis.hierarchy.hierarchy import Hierarchy


def grouped(values: pl.Series, bin_of: Sequence[int], n_bins: int, fanout: int, origin: str) -> Hierarchy:
    """The bins are level 1; each further level joins `fanout` neighbours, a last group of one joins its left one.

    Bins that hold no value vanish when all levels are built, and so do levels that say the same as the one below.
    """
    if fanout < 2:
        raise BadParameter(f"fanout must be a whole number of at least 2, got {fanout!r}.", parameter="fanout")
    group = list(range(n_bins))
    levels = [list(bin_of)]
    while max(group) > 0:
        count = max(group) + 1
        groups = max(count // fanout + (count % fanout > 1), 1)
        group = [min(one // fanout, groups - 1) for one in group]
        levels.append([group[one] for one in bin_of])
    return Hierarchy.of_ranges(values, nested(levels, len(values)), origin=origin)


def nested(levels: Sequence[Sequence[int]], n_values: int) -> list[list[int]]:
    """Levels without those that group the values as the one below does; level 0 are the values themselves."""
    kept: list[list[int]] = []
    below = list(range(n_values))
    for level in levels:
        numbered = _runs(level)
        if numbered != below:
            kept.append(numbered)
            below = numbered
    return kept


def _runs(level: Sequence[int]) -> list[int]:
    return [index for index, (_, run) in enumerate(groupby(level)) for _ in run]
