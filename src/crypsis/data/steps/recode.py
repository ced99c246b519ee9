"""Recode the values of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, known_column
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Recode(Step):
    """Other values in place of some: `1=male,2=female`."""

    name, label = "recode", "Recode values"

    column: Annotated[str, "Column to recode."]
    values: Annotated[tuple[str, ...], "Old and new values, old=new."]
    others: Annotated[str | None, "What all other values become; they stay if empty."] = None

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        texts = known_column(frame, self.column).cast(pl.String)
        pairs = [value.partition("=") for value in self.values]
        for old, equals, _ in pairs:
            if not equals:
                raise BadParameter(f"recode takes old=new, got {old!r}.", parameter="values")
        codes = {old.strip(): new.strip() for old, _, new in pairs}
        known = texts.str.strip_chars().is_in(list(codes)).fill_null(False)
        new = texts.str.strip_chars().replace(codes)
        rest = texts if self.others is None else texts.set(texts.is_not_null() & (texts != ""), self.others)
        return frame.with_columns(new.zip_with(known, rest))
