"""Counted regions: generalized records with noisy counts, as a private method publishes a table.

Region r spans the cells `low[r, a]` to `high[r, a] - 1` of each attribute a; for a category these are the leaves below
the node `node[r, a]` of its tree. `counts[r, c]` records of class c are said to lie in it. The regions divide the whole
declared domain, empty parts included.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s, FrozenArrays, Int32s, Int64s
from crypsis.arrays.region_search import find_regions
from crypsis.data.attribute_domains import NumericDomain
from crypsis.data.category_trees import CategoryTree
from crypsis.data.count_query import CountQuery
from crypsis.data.microdata import PublishedData
from crypsis.data.relational import Column, Table
from crypsis.data.values import converted
from crypsis.errors import InputError, PublicInputMissing

RECORDS = "records"  # the class of all records where there is no class

COUNT = "count "  # before the name of a class, in the columns of a table of regions


@dataclass(frozen=True)
class RegionAttribute:
    """A column of the regions: the numbers or the tree of categories that it was declared to have."""

    name: str
    domain: NumericDomain | CategoryTree

    @property
    def numeric(self) -> bool:
        return isinstance(self.domain, NumericDomain)

    def __len__(self) -> int:
        return len(self.domain)

    def encode(self, column: Column, *, clamp: bool) -> Int32s:
        """The cell of every record, -1 where it is outside the domain or missing."""
        if isinstance(self.domain, NumericDomain):
            cells = self.domain.encode(_numbers(column), clamp=clamp)
        else:
            cells = self.domain.encode(column.domain.cast(pl.String))
        with_missing: Int32s = np.append(cells, np.int32(-1))
        return with_missing[column.codes]

    def bounds(self, low: int, high: int) -> list[float]:
        """The ends of a range of cells as numbers."""
        assert isinstance(self.domain, NumericDomain)
        return [self._edge(low), self._edge(high)]

    def _edge(self, cell: int) -> float:
        assert isinstance(self.domain, NumericDomain)
        if self.domain.bins is None:
            return int(self.domain.low) + int(cell)
        return self.domain.low + int(cell) * ((self.domain.high - self.domain.low) / self.domain.bins)

    def cells(self, value: Any) -> tuple[int, int, int]:
        """Low, high and node of what `shown` wrote; -1 where it is not understood."""
        if isinstance(self.domain, CategoryTree):
            if value not in self.domain.names:
                return -1, -1, -1
            node = self.domain.names.index(value)
            return int(self.domain.low[node]), int(self.domain.high[node]), node
        if not (isinstance(value, list) and len(value) == 2):
            return -1, -1, -1
        ends = [self._cell(edge) for edge in value]
        return ends[0], ends[1], -1

    def _cell(self, edge: Any) -> int:
        assert isinstance(self.domain, NumericDomain)
        if isinstance(edge, bool) or not isinstance(edge, (int, float)):
            return -1
        width = 1.0 if self.domain.bins is None else (self.domain.high - self.domain.low) / self.domain.bins
        cell = round((edge - self.domain.low) / width)
        return cell if 0 <= cell <= len(self) and self._edge(cell) == edge else -1

    def shown(self, low: int, high: int, node: int) -> Any:
        """The value of a region: a label, or the two ends of an interval."""
        if isinstance(self.domain, CategoryTree):
            return self.domain.names[node] if node >= 0 else "?"
        return self.bounds(low, high)

    def to_json(self) -> dict[str, Any]:
        if isinstance(self.domain, NumericDomain):
            return {"name": self.name, "numbers": self.domain.to_json()}
        return {"name": self.name, "tree": self.domain.to_json()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> RegionAttribute:
        if "numbers" in content:
            return cls(content["name"], NumericDomain(**content["numbers"]))
        return cls(content["name"], CategoryTree(content["tree"]))


@dataclass(frozen=True, eq=False)
class CountedRegions(FrozenArrays, PublishedData):
    """What a private release of a table says. `budget`, `ledger` and `unpublishable` as for synthetic trajectories."""

    attributes: tuple[RegionAttribute, ...]
    classes: tuple[str, ...]
    low: Int32s
    high: Int32s
    node: Int32s
    counts: Int64s
    class_name: str | None = None
    declared: str = "declared by the publisher"
    clamp: bool = True
    budget: Mapping[str, Any] = field(default_factory=dict)
    ledger: Mapping[str, Any] | None = field(default=None, repr=False)
    unpublishable: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = (len(self.counts), len(self.attributes))
        if not (self.low.shape == self.high.shape == self.node.shape == shape) or self.counts.shape[1:] != (
            len(self.classes),
        ):
            raise InputError("The parts of counted regions do not have the same number of regions or attributes.")

    @classmethod
    def from_lists(
        cls,
        attributes: Sequence[RegionAttribute],
        classes: Sequence[str],
        regions: Sequence[tuple[Mapping[str, Any], Mapping[str, int]]],
        class_name: str | None = None,
    ) -> CountedRegions:
        """From regions by name of the attribute, and counts by name of the class, as a release writes them."""
        cells = np.array(
            [[attribute.cells(region[attribute.name]) for attribute in attributes] for region, _ in regions], np.int32
        ).reshape(len(regions), len(attributes), 3)
        counts = np.array([[counted[label] for label in classes] for _, counted in regions], np.int64)
        return cls(
            tuple(attributes),
            tuple(classes),
            cells[:, :, 0],
            cells[:, :, 1],
            cells[:, :, 2],
            counts.reshape(len(regions), len(classes)),
            class_name,
        )

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def records(self) -> int:
        """The records that the counts add up to."""
        return int(self.counts.sum())

    @property
    def digest(self) -> str:
        """SHA-256 of the declared domains."""
        text = json.dumps(self.domains_json(), ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def domains_json(self) -> dict[str, Any]:
        """Everything that was declared public about the columns."""
        return {
            "attributes": [attribute.to_json() for attribute in self.attributes],
            "class": {"name": self.class_name, "values": list(self.classes)},
        }

    def take(self, rows: Int64s) -> CountedRegions:
        """The chosen regions, in the order given."""
        return replace(self, low=self.low[rows], high=self.high[rows], node=self.node[rows], counts=self.counts[rows])

    def to_lists(self) -> list[tuple[dict[str, Any], dict[str, int]]]:
        """Each region by the names of its attributes, and its counts by class."""
        lows, highs, nodes = self.low.tolist(), self.high.tolist(), self.node.tolist()
        return [
            (
                {
                    attribute.name: attribute.shown(*cells)
                    for attribute, cells in zip(self.attributes, zip(low, high, node, strict=True), strict=True)
                },
                dict(zip(self.classes, counted, strict=True)),
            )
            for low, high, node, counted in zip(lows, highs, nodes, self.counts.tolist(), strict=True)
        ]

    def to_frame(self) -> pl.DataFrame:
        """A column per attribute (label, or `low..high`), and a column `count NAME` per class."""
        rows = self.to_lists()
        columns: dict[str, pl.Series] = {}
        for attribute in self.attributes:
            cells = [region[attribute.name] for region, _ in rows]
            if attribute.numeric:
                cells = [f"{json.dumps(low)}..{json.dumps(high)}" for low, high in cells]
            columns[attribute.name] = pl.Series(cells, dtype=pl.String)
        for index, label in enumerate(self.classes):
            columns[COUNT + label] = pl.Series(self.counts[:, index])
        return pl.DataFrame(columns)

    def to_export(self) -> pl.DataFrame:
        return self.to_frame()

    @property
    def contents(self) -> int:
        return self.records

    @property
    def noisy_counts(self) -> Int64s:
        return self.counts.ravel()

    def expected_count(self, query: CountQuery) -> float:
        """The counts of all regions, each by the share of it that satisfies the query."""
        from crypsis.data.region_counts import expected_in_regions

        return expected_in_regions(self, query)

    def cells_of(self, table: Table) -> tuple[Int32s, Bools]:
        """The cells of the records of a table, and which of them lie in the domain with all their values."""
        columns = [attribute.encode(table.column(attribute.name), clamp=self.clamp) for attribute in self.attributes]
        cells = np.stack(columns, axis=1) if columns else np.zeros((len(table), 0), np.int32)
        inside: Bools = np.all(cells >= 0, axis=1)
        return cells, inside

    def regions_of(self, cells: Int32s) -> Int64s:
        """The region of each record, given as cells; -1 where none holds it."""
        return find_regions(np.ascontiguousarray(cells), self.low, self.high)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.domains_json(), self.to_lists())

    def __repr__(self) -> str:
        return f"CountedRegions({len(self)} regions, {self.records} records)"


def missing_domain(method: str, name: str) -> PublicInputMissing:
    """The error where nothing was declared about a column."""
    return PublicInputMissing(
        f"{method}: declare the domain of the column {name!r} (domains='FILE', or a tree of its categories). "
        "Taking it from the data would tell who is in them; if those of the data are public anyway, write "
        "public-in-data.",
        parameter="domains",
    )


def _numbers(column: Column) -> Float64s:
    """The values of a column as numbers; a text that is none, or not a finite one, is NaN, whatever the others are."""
    if column.type != "category":
        return column.keys.astype(np.float64)
    numbers = converted(column.domain, "float").to_numpy().astype(np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)
