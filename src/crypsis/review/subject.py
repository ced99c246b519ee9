"""Subject: what is reviewed. A release, and as much beside it as the review may use."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int64s
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.symbols import SymbolRows
from crypsis.guarantees import AllOf, DifferentialPrivacy, Guarantee, Verdict
from crypsis.translation import marked


@dataclass(frozen=True, eq=False)
class Subject:
    """Published data, what they promise, the verdict, and, where it may be used, the original.

    `aligned`: published rows stand in the order of the original. `settings` are the names of the parameters of the
    method, which remedies may name. The original of a differentially private release is never used. `public`: only what
    a recipient holds is used, so neither the original nor who the records belong to.
    """

    published: Any
    guarantee: Guarantee
    verdict: Verdict
    original: Any = field(default=None, repr=False)
    aligned: bool = False
    settings: frozenset[str] = frozenset()
    confirmed: frozenset[str] = frozenset()
    public: bool = False
    weights: Int64s | None = field(default=None, repr=False)  # records that each row stands for; one each without

    @property
    def private(self) -> bool:
        """Under differential privacy."""
        return isinstance(self.guarantee, DifferentialPrivacy)

    @property
    def promises(self) -> tuple[Guarantee, ...]:
        """The guarantee, or its parts."""
        return self.guarantee.parts if isinstance(self.guarantee, AllOf) else (self.guarantee,)

    @property
    def table(self) -> PublishedTable | None:
        """The published table, also of mixed data."""
        return self.published.table_part  # type: ignore[no-any-return]

    @property
    def original_table(self) -> Table | None:
        return None if self.original is None else self.original.table_part

    @cached_property
    def rows_of_symbols(self) -> SymbolRows | None:
        """Published trajectories or sets; None of other kinds."""
        return self.published.symbol_rows  # type: ignore[no-any-return]

    # People

    @cached_property
    def person(self) -> Int64s | None:
        """The person of every published row; None where each row is a person of its own, or nobody says."""
        if self.public or self.private:
            return None
        for holder in (self.published, self.original if self.aligned else None):
            for name in ("person", "owners"):
                codes = getattr(holder, name, None)
                if codes is not None and len(codes) == len(self.published):
                    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
        rows, owners = getattr(self.published, "input_rows", None), getattr(self.original, "owners", None)
        if rows is None or owners is None or int(rows.max(initial=-1)) >= len(owners):
            return None
        return np.unique(owners[rows], return_inverse=True)[1].astype(np.int64)

    @property
    def counts_people(self) -> bool:
        """The guarantee counts all records of a person as one: it says so, or it leaves it to the data to say so."""
        units = {promise.parameters().get("unit") for promise in self.promises}
        if units & {"owner", "person"}:
            return True
        return units == {None} and getattr(self.original, "person", None) is not None

    @property
    def noun(self) -> str:
        """What is counted: people, or records where it is not known who they belong to and several may be one's."""
        return "records" if self.counts_people and self.person is None else "people"

    def of(self, number: int, total: int) -> str:
        """`10,091 of 30,162 people (33 %)`."""
        share = f" ({percent(number / total)})" if total else ""
        return marked(f"{number:,} of {total:,} {self.noun}") + share

    def people(self, rows: Bools | None = None) -> int:
        """How many people the chosen rows are about."""
        if self.person is None:
            return self.records(np.ones(len(self.published), np.bool_) if rows is None else rows)
        return len(np.unique(self.person if rows is None else self.person[rows]))

    def records(self, rows: Bools) -> int:
        """How many records the chosen rows stand for."""
        return int(np.count_nonzero(rows) if self.weights is None else self.weights[rows].sum())

    # Classes of a table

    @cached_property
    def shown(self) -> Bools:
        """The records of the published table that are not suppressed."""
        assert self.table is not None
        return ~self.table.suppressed

    @property
    def classes(self) -> Int64s:
        """The class of every record of the published table."""
        assert self.table is not None
        return self.table.classes


def percent(share: float) -> str:
    """`33 %`, `4.2 %`, `0.03 %`."""
    return f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"
