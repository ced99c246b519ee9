"""Average relative error agrees with enumerating all that the release may stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadParameter
from crypsis.metrics.queries import average_relative_error, estimated_support, support
from crypsis.metrics.workload import Workload
from tests.metrics.recodings import LABELS, Recoding, global_recodings, local_recodings, shuffled
from tests.reference import utility

recodings = st.one_of(global_recodings(), local_recodings())
estimators = st.sampled_from(["uniform", "upper"])
query_lists = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=3), max_size=5)


@given(recodings, query_lists, estimators)
def test_error_is_that_of_the_definition_in_any_row_order(
    recoding: Recoding, queries: list[list[str]], estimator: str
) -> None:
    expected = utility.average_relative_error(
        recoding.coded_paths, recoding.published_rows, [recoding.codes(query) for query in queries], estimator
    )
    for published in (recoding.published, shuffled(recoding.published, 3)):
        found = average_relative_error(recoding.original, published, queries, estimator=estimator)
        assert found == pytest.approx(expected, rel=1e-9)


@given(recodings, st.integers(0, 3))
def test_without_queries_the_drawn_workload_is_asked(recoding: Recoding, seed: int) -> None:
    original = recoding.original
    drawn = Workload.drawn(original, 7, (1, 2), seed)
    assert average_relative_error(
        original, recoding.published, n_queries=7, sizes=(1, 2), seed=seed
    ) == average_relative_error(original, recoding.published, drawn)


@given(global_recodings())
def test_the_unchanged_original_answers_every_query_rightly(recoding: Recoding) -> None:
    intact = PublishedTrajectories.from_lists(recoding.paths)
    assert average_relative_error(recoding.original, intact) == 0.0


@given(recodings, query_lists)
def test_the_expected_number_never_exceeds_the_possible_one(recoding: Recoding, queries: list[list[str]]) -> None:
    workload = Workload.from_lists(queries, recoding.original.locations.vocabulary)
    possible = estimated_support(recoding.published, workload, "upper")
    assert np.all(estimated_support(recoding.published, workload) <= possible + 1e-9)
    assert np.all(support(recoding.original, workload) >= 0)


def test_synthetic_sequences_with_other_locations_can_be_asked() -> None:
    original = Trajectories.from_lists([["a", "b"], ["a"]])
    foreign = PublishedTrajectories.from_lists([["a", "z"], [["b", "y"]], ["x"]])
    # a: 2 against 1; b: 1 against 1/2, as y is as likely
    assert average_relative_error(original, foreign, [["a"], ["b"]]) == pytest.approx((1 / 2 + 1 / 2) / 2)


def test_a_workload_of_another_vocabulary_is_translated_by_label() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b"]])
    elsewhere = Trajectories.from_lists([["b"]], {"b": (0, 0), "a": (1, 1)})
    workload = Workload.from_lists([["b"]], elsewhere.locations.vocabulary)
    published = PublishedTrajectories.from_lists([["a", "b"], ["a"]])
    assert average_relative_error(original, published, workload) == 0.5


def test_no_queries_make_no_error() -> None:
    nothing = Trajectories.from_lists([])
    assert average_relative_error(nothing, PublishedTrajectories.from_lists([])) == 0.0


def test_an_unknown_estimator_is_refused() -> None:
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(BadParameter, match="one of 'uniform', 'upper', got 'guess'"):
        average_relative_error(original, PublishedTrajectories.from_lists([["a"]]), estimator="guess")
