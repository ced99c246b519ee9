"""Verifiers of sequence and pattern-preserving k-anonymity against the definition, and against tampering."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.arrays import Int32s, Int64s, offsets_of
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired, TooFewTrajectories
from crypsis.guarantees import PatternPreservingKAnonymity, SequenceKAnonymity, Verdict
from crypsis.journal import Journal
from crypsis.methods import BFP2kA, KAMCut, KAMRec
from crypsis.verifiers import verify
from crypsis.verifiers.containing_rows import Rows as RowsToSearch
from tests.reference.prefix_tree import contains
from tests.strategies import Dataset, datasets

Rows = list[tuple[str, ...]]
rows_of_letters = st.lists(st.lists(st.sampled_from("abc"), max_size=4).map(tuple), max_size=7)


def trajectories(rows: Rows, owners: list[int] | None = None) -> Trajectories:
    return Trajectories.from_lists([list(row) for row in rows], owners=owners)


def published_as(rows: Rows) -> PublishedTrajectories:
    return PublishedTrajectories.from_lists([list(row) for row in rows])


def support(part: tuple[str, ...], rows: Rows) -> int:
    return sum(contains(row, part) for row in rows)  # type: ignore[arg-type]


def parts_of(rows: Rows) -> set[tuple[str, ...]]:
    return {part for row in rows for size in range(1, len(row) + 1) for part in combinations(row, size)}


@given(rows_of_letters, rows_of_letters, st.integers(1, 3), st.booleans())
def test_the_verdict_is_that_of_the_definition_over_all_parts(
    original: Rows, published: Rows, k: int, strict: bool
) -> None:
    in_both = {part: (support(part, original), support(part, published)) for part in parts_of(published)}
    definition_9 = all(before >= k or after >= k for before, after in in_both.values())
    alone = all(after >= k for _, after in in_both.values())
    preserving = all(before >= k for before, _ in in_both.values())
    data, release = trajectories(original), published_as(published)
    promised = SequenceKAnonymity(k=k, strict=strict)
    assert verify(release, promised, data).holds == (definition_9 and (alone or not strict))
    assert verify(release, PatternPreservingKAnonymity(k=k), data).holds == preserving
    if alone or strict:
        assert verify(release, promised).holds == alone
    else:
        with pytest.raises(OriginalRequired, match="Not established"):
            verify(release, promised)


@given(rows_of_letters, rows_of_letters, st.integers(2, 4))
def test_the_witness_is_the_shortest_then_rarest_then_first_published_sequence(
    original: Rows, published: Rows, k: int
) -> None:
    verdict = verify(published_as(published), PatternPreservingKAnonymity(k=k), trajectories(original))
    rare = sorted(
        (len(row), support(row, original), row) for row in set(published) if row and support(row, original) < k
    )
    assume(rare)
    size, least, row = rare[0]
    assert verdict.witness is not None
    assert verdict.witness.symbols == tuple((label,) for label in row)
    assert (verdict.witness.size, verdict.witness.support, verdict.witness.violations) == (size, least, len(rare))
    assert verdict.achieved == least


def broken_by(rows: Rows, promised: SequenceKAnonymity | PatternPreservingKAnonymity, data: Trajectories) -> Verdict:
    return verify(published_as(rows), promised, data)


@given(datasets(max_rows=10), st.integers(2, 4), st.data())
def test_a_planted_rare_sequence_is_noticed(dataset: Dataset, k: int, draw: st.DataObject) -> None:
    data = dataset.trajectories()
    original: Rows = [tuple(row) for row in data.to_lists()]
    for method in (KAMCut(k=k), KAMRec(k=k), KAMRec(k=k, strict=True), BFP2kA(k=k)):
        try:
            published: Rows = [tuple(map(str, row)) for row in method.anonymize(data, Journal()).to_lists()]
        except TooFewTrajectories:
            assume(False)
        assert broken_by(published, method.guarantee, data).holds
        rare = sorted(row for row in set(original) if row and support(row, original) < k)
        assume(rare)
        planted = draw.draw(st.sampled_from(rare))
        verdict = broken_by([*published, planted], method.guarantee, data)
        assert not verdict.holds
        assert verdict.witness is not None
        assert verdict.witness.symbols == tuple((label,) for label in planted)
        unheard = broken_by([*published, ("unheard of",)], method.guarantee, data)
        assert not unheard.holds


def test_taking_rows_away_breaks_only_what_counts_published_rows() -> None:
    data = trajectories([("a",), ("a",), ("a",)])
    assert verify(published_as([("a",)]), SequenceKAnonymity(k=3), data).holds
    assert verify(published_as([("a",)]), PatternPreservingKAnonymity(k=3), data).holds
    verdict = verify(published_as([("a",), ("a",)]), SequenceKAnonymity(k=3, strict=True), data)
    assert not verdict.holds
    assert verdict.figures == {"support_original": 3, "support_published": 2}
    assert "(a) is contained in 3 original trajectories and 2 published trajectories, 3 are required" in str(verdict)


def test_a_generalized_symbol_is_not_one_of_its_members() -> None:
    data = trajectories([("a",), ("a",)])
    release = PublishedTrajectories.from_lists([[["a", "b"]]])
    assert not verify(release, PatternPreservingKAnonymity(k=2), data).holds


def test_pattern_preservation_is_never_established_without_the_original() -> None:
    with pytest.raises(OriginalRequired, match="--original FILE"):
        verify(published_as([("a",), ("a",)]), PatternPreservingKAnonymity(k=2))


def test_owners_are_counted_once() -> None:
    original = trajectories([("a", "b"), ("a", "b"), ("a", "b")], owners=[1, 1, 2])
    release = published_as([("a", "b")])
    for promise in (SequenceKAnonymity, PatternPreservingKAnonymity):
        assert verify(release, promise(k=2, unit="owner"), original).holds
        with pytest.raises(NotApplicable, match="give the original with the owner"):
            verify(release, promise(k=2, unit="owner"), trajectories([("a", "b")]))
    verdict = verify(release, PatternPreservingKAnonymity(k=3, unit="owner"), original)
    assert "2 owners of original trajectories, 3 are required" in str(verdict)
    with pytest.raises(OriginalRequired, match="do not say whose they are"):
        verify(release, SequenceKAnonymity(k=2, unit="owner"))
    with pytest.raises(NotApplicable, match="before the release is written"):
        verify(release, SequenceKAnonymity(k=2, unit="owner", strict=True), original)


def test_nothing_published_promises_anything() -> None:
    data = trajectories([("a",), ("b",)])
    for promise in (SequenceKAnonymity(k=2), PatternPreservingKAnonymity(k=2)):
        assert verify(published_as([]), promise, data).holds
        assert verify(published_as([(), ()]), promise, data).achieved is None


@given(rows_of_letters, rows_of_letters, st.lists(st.integers(0, 3), min_size=7, max_size=7), st.booleans())
def test_supports_are_counted_in_full(rows: Rows, asked: Rows, whose: list[int], owners: bool) -> None:
    asked = sorted({row for row in asked if row}, key=lambda row: (len(row), row))
    individuals = whose[: len(rows)] if owners else list(range(len(rows)))
    index = RowsToSearch.of(*flat(rows), np.array(individuals, np.int32), 3)
    expected = [
        len({who for row, who in zip(rows, individuals, strict=True) if contains(row, part)})  # type: ignore[arg-type]
        for part in asked
    ]
    assert index.supports(*flat(asked)).tolist() == expected


def flat(rows: Rows) -> tuple[Int64s, Int32s]:
    codes = np.array(["abc".index(letter) for row in rows for letter in row], np.int32)
    return offsets_of(np.array([len(row) for row in rows], np.int64)), codes
