"""Dates and times of a table as somebody says that they are written: `%d/%m/%Y`, or `born=%d/%m/%Y,seen=%m/%d/%Y`.

A format that names its column is the form of all its cells. One that names none is that of every column of texts whose
cells all have it; where each record is read by itself, of those that are declared to be dates or times.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import polars as pl

from crypsis.data.formats.columns import column, is_empty, unknown_column
from crypsis.data.formats.source import Source, Understood, place
from crypsis.data.formats.timestamps import EPOCHS, SPREADSHEET, parse_moments
from crypsis.data.missing import MARKERS
from crypsis.data.written_columns import tokens_of
from crypsis.errors import BadTimestamps

_NEXT = re.compile(r",(?=[^,%=]+=)")


def formats_by_column(text: str, columns: Collection[str]) -> dict[str | None, str]:
    """The format of each column that is named; None stands for all that have it."""
    found: dict[str | None, str] = {}
    for part in _NEXT.split(text):
        name, equals, written = part.partition("=")
        named = equals and (name.strip() in columns or "%" not in name)
        found[name.strip() if named else None] = written.strip() if named else part
    return found


def with_times(
    frame: pl.DataFrame, text: str | None, missing: Sequence[str], source: str | None, *, lenient: bool = False
) -> pl.DataFrame:
    """With dates and times in place of texts that are written so; `lenient` makes other cells missing."""
    if text is None:
        return frame
    dated, notes = dated_columns(frame.get_columns(), text, missing, source, lenient=lenient)
    if isinstance(source, Source):
        source.understood = (source.understood or Understood()).and_also(notes)
    return frame.with_columns(dated)


def dated_columns(
    columns: Sequence[pl.Series], text: str, missing: Sequence[str], source: str | None, *, lenient: bool = False
) -> tuple[list[pl.Series], list[str]]:
    """Those of the columns that hold dates and times, as such, and what there is to say of them."""
    known = {cells.name: cells for cells in columns}
    dated: dict[str, pl.Series] = {}
    notes = []
    for name, written in formats_by_column(text, known).items():
        if name is not None and name not in known:
            raise unknown_column(name, [*known], source)
        candidates = known.values() if name is None else [known[name]]
        read = [_parsed(cells, written, missing) for cells in candidates if _may_be_times(cells, written, name)]
        fitting = [moments for cells, moments, bad in read if not bad.any() or (lenient and name is not None)]
        if not fitting:
            cells, _, bad = read[0] if len(read) == 1 else (None, None, None)
            if cells is None or bad is None:
                raise BadTimestamps(f"No column holds times like {written!r} in all its cells.", where=source)
            row = int(bad.arg_true()[0])
            raise BadTimestamps(
                f"Column '{cells.name}' must hold times like {written!r}, got {cells[row]!r}.",
                **place(source, row, cells.name),
            )
        for moments in fitting:
            known[moments.name] = dated[moments.name] = moments
        notes += [f"'{moments.name}' holds dates written as {written}" for moments in fitting]
    return list(dated.values()), notes


def as_iso_texts(frame: pl.DataFrame, text: str | None, dated: Collection[str]) -> pl.DataFrame:
    """The same for texts that are read a record at a time: ISO 8601, and null where a cell is no such time."""
    for name, written in formats_by_column(text, frame.columns).items() if text else ():
        for cells in [column(frame, name)] if name is not None else frame.select(dated).iter_columns():
            moments = _parsed(cells, written, ())[1]
            pattern = "%Y-%m-%d" if moments.dtype == pl.Date else "%Y-%m-%dT%H:%M:%S%.6f"
            frame = frame.with_columns(moments.dt.strftime(pattern))
    return frame


def _may_be_times(cells: pl.Series, written: str, name: str | None) -> bool:
    return name is not None or cells.dtype == pl.String or (written in EPOCHS and cells.dtype.is_integer())


def _parsed(cells: pl.Series, written: str, missing: Sequence[str]) -> tuple[pl.Series, pl.Series, pl.Series]:
    """The cells, as dates where the format has no time of day, and which say something else."""
    absent = is_empty(cells)
    if cells.dtype == pl.String:
        tokens = [*tokens_of(cells.name, missing), *MARKERS]
        texts = cells.str.strip_chars()
        absent |= (texts.is_in(tokens) | texts.str.to_lowercase().is_in(list(MARKERS))).fill_null(False)
    moments = parse_moments(cells.set(absent, None) if absent.any() else cells, written)
    if written == SPREADSHEET:
        days = bool((moments.drop_nulls() == moments.drop_nulls().dt.truncate("1d")).all())
        return cells, moments.cast(pl.Date) if days else moments, moments.is_null() & ~absent
    days = written not in EPOCHS and not re.search(r"%[HIklMSTRcfpsX+]", written)
    return cells, moments.cast(pl.Date) if days else moments, moments.is_null() & ~absent
