"""Declarations: what is known about columns before a file is opened, and how the file is read because of it.

Types come from declarations first: a declared domain or hierarchy, then declared types, and only then a guess from the
values. So a guess never rewrites a label that a declaration names, and no record changes how another one is read where
a declaration speaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from crypsis.data.values import converted, inferred_type


@dataclass(frozen=True)
class Declarations:
    """The types of columns that domains or hierarchies speak of, and whether each record is read by itself."""

    types: Mapping[str, str] = field(default_factory=dict)
    by_record: bool = False

    @classmethod
    def of(cls, method: Any | None) -> Declarations:
        """Those of a method; none without one."""
        if method is None or isinstance(method, Declarations):
            return method or cls()
        declared: Declarations = method.declarations()
        return declared

    def first(self, types: Mapping[str, str] | None, columns: Iterable[str]) -> dict[str, str]:
        """The types of these columns: as declared here, else as given."""
        known = set(columns)
        return {**(types or {}), **{name: type for name, type in self.types.items() if name in known}}


def type_of_labels(labels: Iterable[str]) -> str:
    """The type in which every declared label stays as it is written: that of numbers or dates, else text."""
    text = pl.Series(list(labels), dtype=pl.String)
    guess = inferred_type(text)
    if guess == "category" or not len(text):
        return "category"
    same = converted(text, guess).cast(pl.String) == text
    return guess if not same.has_nulls() and same.all() else "category"
