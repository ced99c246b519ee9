"""A person with several records: they share epsilon, whichever method divides the domain.

A wrong verdict of an audit here has a chance of less than one in 10^9.
"""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest

from crypsis import AttributeDomains, DiffGen, DiffMulti, NumericDomain, Table, audit_privacy
from crypsis.errors import BadParameter, NotApplicable
from crypsis.journal import Journal
from crypsis.noise import ExactNoise
from crypsis.verifiers.run_ledger import check_run_ledger
from tests.noise.providers import NoNoise

BY_CHANCE = 1e-9


@pytest.mark.parametrize("kind", [DiffGen, DiffMulti])
def test_records_of_one_person_share_epsilon(kind):
    """The first two records of each person count, and every count has twice the noise of one record."""
    frame = pl.DataFrame({"id": ["u", "v", "u", None, "u", None], "x": [0, 1, 1, 2, 3, 2]})
    table = Table.from_frame(frame, {"id": "identifier", "x": "quasi"}, {"id": "category", "x": "int"})
    asked = []

    class Watching(NoNoise):
        def laplace(self, counts, epsilon):
            asked.append((counts.tolist(), epsilon))
            return super().laplace(counts, epsilon)

    method = kind(specializations=0, records_per_person=2, domains=AttributeDomains({"x": NumericDomain(0, 4)}))
    made = method.generalized(table, Journal(), Watching())
    assert asked == [([5], Fraction(1, 2))]
    assert made.budget["spent"] == "1"
    assert made.budget["records_per_person"] == 2
    assert check_run_ledger(made.ledger["ledger"]).spent == 1
    assert '"sensitivity": "2"' in json.dumps(made.ledger)
    with pytest.raises(NotApplicable, match="tells persons apart"):
        method.generalized(Table.from_frame(frame.drop("id"), {"x": "quasi"}), Journal(), NoNoise())
    with pytest.raises(BadParameter):
        kind(records_per_person=0)


@pytest.mark.parametrize("kind", [DiffGen, DiffMulti])
@pytest.mark.parametrize("honest", [True, False])
def test_a_person_with_three_records_is_protected_as_a_whole(kind, honest):
    """Three records added at once; without sharing epsilon between them the audit convicts."""
    one = {"domains": AttributeDomains({"x": NumericDomain(0, 1)})}
    method = kind(epsilon=2, specializations=0, records_per_person=3 if honest else None, **one)

    def runs_on(ids, runs):
        frame = pl.DataFrame({"id": pl.Series(ids, dtype=pl.String), "x": pl.Series([0] * len(ids), dtype=pl.Int64)})
        roles = {"id": "identifier" if honest else "other", "x": "quasi"}
        table = Table.from_frame(frame, roles, {"id": "category", "x": "int"})
        noise, found = ExactNoise(), []
        for _ in range(runs):
            noise.calls = 0
            found.append(method.generalized(table, Journal(), noise).records)
        return found

    people = ["a", "b", "c", "d", "e", "e", "e"], ["a", "b", "c", "d"]
    assert audit_privacy(runs_on, *people, 2, runs=1000, false_alarm=BY_CHANCE).convicted is not honest
