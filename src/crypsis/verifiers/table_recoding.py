"""Is a published table an honest recoding of the original: does every cell contain the value that it was made from?

Rows in input order are compared one by one. Rows of a written release are sorted, so there it is asked whether they can
be paired with the original records, each with one whose values all its cells contain: a flow between distinct rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.errors import TooLarge
from crypsis.verifiers.table_classes import joined_codes

MOST_COMPARISONS = 200_000_000_000
MOST_PAIRS = 80_000_000


def untruthful(published: PublishedTable, original: Table) -> str | None:
    """What is wrong, or None. Row order is tried first, then any pairing."""
    expected = [column for column in original.columns if column.role != "identifier"]
    if sorted(published.names) != sorted(column.name for column in expected):
        known = ", ".join(column.name for column in expected)
        return f"untruthful: the columns are {', '.join(published.names)}, the original has {known}"
    if len(published) != len(original):
        return f"untruthful: {len(published)} rows are published, the original has {len(original)}"
    pairs = [_Contained(published.column(column.name), column) for column in expected]
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


@dataclass(eq=False)
class _Contained:
    """One column: which original values each cell contains. Cell c holds codes low to high, or row `row[c]` of `table`.

    A missing value has the code -1; `missing[c]` tells whether a cell may stand for one.
    """

    published: PublishedColumn
    original: Column

    def __post_init__(self) -> None:
        cells, domain = self.published.cells, self.original.domain
        n_cells = len(cells)
        self.low, self.high = np.zeros(n_cells, np.int64), np.full(n_cells, -1, np.int64)
        self.row = np.full(n_cells, -1, np.int64)
        self.missing = np.isin(cells.kinds, (CellKind.MISSING, CellKind.ANY, CellKind.SUPPRESSED))
        everything = np.isin(cells.kinds, (CellKind.ANY, CellKind.SUPPRESSED))
        self.high[everything] = len(domain)
        sorted_values = cells.values.cast(domain.dtype, strict=False) if len(cells.values) else domain.clear()
        left = domain.search_sorted(sorted_values, side="left").to_numpy().astype(np.int64) if len(domain) else None
        right = domain.search_sorted(sorted_values, side="right").to_numpy().astype(np.int64) if len(domain) else None
        tables: list[Bools] = []
        places = {write_value(value): code for code, value in enumerate(domain.to_list())} if len(cells.nodes) else {}
        first = cells.offsets[:-1]
        ranged = np.isin(cells.kinds, (CellKind.VALUE, CellKind.RANGE))
        if left is not None and right is not None and ranged.any():
            self.low[ranged] = left[cells.members[first[ranged]]]
            self.high[ranged] = right[cells.members[cells.offsets[1:][ranged] - 1]] - 1
        for cell in np.flatnonzero(np.isin(cells.kinds, (CellKind.SET, CellKind.NODE))).tolist():
            held = np.zeros(len(domain), np.bool_)
            members = cells.members[cells.offsets[cell] : cells.offsets[cell + 1]]
            if cells.kinds[cell] == CellKind.NODE:
                hierarchy = self.published.hierarchy
                leaves = () if hierarchy is None else hierarchy.leaves.get(cells.nodes[int(members[0])], ())
                held[[places[leaf] for leaf in leaves if leaf in places]] = True
            elif left is not None and right is not None:
                known = right[members] > left[members]
                held[left[members][known]] = True
            self.row[cell] = len(tables)
            tables.append(held)
        self.table = np.stack(tables) if tables else np.zeros((0, max(len(domain), 1)), np.bool_)

    def in_place(self) -> Bools:
        """Whether each record's cell contains the record's own value."""
        cell, code = self.published.codes.astype(np.int64), self.original.codes.astype(np.int64)
        inside = (self.low[cell] <= code) & (code <= self.high[cell])
        looked_up = self.row[cell] >= 0
        if looked_up.any():
            inside[looked_up] = self.table[self.row[cell[looked_up]], code[looked_up]]
        return np.where(code < 0, self.missing[cell], inside)


def _can_be_paired(pairs: list[_Contained]) -> bool:
    """Whether every published row can have an original record of its own that it contains."""
    # Columns that are published as they are come first: they rule out most pairs.
    pairs = sorted(pairs, key=lambda pair: pair.published.role == "quasi")
    n_records = len(pairs[0].original)
    shown, shown_counts = _distinct([pair.published.codes.astype(np.int64) for pair in pairs], n_records)
    known, known_counts = _distinct([pair.original.codes.astype(np.int64) + 1 for pair in pairs], n_records)
    if len(shown) * len(known) > MOST_COMPARISONS:
        raise TooLarge(
            "The rows are sorted, and pairing so many with the original would take hours; verify the release before it "
            "is written, or a file that was written in input order.",
            rows=len(shown),
        )
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
    return _flow(left, right, shown_counts, known_counts) == n_records


def _distinct(columns: list[Int64s], n_records: int) -> tuple[Int64s, Int64s]:
    """A record of each distinct row, and how many there are."""
    _, first, counts = np.unique(joined_codes(columns, n_records), return_index=True, return_counts=True)
    return first.astype(np.int64), counts.astype(np.int64)


def _flow(left: Int64s, right: Int64s, supply: Int64s, demand: Int64s) -> int:
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
