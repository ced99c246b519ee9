"""Is a published table an honest recoding of the original: does every cell contain the value that it was made from?

Rows in input order are compared one by one. Rows of a written release are sorted, so there it is asked whether they can
be paired with the original records, each with one whose values all its cells contain: a flow between distinct rows.
"""

from __future__ import annotations

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int64s
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.errors import TooLarge
from crypsis.verifiers.contained_values import ContainedValues
from crypsis.verifiers.record_pairing import MOST_PAIRS, distinct_records, most_pairs, refuse_too_many


def untruthful(published: PublishedTable, original: Table) -> str | None:
    """What is wrong, or None. Row order is tried first, then any pairing."""
    expected = [column for column in original.columns if column.role != "identifier"]
    if sorted(published.names) != sorted(column.name for column in expected):
        known = ", ".join(column.name for column in expected)
        return f"untruthful: the columns are {', '.join(published.names)}, the original has {known}"
    if len(published) != len(original):
        return f"untruthful: {len(published)} rows are published, the original has {len(original)}"
    pairs = [ContainedValues(published.column(column.name), column) for column in expected]
    wrong = [pair for pair in pairs if not pair.in_place().all()]
    if not wrong:
        return None
    if _can_be_paired(pairs):
        return None
    row = int(np.argmin(wrong[0].in_place()))
    column = wrong[0].published
    return (
        f"untruthful: the rows cannot be paired with original records that they contain; in input order the first that "
        f"does not is row {row}, column '{column.name}', which shows {column.cells.texts[column.codes[row]]}"
    )


def inconsistent(published: PublishedTable, original: Table) -> str | None:
    """Whether a value became different cells, which levels and cuts never do; rows in input order."""
    kept = ~published.suppressed
    for column in original.with_role("quasi"):
        cells = published.column(column.name)
        pairs = np.unique(np.stack([column.codes[kept], cells.codes[kept]], axis=1), axis=0)
        values, counts = np.unique(pairs[:, 0], return_counts=True)
        if (counts > 1).any():
            code = int(values[np.argmax(counts > 1)])
            value = "?" if code < 0 else write_value(column.domain[code])
            shown = sorted(cells.cells.texts[cell] for cell in pairs[pairs[:, 0] == code, 1].tolist())
            return f"inconsistent: value {value} of column '{column.name}' became {', '.join(shown[:5])}"
    return None


def _can_be_paired(pairs: list[ContainedValues]) -> bool:
    """Whether every published row can have an original record of its own that it contains."""
    # Columns that are published as they are come first: they rule out most pairs.
    pairs = sorted(pairs, key=lambda pair: pair.published.role == "quasi")
    n_records = len(pairs[0].original)
    shown, shown_counts = distinct_records([pair.published.codes.astype(np.int64) for pair in pairs], n_records)
    known, known_counts = distinct_records([pair.original.codes.astype(np.int64) + 1 for pair in pairs], n_records)
    refuse_too_many(len(shown), len(known))
    shown_rows = np.stack([pair.published.codes[shown] for pair in pairs], axis=1).astype(np.int64)
    known_rows = np.stack([pair.original.codes[known] for pair in pairs], axis=1).astype(np.int64)
    cell_start = np.cumsum([0, *(len(pair.low) for pair in pairs)])[:-1]
    row_start = np.cumsum([0, *(len(pair.table) for pair in pairs)])[:-1]
    width = max(pair.table.shape[1] for pair in pairs)
    tables = np.concatenate([np.pad(pair.table, ((0, 0), (0, width - pair.table.shape[1]))) for pair in pairs])
    rows = np.concatenate(
        [np.where(pair.row >= 0, pair.row + start, -1) for pair, start in zip(pairs, row_start, strict=True)]
    )
    left, right = _containing(
        shown_rows + cell_start,
        known_rows,
        np.concatenate([pair.low for pair in pairs]),
        np.concatenate([pair.high for pair in pairs]),
        np.concatenate([pair.missing for pair in pairs]),
        rows,
        tables,
        MOST_PAIRS,
    )
    if len(left) >= MOST_PAIRS:
        raise TooLarge("Too many original records fit too many published rows to be paired.", pairs=len(left))
    return most_pairs(left, right, shown_counts, known_counts) == n_records


@njit
def _containing(
    shown: Int64s, known: Int64s, low: Int64s, high: Int64s, missing: Bools, row: Int64s, tables: Bools, most: int
) -> tuple[Int64s, Int64s]:
    """Every pair of a published row and an original record whose values all its cells contain, up to so many."""
    room = 1024
    left, right = np.empty(room, np.int64), np.empty(room, np.int64)
    n_pairs = 0
    for one in range(len(shown)):
        for other in range(len(known)):
            inside = True
            for column in range(shown.shape[1]):
                cell, code = shown[one, column], known[other, column]
                if code < 0:
                    inside = missing[cell]
                elif row[cell] >= 0:
                    inside = tables[row[cell], code]
                else:
                    inside = low[cell] <= code <= high[cell]
                if not inside:
                    break
            if inside:
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
