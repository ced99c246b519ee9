"""What a step is: one change of the shape of a table before it becomes data. One class, with a line in STEPS.

Its annotated fields are its only description, as for sources and methods. A step is written as a table of an experiment
file (`[[dataset.step]]`, `step = "unite"`), as a dict in Python and REST, or as text: `unite(columns=dx01..dx15,
to=diagnoses)`. Steps are carried out in their order, after the edits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from crypsis.data.formats.columns import ordered_values, unknown_column
from crypsis.data.formats.wide_rows import columns_between
from crypsis.errors import BadParameter, CrypsisError
from crypsis.parameters import Checked, parameters_of


@dataclass(frozen=True, kw_only=True)
class Step(Checked):
    """One change of a table; the table that is given stays as it is."""

    name: ClassVar[str]
    label: ClassVar[str]  # what it does, as people choose it

    @abstractmethod
    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The table after this step."""

    def given(self) -> dict[str, Any]:
        """The parameters that are not as usual."""
        usual = {option.name: option.default for option in parameters_of(type(self))}
        plain = {name: [*value] if isinstance(value, tuple) else value for name, value in self.parameters().items()}
        return {name: value for name, value in plain.items() if getattr(self, name) != usual[name]}

    def to_dict(self) -> dict[str, Any]:
        """As it stands in an experiment file."""
        return {"step": self.name, **self.given()}

    def __str__(self) -> str:
        """As it is typed."""
        words = {name: ",".join(value) if isinstance(value, list) else value for name, value in self.given().items()}
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in words.items())})"


def named_columns(frame: pl.DataFrame, texts: Iterable[str]) -> list[str]:
    """The columns that are named, one by one or as `first..last`."""
    found: list[str] = []
    for text in texts:
        between = columns_between(text, frame.columns)
        found += between if between is not None else [known_column(frame, text).name]
    return list(dict.fromkeys(found))


def known_column(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column by name, or refuse a name that the data do not have."""
    if name not in frame.columns:
        raise unknown_column(name, frame.columns)
    return frame[name]


def added(frame: pl.DataFrame, cells: pl.Series, name: str) -> pl.DataFrame:
    """With one more column, whose name must be new."""
    if name in frame.columns:
        raise BadParameter(f"There is a column {name!r} already; choose another name.", parameter="name")
    return frame.with_columns(cells.alias(name))


def in_order(cells: pl.Series) -> pl.Series:
    """Texts of numbers or times as such, so that 10 comes after 9; other texts as they are."""
    if cells.dtype != pl.String or cells.has_nulls():
        return cells
    try:
        return ordered_values(cells, cells.name, None, "numbers")
    except CrypsisError:
        return cells
