"""Declared domains of the columns of a table: bounds of numbers, categories, classes. Public by declaration.

A file is JSON, one entry per column:

    {"age": {"low": 17, "high": 91},                     whole numbers from 17 to 90
     "income": {"low": 0, "high": 1e6, "bins": 256},     numbers from 0 up to a million, in 256 bins of equal width
     "sex": ["Female", "Male"]}                          these categories and no other

A value outside its domain is moved to the nearest end or leaves its record out, as the method says; the domain is never
widened. Why the data's own will not do is told in `domains`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s
from crypsis.data.domains import PUBLIC_IN_DATA, THOSE_OF_DATA, PublicInData
from crypsis.data.formats.compression import existing_file
from crypsis.data.relational import Table
from crypsis.data.values import converted, inferred_type
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadDomain, BadRelease, PublicInputMissing, UnreadableFile, did_you_mean
from crypsis.parameters import SideInput
from crypsis.strict_json import parse_json
from crypsis.translation import marked

DEFAULT_BINS = 256
MOST_BINS = 1 << 20


@dataclass(frozen=True)
class NumericDomain:
    """Numbers from `low` up to and without `high`: whole ones, or with `bins` cells of equal width."""

    low: float
    high: float
    bins: int | None = None

    def __post_init__(self) -> None:
        numbers = (self.low, self.high)
        if not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers):
            raise BadDomain(f"The bounds of a numeric domain are numbers, got {numbers}.")
        if not (all(map(math.isfinite, numbers)) and self.low < self.high):
            raise BadDomain(f"A numeric domain needs finite bounds low < high, got {self.low} and {self.high}.")
        if self.bins is None and any(number != int(number) for number in numbers):
            raise BadDomain(f"Bounds that are not whole, {self.low} and {self.high}, need a number of bins.")
        if self.bins is not None and (isinstance(self.bins, bool) or not isinstance(self.bins, int) or self.bins < 1):
            raise BadDomain(f"bins must be an int of at least 1, got {self.bins!r}.")
        if len(self) > MOST_BINS:
            raise BadDomain(f"A numeric domain may have at most {MOST_BINS:,} values, got {len(self):,}; give bins.")

    def __len__(self) -> int:
        return int(self.high - self.low) if self.bins is None else self.bins

    def encode(self, values: Float64s, *, clamp: bool) -> Int32s:
        """The cell of each number; outside the domain that of the nearest end, or -1. No number is -1 always."""
        width = 1.0 if self.bins is None else (self.high - self.low) / self.bins
        known = ~np.isnan(values)
        place = np.floor((np.clip(np.where(known, values, self.low), self.low, self.high) - self.low) / width)
        cells = np.clip(place, 0, len(self) - 1).astype(np.int32)
        inside = (values >= self.low) & (values < self.high)
        return np.where(known if clamp else inside, cells, -1).astype(np.int32)

    def to_json(self) -> dict[str, Any]:
        bins = {} if self.bins is None else {"bins": self.bins}
        return {"low": self.low, "high": self.high, **bins}


@dataclass(frozen=True)
class CategoryDomain:
    """The categories that there are, in the order that counts."""

    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.labels or not all(isinstance(label, str) and label.strip() for label in self.labels):
            raise BadDomain("A domain of categories is a list of at least one label, none of them empty.")
        if len(set(self.labels)) < len(self.labels):
            twice = next(label for label in self.labels if self.labels.count(label) > 1)
            raise BadDomain(f"Category {twice!r} is listed twice in its domain; list each once.")

    def __len__(self) -> int:
        return len(self.labels)

    def encode(self, values: pl.Series) -> Int32s:
        """The place of each category, -1 where it is none of them or missing."""
        return Vocabulary(self.labels).encode(values)

    def to_json(self) -> list[str]:
        return list(self.labels)


class AttributeDomains(SideInput):
    """The domains of some columns by name."""

    in_words = f"the domains of the columns (a JSON file, or {PUBLIC_IN_DATA})"

    def __init__(
        self, domains: Mapping[str, NumericDomain | CategoryDomain], *, declared: str = "declared by the publisher"
    ) -> None:
        self.domains = dict(domains)
        self.declared = declared

    @classmethod
    def from_text(cls, text: str) -> AttributeDomains | PublicAttributes:
        if text == PUBLIC_IN_DATA:
            return PublicAttributes()
        file = existing_file(Path(text))
        try:
            content = parse_json(file.read_bytes())
        except (ValueError, OSError) as error:
            raise UnreadableFile(f"The domains cannot be read as JSON: {error}.", where=str(file)) from error
        return cls._of_entries(content)

    @classmethod
    def _of_entries(cls, content: Any, declared: str = "declared by the publisher") -> AttributeDomains:
        if not isinstance(content, Mapping):
            raise BadDomain("Domains are an object with an entry for each column.")
        return cls({name: _domain(name, entry) for name, entry in content.items()}, declared=declared)

    def column_types(self) -> dict[str, str]:
        """Numbers where bounds are declared, text where labels are."""
        return {
            name: "float" if isinstance(domain, NumericDomain) else "category" for name, domain in self.domains.items()
        }

    def of(self, name: str) -> NumericDomain | CategoryDomain:
        """The domain of a column; `PublicInputMissing` where none was declared."""
        if name not in self.domains:
            raise PublicInputMissing(
                f"No domain is declared for the column {name!r}; add it, since it cannot be taken from the data."
                f"{did_you_mean(name, self.domains)}",
                parameter=name,
            )
        return self.domains[name]

    @property
    def digest(self) -> str:
        """SHA-256 of all domains."""
        content = {name: domain.to_json() for name, domain in self.domains.items()}
        return hashlib.sha256(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        entries = {name: domain.to_json() for name, domain in self.domains.items()}
        return {"columns": entries, "declared": self.declared}

    @classmethod
    def from_json(cls, content: Any) -> AttributeDomains:
        try:
            return cls._of_entries(content["columns"], content["declared"])
        except (KeyError, TypeError, BadDomain) as error:
            raise BadRelease("The release describes its domains in a way that is not understood.") from error

    @property
    def identity(self) -> Hashable:
        return (frozenset(self.domains.items()), self.declared)

    def __str__(self) -> str:
        return marked(f"domains of {len(self.domains)} columns, {self.declared}")


@dataclass(frozen=True)
class PublicAttributes(PublicInData):
    """The domains that the values of the data span, which whoever says so knows to be public."""

    makes = AttributeDomains

    def make(self, data: Table) -> AttributeDomains:
        domains: dict[str, NumericDomain | CategoryDomain] = {}
        for column in data.columns:
            if not len(column.domain):
                raise BadDomain(f"Column {column.name!r} has no value, so its domain cannot be taken from the data.")
            values = column.domain
            as_written = data.by_record is not None and column.name not in data.by_record.typed
            if as_written and inferred_type(values) in ("int", "float"):
                values = converted(values, inferred_type(values))
            if values.dtype.is_integer():
                low, high = int(values.min()), int(values.max()) + 1  # type: ignore[arg-type]
                domains[column.name] = NumericDomain(low, high, None if high - low <= MOST_BINS else DEFAULT_BINS)
            elif values.dtype.is_float():
                low_end, high_end = float(values.min()), float(values.max())  # type: ignore[arg-type]
                domains[column.name] = NumericDomain(low_end, math.nextafter(high_end, math.inf), DEFAULT_BINS)
            else:
                domains[column.name] = CategoryDomain(tuple(values.cast(pl.String).to_list()))
        return AttributeDomains(domains, declared=THOSE_OF_DATA)


def _domain(name: str, entry: Any) -> NumericDomain | CategoryDomain:
    try:
        if isinstance(entry, list):
            return CategoryDomain(tuple(entry))
        return NumericDomain(**entry)
    except BadDomain as error:
        raise BadDomain(f"Column {name!r}: {error.message}") from error
    except TypeError as error:
        raise BadDomain(
            f'Column {name!r}: a domain is a list of categories, or {{"low": …, "high": …}} with or without bins; '
            f"got {entry!r}."
        ) from error
