"""A person with several records: they share epsilon, whichever method divides the domain.

A wrong verdict of an audit here has a chance of less than one in 10^9.
"""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest

import crypsis
from crypsis import (
    AttributeDomains,
    DiffGen,
    DiffMulti,
    DiffPart,
    ItemDomain,
    NumericDomain,
    Table,
    Transactions,
    audit_privacy,
)
from crypsis.errors import BadParameter, PersonUndecided
from crypsis.noise import ExactNoise
from crypsis.run_context import RunContext
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
    made = method.generalized(table, RunContext(), Watching())
    assert asked == [([5], Fraction(1, 2))]
    assert made.budget["spent"] == "1"
    assert made.budget["records_per_person"] == 2
    assert check_run_ledger(made.ledger["ledger"]).spent == 1
    assert '"sensitivity": "2"' in json.dumps(made.ledger)
    asked.clear()
    alone = Table.from_frame(frame.drop("id"), {"x": "quasi"})  # nothing says whose a record is: an assumption
    method.generalized(alone, RunContext(), Watching())
    assert asked == [([6], Fraction(1, 2))]
    assert "Nobody has more than 2 records" in " ".join(method.guarantee_of(alone, None).stated("assumptions"))
    assert method.guarantee_of(table, None).persons == "told-by-ids"
    with pytest.raises(BadParameter):
        kind(records_per_person=0)


@pytest.mark.long
@pytest.mark.parametrize("kind", [DiffGen, DiffMulti])
@pytest.mark.parametrize("honest", [True, False])
def test_a_person_with_three_records_is_protected_as_a_whole(kind, honest):
    """Three records added at once; without sharing epsilon between them the audit convicts."""
    one = {"domains": AttributeDomains({"x": NumericDomain(0, 1)})}
    method = kind(epsilon=2, specializations=0, records_per_person=3 if honest else 1, **one)

    def runs_on(ids, runs):
        frame = pl.DataFrame({"id": pl.Series(ids, dtype=pl.String), "x": pl.Series([0] * len(ids), dtype=pl.Int64)})
        roles = {"id": "identifier" if honest else "other", "x": "quasi"}
        table = Table.from_frame(frame, roles, {"id": "category", "x": "int"})
        noise, found = ExactNoise(), []
        for _ in range(runs):
            noise.calls = 0
            found.append(method.generalized(table, RunContext(), noise).records)
        return found

    people = ["a", "b", "c", "d", "e", "e", "e"], ["a", "b", "c", "d"]
    assert audit_privacy(runs_on, *people, 2, runs=1000, false_alarm=BY_CHANCE).convicted is not honest


@pytest.mark.parametrize("kind", [DiffGen, DiffMulti])
def test_of_a_person_one_record_counts_unless_more_are_declared(kind):
    """A repeated id is no reason to refuse: that would tell that somebody has two records."""
    frame = pl.DataFrame({"id": ["u", "u", "v", "u"], "x": [1, 2, 2, 3]})
    domains = AttributeDomains({"x": NumericDomain(0, 4)})
    for roles, person in (({"id": "identifier", "x": "quasi"}, None), ({"x": "quasi"}, "id")):
        table = Table.from_frame(frame, roles, person=person)
        method = kind(specializations=0, domains=domains)
        assert method.generalized(table, RunContext(), NoNoise()).records == 2
    table = Table.from_frame(frame, {"id": "other", "x": "quasi"})
    with pytest.raises(PersonUndecided):
        crypsis.anonymize(table, method)


def test_sets_of_a_person_are_bounded_and_their_noise_grows():
    baskets = Transactions.from_lists([["a"]] * 900 + [["b"]] * 300, person=[number // 3 for number in range(1200)])
    asked = []

    class Watching(NoNoise):
        def laplace(self, counts, epsilon):
            asked.append((int(counts.sum()), epsilon))
            return super().laplace(counts, epsilon)

    for most in (1, 2, 5):
        asked.clear()
        method = DiffPart(epsilon=4, records_per_person=most, item_domain=ItemDomain(["a", "b"]))
        made = method.synthesized(baskets, RunContext(), Watching())
        assert sum(copies for copies, _ in made.to_lists()) == 400 * min(most, 3)
        assert made.budget["spent"] == "4"
        assert check_run_ledger(made.ledger["ledger"]).spent == 4
        assert f'"sensitivity": "{most}"' in json.dumps(made.ledger)
        assert sum(epsilon for _, epsilon in asked) == Fraction(4, most)
