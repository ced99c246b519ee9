"""Metrics of private trips on data that can be worked out by hand: patterns, lengths, origins and destinations."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis import Events, LocationDomain, SyntheticTrajectories, TimeDomain
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics import METRICS, measure
from crypsis.metrics.origin_destination import origin_destination_error
from crypsis.metrics.trip_lengths import trip_lengths
from crypsis.metrics.trip_patterns import trip_patterns
from crypsis.metrics.trips import Trips

PLACES = LocationDomain(["a", "b", "c"])
TIMES = TimeDomain(0, 10)
# Four persons: a b c, a b, a b, c. The last person's visit to x is outside the domain, as is the visit at time 99.
ORIGINAL = Events.from_lists(
    [
        ("p", "a", 1), ("p", "b", 2), ("p", "c", 3), ("q", "b", 5), ("q", "a", 4), ("r", "a", 0), ("r", "b", 9),
        ("r", "a", 99), ("s", "c", 7), ("s", "x", 8),
    ]
)  # fmt: skip


def made(*rows) -> SyntheticTrajectories:
    """Rows as copies and a text of places, which are visited at 0, 1, 2, …"""
    visits = [(copies, [(place, time) for time, place in enumerate(text)]) for copies, text in rows]
    return SyntheticTrajectories.from_lists(visits, PLACES, TIMES)


EXACT = made((1, "abc"), (2, "ab"), (1, "c"))
NOTHING = made()


def test_an_exact_release_has_the_best_figures():
    figures = measure(ORIGINAL, EXACT, ["trip_patterns", "trip_lengths", "origin_destination_loss"])
    assert figures["top_runs_found_score"] == 1
    assert figures["top_runs_error_loss"] == 0
    assert figures["trip_length_divergence_loss"] == pytest.approx(0)
    assert figures["trip_length_mean"] == figures["trip_length_mean_original"] == 2
    assert figures["origin_destination_loss"] == figures["origin_destination_share_loss"] == 0
    assert figures["origin_destination_pairs"] == 3


def test_publishing_nothing_has_the_figures_that_stand_beside():
    patterns = trip_patterns(ORIGINAL, NOTHING)
    assert (patterns.found, patterns.error) == (0, patterns.figures()["top_runs_error_of_nothing"]) == (0, 1)
    assert trip_lengths(ORIGINAL, NOTHING).divergence == 1
    ends = origin_destination_error(ORIGINAL, NOTHING)
    assert (ends.counts, ends.shares) == (1, 1)


def test_runs_are_counted_once_per_person_and_do_not_cross_persons():
    trips = Trips.of_release(made((2, "abab"), (1, "ba")))
    numbers, counts = trips.runs(2)
    assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == {0 * 3 + 1: 2, 1 * 3 + 0: 3}
    numbers, counts = trips.runs(3)
    assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == {0 * 9 + 1 * 3 + 0: 2, 1 * 9 + 0 * 3 + 1: 2}
    assert trips.runs(5)[0].tolist() == []


def test_patterns_by_hand():
    """True: a 3, b 3, ab 3, c 2, bc 1, abc 1. Published: ab twice and c once."""
    release = made((2, "ab"), (1, "c"))
    best = trip_patterns(ORIGINAL, release, most=3)
    assert best.compared == 3
    assert best.found == 1
    assert best.error == pytest.approx(1 / 3)
    everything = trip_patterns(ORIGINAL, release)
    assert everything.compared == 6
    assert everything.found == pytest.approx(4 / 6)
    assert everything.error == pytest.approx((3 * (1 / 3) + 1 / 2 + 1 + 1) / 6)


def test_lengths_by_hand():
    """True: 1, 2, 2, 3. Published: all 2. The middle is 1/8, 3/4, 1/8."""
    found = trip_lengths(ORIGINAL, made((4, "ab")))
    expected = (log2(1 / (3 / 4)) + (1 / 4 * log2(2) + 1 / 2 * log2((1 / 2) / (3 / 4)) + 1 / 4 * log2(2))) / 2
    assert found.divergence == pytest.approx(expected)
    assert (found.before, found.after) == (2, 2)


def test_origins_and_destinations_by_hand():
    """True: a to c 1, a to b 2, c to c 1. Published: a to b 4, b to b 1."""
    found = origin_destination_error(ORIGINAL, made((4, "ab"), (1, "b")))
    assert found.counts == pytest.approx((1 + 2 + 1 + 1) / 4)
    assert found.shares == pytest.approx((1 / 4 + abs(2 / 4 - 4 / 5) + 1 / 4 + 1 / 5) / 2)


def test_visits_at_one_time_are_looked_at_as_the_release_orders_them():
    same_time = Events.from_lists([("p", "b", 1), ("p", "a", 1), ("p", "a", 1)])
    assert Trips.of_events(same_time, made((1, "ab"))).places.tolist() == [0, 1]
    strict = SyntheticTrajectories.from_lists([], PLACES, TIMES, order="strict", height=1)
    assert Trips.of_events(same_time, strict).places.tolist() == [1]
    arrival = SyntheticTrajectories.from_lists([], PLACES, TIMES, order="nondecreasing", height=1)
    assert Trips.of_events(same_time, arrival).places.tolist() == [1, 0]


def test_without_times_visits_follow_one_another_as_they_happened():
    positions = SyntheticTrajectories.from_lists(
        [], PLACES, TimeDomain(0, 3, unit="position"), order="strict", height=3
    )
    late = Events.from_lists([("p", "b", 500), ("p", "a", -7), ("p", "x", 0), ("p", "b", 501)])
    assert Trips.of_events(late, positions).places.tolist() == [0, 1, 1]


def test_no_original_trip_at_all():
    nobody = Events.from_lists([])
    assert trip_patterns(nobody, EXACT).figures()["top_runs"] == 0
    assert trip_lengths(nobody, EXACT).divergence == 1
    assert trip_lengths(nobody, NOTHING).divergence == 0
    assert origin_destination_error(nobody, NOTHING).counts == 0


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), max_size=8), st.integers(1, 3))
def test_runs_match_the_obvious_count(people, length):
    found = Trips.of_release(made(*[(1, "".join(person)) for person in people]))
    numbers, counts = found.runs(length)
    expected: dict[int, int] = {}
    for person in people:
        for run in {tuple(person[at : at + length]) for at in range(len(person) - length + 1)}:
            number = 0
            for place in run:
                number = number * 3 + "abc".index(place)
            expected[number] = expected.get(number, 0) + 1
    assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == expected


def test_bad_parameters_and_other_releases_are_refused_in_words():
    with pytest.raises(BadParameter, match="at least 1"):
        trip_patterns(ORIGINAL, EXACT, most=0)
    with pytest.raises(NotApplicable, match="do not fit"):
        trip_patterns(ORIGINAL, EXACT, longest=40)
    with pytest.raises(NotApplicable, match="reads SyntheticTrajectories"):
        METRICS["trip_lengths"].compute(ORIGINAL, object())
