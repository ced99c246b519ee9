"""The Quest-like generator: as many records, as long and as skewed as asked for, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crypsis.errors import BadParameter
from crypsis.samples import SAMPLES
from crypsis.samples.quest import quest


def test_the_same_seed_gives_the_same_records_and_another_gives_others() -> None:
    assert quest(500, 3) == quest(500, 3)
    assert quest(500, 3) != quest(500, 4)


def test_records_are_about_as_long_as_asked_for_and_never_empty() -> None:
    for length in (3.0, 10.0, 25.0):
        data = quest(5_000, terms=2_000, length=length)
        assert len(data) == 5_000
        assert data.lengths.min() >= 1
        assert data.lengths.mean() == pytest.approx(length, rel=0.12)


def test_skew_makes_some_terms_far_more_frequent_than_others() -> None:
    def share_of_top_tenth(skew: float) -> float:
        supports = np.sort(quest(4_000, terms=500, skew=skew).supports)[::-1]
        return float(supports[:50].sum() / supports.sum())

    assert share_of_top_tenth(0.0) < share_of_top_tenth(0.6) < share_of_top_tenth(1.2)


def test_patterns_make_terms_occur_together_far_more_often_than_by_chance() -> None:
    data = quest(5_000, terms=400, patterns=60, length=8)
    table = np.zeros((len(data), 400))
    table[np.repeat(np.arange(len(data)), data.lengths), data.items] = 1
    together = table.T @ table
    np.fill_diagonal(together, 0)
    a, b = np.unravel_index(np.argmax(together), together.shape)
    by_chance = data.supports[a] * data.supports[b] / len(data)
    assert together[a, b] > 2 * by_chance


def test_labels_are_in_the_order_of_their_numbers() -> None:
    labels = quest(10, terms=1_234).vocabulary.labels
    assert labels[:2] == ("t0000", "t0001")
    assert list(labels) == sorted(labels)


@pytest.mark.parametrize(
    "wrong", [{"count": -1}, {"terms": 1}, {"length": 0.5}, {"patterns": 0}, {"pattern_length": 0}, {"skew": -1}]
)
def test_impossible_sizes_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        quest(**{"count": 10, **wrong})


def test_the_generator_is_among_the_samples() -> None:
    assert SAMPLES["quest"].kind == "transaction"
    frame = SAMPLES["quest"].frame(50, 2)
    assert frame.columns == ["id", "item"]
    assert frame["id"].n_unique() == 50
