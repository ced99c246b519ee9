"""How private a table is, whoever made it: the level that it reaches under every model at once."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.data.mixed import PublishedMixed
from crypsis.data.relational import PublishedColumn, PublishedTable, Table
from crypsis.errors import NotApplicable
from crypsis.parameters import Above, Parameter
from crypsis.verifiers.l_diversity import distinct_values, entropy_values
from crypsis.verifiers.sensitive_counts import SensitiveCounts
from crypsis.verifiers.t_closeness import distances, distances_of_people
from crypsis.verifiers.table_classes import TableClasses

DEFAULT_C = 2.0

_C = Parameter("c", float, False, (Above(0),), "Of recursive diversity.", MISSING)


@dataclass(frozen=True)
class SensitiveLevels:
    """What one sensitive column reaches; None where no class has a value, or where the original would be needed.

    `recursive_l` is the largest l for which (c,l)-diversity holds, 0 where none is. `ordered_t` is told of numbers and
    dates only.
    """

    column: str
    distinct_l: int | None
    entropy_l: float | None
    recursive_l: int | None
    c: float
    equal_t: float | None
    ordered_t: float | None


@dataclass(frozen=True)
class TableLevels:
    """Counts and levels of a table. `problem` says why nothing can be relied on, where that is so.

    Where the table says whose its records are, levels are those of people; `people` counts them.
    """

    records: int
    suppressed: int
    classes: int
    k: int | None
    sensitive: tuple[SensitiveLevels, ...]
    problem: str | None
    people: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self) | {"sensitive": [asdict(column) for column in self.sensitive]}


def table_levels(
    published: PublishedTable | PublishedMixed, original: Table | None = None, *, c: float = DEFAULT_C
) -> TableLevels:
    """The level of k-anonymity, of l-diversity in three forms and of t-closeness in two.

    t-closeness of a table with suppressed records needs the original.

    >>> import polars as pl
    >>> from crypsis.data.foreign_table import foreign_table
    >>> rows = pl.DataFrame({"age": ["3*", "3*", "4*", "4*"], "disease": ["flu", "cold", "flu", "flu"]})
    >>> found = table_levels(foreign_table(rows, quasi=["age"], sensitive=["disease"]))
    >>> found.k, found.sensitive[0].distinct_l, found.sensitive[0].equal_t
    (2, 1, 0.25)
    """
    c = _C.check(c, "table_levels")
    table = published.table if isinstance(published, PublishedMixed) else published
    if not isinstance(table, PublishedTable):
        raise NotApplicable(f"Levels are those of a published table, got {type(published).__name__}.")
    classes = TableClasses.of(table, table.person)
    return TableLevels(
        len(table),
        classes.n_suppressed,
        len(classes.sizes),
        int(classes.individuals.min()) if len(classes.sizes) else None,
        tuple(_levels(column, classes, original, c) for column in table.with_role("sensitive")),
        classes.problem,
        None if table.person is None else len(np.unique(table.person)),
    )


def _levels(column: PublishedColumn, classes: TableClasses, original: Table | None, c: float) -> SensitiveLevels:
    whole = None if original is None else original.column(column.name)
    counts = SensitiveCounts.of(column, classes, whole)
    valued = counts.totals > 0
    equal: float | None = None
    ordered: float | None = None
    if whole is not None or not classes.n_suppressed:
        equal = _largest(_distances(counts, ordered=False), valued)
        if column.type != "category":
            ordered = _largest(_distances(counts, ordered=True), valued)
    if not valued.any():
        return SensitiveLevels(column.name, None, None, None, c, None, None)
    return SensitiveLevels(
        column.name,
        int(distinct_values(counts)[valued].min()),
        float(entropy_values(counts)[valued].min()),
        int(_recursive_levels(counts, c)[valued].min()),
        c,
        equal,
        ordered,
    )


def _distances(counts: SensitiveCounts, *, ordered: bool) -> Float64s:
    if counts.shares is not None:
        return distances_of_people(counts, ordered)
    numerators, denominators = distances(counts, ordered)
    shares: Float64s = numerators / np.maximum(denominators, 1)
    return shares


def _largest(shares: Float64s, valued: Bools) -> float | None:
    return float(shares[valued].max()) if valued.any() else None


def _recursive_levels(counts: SensitiveCounts, c: float) -> Int64s:
    """For each class the largest l with f1 < c (fl + ... + fq), 0 where there is none; decided in whole numbers."""
    exact = Fraction(repr(float(c)))
    owner = np.repeat(np.arange(len(counts.start) - 1), np.diff(counts.start))
    order = np.lexsort((-counts.counts, owner))
    ordered = counts.counts[order]
    before = np.cumsum(ordered) - ordered
    rest = counts.totals[owner] - (before - before[counts.start[owner]])  # this value and all rarer ones
    most = ordered[counts.start[owner]]
    if max(exact.denominator, exact.numerator) > 10**6:  # whole numbers without a limit
        most, rest = most.astype(object), rest.astype(object)
    holds = (most * exact.denominator < rest * exact.numerator).astype(np.bool_)
    return np.bincount(owner[holds], minlength=len(counts.start) - 1).astype(np.int64)
