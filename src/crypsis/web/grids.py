"""A table as a grid asks for it: a slice of rows, sorted and filtered here and never in the browser.

The order of rows under a sort and a filter is kept for a while, so that scrolling costs a slice whatever was asked.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.formats.columns import unknown_column
from crypsis.errors import BadParameter

MOST_ROWS = 1_000  # of one request
_ORDERS_KEPT = 6
_LONGEST_CELL = 400  # characters of a cell that are sent


@dataclass(frozen=True)
class Sort:
    """The column that a grid is sorted by."""

    column: str
    descending: bool = False


@dataclass(frozen=True)
class Filter:
    """`how` is one of HOWS; `value` is text, or a number for comparisons."""

    column: str
    how: str
    value: str = ""
    upper: str = ""


HOWS = (
    "contains", "notContains", "equals", "notEqual", "startsWith", "endsWith", "blank", "notBlank", "lessThan",
    "lessThanOrEqual", "greaterThan", "greaterThanOrEqual", "inRange",
)  # fmt: skip

_OF_TEXT = ("contains", "notContains", "startsWith", "endsWith")  # also of numbers, as they are written


@dataclass(eq=False)
class Grid:
    """A frame of which pages are shown. `numeric` columns sort and compare as numbers, whatever they are stored as."""

    frame: pl.DataFrame
    numeric: frozenset[str] = frozenset()
    _orders: OrderedDict[Any, Int64s] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    def rows(
        self, offset: int, limit: int, sort: tuple[Sort, ...] = (), filters: tuple[Filter, ...] = ()
    ) -> tuple[int, list[int], list[list[Any]]]:
        """How many rows there are under the filter, the places of the asked ones in the table, and their cells."""
        if offset < 0 or not 0 <= limit <= MOST_ROWS:
            raise BadParameter(f"rows: offset must not be negative and limit at most {MOST_ROWS}.", parameter="limit")
        if not sort and not filters:
            total = self.frame.height
            places = list(range(min(offset, total), min(offset + limit, total)))
            part = self.frame.slice(offset, limit)
        else:
            order = self._order(sort, filters)
            total = len(order)
            chosen = order[offset : offset + limit]
            places = chosen.tolist()
            part = self.frame[chosen]
        cells = [_shown(part[name]) for name in self.columns]
        return total, places, [list(row) for row in zip(*cells, strict=True)]

    def _order(self, sort: tuple[Sort, ...], filters: tuple[Filter, ...]) -> Int64s:
        key = (sort, filters)
        with self._lock:
            if key in self._orders:
                self._orders.move_to_end(key)
                return self._orders[key]
        order = self._computed(sort, filters)
        with self._lock:
            self._orders[key] = order
            while len(self._orders) > _ORDERS_KEPT:
                self._orders.popitem(last=False)
        return order

    def _computed(self, sort: tuple[Sort, ...], filters: tuple[Filter, ...]) -> Int64s:
        for name in (*(key.column for key in sort), *(one.column for one in filters)):
            if name not in self.columns:
                raise unknown_column(name, self.columns)
        kept = np.arange(self.frame.height, dtype=np.int64)
        for one in filters:
            kept = kept[self._admitted(one, kept)]
        if sort and len(kept):
            keys = pl.DataFrame({str(index): self._key(one.column)[kept] for index, one in enumerate(sort)})
            places = keys.select(
                pl.arg_sort_by(
                    keys.columns, descending=[key.descending for key in sort], nulls_last=True, maintain_order=True
                )
            )
            kept = kept[places.to_series().to_numpy()]
        return kept

    def _key(self, name: str) -> pl.Series:
        cells = self.frame[name]
        if is_odd(cells.dtype):
            return plain_text(cells)
        return cells.cast(pl.Float64, strict=False) if name in self.numeric else cells

    def _admitted(self, one: Filter, kept: Int64s) -> np.ndarray[Any, np.dtype[np.bool_]]:
        if one.how not in HOWS:
            raise BadParameter(f"rows: a filter is one of {', '.join(HOWS)}, got {one.how!r}.", parameter="filter")
        text = plain_text(self.frame[one.column])[kept].fill_null("")
        if one.how in ("blank", "notBlank"):
            found = text.str.strip_chars() == ""
        elif one.how not in _OF_TEXT and (one.column in self.numeric or one.how not in ("equals", "notEqual")):
            found = self._compared(one, kept)
        else:
            found = _found(text.str.to_lowercase(), one.how, one.value.lower())
        admitted = found.fill_null(False).to_numpy()
        return ~admitted if one.how.startswith("not") else admitted

    def _compared(self, one: Filter, kept: Int64s) -> pl.Series:
        cells = self.frame[one.column]
        cells = plain_text(cells) if is_odd(cells.dtype) else cells
        numbers = cells[kept].cast(pl.Float64, strict=False)
        low, high = _number(one.value), _number(one.upper or one.value)
        comparisons = {
            "lessThan": lambda: numbers < low,
            "lessThanOrEqual": lambda: numbers <= low,
            "greaterThan": lambda: numbers > low,
            "greaterThanOrEqual": lambda: numbers >= low,
            "inRange": lambda: (numbers >= low) & (numbers <= high),
        }
        return comparisons.get(one.how, lambda: numbers == low)()


def _found(text: pl.Series, how: str, wanted: str) -> pl.Series:
    if how in ("contains", "notContains"):
        return text.str.contains(wanted, literal=True)
    if how == "startsWith":
        return text.str.starts_with(wanted)
    if how == "endsWith":
        return text.str.ends_with(wanted)
    return text == wanted


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadParameter(f"rows: a number was expected in a filter, got {text[:40]!r}.", parameter="filter") from None


def plain_text(cells: pl.Series) -> pl.Series:
    """Any cells as text: several values of one cell beside each other, bytes as hexadecimal digits."""
    if cells.dtype == pl.Binary:
        return cells.bin.encode("hex")
    if isinstance(cells.dtype, pl.List) and not is_odd(cells.dtype.inner):
        return cells.list.eval(pl.element().cast(pl.String, strict=False)).list.join(" ")
    if is_odd(cells.dtype):
        return pl.Series(cells.name, [None if cell is None else _spoken(cell) for cell in cells.to_list()], pl.String)
    if cells.dtype == pl.Datetime:
        return cells.dt.strftime("%Y-%m-%d %H:%M:%S%.f")  # a fraction of a second only where there is one
    return cells.cast(pl.String)


def is_odd(dtype: Any) -> bool:
    """Whether a type is none that text files know."""
    return dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Duration)


def _spoken(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return " ".join(f"{name}={_spoken(one)}" for name, one in value.items())
    return " ".join(map(_spoken, value)) if isinstance(value, list) else "" if value is None else str(value)


def _shown(cells: pl.Series) -> list[Any]:
    """Cells as JSON can hold them; long texts are cut, numbers too large for a browser are text."""
    if cells.dtype.is_integer() and not cells.is_empty():
        largest = max(abs(int(cells.max() or 0)), abs(int(cells.min() or 0)))  # type: ignore[arg-type]
        if largest < 2**53:
            return cells.to_list()
    if cells.dtype.is_float():
        return [value if value is None or np.isfinite(value) else str(value) for value in cells.to_list()]
    if cells.dtype == pl.Boolean:
        return cells.to_list()
    return [
        value if value is None or len(value) <= _LONGEST_CELL else value[:_LONGEST_CELL] + "…"
        for value in plain_text(cells).to_list()
    ]
