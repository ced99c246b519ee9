"""The k^m verifier against the definition: verdict, witness, violations and the lowest support of each size."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import Guarantee, KmAnonymity, Verdict
from crypsis.verifiers import VERIFIERS, subsequence_supports, verify
from tests.reference import containment_matching, km_anonymity
from tests.strategies import published_rows

Rows = list[list[tuple[str, ...]]]


@contextmanager
def limits(**values: int) -> Iterator[None]:
    with ExitStack() as patches:
        for name, value in values.items():
            patches.enter_context(patch.object(subsequence_supports, name, value))
        yield


# Limits that only bound memory and time: whatever they are, the verdict is the same.
LIMITS = {
    "as it comes": {},
    "one first symbol at a time": {"ENTRIES_AT_ONCE": 1},
    "small blocks": {"ENTRIES_PER_BLOCK": 1},
    "every row walked": {"LONG_ROW": 0},
    "long rows walked": {"LONG_ROW": 5},
    "keys packed by tables": {"WHOLE": 5},
    "keys packed by tables, individuals apart": {"WHOLE": 200},
    "everything at once": {"ENTRIES_AT_ONCE": 3, "ENTRIES_PER_BLOCK": 2, "LONG_ROW": 3, "WHOLE": 30},
}


def canonical(rows: Rows) -> Rows:
    return [[tuple(sorted(symbol)) for symbol in row] for row in rows]


def assert_as_in_the_reference(verdict: Verdict, answer: km_anonymity.Answer) -> None:
    assert verdict.holds == bool(verdict) == answer.holds
    assert verdict.figures["min_support_by_size"] == answer.min_support_by_size
    assert verdict.achieved == min(answer.min_support_by_size, default=None)
    if answer.holds:
        assert verdict.witness is None
        assert verdict.problem is None
    else:
        assert verdict.witness is not None
        assert verdict.witness.symbols == answer.witness
        assert verdict.witness.size == len(answer.witness)
        assert verdict.witness.support == answer.support
        assert verdict.witness.violations == answer.violations


@pytest.mark.parametrize("limit", LIMITS)
@given(published_rows(), st.integers(1, 5), st.integers(0, 5))
def test_any_rows_are_judged_as_by_the_definition(limit: str, rows: Rows, k: int, m: int) -> None:
    with limits(**LIMITS[limit]):
        verdict = verify(PublishedTrajectories.from_lists(rows), KmAnonymity(k=k, m=m))
    assert_as_in_the_reference(verdict, km_anonymity.check(canonical(rows), k, m))


@pytest.mark.parametrize("limit", LIMITS)
@given(published_rows(), st.integers(1, 4), st.integers(0, 4), st.data())
def test_owners_are_counted_as_by_the_definition(limit: str, rows: Rows, k: int, m: int, data: st.DataObject) -> None:
    owners = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    published = dataclasses.replace(PublishedTrajectories.from_lists(rows), owners=np.array(owners, np.int32))
    with limits(**LIMITS[limit]):
        verdict = verify(published, KmAnonymity(k=k, m=m, unit="owner"))
    assert_as_in_the_reference(verdict, km_anonymity.check(canonical(rows), k, m, owners))


@given(published_rows(), st.integers(1, 4), st.integers(0, 4), st.data())
def test_the_order_of_the_rows_does_not_matter(rows: Rows, k: int, m: int, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    one, other = (
        verify(PublishedTrajectories.from_lists(some), KmAnonymity(k=k, m=m)).to_dict() for some in (rows, shuffled)
    )
    assert one == other


@pytest.mark.parametrize("m", [2, 3])
def test_rows_so_long_that_they_are_walked_are_judged_as_by_the_definition(m: int) -> None:
    draw = random.Random(7)
    length = {2: 210, 3: 55}[m]
    rows = [[(draw.choice("abcdefghijklmnopqrstuvwxyz"),) for _ in range(length)] for _ in range(5)]
    rows += [row[: length // 3] for row in rows]
    assert len(rows[0]) * (len(rows[0]) - 1) // 2 > subsequence_supports.LONG_ROW or m == 3
    published = PublishedTrajectories.from_lists(rows)
    for k in (2, 3, 11):
        assert_as_in_the_reference(verify(published, KmAnonymity(k=k, m=m)), km_anonymity.check(rows, k, m))


def test_a_row_of_one_symbol_a_thousand_times() -> None:
    rows = [["a"] * 1000, ["a"] * 1000, ["a"] * 3]
    published = PublishedTrajectories.from_lists(rows)
    assert verify(published, KmAnonymity(k=2, m=5)).figures["min_support_by_size"] == [3, 3, 3, 2, 2]


@pytest.mark.parametrize("limit", LIMITS)
def test_the_witness_is_named_whatever_the_limits(limit: str) -> None:
    """All parts of it are shared by two, and symbols before, between and behind its own never begin anything."""
    rows = [["b", "d", "f"], ["b", "d"], ["b", "f"], ["d", "f"], *[["a"], ["c"], ["e"], ["g"]] * 2]
    with limits(**LIMITS[limit]):
        verdict = verify(PublishedTrajectories.from_lists(rows), KmAnonymity(k=2, m=3))
    assert verdict.witness is not None
    assert verdict.witness.symbols == (("b",), ("d",), ("f",))
    assert (verdict.witness.support, verdict.witness.violations) == (1, 1)


@pytest.mark.long
def test_more_symbols_than_one_integer_can_pack() -> None:
    labels = [f"{number:05}" for number in range(70_000)]
    five = labels[60_000:60_005]
    assert len(labels) ** 5 > subsequence_supports.WHOLE
    rows = [[label] for label in labels] * 2 + [five] + [list(four) for four in combinations(five, 4)]
    verdict = verify(PublishedTrajectories.from_lists(rows), KmAnonymity(k=2, m=5))
    assert verdict.figures["min_support_by_size"] == [2, 4, 3, 2, 1]
    assert verdict.witness is not None
    assert verdict.witness.symbols == tuple((label,) for label in five)


@pytest.mark.parametrize("rows", [[], [[]], [[], []]], ids=str)
def test_nothing_published_breaks_no_promise(rows: Rows) -> None:
    published = PublishedTrajectories.from_lists(rows)
    original = Trajectories.from_lists(rows, locations={"a": (0, 0)})
    for given_original in (None, original):
        verdict = verify(published, KmAnonymity(k=3, m=2), original=given_original)
        assert verdict.holds
        assert verdict.achieved is None
        assert "nothing rare occurs" in str(verdict)


def test_hiding_everything_is_noticed_unless_it_is_declared() -> None:
    original = Trajectories.from_lists([["a"], ["b"]], locations={"a": (0, 0), "b": (1, 0)})
    hidden = verify(PublishedTrajectories.from_lists([[], []]), KmAnonymity(k=2, m=1), original=original)
    assert not hidden.holds
    assert "'a' was visited but lies in no published symbol" in str(hidden)
    declared = PublishedTrajectories.from_lists([[], []], longest=0)
    assert verify(declared, KmAnonymity(k=2, m=1), original=original).holds


@given(published_rows(max_rows=5, max_length=4), st.integers(1, 3), st.integers(0, 3), st.data())
def test_with_the_original_the_rows_must_also_be_its_recoding(rows: Rows, k: int, m: int, data: st.DataObject) -> None:
    """The original is drawn near the published rows: one member of each symbol, in any order of the rows."""
    picked = [[data.draw(st.sampled_from(symbol)) for symbol in row] for row in rows]
    paths = data.draw(st.permutations(picked))
    longest = data.draw(st.none() | st.integers(0, 4))
    original = Trajectories.from_lists(paths, locations=dict.fromkeys("abcd", (0, 0)))
    published = PublishedTrajectories.from_lists(rows, longest=longest)
    verdict = verify(published, KmAnonymity(k=k, m=m), original=original)
    honest = containment_matching.is_global_recoding(paths, canonical(rows), longest)
    answer = km_anonymity.check(canonical(rows), k, m)
    assert verdict.holds == (honest and answer.holds)
    if honest:
        assert_as_in_the_reference(verdict, answer)
    else:
        assert verdict.witness is None
        assert verdict.achieved is None
        assert verdict.problem


def test_a_verdict_says_what_is_broken_and_by_what() -> None:
    rows = [["home", "clinic"]] * 3 + [["home"]] * 2 + [["clinic", ["bar", "pub"]]] * 5
    verdict = verify(PublishedTrajectories.from_lists(rows), KmAnonymity(k=5, m=2))
    assert str(verdict).endswith("is broken: (home, clinic) occurs in 3 trajectories, 5 are required.")
    assert str(verdict).startswith("k^m-anonymity (k=5, m=2")
    assert verdict.to_dict()["witness"] == {
        "size": 2,
        "support": 3,
        "witness": [["home"], ["clinic"]],
        "violations": 1,
    }
    lone = verify(PublishedTrajectories.from_lists([[["bar", "pub"]]]), KmAnonymity(k=2, m=1))
    assert str(lone).endswith("({bar, pub}) occurs in 1 trajectory, 2 are required.")


def test_a_verdict_says_when_no_protection_was_asked_for() -> None:
    published = PublishedTrajectories.from_lists([["a"], ["b"]])
    for promised in (KmAnonymity(k=1, m=2), KmAnonymity(k=9, m=0)):
        verdict = verify(published, promised)
        assert verdict.holds
        assert "protects nothing" in str(verdict)


def test_owners_are_not_counted_where_nobody_says_who_they_are() -> None:
    published = PublishedTrajectories.from_lists([["a"], ["a"]])
    by_owner = KmAnonymity(k=2, m=1, unit="owner")
    with pytest.raises(OriginalRequired):
        verify(published, by_owner)
    with pytest.raises(NotApplicable, match="owner"):
        verify(published, by_owner, original=Trajectories.from_lists([["a"], ["a"]]))


def test_owners_come_from_the_original_whatever_the_order_of_the_published_rows() -> None:
    rows = [["a"], ["a"], ["b"], ["b"]]
    original = Trajectories.from_lists(rows, owners=["u", "v", "w", "w"])
    published = PublishedTrajectories.from_lists(rows[::-1])
    verdict = verify(published, KmAnonymity(k=2, m=1, unit="owner"), original=original)
    assert verdict.witness is not None
    assert verdict.witness.symbols == (("b",),)
    assert str(verdict).endswith("(b) occurs in 1 owner, 2 are required.")
    assert verify(published, KmAnonymity(k=2, m=1), original=original).holds


def test_other_data_and_other_promises_are_refused_in_words() -> None:
    published = PublishedTrajectories.from_lists([["a"]])
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(NotApplicable, match="cannot be checked on Trajectories"):
        verify(original, KmAnonymity())
    with pytest.raises(NotApplicable, match="original must be Trajectories, got PublishedTrajectories"):
        verify(published, KmAnonymity(), original=published)


def test_every_guarantee_has_a_verifier() -> None:
    from crypsis.guarantees import GUARANTEES

    assert {promise for promise, _ in VERIFIERS} == set(GUARANTEES.values())
    assert all(issubclass(promise, Guarantee) for promise in GUARANTEES.values())
