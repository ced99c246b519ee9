"""How surely people can be picked out of a table by its quasi-identifiers: before it is anonymized, and after.

A class are the records with equal quasi-identifiers, missing ones being equal; its size is f. Where the data say that a
person has several records, f counts people, and who is in several classes is as safe as in the smallest of them.
Three adversaries:

    prosecutor   knows that the victim is in the table: right with probability 1 / f
    journalist   does not, and looks in the population, where F people are in the class: 1 / F
    marketer     links everybody and counts hits: the mean over all records

A census of the population is rarely at hand. Where the table is a random sample of it, `share` says how large, and the
expectation of 1 / F given f is used (F - f is negative binomial). With a share of 1 journalist and prosecutor agree.

El Emam, Dankar. Protecting privacy using k-anonymity. JAMIA 15(5), 2008, 627-637. Benedetti, Franconi. Statistical and
technological solutions for controlled data dissemination. NTTS 1998. Motwani, Xu. Efficient algorithms for masking and
finding quasi-identifiers. PDM 2007: distinction and separation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, replace
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.errors import BadParameter, NotApplicable
from crypsis.parameters import Above, AtLeast, Between, Parameter

LIMIT = 0.2  # what guidelines for health data tend to accept: one in five
SIZES_SHOWN = (1, 2, 3, 5, 10, 20, 50, 100)  # classes of up to so many records are counted
_NODES = 64  # of the quadratures
_MANY = 50  # from this class size on the Laguerre form is exact to the last digits

_SHARE = Parameter("share", float, False, (Above(0), Between(0, 1)), "Share of the population in the table.", MISSING)
_LIMIT = Parameter("limit", float, False, (Above(0), Between(0, 1)), "Largest risk that is acceptable.", MISSING)
_SETS = Parameter("sets", int, False, (AtLeast(1),), "Most columns of a set that is looked at.", MISSING)

Tabular = Table | PublishedTable | Mixed | PublishedMixed


@dataclass(frozen=True)
class AdversaryRisk:
    """The risk that one adversary is to the records, in figures; to the people where one has several records."""

    highest: float
    mean: float
    share_above: float  # of the records, whose risk exceeds the limit


@dataclass(frozen=True)
class AttributeRisk:
    """What a column, or a set of columns, tells apart. 0: all records are alike in it; separation 1: no two are.

    `distinction` is the number of distinct values (or rows) over the number of records, `separation` the share of pairs
    of records that differ.
    """

    columns: tuple[str, ...]
    distinct: int
    distinction: float
    separation: float

    @classmethod
    def of(cls, columns: Sequence[str], sizes: SizesOfClasses) -> AttributeRisk:
        """By the rows that are equal in the columns."""
        total = sizes.total
        pairs = total * (total - 1)
        alike = sum(size * (size - 1) * count for size, count in sizes.counted())
        return cls(
            tuple(columns),
            sizes.n_classes,
            sizes.n_classes / total if total else 0.0,
            1.0 - alike / pairs if pairs else 0.0,
        )


@dataclass(frozen=True, eq=False)
class SizesOfClasses:
    """The sizes of classes that occur, ascending; how many classes have each, and how many individuals count as being
    in one (a person with several records is in the smallest of theirs)."""

    sizes: Int64s
    classes: Int64s
    individuals: Int64s

    @classmethod
    def of(cls, classes: Mapping[int, int]) -> SizesOfClasses:
        """By size the number of classes."""
        sizes = np.array(sorted(classes), np.int64)
        counts = np.array([classes[size] for size in sizes.tolist()], np.int64)
        return cls(sizes, counts, sizes * counts)

    @property
    def total(self) -> int:
        return int(self.individuals.sum())

    @property
    def n_classes(self) -> int:
        return int(self.classes.sum())

    def counted(self) -> Iterator[tuple[int, int]]:
        """Each size, and how many classes have it."""
        return zip(self.sizes.tolist(), self.classes.tolist(), strict=True)


@dataclass(frozen=True, eq=False)
class TableRisk:
    """Risks of a table. `sizes` and `isolated` are private for a table as collected; `to_dict` has aggregates only."""

    records: int
    suppressed: int
    quasi: tuple[str, ...]
    share: float
    limit: float
    prosecutor: AdversaryRisk
    journalist: AdversaryRisk
    marketer: float
    attributes: tuple[AttributeRisk, ...]
    counted: SizesOfClasses = field(repr=False)
    _classes: pl.DataFrame | None = field(repr=False)
    people: int | None = None  # with a record that is shown, where a person has several

    @property
    def sizes(self) -> Int64s:
        """The sizes of the classes of records that are shown, or of each person's smallest class; ascending."""
        return np.repeat(self.counted.sizes, self.counted.individuals)

    @property
    def classes(self) -> int:
        return self.counted.n_classes

    @property
    def smallest_class(self) -> int | None:
        """The level of k-anonymity; None where no record is shown."""
        return next((size for size, own in self._individuals() if own), None)

    @property
    def unique_share(self) -> float:
        """Sample uniqueness: share of the records (or people) whose class is theirs alone."""
        total = self.counted.total
        return dict(self._individuals()).get(1, 0) / total if total else 0.0

    def _individuals(self) -> Iterator[tuple[int, int]]:
        return zip(self.counted.sizes.tolist(), self.counted.individuals.tolist(), strict=True)

    @property
    def population_unique_share(self) -> float:
        """Share of the records that are expected to be unique in the population, too."""
        return self.unique_share * self.share

    def isolated(self, below: int = 2) -> pl.DataFrame:
        """Private: the classes with fewer records than `below`, smallest first, as texts with their sizes."""
        if self._classes is None:
            raise NotApplicable("Which classes are small is not measured on parts; read the release into memory.")
        return self._classes.filter(pl.col(_COUNT) < below).sort(_COUNT, *self.quasi)

    def class_sizes(self) -> dict[str, dict[str, int]]:
        """Classes and records by size of class: `1`, `2`, `3`, `4-5`, …, `> 100`."""
        sizes, classes = self.counted.sizes, self.counted.classes
        found = {}
        for low, high in zip((0, *SIZES_SHOWN), (*SIZES_SHOWN, None), strict=True):
            inside = (sizes > low) & (True if high is None else sizes <= high)
            name = f"> {low}" if high is None else str(high) if high == low + 1 else f"{low + 1}-{high}"
            found[name] = {"classes": int(classes[inside].sum()), "records": int((sizes * classes)[inside].sum())}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Aggregates only, nothing about any one person."""
        return {
            "records": self.records,
            "people": self.people,
            "suppressed": self.suppressed,
            "quasi": list(self.quasi),
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "share": self.share,
            "limit": self.limit,
            "prosecutor": asdict(self.prosecutor),
            "journalist": asdict(self.journalist),
            "marketer": self.marketer,
            "unique_share": self.unique_share,
            "population_unique_share": self.population_unique_share,
            "class_sizes": self.class_sizes(),
            "attributes": [asdict(attribute) | {"columns": list(attribute.columns)} for attribute in self.attributes],
        }


_COUNT = "records in class"
_PERSON, _CLASS = "person of the record", "class of the record"


def table_risk(
    data: Tabular,
    *,
    quasi: Sequence[str] | None = None,
    share: float = 1.0,
    limit: float = LIMIT,
    sets: int = 1,
    population: Tabular | None = None,
) -> TableRisk:
    """Risks of a table as collected or as published. Suppressed records show nothing and are not at risk.

    `quasi` are the columns an adversary may know, by default those with that role. `population`, where there is one,
    takes the place of `share`: a table with these columns, in the same values or recoded alike, that holds everybody.
    `sets` looks at distinction and separation of all sets of up to so many columns.

    >>> import polars as pl
    >>> people = Table.from_frame(pl.DataFrame({"age": [31, 31, 47]}), {"age": "quasi"})
    >>> found = table_risk(people)
    >>> found.prosecutor.highest, found.unique_share
    (1.0, 0.3333333333333333)
    """
    share, limit, sets = check_settings(share, limit, sets)
    table = _table_of(data)
    names = check_quasi(table.quasi if quasi is None else quasi, table.column)
    rows, suppressed, person = _codes(table, names)
    individuals = pl.len() if person is None else pl.col(_PERSON).n_unique()
    known = rows if person is None else rows.with_columns(pl.Series(_PERSON, person))
    counted = known.group_by(names, maintain_order=True).agg(individuals.cast(pl.Int64).alias(_COUNT))
    classes = counted.with_columns(_texts(table, name, counted[name]) for name in names)
    counts = counted[_COUNT].to_numpy().astype(np.int64)
    sizes = _sizes_of(counts)
    if population is None and person is None:
        certain, likely, weights = *risks_of(sizes, share), sizes.individuals
    else:
        certain, weights = 1.0 / np.maximum(counts, 1), counts
        likely = expected_inverse(counts, share)
        if population is not None:
            in_population = _population_counts(classes, population, names)
            likely = 1.0 / np.maximum(in_population, counts)  # whoever is in the table is in the population
    if person is not None:
        numbered = counted.with_row_index(_CLASS).select(_CLASS, *names)
        pairs = known.join(numbered, on=names, how="left", nulls_equal=True).select(_PERSON, _CLASS).unique()
        slot, one = pairs[_CLASS].to_numpy().astype(np.int64), pairs[_PERSON].to_numpy()
        certain, likely = _worst_of(certain[slot], one), _worst_of(likely[slot], one)
        weights = np.ones(len(certain), np.int64)
        smallest = np.round(1.0 / certain).astype(np.int64)
        sizes = replace(
            sizes, individuals=np.bincount(np.searchsorted(sizes.sizes, smallest), minlength=len(sizes.sizes))
        )
    journalist = summary_of(likely, weights, limit)
    return TableRisk(
        len(table),
        suppressed,
        tuple(names),
        share,
        limit,
        summary_of(certain, weights, limit),
        journalist,
        journalist.mean,
        tuple(
            AttributeRisk.of(chosen, _sizes_of(rows.group_by(chosen).len()["len"].to_numpy().astype(np.int64)))
            for chosen in sets_of_columns(names, sets)
        ),
        sizes,
        classes,
        None if person is None else len(certain),
    )


def check_settings(share: float, limit: float, sets: int) -> tuple[float, float, int]:
    """The settings, refused where they say nothing."""
    return _SHARE.check(share, "table_risk"), _LIMIT.check(limit, "table_risk"), _SETS.check(sets, "table_risk")


def sets_of_columns(names: Sequence[str], largest: int) -> Iterator[tuple[str, ...]]:
    """All sets of up to so many columns."""
    for size in range(1, min(largest, len(names)) + 1):
        yield from combinations(names, size)


def risks_of(sizes: SizesOfClasses, share: float) -> tuple[Float64s, Float64s]:
    """By size of class the risk for somebody who knows that the victim is in the table, and for one who does not."""
    return 1.0 / np.maximum(sizes.sizes, 1), expected_inverse(sizes.sizes, share)


def _sizes_of(counts: Int64s) -> SizesOfClasses:
    sizes, classes = np.unique(counts, return_counts=True)
    return SizesOfClasses(sizes, classes, sizes * classes)


def expected_inverse(sizes: Int64s, share: float) -> Float64s:
    """E[1 / F] for classes of these sizes in a random sample of this share: the sum over F >= f of P(F | f) / F.

    With U = (1 - share) / share it is the integral of v^(f-1) / (1 + U v) over 0 <= v <= 1.
    """
    if share == 1.0 or not len(sizes):
        return 1.0 / np.maximum(sizes, 1)
    distinct, slot = np.unique(sizes, return_inverse=True)
    odds = (1.0 - share) / share
    found = np.empty(len(distinct))
    large = distinct >= _MANY
    # v = exp(-w / f) turns the integral into one over e^-w, for which Laguerre's nodes are made.
    nodes, weights = np.polynomial.laguerre.laggauss(_NODES)
    f = distinct[large].astype(np.float64)
    found[large] = (weights / (1.0 + odds * np.exp(-nodes / f[:, None]))).sum(axis=1) / f
    small = np.arange(1, _MANY)
    if odds >= 1.0:  # E(f + 1) = (1 / f - E(f)) / U, which then forgets its rounding errors
        values = np.empty(len(small))
        values[0] = np.log1p(odds) / odds
        for f_small in range(1, len(small)):
            values[f_small] = (1.0 / f_small - values[f_small - 1]) / odds
    else:
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        v, w = (nodes + 1) / 2, weights / 2
        values = (w * v ** (small[:, None] - 1) / (1.0 + odds * v)).sum(axis=1)
    found[~large] = values[np.maximum(distinct[~large], 1) - 1]
    return np.asarray(found[slot], np.float64)


def _worst_of(risks: Float64s, person: Int64s) -> Float64s:
    """The highest of each person's risks, one per class of theirs."""
    _, number = np.unique(person, return_inverse=True)
    worst = np.zeros(int(number.max(initial=-1)) + 1)
    np.maximum.at(worst, number, risks)
    return worst


def summary_of(risks: Float64s, counts: Int64s, limit: float) -> AdversaryRisk:
    """The figures of one adversary, to whom so many individuals are at each risk."""
    total = int(counts.sum())
    if not total:
        return AdversaryRisk(0.0, 0.0, 0.0)
    above = counts[risks > limit * (1 + 1e-9)].sum()
    mean = fsum((risks * counts).tolist()) / total
    return AdversaryRisk(float(risks.max()), mean, float(above / total))


def _codes(table: Table | PublishedTable, names: list[str]) -> tuple[pl.DataFrame, int, Int64s | None]:
    """Codes of the quasi-identifiers of the records that are shown, the number of the others, and whose records."""
    frame = pl.DataFrame({name: table.column(name).codes for name in names})
    if isinstance(table, Table):
        return frame, 0, table.person
    hidden = table.suppressed
    for name in names:  # a table of somebody else may hide a record in the quasi-identifiers only
        column = table.column(name)
        if not (column.cells.kinds == CellKind.SUPPRESSED).any():
            break
    else:
        hidden = np.logical_and.reduce([table.column(name).is_kind(CellKind.SUPPRESSED) for name in names])
    person = None if table.person is None else table.person[~hidden]
    return frame.filter(pl.Series(~hidden)), int(np.count_nonzero(hidden)), person


def _texts(table: Table | PublishedTable, name: str, codes: pl.Series) -> pl.Series:
    column = table.column(name)
    if isinstance(column, Column):
        known = [*(write_value(value) for value in column.domain.to_list()), "?"]
        codes = codes.set(codes < 0, len(known) - 1)
    else:
        known = list(column.cells.texts)
    return pl.Series(known, dtype=pl.String).gather(codes).alias(name)


def _population_counts(classes: pl.DataFrame, population: Tabular, names: list[str]) -> Int64s:
    table = _table_of(population)
    check_quasi(names, table.column)
    rows, _, person = _codes(table, names)
    if person is None:
        everybody = rows.group_by(names).agg(pl.len().alias("population"))
    else:
        known = rows.with_columns(pl.Series(_PERSON, person))
        everybody = known.group_by(names).agg(pl.col(_PERSON).n_unique().alias("population"))
    everybody = everybody.with_columns(_texts(table, name, everybody[name]) for name in names)
    joined = classes.join(everybody, on=names, how="left", maintain_order="left")
    found: Int64s = joined["population"].fill_null(0).to_numpy().astype(np.int64)
    return found


def _table_of(data: Any) -> Table | PublishedTable:
    table = data.table if isinstance(data, (Mixed, PublishedMixed)) else data
    if not isinstance(table, (Table, PublishedTable)):
        raise NotApplicable(f"Risks of classes are those of a table or mixed data, got {type(data).__name__}.")
    return table


def check_quasi(quasi: Sequence[str], column: Callable[[str], object]) -> list[str]:
    """The columns that may be known: each once, and of the table, whose `column` refuses others."""
    names = list(quasi)
    if not names:
        raise BadParameter(
            "table_risk: an adversary knows quasi-identifiers, and this table has none; name them (quasi=…).",
            parameter="quasi",
        )
    for name in names:
        column(name)
        if names.count(name) > 1:
            raise BadParameter(f"table_risk: column '{name}' is named twice.", parameter="quasi")
    return names
