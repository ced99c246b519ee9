"""The diversity that a relational method is asked for, as the kernels take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.relational import Column, Table
from crypsis.errors import BadParameter, Infeasible
from crypsis.guarantees import Guarantee, LDiversity, TCloseness
from crypsis.kernels.class_diversity import (
    DISTINCT,
    ENTROPY,
    EQUAL,
    NOT_COUNTED,
    ORDERED,
    RECURSIVE,
    Constraints,
    People,
    bad_classes,
    is_diverse,
)

_KINDS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE, "equal": EQUAL, "ordered": ORDERED}
_LARGEST_DENOMINATOR = 10**9


@dataclass(frozen=True, eq=False)
class Diversity:
    """Constraints on every sensitive column; `codes` has one column for each of these, -1 where missing.

    `person` is the person of every record where people are counted, `share` what a record is of all of that person's,
    and `table` the shares of every value, laid out like the counts in `constraints.table`.
    """

    constraints: Constraints
    codes: Int32s
    asked: tuple[Guarantee, ...]
    person: Int64s | None = None
    share: Float64s | None = None
    table: Float64s | None = None
    weights: Int64s | None = None  # records that each row stands for; one each without

    @classmethod
    def of(cls, table: Table, asked: Sequence[Guarantee], owner: str, weights: Int64s | None = None) -> Diversity:
        """For the promises among `asked` that look at sensitive values."""
        wanted = diverse_promises(asked)
        columns = table.with_role("sensitive") if wanted else ()
        counts = [_counts(column, weights) for column in columns]
        constraints = constraints_on(wanted, counts, owner)
        rows = [(promise, index) for promise in wanted for index in range(len(columns))]
        codes = (
            np.stack([column.codes for column in columns], axis=1) if columns else np.zeros((len(table), 0), np.int32)
        )
        if table.person is None:
            return cls(constraints, codes, tuple(wanted), weights=weights)
        share = 1 / np.bincount(table.person)[table.person]
        shares = [_shares(columns[slot].codes, share, len(columns[slot].domain)) for _, slot in rows]
        whole = np.concatenate(shares) if shares else np.zeros(0)
        return cls(constraints, codes, tuple(wanted), table.person, share, whole)

    def counting(self, person: Int64s, share: Float64s, whole: Sequence[Float64s]) -> Diversity:
        """The same where people are counted; `whole` are the shares of every value of each sensitive column."""
        return replace(self, person=person, share=share, table=shares_of_all(self.constraints, whole))

    def without_constraints(self) -> Diversity:
        """Only the size of classes counts."""
        empty = {name: array[:0] for name, array in self.constraints._asdict().items()}
        constraints = Constraints(**empty | {"table_start": np.zeros(1, np.int64)})
        return replace(self, constraints=constraints, asked=(), table=None if self.table is None else self.table[:0])

    def of_records(self, records: Int64s) -> Diversity:
        """The same constraints on some records; what a record is of all of its person's stays."""
        if self.person is None or self.share is None:
            return replace(self, codes=self.codes[records])
        return replace(self, codes=self.codes[records], person=self.person[records], share=self.share[records])

    def people(self, records: Int64s, weights: Int64s) -> People:
        """Of rows, one record each, that stand for so many; the rows of a person must follow one another."""
        if self.person is None or self.share is None or self.table is None:
            return NOT_COUNTED
        return People(self.person[records], self.share[records] * weights, self.table)

    @cached_property
    def by_person(self) -> Int64s:
        """All records, those of a person one after another where people are counted, else as they are."""
        if self.person is None:
            return np.arange(len(self.codes))
        return np.argsort(self.person, kind="stable").astype(np.int64)

    @property
    def n_individuals(self) -> int:
        return self.n_records if self.person is None else len(np.unique(self.person))

    @property
    def n_records(self) -> int:
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def asks_nothing(self) -> bool:
        return len(self.constraints.kind) == 0

    @property
    def grows_with_unions(self) -> bool:
        """Uniting a bad class with a good one never makes a bad one: records in bad classes only become fewer."""
        only_distinct = all(promise.form == "distinct" for promise in self.asked if isinstance(promise, LDiversity))
        no_t = not any(isinstance(promise, TCloseness) for promise in self.asked)
        return self.asks_nothing or (only_distinct and no_t and not (self.codes < 0).any())

    def bad(self, class_of: Int64s, n_classes: int, k: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which classes are too small or not diverse."""
        weights = np.ones(len(class_of), np.int64) if self.weights is None else self.weights
        if self.person is None:
            return bad_classes(class_of, n_classes, weights, self.codes, k, self.constraints, NOT_COUNTED)
        order = self.by_person
        people = self.people(order, weights)
        return bad_classes(class_of[order], n_classes, weights, self.codes[order], k, self.constraints, people)

    def refuse_hopeless(self, k: int) -> None:
        """`Infeasible` where even all records together are too few or not diverse: then no table is good enough."""
        n_records, n_individuals = self.n_records, self.n_individuals
        if n_individuals < k:
            raise _too_few(n_records, n_individuals, k, "records" if self.person is None else "people")
        if n_records and not self.asks_nothing and self.bad(np.zeros(len(self.codes), np.int64), 1, k)[0]:
            raise _not_diverse(self.asked)


def _counts(column: Column, weights: Int64s | None) -> Int64s:
    """Records with each value of a column."""
    known = column.codes >= 0
    if weights is None:
        return np.bincount(column.codes[known], minlength=len(column.domain)).astype(np.int64)
    counts = np.zeros(len(column.domain), np.int64)
    np.add.at(counts, column.codes[known], weights[known])
    return counts


def diverse_promises(asked: Sequence[Guarantee]) -> list[Guarantee]:
    """The promises that look at sensitive values."""
    return [promise for promise in asked if isinstance(promise, (LDiversity, TCloseness))]


def constraints_on(wanted: Sequence[Guarantee], counts: Sequence[Int64s], owner: str) -> Constraints:
    """Every promise about every sensitive column; `counts` are those of all records, column by column."""
    if wanted and not counts:
        raise BadParameter(
            f"{owner}: {wanted[0].model} needs a sensitive column; give at least one the role sensitive.",
            parameter="roles",
        )
    rows = [(promise, index) for promise in wanted for index in range(len(counts))]
    bounds = [_bound(promise) for promise, _ in rows]
    tables = [counts[slot] for _, slot in rows]
    return Constraints(
        kind=np.array([_KINDS[_form(promise)] for promise, _ in rows], np.int8),
        column=np.array([slot for _, slot in rows], np.int64),
        bound=np.array([getattr(promise, "l", 0) for promise, _ in rows], np.int64),
        numerator=np.array([bound.numerator for bound in bounds], np.int64),
        denominator=np.array([bound.denominator for bound in bounds], np.int64),
        table=np.concatenate(tables).astype(np.int64) if tables else np.zeros(0, np.int64),
        table_start=offsets_of(np.array([len(table) for table in tables], np.int64)),
    )


def refuse_hopeless_counts(constraints: Constraints, wanted: Sequence[Guarantee], n_records: int, k: int) -> None:
    """`Infeasible` where even all records together are too few or not diverse."""
    if n_records < k:
        raise _too_few(n_records, n_records, k, "records")
    if n_records and not all(
        is_diverse(
            constraints, which, constraints.table[constraints.table_start[which] : constraints.table_start[which + 1]]
        )
        for which in range(len(constraints.kind))
    ):
        raise _not_diverse(wanted)


def refuse_hopeless_people(
    constraints: Constraints,
    wanted: Sequence[Guarantee],
    n_records: int,
    n_people: int,
    k: int,
    people: Sequence[Int64s],
) -> None:
    """The same where people are counted; `people` have each value of each sensitive column. No column is away from
    itself."""
    if n_people < k:
        raise _too_few(n_records, n_people, k, "people")
    for which, kind in enumerate(constraints.kind.tolist()):
        if kind not in (EQUAL, ORDERED) and not is_diverse(constraints, which, people[constraints.column[which]]):
            raise _not_diverse(wanted)


def shares_of_all(constraints: Constraints, whole: Sequence[Float64s]) -> Float64s:
    """The shares of the whole column of every constraint, as the kernels take them."""
    return np.concatenate([np.zeros(0), *(whole[index] for index in constraints.column.tolist())])


def _too_few(n_records: int, n_individuals: int, k: int, counted: str) -> Infeasible:
    return Infeasible(
        f"No {k}-anonymous table exists: there are {n_individuals} {counted}. Add {counted} or lower k.",
        records=n_records,
        k=k,
    )


def _not_diverse(wanted: Sequence[Guarantee]) -> Infeasible:
    words = " and ".join(map(str, wanted))
    return Infeasible(
        f"No table has {words}: all records together do not have it. Lower l, raise t or c, or allow records "
        "to be suppressed."
    )


def _shares(codes: Int32s, share: Float64s, n_values: int) -> Float64s:
    valued = codes >= 0
    return np.bincount(codes[valued], weights=share[valued], minlength=n_values).astype(np.float64)


def _form(promise: Guarantee) -> str:
    return promise.form if isinstance(promise, LDiversity) else getattr(promise, "distance", "")


def _bound(promise: Guarantee) -> Fraction:
    """c or t as the fraction that its decimal text says; what is finer than 10^-9 is rounded to the strict side."""
    number = promise.c if isinstance(promise, LDiversity) else getattr(promise, "t", None)
    if number is None:
        return Fraction(0)
    exact = Fraction(repr(float(number)))
    if exact.denominator <= _LARGEST_DENOMINATOR:
        return exact
    return Fraction(exact.numerator * _LARGEST_DENOMINATOR // exact.denominator, _LARGEST_DENOMINATOR)
