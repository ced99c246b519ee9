"""The door of a live stream: order of the checks, lateness, watermarks, erasures, what is remembered."""

from __future__ import annotations

from typing import Any

import pytest

from crypsis.errors import BadParameter
from crypsis.methods.stream.intake import Intake


def event(person: str = "1", place: str = "a", t: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": person, "loc": place, "t": t, **more}


@pytest.mark.parametrize(
    "strange",
    [
        None,
        "text",
        ["1", "a", 1],
        {},
        {"id": "1", "loc": "a"},
        event(t=None),
        event(person=""),
        event(place=""),
        {"id": 1, "loc": "a", "t": 1},
        event(place="two\nlines"),
        event(sa=3),
        event(sa=["s", ""]),
    ],
)
def test_what_is_no_event_is_malformed(strange: Any) -> None:
    intake = Intake(t0=1)
    assert intake.offer(strange) == "malformed"
    assert (intake.max_t, intake.people, intake.places) == (None, {}, {})


@pytest.mark.parametrize("t", ["1", 1.0, 1.5, True, float("nan"), float("inf"), 2**63, -(2**63) - 1])
def test_a_time_that_is_no_64_bit_integer_is_a_bad_timestamp(t: Any) -> None:
    assert Intake().offer(event(t=t)) == "bad_timestamp"


def test_the_origin_is_the_first_accepted_event_unless_declared() -> None:
    intake = Intake()
    assert intake.offer(event(t=5)) == "accepted"
    assert intake.origin == 5
    assert intake.offer(event(t=4)) == "before_origin"


def test_one_corrupt_timestamp_does_not_close_the_stream() -> None:
    intake = Intake(t0=1, max_forward_jump=10)
    assert intake.offer(event(t=12)) == "future"
    assert intake.offer(event(t=11)) == "accepted"
    assert intake.offer(event(t=21)) == "accepted"


def test_a_watermark_announces_a_gap_of_any_length() -> None:
    intake = Intake(t0=1, max_forward_jump=10)
    intake.watermark(1000)
    assert intake.closed == 999
    assert intake.offer(event(t=999)) == "late"
    assert intake.offer(event(t=1005)) == "accepted"


def test_the_first_reason_that_applies_is_told() -> None:
    intake = Intake(t0=1, locations=["a"], lateness=0)
    intake.offer(event(t=5, sa="s"))
    assert intake.offer(event(place="z", t=100)) == "future"
    assert intake.offer(event(place="z", t=3)) == "unknown_location"
    assert intake.offer(event(t=3, sa="other")) == "late"
    assert intake.offer(event(t=5, sa="other")) == "sa_conflict"
    assert intake.offer(event(t=5)) == "duplicate"


def test_values_are_compared_as_sets_and_a_silent_event_is_no_conflict() -> None:
    intake = Intake(t0=1)
    assert intake.offer(event(t=1, sa=["x", "y"])) == "accepted"
    assert intake.offer(event(t=2, sa=["y", "x", "y"])) == "accepted"
    assert intake.offer(event(t=3)) == "accepted"
    assert intake.offer(event(t=4, sa="x")) == "sa_conflict"


def test_who_tells_nothing_at_first_has_no_value_for_ever() -> None:
    intake = Intake(t0=1)
    intake.offer(event(t=1))
    assert intake.offer(event(t=2, sa="s")) == "sa_conflict"


def test_values_known_beforehand_are_kept() -> None:
    intake = Intake(t0=1, sensitive={"1": ["s"]})
    assert intake.offer(event(t=1, sa="other")) == "sa_conflict"
    assert intake.offer(event(t=1)) == "accepted"
    assert intake.classes[frozenset({"s"})] == intake.class_of[0]


def test_an_erased_person_does_not_come_back() -> None:
    intake = Intake(t0=1, lateness=5)
    intake.offer(event("1", t=1))
    intake.offer(event("2", t=1))
    assert intake.erase("1") == 0
    assert intake.erase("9") is None
    assert intake.offer(event("1", t=2)) == "erased"
    assert intake.offer(event("9", t=2)) == "erased"
    people, *_ = intake.take(10)
    assert people.tolist() == [1]


def test_a_closed_timestamp_is_forgotten_once_it_is_taken() -> None:
    intake = Intake(t0=1, lateness=1, multi_location="first")
    for t in range(1, 50):
        for person in range(5):
            assert intake.offer(event(str(person), t=t)) == "accepted"
            assert intake.offer(event(str(person), "b", t=t)) == "second_location"
        if intake.is_complete(t - 2):
            assert set(intake.take(t - 2)[2].tolist()) <= {t - 2}
    assert len(intake._waiting) <= 3
    assert len(intake._placed) <= 3


def test_places_are_ordered_as_declared_or_by_their_labels() -> None:
    declared, found = Intake(t0=1, locations=["b", "a"]), Intake(t0=1)
    for intake in (declared, found):
        intake.offer(event(place="b"))
        intake.offer(event(place="a"))
    assert declared.ranks().tolist() == [0, 1]
    assert found.ranks().tolist() == [1, 0]


def test_an_unknown_rule_for_several_places_is_refused() -> None:
    with pytest.raises(BadParameter, match="'allow' or 'first'"):
        Intake(multi_location="last")
