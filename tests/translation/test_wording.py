"""Numbers as people read them: times with a unit that suits them, and percent signs that stay with their number."""

from __future__ import annotations

from crypsis.translation import reading
from crypsis.translation.wording import duration, unbroken


def test_short_times_are_told_without_powers_of_ten() -> None:
    assert [duration(seconds) for seconds in (9.5e-05, 0.0226, 2.5, 150)] == [
        "under 1 ms",
        "22.6 ms",
        "2.5 s",
        "2 min 30 s",
    ]
    with reading("de"):
        assert duration(0.0226) == "22,6 ms"


def test_no_line_ends_between_a_number_and_its_percent_sign() -> None:
    assert unbroken("5 of 10 people (50 %), or 8.5 % of all") == "5 of 10 people (50\u00a0%), or 8.5\u00a0% of all"
