"""How surely people can be picked out of a table by its quasi-identifiers: before it is anonymized, and after.

A class are the records with equal quasi-identifiers, missing ones being equal; its size is f. Where the data say that a
person has several records, f counts people, and who is in several classes is as safe as in the smallest of them.
Three adversaries:

    prosecutor   knows that the victim is in the table: right with probability 1 / f
    journalist   does not, and looks in the population, where F people are in the class: 1 / F
    marketer     links everybody and counts hits: the mean over all records

Of the population a census is rarely at hand. Where the table is a random sample of it, `share` says how large, and the
expectation of 1 / F given f is used (F - f is negative binomial). With a share of 1 journalist and prosecutor agree.

El Emam, Dankar. Protecting privacy using k-anonymity. JAMIA 15(5), 2008, 627-637. Benedetti, Franconi. Statistical and
technological solutions for controlled data dissemination. NTTS 1998. Motwani, Xu. Efficient algorithms for masking and
finding quasi-identifiers. PDM 2007: distinction and separation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s, freeze
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
    sizes: Int64s = field(repr=False)  # of the class of each record that is shown, or of each person's smallest
    _classes: pl.DataFrame = field(repr=False)
    people: int | None = None  # with a record that is shown, where a person has several

    def __post_init__(self) -> None:
        freeze(self, "sizes")

    @property
    def classes(self) -> int:
        return self._classes.height

    @property
    def smallest_class(self) -> int | None:
        """The level of k-anonymity; None where no record is shown."""
        return int(self.sizes.min()) if len(self.sizes) else None

    @property
    def unique_share(self) -> float:
        """Sample uniqueness: share of the records (or people) whose class is theirs alone."""
        return float(np.mean(self.sizes == 1)) if len(self.sizes) else 0.0

    @property
    def population_unique_share(self) -> float:
        """Share of the records that are expected to be unique in the population, too."""
        return self.unique_share * self.share

    def isolated(self, below: int = 2) -> pl.DataFrame:
        """Private: the classes with fewer records than `below`, smallest first, as texts with their sizes."""
        return self._classes.filter(pl.col(_COUNT) < below).sort(_COUNT, *self.quasi)

    def class_sizes(self) -> dict[str, dict[str, int]]:
        """Classes and records by size of class: `1`, `2`, `3`, `4-5`, …, `> 100`."""
        counts = self._classes[_COUNT].to_numpy()
        found = {}
        for low, high in zip((0, *SIZES_SHOWN), (*SIZES_SHOWN, None), strict=True):
            inside = (counts > low) & (True if high is None else counts <= high)
            name = f"> {low}" if high is None else str(high) if high == low + 1 else f"{low + 1}-{high}"
            found[name] = {"classes": int(inside.sum()), "records": int(counts[inside].sum())}
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
    share, limit, sets = (
        _SHARE.check(share, "table_risk"),
        _LIMIT.check(limit, "table_risk"),
        _SETS.check(sets, "table_risk"),
    )
    table = _table_of(data)
    names = _quasi_of(table, quasi)
    rows, suppressed, person = _codes(table, names)
    individuals = pl.len() if person is None else pl.col(_PERSON).n_unique()
    known = rows if person is None else rows.with_columns(pl.Series(_PERSON, person))
    counted = known.group_by(names, maintain_order=True).agg(individuals.cast(pl.Int64).alias(_COUNT))
    classes = counted.with_columns(_texts(table, name, counted[name]) for name in names)
    counts = counted[_COUNT].to_numpy().astype(np.int64)
    certain = 1.0 / np.maximum(counts, 1)
    if population is not None:
        in_population = _population_counts(classes, population, names)
        likely = 1.0 / np.maximum(in_population, counts)  # whoever is in the table is in the population
    else:
        likely = expected_inverse(counts, share)
    sizes, weights = np.repeat(counts, counts), counts
    if person is not None:
        numbered = counted.with_row_index(_CLASS).select(_CLASS, *names)
        pairs = known.join(numbered, on=names, how="left", nulls_equal=True).select(_PERSON, _CLASS).unique()
        slot, one = pairs[_CLASS].to_numpy().astype(np.int64), pairs[_PERSON].to_numpy()
        certain, likely = _worst_of(certain[slot], one), _worst_of(likely[slot], one)
        sizes = np.round(1.0 / certain).astype(np.int64)
        weights = np.ones(len(certain), np.int64)
    journalist = _summary(likely, weights, limit)
    return TableRisk(
        len(table),
        suppressed,
        tuple(names),
        share,
        limit,
        _summary(certain, weights, limit),
        journalist,
        journalist.mean,
        tuple(
            _attribute(rows, list(chosen))
            for size in range(1, min(sets, len(names)) + 1)
            for chosen in combinations(names, size)
        ),
        sizes,
        classes,
        None if person is None else len(sizes),
    )


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


def _summary(risks: Float64s, counts: Int64s, limit: float) -> AdversaryRisk:
    total = int(counts.sum())
    if not total:
        return AdversaryRisk(0.0, 0.0, 0.0)
    above = counts[risks > limit * (1 + 1e-9)].sum()
    return AdversaryRisk(float(risks.max()), float(risks @ counts / total), float(above / total))


def _attribute(rows: pl.DataFrame, columns: list[str]) -> AttributeRisk:
    counts = rows.group_by(columns).len()["len"].to_numpy().astype(np.float64)
    total = float(rows.height)
    pairs = total * (total - 1)
    alike = float((counts * (counts - 1)).sum())
    return AttributeRisk(
        tuple(columns),
        len(counts),
        len(counts) / total if total else 0.0,
        1.0 - alike / pairs if pairs else 0.0,
    )


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
        hidden = np.logical_and.reduce([table.column(name).kinds == CellKind.SUPPRESSED for name in names])
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
    _quasi_of(table, names)
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
    found = data.table if isinstance(data, (Mixed, PublishedMixed)) else data
    if not isinstance(found, (Table, PublishedTable)):
        raise NotApplicable(f"Risks of classes are those of a table or mixed data, got {type(data).__name__}.")
    return found


def _quasi_of(table: Table | PublishedTable, quasi: Sequence[str] | None) -> list[str]:
    names = list(table.quasi if quasi is None else quasi)
    if not names:
        raise BadParameter(
            "table_risk: an adversary knows quasi-identifiers, and this table has none; name them (quasi=…).",
            parameter="quasi",
        )
    for name in names:
        table.column(name)
        if names.count(name) > 1:
            raise BadParameter(f"table_risk: column '{name}' is named twice.", parameter="quasi")
    return names
