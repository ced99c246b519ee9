"""Random sets of terms for tests of disassociation: patterns and noise, ties, repeats, empty records."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from crypsis.data.transaction import Transactions
from crypsis.methods import Disassociation
from tests.reference import disassociation as reference


@dataclass(frozen=True)
class Case:
    """Records and everything that may be asked of disassociating them."""

    records: list[list[str]]
    k: int
    m: int
    max_cluster_size: int | None
    refine: str
    guarded: bool
    min_causes: int | None
    sensitive: list[str]
    l: int  # noqa: E741
    max_passes: int | None

    def data(self) -> Transactions:
        return Transactions.from_lists(self.records, sensitive=self.sensitive)

    def method(self, **other: Any) -> Disassociation:
        return Disassociation(
            k=self.k,
            m=self.m,
            max_cluster_size=self.max_cluster_size,
            refine=self.refine,
            horpart="guarded" if self.guarded else "standard",
            safe=self.min_causes is not None,
            min_causes=self.min_causes or 2,
            l=self.l if self.sensitive else None,
            max_passes=self.max_passes,
            **other,
        )

    def expected(self) -> dict[str, Any]:
        """What the definition makes of it; raises `reference.Impossible`."""
        return reference.disassociate(
            self.records,
            self.k,
            self.m,
            max_cluster_size=self.max_cluster_size,
            refinement=self.refine,
            guarded=self.guarded,
            sensitive=self.sensitive,
            diversity=self.l,
            min_causes=self.min_causes,
            max_passes=self.max_passes,
        )[0]


def drawn(seed: int, most_records: int = 60) -> Case:
    """The case of a seed: hypothesis alone draws data too small and too uniform for clusters to be joined."""
    draw = random.Random(seed)
    n = draw.choice([size for size in (5, 12, 25, 60, 150) if size <= most_records])
    terms = [f"t{number}" for number in range(draw.choice([3, 6, 10, 20]))]
    weights = [1 / (place + 1) ** draw.choice([0, 0.5, 1]) for place in range(len(terms))]
    patterns = [draw.choices(terms, weights, k=draw.randint(1, 5)) for _ in range(draw.choice([3, 10, 1000]))]
    records = [
        sorted({*draw.choice(patterns), *draw.choices(terms, weights, k=draw.randint(0, 2))})
        if draw.random() < 0.97
        else []
        for _ in range(n)
    ]
    k = draw.choice([1, 2, 2, 3, 4])
    occurring = sorted({term for record in records for term in record})
    sensitive = draw.sample(occurring, min(len(occurring), draw.choice([0, 0, 0, 1, 2])))
    return Case(
        records,
        k,
        m=draw.choice([1, 2, 2, 3, 4]),
        max_cluster_size=draw.choice([2 * k, 2 * k, 3 * k, 5 * k, None]),
        refine=draw.choice(["uniform", "uniform", "uniform", "none", "property1"]),
        guarded=draw.random() < 0.2,
        min_causes=draw.choice([None, None, 1, 2, 3]),
        sensitive=sensitive,
        l=draw.choice([1, 2, 3]) if sensitive else 1,
        max_passes=draw.choice([None, None, 1, 2]),
    )
