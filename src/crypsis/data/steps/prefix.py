"""The first characters of a code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, added, known_column
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class Prefix(Step):
    """A column with the first characters of a code: 101 for 10115."""

    name, label = "prefix", "Derive the prefix of a code"

    column: Annotated[str, "Column with codes."]
    length: Annotated[int, AtLeast(1), "Characters that are kept."]
    to: Annotated[str, "Name of the column with prefixes."]

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        texts = known_column(frame, self.column).cast(pl.String).str.strip_chars()
        return added(frame, texts.str.slice(0, self.length), self.to)
