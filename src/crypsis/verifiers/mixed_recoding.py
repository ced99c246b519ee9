"""Are published mixed records honest recodings of the original ones?

Every cell must contain the original value and every original item be shown by a symbol that holds it; every symbol
that is shown must hold an item that was there. Rows in input order are compared one by one. Rows of a written release
are sorted, so there it is asked whether they can be paired with the original records, each with one that it recodes.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.errors import TooLarge
from crypsis.verifiers.contained_values import ContainedValues
from crypsis.verifiers.record_pairing import MOST_PAIRS, distinct_records, most_pairs, refuse_too_many


def recoding_problem(published: PublishedMixed, original: Mixed) -> str | None:
    """What is untruthful, or None. Suppressed records say nothing and may be anybody."""
    expected = [column for column in original.table.columns if column.role != "identifier"]
    named = sorted(column.name for column in expected)
    if sorted(published.table.names) != named:
        return f"untruthful: the columns are {', '.join(published.table.names)}, the original has {', '.join(named)}"
    if len(published) != len(original):
        return f"untruthful: {len(published):,} rows are published, the original has {len(original):,}"
    columns = [ContainedValues(published.table.column(column.name), column) for column in expected]
    items = _Items(published, original)
    wrong = items.out_of_place()
    problem = None if wrong is None else f"row {wrong} shows items that are not a recoding of its own"
    for column in columns:
        inside = column.in_place()
        if not inside.all():
            row = int(np.argmin(inside))
            text = column.published.cells.texts[column.published.codes[row]]
            problem = f"row {row} shows {text} in column '{column.published.name}', which does not contain its value"
            break
    if problem is None or _can_be_paired(columns, items):
        return None
    return f"untruthful: the rows cannot be paired with original records that they recode; in input order {problem}"


class _Items:
    """Rows of symbols and of items over one vocabulary, whose last number stands for items that no symbol holds.

    Symbol s holds members[symbol_offsets[s]:symbol_offsets[s + 1]].
    """

    def __init__(self, published: PublishedMixed, original: Mixed) -> None:
        shown, known = published.transactions, original.transactions
        self.n_items = len(shown.symbols.vocabulary) + 1
        renumber = shown.symbols.vocabulary.encode(known.vocabulary.series).astype(np.int64)
        renumber[renumber < 0] = self.n_items - 1
        self.offsets, self.codes = shown.offsets, shown.codes
        self.known_offsets, self.known = known.offsets, renumber[known.items]
        self.symbol_offsets, self.members = shown.symbols.offsets, shown.symbols.members
        self.suppressed: Bools = published.table.suppressed

    def out_of_place(self) -> int | None:
        """The first row that does not recode the original record at its place."""
        fits = _recodes_in_place(
            self.offsets,
            self.codes,
            self.known_offsets,
            self.known,
            self.symbol_offsets,
            self.members,
            self.n_items,
            self.suppressed,
        )
        return None if fits.all() else int(np.argmin(fits))


def _can_be_paired(columns: list[ContainedValues], items: _Items) -> bool:
    """Whether every published row can have an original record of its own that it recodes."""
    columns = sorted(columns, key=lambda column: column.published.role == "quasi")
    n_records = len(items.suppressed)
    codes = [column.published.codes.astype(np.int64) for column in columns]
    shown, supply = distinct_records([*codes, _row_numbers(items.offsets, items.codes.astype(np.int64))], n_records)
    codes = [column.original.codes.astype(np.int64) + 1 for column in columns]
    known, demand = distinct_records([*codes, _row_numbers(items.known_offsets, items.known)], n_records)
    refuse_too_many(len(shown), len(known))
    cell_start = np.cumsum([0, *(len(column.low) for column in columns)])[:-1]
    row_start = np.cumsum([0, *(len(column.table) for column in columns)])[:-1]
    width = max(column.table.shape[1] for column in columns)
    left, right = _recoding_pairs(
        np.stack([column.published.codes[shown] for column in columns], axis=1).astype(np.int64) + cell_start,
        np.stack([column.original.codes[known] for column in columns], axis=1).astype(np.int64),
        np.concatenate([column.low for column in columns]),
        np.concatenate([column.high for column in columns]),
        np.concatenate([column.missing for column in columns]),
        np.concatenate(
            [np.where(column.row >= 0, column.row + at, -1) for column, at in zip(columns, row_start, strict=True)]
        ),
        np.concatenate([np.pad(column.table, ((0, 0), (0, width - column.table.shape[1]))) for column in columns]),
        shown,
        known,
        items.offsets,
        items.codes,
        items.known_offsets,
        items.known,
        items.symbol_offsets,
        items.members,
        items.n_items,
        items.suppressed,
        MOST_PAIRS,
    )
    if len(left) >= MOST_PAIRS:
        raise TooLarge("Too many original records fit too many published rows to be paired.", pairs=len(left))
    return most_pairs(left, right, supply, demand) == n_records


def _row_numbers(offsets: Int64s, codes: Int64s) -> Int64s:
    """Equal numbers for rows of equal codes, whatever their order."""
    lengths = np.diff(offsets)
    row = np.repeat(np.arange(len(lengths)), lengths)
    ordered = codes[np.lexsort((codes, row))]
    numbers: dict[bytes, int] = {}
    bounds = offsets_of(lengths).tolist()
    listed = [ordered[start:end].tobytes() for start, end in pairwise(bounds)]
    return np.array([numbers.setdefault(one, len(numbers)) for one in listed], np.int64)


@njit
def _mark(
    row: int,
    offsets: Int64s,
    codes: Int32s,
    symbol_offsets: Int64s,
    members: Int32s,
    marked: Int64s,
    mark: int,
) -> None:
    """Note which items the symbols of a row hold."""
    for place in range(offsets[row], offsets[row + 1]):
        for slot in range(symbol_offsets[codes[place]], symbol_offsets[codes[place] + 1]):
            marked[members[slot]] = mark


@njit
def _recodes(
    row: int,
    record: int,
    offsets: Int64s,
    codes: Int32s,
    known_offsets: Int64s,
    known: Int64s,
    symbol_offsets: Int64s,
    members: Int32s,
    marked: Int64s,
    mark: int,
    present: Int64s,
    stamp: int,
) -> bool:
    """Whether the symbols of a row, whose items are marked, say neither too little nor too much about a record."""
    for place in range(known_offsets[record], known_offsets[record + 1]):
        if marked[known[place]] != mark:
            return False
        present[known[place]] = stamp
    for place in range(offsets[row], offsets[row + 1]):
        found = False
        for slot in range(symbol_offsets[codes[place]], symbol_offsets[codes[place] + 1]):
            if present[members[slot]] == stamp:
                found = True
                break
        if not found:
            return False
    return True


@njit
def _recodes_in_place(
    offsets: Int64s,
    codes: Int32s,
    known_offsets: Int64s,
    known: Int64s,
    symbol_offsets: Int64s,
    members: Int32s,
    n_items: int,
    suppressed: Bools,
) -> Bools:
    marked, present = np.full(n_items, -1, np.int64), np.full(n_items, -1, np.int64)
    fits = np.ones(len(suppressed), np.bool_)
    for row in range(len(suppressed)):
        if not suppressed[row]:
            _mark(row, offsets, codes, symbol_offsets, members, marked, row)
            fits[row] = _recodes(
                row,
                row,
                offsets,
                codes,
                known_offsets,
                known,
                symbol_offsets,
                members,
                marked,
                row,
                present,
                row,
            )
    return fits


@njit
def _recoding_pairs(
    shown_cells: Int64s,
    known_codes: Int64s,
    low: Int64s,
    high: Int64s,
    missing: Bools,
    table_row: Int64s,
    tables: Bools,
    shown: Int64s,
    records: Int64s,
    offsets: Int64s,
    codes: Int32s,
    known_offsets: Int64s,
    known: Int64s,
    symbol_offsets: Int64s,
    members: Int32s,
    n_items: int,
    suppressed: Bools,
    most: int,
) -> tuple[Int64s, Int64s]:
    """Every pair of a published row and an original record that it recodes, up to so many."""
    room, n_pairs, stamp = 1024, 0, 0
    left, right = np.empty(room, np.int64), np.empty(room, np.int64)
    marked, present = np.full(n_items, -1, np.int64), np.full(n_items, -1, np.int64)
    for one in range(len(shown)):
        _mark(shown[one], offsets, codes, symbol_offsets, members, marked, one)
        for other in range(len(records)):
            fits = True
            for column in range(shown_cells.shape[1]):
                cell, code = shown_cells[one, column], known_codes[other, column]
                if code < 0:
                    fits = missing[cell]
                elif table_row[cell] >= 0:
                    fits = tables[table_row[cell], code]
                else:
                    fits = low[cell] <= code <= high[cell]
                if not fits:
                    break
            if fits and not suppressed[shown[one]]:
                stamp += 1
                fits = _recodes(
                    shown[one],
                    records[other],
                    offsets,
                    codes,
                    known_offsets,
                    known,
                    symbol_offsets,
                    members,
                    marked,
                    one,
                    present,
                    stamp,
                )
            if not fits:
                continue
            if n_pairs == most:
                return left[:n_pairs], right[:n_pairs]
            if n_pairs == room:
                room *= 2
                more_left, more_right = np.empty(room, np.int64), np.empty(room, np.int64)
                more_left[:n_pairs] = left[:n_pairs]
                more_right[:n_pairs] = right[:n_pairs]
                left, right = more_left, more_right
            left[n_pairs], right[n_pairs] = one, other
            n_pairs += 1
    return left[:n_pairs], right[:n_pairs]
