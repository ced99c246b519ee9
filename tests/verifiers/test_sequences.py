"""Verifiers of sequence and pattern-preserving k-anonymity against the definition, and against tampering."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import crypsis
from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired, TooFewTrajectories
from crypsis.guarantees import PatternPreservingKAnonymity, SequenceKAnonymity, Verdict
from crypsis.methods import BFP2kA, KAMCut, KAMRec
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.verifiers.containing_rows import Rows as RowsToSearch
from tests.reference.prefix_tree import contains
from tests.strategies import Dataset, datasets

Rows = list[tuple[str, ...]]
kept_of_four = st.lists(st.booleans(), min_size=4, max_size=4)
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
            published: Rows = [tuple(map(str, row)) for row in method.anonymize(data, RunContext()).to_lists()]
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
    with pytest.raises(OriginalRequired, match="original=DATA"):
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


def said_to_be_of(
    rows: Rows, owners: list[int] | None = None, input_rows: list[int] | None = None
) -> PublishedTrajectories:
    """Published rows with the owners or the input rows that somebody says they have."""
    told = {"owners": None if owners is None else np.array(owners, np.int32)}
    told["input_rows"] = None if input_rows is None else np.array(input_rows, np.int64)
    return replace(published_as(rows), **told)


def test_a_private_report_cannot_make_owners_up(tmp_path: Path) -> None:
    """Three trips of u alone; a report that gives two of them to v and w is not believed."""
    walks = trajectories([("a", "b"), ("a", "b"), ("a", "b"), ("c",), ("d",)], owners=[0, 0, 0, 1, 2])
    by_trip = crypsis.anonymize(walks, KAMCut(k=3, unit="trajectory"))
    assert by_trip.data.to_lists() == [["a", "b"]] * 3
    lying = replace(by_trip, guarantee=SequenceKAnonymity(k=3, unit="owner"), original=None, _verified=None)
    assert not lying.verify(walks).holds
    folder, private = by_trip.write(tmp_path / "release"), by_trip.write_private_report(tmp_path / "private.json")
    report = json.loads(private.read_text())
    assert report["published_row_of_input_row"] == [0, 1, 2, None, None]
    report["published_row_of_input_row"] = [0, None, None, 1, 2]
    private.write_text(json.dumps(report))
    read = crypsis.read_release(folder, private_report=private)
    for strict in (False, True):
        read.guarantee = SequenceKAnonymity(k=3, unit="owner", strict=strict)
        verdict = read.verify(walks)
        assert not verdict.holds
        assert "said to be of an owner who has no original trajectory with these visits" in str(verdict)


def test_nobody_is_said_to_own_more_rows_than_were_given() -> None:
    walks = trajectories([("a",), ("a",), ("a",)], owners=[0, 1, 1])
    promised = SequenceKAnonymity(k=2, strict=True, unit="owner")
    assert verify(said_to_be_of([("a",), ("a",), ("a",)], [0, 1, 1]), promised, walks).holds
    verdict = verify(said_to_be_of([("a",), ("a",), ("a",)], [0, 0, 1]), promised, walks)
    assert "more published rows than original trajectories" in str(verdict)


@given(rows_of_letters, st.data(), st.booleans())
def test_owners_are_believed_exactly_where_their_originals_bear_them_out(
    original: Rows, data: st.DataObject, by_input_row: bool
) -> None:
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(original), max_size=len(original)))
    order = data.draw(st.permutations(range(len(original))))
    published = [
        tuple(label for label, stays in zip(original[row], data.draw(kept_of_four), strict=False) if stays)
        for row in order
    ]
    if published and data.draw(st.booleans()):
        published[data.draw(st.integers(0, len(published) - 1))] = ("a", "b", "a")
    walks = trajectories(original, owners)
    assert walks.owners is not None
    release = said_to_be_of(published, walks.owners[list(order)].tolist(), list(order) if by_input_row else None)
    verdict = verify(release, SequenceKAnonymity(k=1, strict=True, unit="owner"), walks)
    believed = all(
        not part
        or any(
            contains(given, part)  # type: ignore[arg-type]
            for number, given in enumerate(original)
            if (number == row if by_input_row else owners[number] == owners[row])
        )
        for row, part in zip(order, published, strict=True)
    )
    assert verdict.holds is believed


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
