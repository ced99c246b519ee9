"""Count queries on private releases are answered as a loop over people answers them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis import Events, LocationDomain, SyntheticTrajectories, TimeDomain, measure
from crypsis.errors import BadParameter
from crypsis.metrics.count_queries import _drawn_from_domain, _Pairs, relative_error, trip_query_error

PLACES, TIMES = LocationDomain(["a", "b", "c"]), TimeDomain(0, 4)
pairs = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=4)


def synthetic(rows, order="canonical"):
    listed = [(copies, sorted(set(row), key=lambda visit: (visit[1], visit[0]))) for copies, row in rows if row]
    return SyntheticTrajectories.from_lists(listed, PLACES, TIMES, order)


def code(visit):
    return visit[1] * 3 + "abc".index(visit[0])


@given(st.lists(pairs, max_size=8), st.lists(pairs.filter(bool), min_size=1, max_size=5))
def test_answers_are_those_of_a_loop(people, queries):
    data = Events.from_lists([(who, *visit) for who, visits in enumerate(people) for visit in visits])
    published = synthetic([(2, visits) for visits in people])
    for query in queries:
        asked = np.array([[code(visit) for visit in query]])
        fitting = sum(set(query) <= set(visits) for visits in people)
        assert _Pairs.of_events(data, PLACES, TIMES).supports(asked).tolist() == [fitting]
        assert _Pairs.of_synthetic(published).supports(asked).tolist() == [2 * fitting]


PEOPLE = [[("a", 0), ("b", 1)], [("a", 0), ("b", 1), ("c", 2)], [("a", 0)]]
DATA = Events.from_lists([(who, *visit) for who, visits in enumerate(PEOPLE) for visit in visits])


def test_a_perfect_release_has_no_error_and_nothing_has_all():
    perfect = trip_query_error(DATA, synthetic([(1, visits) for visits in PEOPLE]), n_queries=200)
    assert perfect.nonempty[1][0] == perfect.nonempty[2][0] == perfect.uniform[0] == 0
    nothing = trip_query_error(DATA, synthetic([]), n_queries=200)
    assert nothing.nonempty[1] == (1.0, 1.0)
    assert nothing.uniform[0] == nothing.uniform[1]


def test_the_share_of_queries_that_nobody_fits_stands_beside_the_error():
    figures = measure(DATA, synthetic([(1, PEOPLE[0])]), ["trip_query_loss"])
    assert 0.5 < figures["uniform_zero_share"] <= 1
    assert set(figures) == {
        "count_error_1_loss", "count_error_1_of_nothing", "count_error_2_loss", "count_error_2_of_nothing",
        "uniform_count_error_loss", "uniform_count_error_of_nothing", "uniform_zero_share",
    }  # fmt: skip


def test_queries_from_people_are_subsets_of_a_record_all_equally_likely():
    drawn = _Pairs.of_events(DATA, PLACES, TIMES).drawn_from_records(6_000, 2, np.random.Generator(np.random.PCG64(1)))
    found = {tuple(sorted(query)) for query in drawn.tolist()}
    first, second, third = code(("a", 0)), code(("b", 1)), code(("c", 2))
    assert found == {(first, second), (first, third), (second, third)}
    share = np.mean([tuple(sorted(query)) == (first, second) for query in drawn.tolist()])
    assert share == pytest.approx(1 / 2 + 1 / 6, abs=0.06)  # six standard deviations are 0.037


@pytest.mark.parametrize("order", ["canonical", "strict"])
def test_queries_from_the_domain_can_follow_the_order(order):
    drawn = _drawn_from_domain(synthetic([], order), 2_000, 2, np.random.Generator(np.random.PCG64(1)))
    assert drawn.min() == 0
    assert drawn.max() == 11
    assert all(first != second for first, second in drawn.tolist())
    if order == "strict":
        assert all(first // 3 != second // 3 for first, second in drawn.tolist())


def test_the_sanity_bound_is_a_share_of_the_people():
    assert relative_error(0, 3, 1000) == 3
    assert relative_error(0, 3, 0) == 3
    assert relative_error(5, 3, 1000, Fraction(0)) == Fraction(2, 5)


def test_a_workload_of_nothing_is_refused():
    with pytest.raises(BadParameter):
        trip_query_error(DATA, synthetic([]), n_queries=0)


def test_an_empty_original_is_measured():
    figures = trip_query_error(Events.from_lists([]), synthetic([(3, [("a", 0)])]), n_queries=50).figures()
    assert figures["count_error_1_loss"] == 0
    assert figures["uniform_zero_share"] == 1
