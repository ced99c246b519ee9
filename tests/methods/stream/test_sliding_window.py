"""The engine of ITSA against its obvious version, in all modes, and what may never be seen in a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from crypsis.errors import InternalError
from crypsis.methods.stream.sliding_window import SlidingWindow
from tests.methods.stream.streams import Case, cases, expected, random_case, seen, slides
from tests.reference import itsa as reference


@pytest.mark.long
@pytest.mark.parametrize("mode", ["itsa", "cumulative", "static"])
def test_a_thousand_streams_of_each_mode_are_those_of_the_obvious_version_and_keep_the_promise(mode: str) -> None:
    windows = suppressed = 0
    for seed in range(1000):
        case = random_case(Random(seed), mode)
        made = [seen(slide) for slide in slides(case)]
        assert made == [expected(window) for window in case.obvious()], seed
        assert not any(violations_of(window["published"], case) for window in made), seed
        if mode == "cumulative":
            assert not any(violations_of(union, case) for union in unions(made, case.settings["H"])), seed
        windows, suppressed = windows + len(made), suppressed + sum(len(window["suppressed"]) for window in made)
    assert windows > 2000
    assert suppressed > windows, "streams in which nothing happens prove nothing"


@given(cases())
def test_every_window_is_that_of_the_obvious_version(case: Case) -> None:
    assert [seen(slide) for slide in slides(case)] == [expected(window) for window in case.obvious()]


@given(cases())
@settings(max_examples=60)
def test_a_stream_goes_on_from_a_checkpoint_as_if_nothing_had_happened(case: Case) -> None:
    assert [seen(slide) for slide in slides(case, checkpoints=True)] == [seen(slide) for slide in slides(case)]


@given(cases())
def test_no_window_violates_what_is_promised(case: Case) -> None:
    assert not any(violations_of(seen(slide)["published"], case) for slide in slides(case))


@given(cases(mode="cumulative"))
def test_in_cumulative_mode_no_union_within_the_horizon_violates_it(case: Case) -> None:
    made = [seen(slide) for slide in slides(case)]
    assert not any(violations_of(union, case) for union in unions(made, case.settings["H"]))


def violations_of(table: reference.Table, case: Case) -> list[reference.Sequence]:
    return reference.violations(
        table, case.tokens, case.settings["L"], case.settings["K"], dict(enumerate(case.bounds))
    )


def unions(made: list[Mapping[str, Any]], H: int | None) -> Iterator[reference.Table]:
    """At the end of each window: what all windows so far published of the last H timestamps, by person."""
    joined: dict[int, set[tuple[int, int]]] = {}
    for window in made:
        for person, row in window["published"].items():
            joined.setdefault(person, set()).update(row)
        y = window["window"][1]
        yield {
            person: {one for one in row if one[0] <= y and (H is None or one[0] > y - H)}
            for person, row in joined.items()
        }


@given(cases(mode="cumulative", erasures=False))
def test_in_cumulative_mode_nothing_published_is_taken_back(case: Case) -> None:
    shown: set[tuple[int, int]] = set()
    for slide in slides(case):
        window = seen(slide)
        assert window["regressed"] == 0
        assert not shown.intersection(window["suppressed"])
        shown.update(one for row in window["published"].values() for one in row)


@given(cases(mode="itsa"))
def test_what_is_suppressed_stays_so_while_it_is_in_the_window(case: Case) -> None:
    dead: set[tuple[int, int]] = set()
    for slide in slides(case):
        window = seen(slide)
        dead = {one for one in dead if one[0] >= slide.x}
        assert not dead.intersection(one for row in window["published"].values() for one in row)
        dead.update(window["suppressed"])


def window_of(**given: object) -> SlidingWindow:
    return SlidingWindow(**{"L": 2, "K": 2, "N": 2, "tokens": [Fraction(1, 2)], **given})  # type: ignore[arg-type]


def slid(window: SlidingWindow, *events: tuple[int, int, int]) -> object:
    columns = np.array(events, np.int64).reshape(-1, 3)
    people, places = columns[:, 0].astype(np.int32), columns[:, 1].astype(np.int32)
    return window.slide(people, places, columns[:, 2].copy(), np.zeros(len(columns), np.int32))


def test_an_event_outside_the_next_slide_is_a_bug_of_the_caller() -> None:
    window = window_of()
    with pytest.raises(InternalError, match="outside"):
        slid(window, (0, 0, 2))


def test_an_event_that_comes_twice_is_a_bug_of_the_caller() -> None:
    with pytest.raises(InternalError, match="twice"):
        slid(window_of(K=1), (0, 0, 1), (0, 0, 1))


def test_people_who_left_leave_no_slot_behind() -> None:
    window = window_of(N=2)
    for t in range(0, 400, 1):
        first = 10 * t
        slid(window, *((first + who, who % 3, t + 1) for who in range(10))) if t else slid(window)
    assert window.n_slots <= 20
    assert len(window.state()["codes"]) <= 60


def test_a_sparse_slide_with_many_places_is_counted_like_a_dense_one() -> None:
    dense, sparse = window_of(N=1), window_of(N=1)
    ranks = np.arange(10**6, dtype=np.int64)
    people = np.arange(4, dtype=np.int32)
    few = np.array([0, 0, 1, 2], np.int32)
    many = np.array([0, 0, 500_000, 999_999], np.int32)
    times, classes = np.zeros(4, np.int64), np.zeros(4, np.int32)
    one = dense.slide(people, few, times, classes)
    other = sparse.slide(people, many, times, classes, rank=ranks)
    assert one.suppressed.tolist() == other.suppressed.tolist() == [1, 2]
    assert other.place.tolist() == [0, 500_000, 999_999]


def test_a_token_can_be_declared_while_the_stream_runs() -> None:
    window = window_of(K=1, N=1, tokens=[])
    slid(window, (0, 0, 0))
    rare = window.declare_class([window.declare_token(Fraction(1, 3))])
    slide = window.slide(
        np.array([1, 2], np.int32), np.array([0, 0], np.int32), np.ones(2, np.int64), np.array([rare, 0], np.int32)
    )
    assert slide.suppressed.tolist() == [0]
