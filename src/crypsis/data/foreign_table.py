"""A table that somebody else published, read to be checked: every text is a value of its own, whatever it means there.

Classes are formed by what is written, so no hierarchy and no type is needed. Only `~` (suppressed), `?` and empty cells
(missing) and `*` (any) are understood. Sensitive columns that hold nothing but numbers or dates are read as such,
because their order counts for t-closeness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.cells import MISSING, SUPPRESSED, Cell, Cells
from crypsis.data.formats.columns import is_empty, labels, unknown_column
from crypsis.data.formats.frames import as_frame
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.mixed import PublishedMixed
from crypsis.data.person_codes import persons_by_first_record
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.data.set_valued_cells import sets_of_cells
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.values import POLARS_TYPES, converted, encoded, inferred_type
from crypsis.errors import BadParameter, BadRow


def read_foreign_table(
    path: str | Path,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    items: Mapping[str, str | None] | None = None,
    sensitive_items: Sequence[str] = (),
    person: str | None = None,
    missing_tokens: Sequence[str] = ("?",),
    format: str | None = None,
    **options: Any,
) -> PublishedTable | PublishedMixed:
    """The named columns of a CSV, Parquet or JSON Lines file; the others are not looked at."""
    frame, source = read_table_file(path, format=format, **options)
    read = getattr(source, "understood", None)
    renamed = [note for note in (read.notes if read else ()) if note.startswith("column ")]
    if renamed:  # whoever published it must have meant one column by a name
        raise BadRow(f"A published table names every column once: {'; '.join(renamed)}.", where=str(source))
    return foreign_table(
        frame,
        quasi=quasi,
        sensitive=sensitive,
        items=items,
        sensitive_items=sensitive_items,
        person=person,
        missing_tokens=missing_tokens,
        source=source,
    )


def foreign_table(
    frame: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    items: Mapping[str, str | None] | None = None,
    sensitive_items: Sequence[str] = (),
    person: str | None = None,
    missing_tokens: Sequence[str] = ("?",),
    source: str | None = None,
) -> PublishedTable | PublishedMixed:
    """The same from a pandas, polars or arrow table. `items` names a set-valued column and what separates its items.

    `person` names a column that says whose records they are, where somebody has several; then people are counted.
    """
    table = as_frame(frame)
    named = [*quasi, *sensitive, *(items or {})]
    if not quasi:
        raise BadParameter(
            "A table is checked by its quasi-identifiers; name the columns that others may know "
            "(quasi=['age', 'zip']).",
            parameter="quasi",
        )
    for name in named:
        if name not in table.columns:
            raise unknown_column(name, table.columns, source)
        if named.count(name) > 1:
            raise BadParameter(f"Column '{name}' is named twice; a column has one role.", parameter="quasi")
    columns = [
        *(_texts(table[name], missing_tokens) for name in quasi),
        *(_values(table[name], missing_tokens) for name in sensitive),
    ]
    if person is not None and person in named:
        raise BadParameter(f"Column '{person}' names the person; it has no other role.", parameter="person")
    whose = None if person is None else persons_of(labels(table, person, source), table.height)
    published = PublishedTable(tuple(columns), person=whose)
    if not items:
        return published
    if len(items) > 1:
        raise BadParameter("One set-valued column can be checked at a time.", parameter="items")
    ((column, between),) = items.items()
    cells = table[column]
    if cells.dtype == pl.String:
        cells = cells.set((cells.str.strip_chars() == "~").fill_null(False), "")
    sets = sets_of_cells(cells, between, (), source)
    known_items = sets.vocabulary
    n_items = len(known_items)
    symbols = Symbols(known_items, np.arange(n_items + 1), np.arange(n_items, dtype=np.int32))
    known = tuple(label for label in sensitive_items if label in known_items)
    return PublishedMixed(published, PublishedTransactions(sets.offsets, sets.items, symbols), column, known)


def persons_of(names: pl.Series, n_records: int) -> Int64s | None:
    """The person of every record as a number; None where nobody has several."""
    return persons_by_first_record(names.rank("dense").to_numpy().astype(np.int64), n_records)


def _texts(cells: pl.Series, missing_tokens: Sequence[str]) -> PublishedColumn:
    """Every text as a value of its own."""
    texts = cells.cast(pl.String)
    absent = is_empty(texts) | texts.str.strip_chars().is_in(list(missing_tokens)).fill_null(False)
    roles = {cells.name: "quasi"}
    return PublishedTable.from_texts(texts.set(absent, "?").to_frame(), roles).columns[0]


def _values(cells: pl.Series, missing_tokens: Sequence[str]) -> PublishedColumn:
    """A sensitive column in the type that its values have."""
    texts = cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum, pl.Boolean) else cells
    hidden = pl.repeat(False, len(cells), eager=True)
    if texts.dtype == pl.String:
        trimmed = texts.str.strip_chars()
        hidden = (trimmed == "~").fill_null(False)
        texts = texts.set(hidden | trimmed.is_in(list(missing_tokens)).fill_null(False), None)
    texts = texts.set(is_empty(texts), None)
    type = inferred_type(texts.unique())
    codes, domain = encoded(converted(texts, type).cast(POLARS_TYPES[type]))
    listed = [*map(Cell.value, domain.to_list()), MISSING, SUPPRESSED]
    places = pl.Series(codes)
    places = places.set(places < 0, len(domain)).set(hidden, len(domain) + 1)
    return PublishedColumn(cells.name, "sensitive", places.to_numpy().copy(), Cells.of(type, listed))
