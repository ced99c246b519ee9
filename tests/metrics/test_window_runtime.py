"""Times of windows, the first one apart."""

from __future__ import annotations

from crypsis.metrics.window_runtime import window_runtime


def test_the_first_window_does_not_count_with_the_others() -> None:
    assert window_runtime([9.0, 1.0, 3.0, 2.0]).figures() == {
        "first_window_seconds": 9.0,
        "median_window_seconds": 2.0,
        "percentile_95_window_seconds": 2.9,
        "longest_window_seconds": 3.0,
    }


def test_one_window_stands_for_all_and_none_takes_no_time() -> None:
    assert window_runtime([4.0]).longest == window_runtime([4.0]).first == 4.0
    assert window_runtime([]).median == 0.0
