"""Are published mixed records honest recodings of the original ones?

Every cell must contain the original value and every original item be shown by a symbol that holds it; every symbol
that is shown must hold an item that was there. Rows in input order are compared one by one. Rows of a written release
are sorted, so there it is asked whether they can be paired with the original records, each with one that it recodes.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Lists
from crypsis.compilation import njit
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.verifiers.contained_values import ContainedValues
from crypsis.verifiers.record_pairing import SetColumn, unpaired_rows


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
    if problem is None or not unpaired_rows(columns, items.as_sets(), items.suppressed):
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
        shown, symbols = Lists(self.offsets, self.codes), Lists(self.symbol_offsets, self.members)
        known = Lists(self.known_offsets, self.known.astype(np.int32))
        fits = _recode_in_place(shown, symbols, known, self.n_items, self.suppressed)
        return None if fits.all() else int(np.argmin(fits))

    def as_sets(self) -> SetColumn:
        """The same for pairing, where -1 stands for items that no symbol holds."""
        return SetColumn(
            self.offsets,
            self.codes,
            self.symbol_offsets,
            self.members,
            self.known_offsets,
            np.where(self.known == self.n_items - 1, -1, self.known),
            np.zeros(len(self.known), np.bool_),
            self.n_items - 1,
        )


@njit
def _recode_in_place(shown: Lists, symbols: Lists, known: Lists, n_items: int, suppressed: Bools) -> Bools:
    """Of each row: it is suppressed, or its symbols say neither too little nor too much about the record in its place.

    `covered[item]` is the last row with a symbol that holds the item, `present[item]` the last record that has it.
    """
    covered, present = np.full(n_items, -1, np.int64), np.full(n_items, -1, np.int64)
    fits = np.ones(len(suppressed), np.bool_)
    for row in range(len(suppressed)):
        if suppressed[row]:
            continue
        for position in range(shown.offsets[row], shown.offsets[row + 1]):
            symbol = shown.values[position]
            for member in range(symbols.offsets[symbol], symbols.offsets[symbol + 1]):
                covered[symbols.values[member]] = row
        # Too little: an item that no symbol holds.
        for position in range(known.offsets[row], known.offsets[row + 1]):
            present[known.values[position]] = row
            fits[row] = fits[row] and covered[known.values[position]] == row
        # Too much: a symbol that holds no item of the record.
        for position in range(shown.offsets[row], shown.offsets[row + 1]):
            symbol = shown.values[position]
            held = False
            for member in range(symbols.offsets[symbol], symbols.offsets[symbol + 1]):
                held = held or present[symbols.values[member]] == row
            fits[row] = fits[row] and held
    return fits
