"""Which published symbol stands for each original visit.

In memory, published rows keep the order of the original. A file is sorted, so that nothing can be read off
its order; if its symbols are disjoint, the original says which row became which all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, frozen
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable
from crypsis.kernels.symbol_distances import member_slots
from crypsis.metrics.equal_rows import row_numbers
from crypsis.metrics.translation import translated_to_known

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Alignment:
    """`symbol_of_visit[v]` is the symbol published for visit v of the original, -1 where it was suppressed.

    `published` has its members in the original's codes.
    """

    published: PublishedTrajectories
    symbol_of_visit: Int32s


def align(original: Trajectories, published: PublishedTrajectories, needed_by: str = "This metric") -> Alignment:
    """Find the symbol published for each original visit, or say why there is no telling.

    Row r must be original row r, cut to the declared longest length, without the locations that no published
    symbol holds, each of the rest replaced by a symbol that holds it. With disjoint symbols the rows may come
    in any order. Anything else, such as synthetic sequences, raises `NotApplicable`.
    """
    if published.suppressed is None and published.longest is None:  # not known: rows were cut if that explains them
        longest = int(published.lengths.max(initial=0))
        try:
            return align(original, replace(published, suppressed=()), needed_by)
        except NotApplicable:
            if longest >= int(original.lengths.max(initial=0)):
                raise
        return align(original, replace(published, suppressed=(), longest=longest), needed_by)
    published = translated_to_known(published, original.locations, needed_by)
    if len(original) != len(published):
        raise _not_aligned(
            needed_by, f"there are {len(published)} published rows for {len(original)} original trajectories"
        )
    occurs = np.zeros(len(published.symbols), np.bool_)
    occurs[published.codes] = True
    kept = _kept_visits(original, published, occurs)
    offsets = np.append(0, np.cumsum(kept))[original.offsets]
    codes = original.codes[kept]
    symbol_of_code = _global_recoding(published, occurs, len(original.locations))
    if symbol_of_code is not None:
        symbols = symbol_of_code[codes]
        if not _same_rows(offsets, symbols, published):
            _check_permutation(offsets, symbols, published, needed_by)
    else:
        _check_in_place(offsets, codes, published, needed_by)
        symbols = published.codes
    symbol_of_visit = np.full(original.visits, SUPPRESSED, np.int32)
    symbol_of_visit[kept] = symbols
    return Alignment(published, frozen(symbol_of_visit))


def _kept_visits(original: Trajectories, published: PublishedTrajectories, occurs: Bools) -> Bools:
    """Visits before the declared cut, to a location that some published symbol holds."""
    symbols = published.symbols
    held = np.zeros(len(original.locations), np.bool_)
    held[symbols.members[np.repeat(occurs, symbols.sizes)]] = True
    kept = held[original.codes]
    if published.longest is not None:
        kept &= np.arange(original.visits) - np.repeat(original.offsets[:-1], original.lengths) < published.longest
    return kept


def _global_recoding(published: PublishedTrajectories, occurs: Bools, n_locations: int) -> Int32s | None:
    """The only symbol that holds each location, -1 for none; None if some location has two."""
    symbols = published.symbols
    occurring = np.repeat(occurs, symbols.sizes)
    members = symbols.members[occurring]
    symbol_of_code = np.full(n_locations, SUPPRESSED, np.int32)
    symbol_of_code[members] = np.repeat(np.arange(len(symbols), dtype=np.int32), symbols.sizes)[occurring]
    return symbol_of_code if len(np.unique(members)) == len(members) else None


def _same_rows(offsets: Int64s, symbols: Int32s, published: PublishedTrajectories) -> bool:
    return np.array_equal(offsets, published.offsets) and np.array_equal(symbols, published.codes)


def _check_in_place(offsets: Int64s, codes: Int32s, published: PublishedTrajectories, needed_by: str) -> None:
    """Symbols overlap, so only the order of the rows can tell which belongs to which."""
    wrong = np.flatnonzero(np.diff(offsets) != published.lengths)
    if len(wrong) == 0:
        slots = member_slots(published.symbols.offsets, published.symbols.members, codes, published.codes)
        wrong = np.searchsorted(offsets, np.flatnonzero(slots < 0), side="right") - 1
    if len(wrong):
        raise _not_aligned(
            needed_by,
            f"row {wrong[0]} is no recoding of original trajectory {wrong[0]}, and as published symbols "
            "overlap, rows cannot be matched by their content",
        )


def _check_permutation(offsets: Int64s, symbols: Int32s, published: PublishedTrajectories, needed_by: str) -> None:
    """Both sides must hold the same rows equally often."""
    n_rows = len(published)
    numbers = row_numbers(np.append(offsets, published.offsets[1:] + offsets[-1]), np.append(symbols, published.codes))
    n_numbers = int(numbers.max()) + 1
    expected = np.bincount(numbers[:n_rows], minlength=n_numbers)
    given = np.bincount(numbers[n_rows:], minlength=n_numbers)
    wrong = np.flatnonzero(expected[numbers[n_rows:]] != given[numbers[n_rows:]])
    if len(wrong):
        row = int(wrong[0])
        raise _not_aligned(
            needed_by,
            f"published row {row} occurs {given[numbers[n_rows + row]]} times, "
            f"but recoding the original gives it {expected[numbers[n_rows + row]]} times",
        )


def _not_aligned(needed_by: str, reason: str) -> NotApplicable:
    return NotApplicable(
        f"{needed_by} compares each published row with the trajectory it was made from, and {reason}. "
        "Use the release in memory or the original it was made from, or a metric that needs no alignment "
        "(visit_query_loss, kl_divergence_loss, pattern_preservation)."
    )
