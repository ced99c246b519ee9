"""Location statistics count symbols, sizes and shares as defined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import NotApplicable, UnknownLocation
from crypsis.metrics.locations import location_statistics
from tests.metrics.recodings import Recoding, global_recodings, shuffled
from tests.reference import utility


@given(global_recodings())
def test_statistics_are_those_of_the_definition(recoding: Recoding) -> None:
    statistics = location_statistics(recoding.original, shuffled(recoding.published, 1))
    points = list(recoding.points.values())
    visits = [
        (code, s)
        for path, row in zip(recoding.coded_paths, recoding.coded_rows, strict=True)
        for code, s in zip(path, row, strict=True)
    ]
    symbols = {symbol for _, symbol in visits if symbol}
    generalized = [symbol for symbol in symbols if len(symbol) > 1]
    assert statistics.intact_locations == len(symbols) - len(generalized)
    assert statistics.generalized_locations == len(generalized)
    assert statistics.suppressed_locations == len({code for code, _ in visits} - frozenset().union(*symbols))
    mean = sum(map(len, generalized)) / len(generalized) if generalized else 0
    assert statistics.mean_size == pytest.approx(mean)
    widest = utility.diameter([points[code] for code in {code for code, _ in visits}])
    spread = [utility.mean_pairwise_distance(symbol, points) for symbol in generalized]
    percent = 100 * sum(spread) / len(spread) / widest if spread and widest else 0
    assert statistics.mean_distance_percent == pytest.approx(percent, rel=1e-9)
    total = max(len(visits), 1)
    assert statistics.intact_share == pytest.approx(sum(s is not None and len(s) == 1 for _, s in visits) / total)
    assert statistics.generalized_share == pytest.approx(sum(s is not None and len(s) > 1 for _, s in visits) / total)
    assert statistics.suppressed_share == pytest.approx(sum(s is None for _, s in visits) / total)


def test_sensitive_locations_are_left_out() -> None:
    locations = Locations(Vocabulary(["a", "b", "clinic", "bar"]), sensitive=np.array([False, False, True, True]))
    original = Trajectories.from_lists([["a", "clinic"], ["b", "a", "bar"]], locations)
    published = PublishedTrajectories.from_lists([[["a", "b"], "clinic"], [["a", "b"], ["a", "b"]]])
    statistics = location_statistics(original, published)
    assert (statistics.intact_locations, statistics.generalized_locations) == (0, 1)
    assert statistics.suppressed_locations == 0
    assert (statistics.intact_share, statistics.generalized_share) == (0, 1)


def test_without_coordinates_there_is_no_distance_but_the_rest() -> None:
    original = Trajectories.from_lists([["a", "b"]])
    statistics = location_statistics(original, PublishedTrajectories.from_lists([[["a", "b"], ["a", "b"]]]))
    assert statistics.mean_distance_percent is None
    assert "generalized_spread_loss" not in statistics.figures()
    assert statistics.figures()["generalized_size_loss"] == 2


def test_more_elements_than_visits_are_no_recoding() -> None:
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(NotApplicable, match="2 published elements stand against 1 visits"):
        location_statistics(original, PublishedTrajectories.from_lists([["a", "a"]]))


def test_a_foreign_location_is_named() -> None:
    with pytest.raises(UnknownLocation, match="'z'"):
        location_statistics(Trajectories.from_lists([["a"]]), PublishedTrajectories.from_lists([["z"]]))
