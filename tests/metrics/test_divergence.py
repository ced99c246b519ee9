"""KL divergence agrees with its definition, zeros included."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.metrics.divergence import kl_divergence_loss
from crypsis.metrics.workload import Workload
from tests.metrics.recodings import LABELS, Recoding, global_recodings, local_recodings
from tests.reference import utility

recodings = st.one_of(global_recodings(), local_recodings())
query_lists = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=3), max_size=5)


@given(recodings, query_lists)
def test_divergence_is_that_of_the_definition(recoding: Recoding, queries: list[list[str]]) -> None:
    coded = [recoding.codes(query) for query in queries]
    actual = [utility.support(recoding.coded_paths, query) for query in coded]
    possible = [utility.upper_support(recoding.published_rows, query) for query in coded]
    found = kl_divergence_loss(recoding.original, recoding.published, queries)
    zeros = sum(before > 0 and after == 0 for before, after in zip(actual, possible, strict=True))
    assert found.zero_terms == zeros
    assert found.value == (inf if zeros else pytest.approx(utility.divergence(actual, possible), abs=1e-12))
    smoothed = utility.divergence([count + 1 for count in actual], [count + 1 for count in possible])
    assert found.smoothed == pytest.approx(smoothed, abs=1e-12)


@given(recodings)
def test_the_default_set_is_every_location_that_occurs(recoding: Recoding) -> None:
    occurring = sorted({label for path in recoding.paths for label in path})
    default = kl_divergence_loss(recoding.original, recoding.published)
    given_set = kl_divergence_loss(recoding.original, recoding.published, [[label] for label in occurring])
    assert default.zero_terms == given_set.zero_terms
    assert default.smoothed == pytest.approx(given_set.smoothed, abs=1e-12)


@given(recodings)
def test_a_size_draws_subtrajectories_of_that_size(recoding: Recoding) -> None:
    original = recoding.original
    drawn = Workload.drawn(original, 5, (2,), 4)
    assert kl_divergence_loss(original, recoding.published, size=2, n_queries=5, seed=4) == kl_divergence_loss(
        original, recoding.published, drawn
    )


@given(global_recodings())
def test_unchanged_data_diverge_by_nothing(recoding: Recoding) -> None:
    found = kl_divergence_loss(recoding.original, PublishedTrajectories.from_lists(recoding.paths), size=2)
    assert (found.value, found.zero_terms, found.smoothed) == (0.0, 0, 0.0)


def test_an_empty_release_is_infinitely_far_but_smoothed_to_a_finite_number() -> None:
    original = Trajectories.from_lists([["a"], ["a", "b"]])
    found = kl_divergence_loss(original, PublishedTrajectories.from_lists([[], []]))
    assert (found.value, found.zero_terms) == (inf, 2)
    assert 0 < found.smoothed < inf
    assert found.figures() == {"kl_zero_terms": 2, "kl_smoothed_loss": found.smoothed}


def test_no_data_diverge_by_nothing() -> None:
    found = kl_divergence_loss(Trajectories.from_lists([]), PublishedTrajectories.from_lists([]))
    assert (found.value, found.zero_terms, found.smoothed) == (0.0, 0, 0.0)
