"""One column of a table, dictionary-encoded: at once, or when its codes are first needed.

Numbers and dates are checked when they are read; sorting them into a domain takes longer than reading them. So they
wait with their values, and all columns of a table with the same role are encoded together, in threads where there is
much to do, when one of them is needed. What nobody asks for is never encoded. Codes and domain are the same either way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, cast

import numpy as np
import polars as pl

from crypsis.arrays import EqualByContent, FrozenArrays, Int32s, frozen
from crypsis.data.missing import MISSING_CODE
from crypsis.data.values import ColumnType, encoded
from crypsis.errors import InputError

Role = Literal["identifier", "quasi", "sensitive", "label", "other"]
ROLE_NAMES = {"quasi": "quasi-identifier"}  # of roles that are written shorter than they are called
TYPE_LABELS = {
    "int": "whole number",
    "float": "number",
    "category": "text",
    "date": "date",
    "timestamp": "date and time",
    "items": "set of items",
}
CELLS_AT_ONCE = 500_000  # from here on columns are encoded in threads
Given = TypeVar("Given")
Made = TypeVar("Made")


def map_columns(make: Callable[[Given], Made], columns: Sequence[Given], cells: int) -> list[Made]:
    """One result per column, several at once where there is much to do; of several errors the first column's counts."""
    if cells < CELLS_AT_ONCE or len(columns) < 2:
        return list(map(make, columns))
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 8, len(columns))) as threads:
        return list(threads.map(make, columns))


class LateEncoding:
    """Typed columns that are encoded together when one of them is needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: list[pl.Series] = []
        self._encoded: list[tuple[Int32s, pl.Series]] = []

    def add(self, values: pl.Series) -> int:
        """The number of a column."""
        with self._lock:
            self._values.append(values)
            return len(self._values) - 1

    def encoded(self, number: int) -> tuple[Int32s, pl.Series]:
        """Codes and domain of a column."""
        with self._lock:
            if self._values:
                cells = sum(map(len, self._values))
                self._encoded, self._values = map_columns(encoded, self._values, cells), []
            return self._encoded[number]


@dataclass(frozen=True, eq=False)
class Column(FrozenArrays, EqualByContent):
    """One column: its type, its role, and the position of every record's value in the sorted domain.

    `guessed`: nobody declared the type, it was told by all the values.
    """

    name: str
    type: ColumnType
    role: Role
    codes: Int32s
    domain: pl.Series
    guessed: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.codes) and not (int(self.codes.min()) >= MISSING_CODE and int(self.codes.max()) < len(self.domain)):
            raise InputError(f"Column '{self.name}' holds a code outside its domain.")

    @property
    def node_names(self) -> frozenset[str]:
        """Collected data hold values, no nodes."""
        return frozenset()

    def leaves_of(self, node: str) -> tuple[str, ...]:
        return ()

    @classmethod
    def later(
        cls, name: str, type: ColumnType, role: Role, values: pl.Series, guessed: bool, together: LateEncoding
    ) -> Column:
        """A column of typed values, null where missing, that is encoded when its codes or domain are needed."""
        column = object.__new__(cls)
        held = (values.alias(name), together, together.add(values))
        column.__dict__.update(name=name, type=type, role=role, guessed=guessed, _waiting=held)
        column.__dict__.update(missing=values.null_count())
        return column

    def __getattr__(self, name: str) -> Any:
        """Codes and domain of a column that still waits."""
        waiting = self.__dict__.get("_waiting") if name in ("codes", "domain") else None
        if waiting is not None:
            _, together, number = waiting
            codes, domain = together.encoded(number)
            self.__dict__.update(codes=frozen(codes), domain=domain)
            self.__dict__.pop("_waiting", None)
        if name not in self.__dict__:  # another thread may have been faster
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """A copy or another process gets the codes."""
        return {"codes": self.codes, "domain": self.domain} | self.__dict__

    @cached_property
    def missing(self) -> int:
        """Number of records without a value."""
        return int(np.count_nonzero(self.codes == MISSING_CODE))

    @cached_property
    def keys(self) -> np.ndarray[Any, Any]:
        """The domain as ascending numbers: int64 (days or microseconds for dates) or float64.

        For a category these are the positions in the domain.
        """
        if self.type == "category":
            return frozen(np.arange(len(self.domain), dtype=np.int64))
        physical = self.domain.to_physical().to_numpy()
        return frozen(np.array(physical, np.float64 if self.type == "float" else np.int64))

    def values(self) -> pl.Series:
        """The value of every record, null where missing."""
        if (waiting := self.__dict__.get("_waiting")) is not None:
            return cast(pl.Series, waiting[0])
        wanted = pl.Series(self.codes)
        return self.domain.gather(wanted.set(wanted < 0, None)).alias(self.name)

    def __len__(self) -> int:
        waiting = self.__dict__.get("_waiting")
        return len(self.codes if waiting is None else waiting[0])

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.name, self.type, self.role, self.codes, self.domain)

    def __repr__(self) -> str:
        return (
            f"Column({self.name!r}, {self.type}, {self.role}: {len(self)} records, "
            f"{len(self.domain)} values, {self.missing} missing)"
        )
