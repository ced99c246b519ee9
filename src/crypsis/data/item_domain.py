"""Declared items: which items there are, whoever holds them. Public by declaration, as for locations and times."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.domains import PUBLIC_IN_DATA, THOSE_OF_DATA, PublicInData
from crypsis.data.formats.columns import labels as labels_of
from crypsis.data.formats.compression import names_file
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadDomain, BadRelease
from crypsis.parameters import SideInput
from crypsis.translation import marked


class ItemDomain(SideInput):
    """The items that there are. Their order counts: neighbours are looked at together."""

    in_words = f"the items that there are (a file, a,b,c, or {PUBLIC_IN_DATA})"

    def __init__(self, labels: Iterable[str] | pl.Series, *, declared: str = "declared by the publisher") -> None:
        series = labels if isinstance(labels, pl.Series) else pl.Series(list(labels), dtype=pl.String)
        if not len(series):
            raise BadDomain("A domain of items needs at least one item.")
        wrong = series.is_null() | (series.str.strip_chars() == "") | series.str.contains("\n", literal=True)
        if wrong.any():
            raise BadDomain(
                "An item of the domain has an empty label, or one with a line break; name every item.",
                row=int(wrong.arg_true()[0]),
            )
        twice = series.is_duplicated()
        if twice.any():
            raise BadDomain(f"Item {series.filter(twice)[0]!r} is listed twice in the domain; list each once.")
        self.vocabulary = Vocabulary(series)
        self.declared = declared

    @classmethod
    def from_text(cls, text: str) -> ItemDomain | PublicItems:
        if text == PUBLIC_IN_DATA:
            return PublicItems()
        path, _, column = (text, "", "item") if names_file(text) else text.rpartition(":")
        if path and names_file(path):
            frame, source = read_table_file(path)
            return cls(labels_of(frame, column or "item", source))
        if Path(text).suffix or "," not in text:
            read_table_file(text)  # says what is wrong with the file
        return cls([label.strip() for label in text.split(",")])

    @property
    def labels(self) -> tuple[str, ...]:
        return self.vocabulary.labels

    @property
    def digest(self) -> str:
        """SHA-256 of the labels in their order."""
        content = json.dumps(list(self.labels), ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(content.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        return {"labels": list(self.labels), "declared": self.declared}

    @classmethod
    def from_json(cls, content: Any) -> ItemDomain:
        try:
            return cls(content["labels"], declared=content["declared"])
        except (KeyError, TypeError, BadDomain, pl.exceptions.PolarsError) as error:
            raise BadRelease("The release describes its items in a way that is not understood.") from error

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def identity(self) -> Hashable:
        return (self.labels, self.declared)

    def __str__(self) -> str:
        return marked(f"{len(self)} items, {self.declared}")


@dataclass(frozen=True)
class PublicItems(PublicInData):
    """The items of the data, which whoever says so knows to be public."""

    makes = ItemDomain

    def make(self, data: Transactions) -> ItemDomain:
        if not len(data.vocabulary):
            raise BadDomain("The data name no item, so the domain cannot be taken from them; declare it.")
        return ItemDomain(data.vocabulary.series, declared=THOSE_OF_DATA)
