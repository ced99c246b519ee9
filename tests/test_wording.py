"""Numbers and lists as people read them."""

from __future__ import annotations

from math import inf, nan

import pytest

from crypsis.wording import counted, figure, listed, shortened, shown


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (2000, "2,000"),
        (12.0, "12"),
        (12.345678, "12.35"),
        (0.0123456, "0.01235"),
        (0.1 + 0.2, "0.3"),
        (123456.7, "123,457"),
        (1e-9, "1e-09"),
        (5e307, "5e+307"),
        (-1.5, "-1.5"),
        (None, "infinite"),
        (inf, "infinite"),
        (-inf, "minus infinite"),
        (nan, "undefined"),
    ],
)
def test_figures_have_four_digits(value: float | None, words: str) -> None:
    assert figure(value) == words


def test_a_figure_can_have_fewer_digits() -> None:
    assert figure(3.14159, 3) == "3.14"


def test_settings_are_words() -> None:
    assert [shown(value) for value in (True, False, None, 5, "error")] == ["yes", "no", "none", "5", "error"]


def test_one_is_not_many() -> None:
    assert [counted(n, "trajectory", "trajectories") for n in (0, 1, 1200)] == [
        "0 trajectories",
        "1 trajectory",
        "1,200 trajectories",
    ]


def test_long_lists_and_labels_are_cut_and_say_so() -> None:
    assert listed(["a", "b", "c"], 3) == "a, b, c"
    assert listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert shortened("x" * 99) == "x" * 59 + "…"
