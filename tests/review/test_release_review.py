"""Reviewing and refusing a release: confirm, strict, public and private, and counting people."""

from __future__ import annotations

from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import given

import crypsis
from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import BadParameter, DirectIdentifier, ReviewAmber, ReviewRed, UnconfirmedColumn, UnknownColumn
from crypsis.guarantees import KAnonymity
from crypsis.release import Release
from crypsis.review import Colour, Review, ReviewThresholds


def anonymized(**columns: list) -> Release:
    frame = pl.DataFrame({"age": [20, 21, 22, 23, 40, 41, 42, 43], **columns})
    roles = {"age": "quasi"} | {name: name.split("_")[0] for name in columns}
    return crypsis.anonymize(Table.from_frame(frame, roles), crypsis.Mondrian(k=2))


MIXED_ILL = ["flu", "cold", "flu", "cold"] * 2


def test_addresses_are_refused_unless_confirmed(tmp_path):
    release = anonymized(other_mail=[f"p{n}@example.org" for n in range(8)])
    with pytest.raises(DirectIdentifier, match="e-mail") as refused:
        release.write(tmp_path / "out")
    assert refused.value.code == "direct-identifier"
    assert refused.value.exit_code == 2
    assert refused.value.details["columns"] == ["other_mail"]
    assert not list(tmp_path.iterdir())
    release.write(tmp_path / "out", confirm=["other_mail"])
    read = crypsis.read_release(tmp_path / "out")
    assert read.confirmed == {"other_mail"}
    assert not [one for one in read.review().findings if one.code == "direct-identifier" and one.colour != Colour.GREEN]


def test_dates_are_refused_unless_confirmed(tmp_path):
    release = anonymized(other_seen=[f"2020-03-{day}" for day in range(11, 19)])
    with pytest.raises(UnconfirmedColumn) as refused:
        release.write(tmp_path / "out")
    assert refused.value.code == "unconfirmed-column"
    release.write(tmp_path / "out", confirm="other_seen")


def test_only_published_columns_can_be_confirmed(tmp_path):
    with pytest.raises(UnknownColumn, match="'agee' cannot be confirmed.*Did you mean 'age'"):
        anonymized().write(tmp_path / "out", confirm=["agee"])


def test_strict_writes_nothing_unless_green(tmp_path):
    red = anonymized(sensitive_ill=["flu"] * 8)
    with pytest.raises(ReviewRed) as refused:
        red.write(tmp_path / "red", strict=True)
    assert refused.value.exit_code == 7
    amber = anonymized(sensitive_ill=MIXED_ILL)  # one in two is above one in five
    assert amber.review().colour == Colour.AMBER
    with pytest.raises(ReviewAmber) as refused:
        amber.write(tmp_path / "amber", strict=True)
    assert refused.value.exit_code == 6
    assert not list(tmp_path.iterdir())
    frame = pl.DataFrame({"age": [20, 21] * 20})
    green = crypsis.anonymize(Table.from_frame(frame, {"age": "quasi"}), crypsis.Mondrian(k=5))
    green.write(tmp_path / "green", strict=True)


def test_remedy_l_2_turns_the_light():
    data = Table.from_frame(
        pl.DataFrame({"age": [*range(20, 40)], "ill": ["flu"] * 10 + ["cold", "flu"] * 5}),
        {"age": "quasi", "ill": "sensitive"},
    )
    before = crypsis.anonymize(data, crypsis.Mondrian(k=5)).review().disclosure
    assert before.colour == Colour.RED
    remedy = before.findings[0].remedy
    assert (remedy.parameter, remedy.value, remedy.option) == ("l", 2, "-l 2")
    after = crypsis.anonymize(data, crypsis.Mondrian(k=5, l=2)).review().disclosure
    assert after.colour == Colour.GREEN


def test_the_public_review_uses_nothing_but_the_published_data(tmp_path):
    release = anonymized(sensitive_ill=MIXED_ILL)
    public = release.review(public=True)
    release.write(tmp_path / "out")
    read = crypsis.read_release(tmp_path / "out")
    assert read.review() == public
    assert Review.from_dict(read.manifest["review"]) == public
    assert "before" not in str(public)
    assert "before" in str(release.review())
    assert not any(finding.code == "information-loss" for finding in public.findings)


def test_the_original_of_a_private_release_is_never_looked_at():
    class Untouchable:
        def __getattribute__(self, name):
            raise AssertionError(f"{name} of the original was looked at")

    domain = crypsis.ItemDomain(["beer", "milk", "tea"])
    data = crypsis.Transactions.from_lists([["beer", "milk"]] * 300)
    release = crypsis.anonymize(data, crypsis.DiffPart(epsilon=Fraction(1), item_domain=domain))
    verdict = release.verify()
    from crypsis.review import Subject, review

    found = review(Subject(release.data, release.guarantee, verdict, Untouchable(), aligned=True))
    assert found.basis == "the published data alone"


def test_thresholds_are_checked_parameters():
    with pytest.raises(BadParameter, match="revealed_red must be a finite number from 0 to 1, got 2"):
        ReviewThresholds(revealed_red=2)
    release = anonymized(sensitive_ill=["flu"] * 2 + ["cold", "flu"] * 3)
    assert release.review().disclosure.colour == Colour.RED
    lenient = ReviewThresholds(revealed_amber=1, revealed_red=1, risk_limit=0.5)
    assert release.review(thresholds=lenient).disclosure.colour == Colour.GREEN


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=25),
)
def test_people_are_counted_once_as_the_definition_says(rows):
    """(class, sensitive value, person) against the obvious count."""
    frame = pl.DataFrame({"q": [f"q{q}" for q, _, _ in rows], "s": [f"s{s}" for _, s, _ in rows]})
    published = PublishedTable.from_frame(frame, {"q": "quasi", "s": "sensitive"}, {"q": "category", "s": "category"})
    owned = frame.with_columns(pl.Series("who", [f"p{person}" for _, _, person in rows]))
    original = Table.from_frame(owned, {"q": "quasi", "s": "sensitive", "who": "person"})
    release = Release(published, KAnonymity(k=1), original=original)
    found = {finding.code: finding for finding in release.review().findings}
    everybody = {person for _, _, person in rows}
    single, told = set(), set()
    for q, s, person in rows:
        members = {(one_s, one_person) for one_q, one_s, one_person in rows if one_q == q}
        if len({one_s for one_s, _ in members}) == 1:
            single.add(person)
        share = len({one for one_s, one in members if one_s == s}) / len({one for _, one in members})
        if share > 0.8 or (person in single and len({one_s for one_s, _ in members}) == 1):
            told.add(person)
    revealed = found.get("revealed-values")
    assert (revealed is None) == (not told)
    if revealed is not None:
        assert (revealed.number, revealed.total) == (len(single), len(everybody))
        assert f"{len(told):,} of {len(everybody):,} people" in revealed.sentence
    classes = {person: {q for q, _, one in rows if one == person} for person in everybody}
    several = sum(len(held) > 1 for held in classes.values())
    if len(everybody) == len(rows):  # each row is a person of its own
        several = 0
    assert ("repeated-people" in found) == (several > 0)
    if several:
        assert found["repeated-people"].number == several


def test_people_are_counted_in_a_release_that_is_read_again_and_holds_fewer_rows_than_its_original(tmp_path):
    """Which row was made of which input is known to the publisher, although a track that is not published has none."""
    walks = [[(0.0, 0.0, 0), (900.0, float(turn), 60), (1800.0, 0.0, 120)] for turn in range(8)]
    alone = [[(50_000.0, 50_000.0, 0), (60_000.0, 50_000.0, 60)]]
    owners = ["ann", "ann", "ben", "ben", "cid", "cid", "dan", "eve", "fay"]
    tracks = crypsis.Tracks.from_lists(walks + alone, owners=owners)
    made = crypsis.anonymize(tracks, crypsis.PPSG(k=3, radius=300, unit="owner"))
    assert len(made.data) < len(tracks)
    made.write(tmp_path / "release", private_report=tmp_path / "private.json")
    again = crypsis.read_release(tmp_path / "release", private_report=tmp_path / "private.json")
    now, then = again.review(tracks).disclosure, made.review().disclosure
    assert [one.sentence for one in now.findings] == [one.sentence for one in then.findings]
    assert now.findings[0].sentence.startswith("3 of 5 people (60 %) are in several published records")


@given(rows=st.lists(st.tuples(st.sets(st.integers(0, 4)), st.integers(0, 5)), min_size=1, max_size=12))
def test_singled_out_by_two_places_as_the_definition_says(rows):
    from itertools import combinations

    from crypsis.data.trajectory import PublishedTrajectories
    from crypsis.guarantees import KmAnonymity

    published = PublishedTrajectories.from_lists([[f"p{place}" for place in sorted(places)] for places, _ in rows])
    object.__setattr__(published, "owners", np.array([person for _, person in rows], np.int32))
    release = Release(published, KmAnonymity(k=1, m=1))
    known: dict[int, set[int]] = {}
    for places, person in rows:
        known.setdefault(person, set()).update(places)
    known = {person: places for person, places in known.items() if places}
    alone = set()
    for person, places in known.items():
        for size in (1, 2):
            for pieces in combinations(sorted(places), size):
                if sum(set(pieces) <= held for held in known.values()) == 1:
                    alone.add(person)
    found = [one for one in release.review().findings if one.code == "known-pairs"]
    assert [(one.number, one.total) for one in found] == ([(len(alone), len(known))] if known else [])
    bounded = release.review(thresholds=ReviewThresholds(work=0))
    if any(len(places) > 1 for places in known.values()):
        assert any("Pairs were not tried" in one.sentence for one in bounded.findings)
