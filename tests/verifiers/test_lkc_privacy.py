"""The verifier of LKC-privacy: against the obvious count, and against every kind of tampering."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis import ITSA, Events, LKCPrivacy, PublishedWindows, SensitiveValues
from crypsis.data.windows import PublishedWindow
from crypsis.run_context import RunContext
from crypsis.verifiers import lkc_privacy, verify
from crypsis.verifiers.lkc_privacy import Table, lkc_findings
from tests.reference import itsa as reference

doublets = st.tuples(st.integers(1, 3), st.integers(0, 2))
tables = st.lists(st.sets(doublets, max_size=5), max_size=8)


@pytest.mark.parametrize("at_once", [1, 10**6], ids=["in pieces", "at once"])
@given(tables, st.data(), st.integers(1, 5), st.integers(1, 4), st.sampled_from(["0", "1/3", "1/2", "1"]))
def test_findings_are_those_of_the_obvious_count(
    at_once: int, rows: list[set[tuple[int, int]]], data: st.DataObject, L: int, K: int, share: str
) -> None:
    has = data.draw(st.lists(st.sets(st.integers(0, 1)), min_size=len(rows), max_size=len(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lkc_privacy, "ENTRIES_AT_ONCE", at_once)
        found = lkc_findings(Table.of(rows, has), L, K, [Fraction(share), Fraction(1, 2)], ["s", "t"])
    people = dict(enumerate(rows))
    bounds = {0: Fraction(share), 1: Fraction(1, 2)}
    obvious = reference.violations(people, dict(enumerate(has)), L, K, bounds)
    assert found.listed == obvious[:100]
    assert found.violations == len(obvious)
    assert found.private is (not obvious)
    few = [people_of for size in range(1, L + 1) for people_of in reference.sequences(people, size).values()]
    assert found.smallest == (min(map(len, few)) if few else None)
    assert found.by_cause.get("support", 0) == sum(len(one) < K for one in few)


def test_too_many_subsets_make_the_verdict_unknown_never_private() -> None:
    table = Table.of([[(t, 0) for t in range(10)]] * 5)
    assert lkc_findings(table, 3, 2, [], []).private is True
    assert lkc_findings(table, 3, 2, [], [], max_subsets=100).private is None
    published, promised, _ = release()
    verdict = lkc_privacy.verify_lkc_privacy(published, promised, max_subsets=1)
    assert not verdict.holds
    assert "unknown" in str(verdict)


def test_keys_too_large_for_one_integer_are_counted_alike() -> None:
    rows = [[(t, place) for t in range(12)] for place in (0, 0, 1)]
    rows[0][0] = (0, 5)
    narrow, wide = (lkc_findings(Table.of(rows), 3, 2, [], []) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lkc_privacy, "_WHOLE", 1)
        wide = lkc_findings(Table.of(rows), 3, 2, [], [])
    assert narrow == wide
    assert narrow.violations > 0


EVENTS = [(str(who), "ab"[who % 2], t) for t in range(4) for who in range(8)]
FARES = ["student" if int(who) in (0, 1) else "full" for who, _, _ in EVENTS]


def release(**changed: Any) -> tuple[PublishedWindows, LKCPrivacy, Events]:
    original = Events.from_lists(EVENTS, sensitive={"fare": FARES})
    settings = {"L": 2, "K": 3, "C": "1/2", "N": 2, "sensitive_values": SensitiveValues({"fare": ["student"]})}
    method = ITSA(**settings | changed)
    return method.anonymize(original, RunContext()), method.guarantee, original


def changed(published: PublishedWindows, number: int = 1, **columns: Any) -> PublishedWindows:
    windows = list(published.windows)
    windows[number] = replace(windows[number], **columns)
    return replace(published, windows=tuple(windows))


@pytest.mark.parametrize("mode", ["itsa", "cumulative", "static"])
def test_an_honest_release_holds(mode: str) -> None:
    published, promised, original = release(mode=mode)
    assert len(published) == 3
    verdict = verify(published, promised, original)
    assert verdict.holds, verdict
    assert verdict.achieved == 4


def without(window: PublishedWindow, keep: list[bool]) -> dict[str, Any]:
    """The columns of a window with only some of its doublets."""
    kept = np.array(keep)
    counted = np.concatenate([[0], np.cumsum(kept)])
    return {
        "offsets": counted[window.offsets].astype(np.int64),
        "places": window.places[kept],
        "times": window.times[kept],
    }


def test_a_doublet_left_to_two_people_is_found() -> None:
    published, promised, _ = release()
    window = published.windows[1]
    first = (window.places == 0) & (window.times == window.x)
    keep = ~first
    keep[np.flatnonzero(first)[:2]] = True
    verdict = verify(changed(published, **without(window, keep.tolist())), promised)
    assert not verdict.holds
    assert str(verdict.witness) == "(a.1)"
    assert verdict.witness.support == 2
    assert "in window 1" in verdict.problem


def test_a_doublet_taken_from_one_person_breaks_the_global_suppression() -> None:
    published, promised, original = release(K=2)
    window = published.windows[1]
    keep = np.ones(len(window.times), np.bool_)
    keep[0] = False
    tampered = changed(published, **without(window, keep.tolist()))
    assert verify(tampered, promised).holds, "three people are still enough"
    verdict = verify(tampered, promised, original)
    assert "for some who have it and not for others" in verdict.problem


def test_a_doublet_moved_to_another_place_is_not_the_persons() -> None:
    published, promised, original = release(K=1, C=1)
    places = published.windows[1].places.copy()
    places[0] = 1 - places[0]
    tampered = changed(published, places=places)
    assert verify(tampered, promised).holds
    assert "that its person does not have" in verify(tampered, promised, original).problem


def test_a_sensitive_value_given_to_somebody_else_is_found() -> None:
    published, promised, original = release()
    student = next(number for number, tokens in enumerate(published.classes) if ("fare", "student") in tokens)
    window = published.windows[1]
    everybody = np.full(len(window), student, np.int32)
    verdict = verify(changed(published, classes=everybody), promised)
    assert "too many of whom have one sensitive value" in verdict.problem
    one = window.classes.copy()
    one[np.flatnonzero(one != student)[0]] = student
    verdict = verify(changed(published, classes=one), replace(promised, C=1), original)
    assert "sensitive value that its person does not have" in verdict.problem


def test_a_doublet_from_outside_the_window_is_found() -> None:
    published, promised, _ = release()
    assert "outside [1, 2]" in verify(changed(published, times=published.windows[1].times + 5), promised).problem


def test_two_records_with_one_pseudonym_are_found() -> None:
    published, promised, _ = release()
    names = published.windows[1].pseudonyms
    assert "one pseudonym" in verify(changed(published, pseudonyms=(names[1], *names[1:])), promised).problem


def test_a_doublet_that_stands_twice_in_a_record_is_found() -> None:
    published, promised, _ = release()
    window = published.windows[1]
    times, places = window.times.copy(), window.places.copy()
    times[1], places[1] = times[0], places[0]
    assert "a doublet twice" in verify(changed(published, times=times, places=places), promised).problem


def test_windows_that_are_private_one_by_one_can_break_a_promise_on_all_of_them() -> None:
    """The source's own example: b.2 is published in the first window and suppressed in the second."""
    rows = {"1": "bcd", "2": "afcd", "3": "bcd", "4": "afc", "5": "bc", "6": "c", "7": "fd", "8": "ce"}
    when = {"a": 1, "b": 2, "f": 2, "c": 3, "d": 4, "e": 4}
    events = sorted(((who, place, when[place]) for who, row in rows.items() for place in row), key=lambda e: e[2])
    sensitive = ["yes" if who in "18" else "no" for who, _, _ in events]
    log = Events.from_lists(events, sensitive={"s": sensitive})
    settings = {"L": 2, "K": 2, "C": "2/5", "N": 3, "sensitive_values": SensitiveValues({"s": ["yes"]})}
    published = ITSA(**settings).anonymize(log, RunContext())
    promised = ITSA(**settings).guarantee
    assert verify(published, promised, log).holds
    verdict = verify(published, replace(promised, covers="everything"), log)
    assert not verdict.holds
    assert str(verdict.witness) == "(a.1, d.4)"
    assert verdict.witness.violations == 2
    assert not verify(published, replace(promised, covers="horizon", H=4), log).holds
    assert verify(published, replace(promised, covers="horizon", H=3), log).holds is False
    cumulative = ITSA(**settings, mode="cumulative")
    assert verify(cumulative.anonymize(log, RunContext()), cumulative.guarantee, log).holds


def test_records_in_any_order_of_their_doublets_are_read_alike() -> None:
    published, promised, _ = release()
    windows = [
        replace(window, times=window.times[::-1].copy(), places=window.places[::-1].copy()) for window in published
    ]
    assert (np.diff(published.windows[0].offsets) == 2).all(), "so that reversing keeps doublets in a record"
    turned = [
        replace(window, classes=window.classes[::-1].copy(), people=window.people[::-1].copy()) for window in windows
    ]
    assert verify(replace(published, windows=tuple(turned)), promised).holds
    times, places = windows[1].times.copy(), windows[1].places.copy()
    times[2], places[2] = times[3], places[3]
    assert "a doublet twice" in verify(changed(published, times=times, places=places), promised).problem
