"""Combined distance and semantic penalty against their definitions."""

from __future__ import annotations

from math import hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadTaxonomy
from crypsis.hierarchy import Taxonomy
from crypsis.metrics.semantics import combined_distance_loss, semantic_penalty_loss
from tests.metrics.recodings import Recoding, global_recodings, shuffled
from tests.reference.guided_seq_anon import dissimilarity
from tests.strategies import taxonomies


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@given(global_recodings(), st.data())
def test_both_figures_are_those_of_their_definitions(recoding: Recoding, data: st.DataObject) -> None:
    points = recoding.points
    taxonomy = data.draw(taxonomies(list(points)))
    parent_of = dict(taxonomy.to_pairs())

    def far(one: str, other: str) -> float:
        return hypot(points[one][0] - points[other][0], points[one][1] - points[other][1])

    visited = {label for path in recoding.paths for label in path}
    diameter = max((far(one, other) for one in visited for other in visited), default=0.0)

    def cost(label: str, symbol: frozenset[str] | None) -> float:
        if symbol is None:
            return diameter
        return dissimilarity(sorted(symbol), parent_of) * mean([far(label, other) for other in symbol])

    combined = mean(
        [
            mean([cost(label, symbol) for label, symbol in zip(path, row, strict=True)])
            for path, row in zip(recoding.paths, recoding.meant, strict=True)
        ]
    )
    penalty = mean(
        [
            mean([dissimilarity(sorted(symbol), parent_of) if len(symbol) > 1 else 0.0 for symbol in row if symbol])
            for row in recoding.meant
        ]
    )
    for published in (recoding.published, shuffled(recoding.published, 3)):
        found = combined_distance_loss(recoding.original, published, taxonomy)
        assert found == pytest.approx(combined, rel=1e-9, abs=1e-12)
        found = semantic_penalty_loss(recoding.original, published, taxonomy)
        assert found == pytest.approx(penalty, rel=1e-9, abs=1e-12)


def test_no_rows_lose_nothing() -> None:
    original = Trajectories.from_lists([], locations={"a": (0, 0)})
    published = PublishedTrajectories.from_lists([])
    taxonomy = Taxonomy([("a", "all")])
    assert combined_distance_loss(original, published, taxonomy) == 0
    assert semantic_penalty_loss(original, published, taxonomy) == 0


def test_a_taxonomy_of_other_locations_is_refused() -> None:
    original = Trajectories.from_lists([["a"]], locations={"a": (0, 0)})
    published = PublishedTrajectories.from_lists([["a"]])
    with pytest.raises(BadTaxonomy, match="'a' is not in the taxonomy"):
        semantic_penalty_loss(original, published, Taxonomy([("b", "all")]))
