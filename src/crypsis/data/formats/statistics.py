"""SPSS, Stata and SAS files: typed columns, value labels in place of codes, and declared missing values."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from crypsis.data.formats.binary import BinaryFormat
from crypsis.data.formats.by_record import ByRecord, as_texts
from crypsis.data.formats.columns import dates_in_calendar
from crypsis.data.formats.source import Source, Understood

Labels = Annotated[bool, "Value labels in place of codes, where the file has them."]


@dataclass(frozen=True, kw_only=True)
class _Statistics(BinaryFormat):
    """What the three programs have in common. Numbers are floating; whole columns of whole numbers become integers."""

    labels: Labels = True

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, Source]:
        frame, beside = self.decoded(file, reader=self.name)
        whole = [name for name, dtype in frame.schema.items() if dtype.is_float() and _are_whole(frame[name])]
        frame = frame.with_columns(pl.col(name).cast(pl.Int64) for name in whole)
        source = Source(str(file), 1)
        named = ", ".join(beside["labelled"])
        items = {"format": self.label.partition(":")[0], "value labels": named or "none"}
        source.understood = Understood(items if self.labels else {"format": items["format"]})
        return dates_in_calendar(self.wanted(frame, columns, source), source), source

    def names_by_record(self, file: Path) -> list[str]:
        return self.decoded(file, reader=self.name)[0].columns

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        decoded = self.wanted(self.decoded(file, reader=self.name)[0], columns, str(file))
        frame = as_texts(dates_in_calendar(decoded, str(file), by_record=True), lists)
        return frame.with_columns(pl.col(pl.String).str.strip_suffix(".0")), ByRecord()


@dataclass(frozen=True, kw_only=True)
class Spss(_Statistics):
    """SPSS."""

    name, label = "spss", "SPSS: with value labels"
    suffixes = (".sav", ".zsav", ".por")
    signatures = (b"$FL2", b"$FL3")


@dataclass(frozen=True, kw_only=True)
class Stata(_Statistics):
    """Stata."""

    name, label = "stata", "Stata: with value labels"
    suffixes = (".dta",)
    signatures = (b"<stata_dta>",)


@dataclass(frozen=True, kw_only=True)
class Sas(_Statistics):
    """SAS."""

    name, label = "sas", "SAS: data sets and transport files"
    suffixes = (".sas7bdat", ".xpt")
    signatures = (b"HEADER RECORD*******",)


def decode(source: Any, labels: bool, reader: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The table and which columns have value labels; run in the process with limits."""
    import pyreadstat

    beginning = source.read(80)
    source.seek(0)
    readers: dict[str, Any] = {
        "spss": pyreadstat.read_sav if beginning[:3] == b"$FL" else pyreadstat.read_por,
        "stata": pyreadstat.read_dta,
        "sas": pyreadstat.read_xport if beginning.startswith(b"HEADER") else pyreadstat.read_sas7bdat,
    }
    labelled = {"apply_value_formats": labels} if reader != "sas" else {}
    with warnings.catch_warnings(action="ignore"):  # a column whose numbers are labelled in part is no category
        frame, beside = readers[reader](source, output_format="polars", **labelled)
    mixed = [name for name, dtype in frame.schema.items() if dtype == pl.Object]
    frame = frame.with_columns(_labels_and_numbers(frame[name]) for name in mixed)
    texts = [pl.col(name).cast(pl.String) for name, dtype in frame.schema.items() if dtype in (pl.Categorical, pl.Enum)]
    return frame.with_columns(texts), {"labelled": list(beside.variable_value_labels) if labels else []}


def _labels_and_numbers(cells: pl.Series) -> pl.Series:
    """A column of which some numbers have labels: numbers if none of those occurs, else texts."""
    values = cells.to_list()
    numbers = [value if isinstance(value, (int, float)) else None for value in values]
    column = pl.Series(cells.name, numbers, dtype=pl.Float64)
    others = [None if value is None or isinstance(value, (int, float)) else str(value) for value in values]
    labels = pl.Series(cells.name, others, dtype=pl.String)
    if labels.null_count() == len(labels):
        return column
    return labels.zip_with(labels.is_not_null(), column.cast(pl.String).str.strip_suffix(".0"))


def _are_whole(values: pl.Series) -> bool:
    known = values.drop_nulls()
    return (
        len(known) > 0
        and bool(known.is_finite().all())
        and bool((known == known.round()).all())
        and bool((known.abs() < 2**53).all())
    )
