"""RumBound and TumBound unite the clusters that their slow and obvious versions unite, and publish the same items."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.data.mixed import Mixed
from crypsis.data.transaction import Transactions
from crypsis.errors import Infeasible
from crypsis.hierarchy import ItemHierarchy
from crypsis.methods import RumBound, TumBound
from crypsis.methods.mixed.mixed_method import MixedMethod
from crypsis.run_context import RunContext
from tests.methods.relational.obvious import Small, small_tables
from tests.reference import mixed as reference
from tests.reference import tables

# Unbalanced: b is nearer to the root than the others.
ITEMS = ItemHierarchy(
    [("a", "1"), ("c", "1"), ("d", "2"), ("e", "2"), ("1", "3"), ("2", "root"), ("3", "root"), ("b", "root")]
)
WAYS = {"a": "a13r", "c": "c13r", "d": "d2r", "e": "e2r", "b": "br"}
deltas = st.sampled_from([0.2, 0.4, 0.5, 0.65, 0.8, 1.0])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Small, Mixed, reference.Problem]:
    small = draw(small_tables(max_rows=10))
    record = st.frozensets(st.sampled_from("abcde"), max_size=3)
    records = draw(st.lists(record, min_size=len(small.rows), max_size=len(small.rows)))
    occurring = sorted(frozenset().union(*records))
    sensitive = frozenset(occurring[:1]) if occurring and draw(st.booleans()) else frozenset()
    problem = reference.Problem(
        small.rows, small.attributes, records, sensitive,
        k=draw(st.integers(1, 3)), m=draw(st.integers(1, 2)), l=draw(st.integers(1, 2)),
        merge=draw(st.sampled_from(["r", "t", "rt"])), score=draw(st.sampled_from(["btd", "btd", "btd-or", "ul"])),
        ul_form=draw(st.sampled_from(["zero", "zero", "literal", "semantic"])), ways=WAYS,
    )  # fmt: skip
    transactions = Transactions.from_lists([sorted(one) for one in records], sorted(sensitive))
    return small, Mixed(small.table(), transactions, "codes", ("codes",)), problem


def common(small: Small, problem: reference.Problem, delta: float) -> dict[str, Any]:
    names = ("k", "m", "l", "merge", "score")
    return {name: getattr(problem, name) for name in names} | {
        "delta": delta,
        "seeds": "first",
        "hierarchy": small.hierarchies,
        "item_hierarchy": ITEMS,
        "item_loss": problem.ul_form,
    }


def formed(small: Small, problem: reference.Problem) -> list[reference.Group]:
    """The clusters before any is united; none where there are too few records."""
    if len(small.rows) < problem.k:
        return []
    clusters = tables.cluster(small.rows, small.attributes, problem.k, "first", lambda group: len(group) < problem.k)
    return [tuple(sorted(one)) for one in clusters]


def hopeless(problem: reference.Problem) -> bool:
    return any(
        problem.l * sum(secret in record for record in problem.records) > len(problem.records)
        for secret in problem.sensitive
    )


def compare(
    method: MixedMethod, data: Mixed, problem: reference.Problem, expected: list[reference.Group] | None
) -> None:
    context = RunContext()
    if expected is None or hopeless(problem) or any(map(problem.lacks, expected)):
        with pytest.raises(Infeasible):
            method.anonymize(data, context)
        return
    published = method.anonymize(data, context)
    assert sorted(map(tuple, context.private["clusters"])) == sorted(expected)
    shown = published.transactions.to_lists()
    for group in expected:
        for record, symbols in zip(group, problem.items(group), strict=True):  # type: ignore[arg-type]
            known = {(one,) if isinstance(one, str) else tuple(one) for one in shown[record]}
            assert known - {(secret,) for secret in problem.sensitive} == symbols
            told = {one for one in shown[record] if isinstance(one, str) and one in problem.sensitive}
            assert told == problem.records[record] & problem.sensitive


@pytest.mark.parametrize("policy", ["exhaustive", "paper"])
@settings(max_examples=40)
@given(drawn=problems(), delta=deltas)
def test_rum_bound(policy: str, drawn: tuple[Small, Mixed, reference.Problem], delta: float) -> None:
    small, data, problem = drawn
    method = RumBound(policy=policy, **common(small, problem, delta))
    groups = formed(small, problem)
    bound = Fraction(repr(delta))
    expected = None
    if groups and problem.ncp(groups) <= bound:
        expected = reference.rmerge(problem, groups, bound, as_printed=policy == "paper")
    compare(method, data, problem, expected)


@settings(max_examples=40)
@given(drawn=problems(), delta=deltas)
def test_tum_bound(drawn: tuple[Small, Mixed, reference.Problem], delta: float) -> None:
    small, data, problem = drawn
    groups = formed(small, problem)
    expected = reference.tmerge(problem, groups, Fraction(repr(delta))) if groups else None
    compare(TumBound(**common(small, problem, delta)), data, problem, expected)
