"""ITSA on recorded streams: releases, parameters that do not go together, what is refused, what is published."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crypsis
from crypsis import ITSA, Events, SensitiveValues
from crypsis.errors import BadParameter, OriginalRequired, SensitiveLocation, UnknownColumn
from crypsis.methods.stream.intake import Intake
from crypsis.methods.stream.pseudonyms import pseudonyms
from crypsis.run_context import RunContext
from tests.strategies import event_logs

SEEN = [("2", "a", 1), ("4", "a", 1), ("5", "f", 1), ("1", "b", 2), ("2", "f", 2), ("3", "b", 2), ("4", "f", 2)]
FARES = ["full", "full", "full", "student", "full", "full", "full"]


def stream(events: Any = SEEN, fares: list[str | None] | None = None) -> Events:
    return Events.from_lists(events, sensitive=None if fares is None else {"fare": fares})


def rows_of(release: Any, number: int = 0) -> list[Any]:
    return sorted(release.data.rows(release.data.windows[number]))


def test_a_release_of_windows_can_be_written_read_and_verified(tmp_path: Any) -> None:
    release = crypsis.anonymize(stream(fares=FARES), ITSA(K=2, N=2, C="60%", sensitive_values=EVERY))
    folder = release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    again = crypsis.read_release(folder)
    assert again.data.rows(again.data.windows[0]) == release.data.rows(release.data.windows[0])
    assert again.verify().holds
    assert "windows" in release.report().html
    lines = (folder / "windows.jsonl").read_text(encoding="utf-8").splitlines()
    window = json.loads(lines[0])
    assert window["n_records"] == len(window["records"])
    assert [record["p"] for record in window["records"]] == sorted(record["p"] for record in window["records"])
    private = json.loads((tmp_path / "private.json").read_text(encoding="utf-8"))
    assert private["windows"][0]["suppressed"] == [["f", 1]]
    written = " ".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert '"suppressed"' not in written, "what is suppressed never leaves the publisher"


EVERY = SensitiveValues({"fare": ["student"]})


def test_every_sensitive_value_is_told_alike_by_publisher_and_folder(tmp_path: Any) -> None:
    """Whoever reads the folder knows that every value counts, and not how many there were."""
    release = crypsis.anonymize(stream(fares=["full"] * len(SEEN)), ITSA(K=2, N=3))
    again = crypsis.read_release(release.write(tmp_path / "release"))
    assert "sensitive_values=all" in str(release.guarantee)
    assert str(again.guarantee) == str(release.guarantee)
    assert str(SensitiveValues({"fare": ["full"]})) == "1 sensitive value of 1 attribute"


def test_a_changed_window_is_noticed_when_it_is_read(tmp_path: Any) -> None:
    release = crypsis.anonymize(stream(), ITSA(K=2, N=2))
    folder = release.write(tmp_path / "release")
    file = folder / "windows.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('["a",1]', '["b",1]', 1), encoding="utf-8")
    with pytest.raises(crypsis.CrypsisError, match="digest differs"):
        crypsis.read_release(folder)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"step_size": 8}, "step_size must be an int of at most N = 7"),
        ({"H": 6}, "H must be an int of at least N = 7"),
        ({"C": "101%"}, "C must be"),
        ({"C": -0.1}, "C must be"),
        ({"C": "often"}, "C must be"),
        ({"C": "1/0"}, "C must be"),
        ({"pseudonyms": "stable"}, "accept_linkage"),
        ({"mode": "printed"}, "mode must be one of"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        ITSA(**parameters)


@pytest.mark.parametrize("given", [0.4, "0.4", "40%", " 40 % ", "2/5", Fraction(2, 5), "4e-1"])
def test_a_share_is_read_exactly(given: Any) -> None:
    assert ITSA(C=given).C == Fraction(2, 5)


def test_a_location_cannot_be_a_sensitive_value() -> None:
    with pytest.raises(SensitiveLocation, match="'a' is a location"):
        crypsis.anonymize(stream(fares=FARES), ITSA(sensitive_values=SensitiveValues({"fare": ["a"]})))


def test_a_sensitive_attribute_that_the_stream_lacks_is_named() -> None:
    with pytest.raises(UnknownColumn, match="no sensitive attribute 'fair'.*Did you mean 'fare'"):
        crypsis.anonymize(stream(fares=FARES), ITSA(sensitive_values=SensitiveValues({"fair": ["student"]})))


def test_an_empty_stream_has_no_window_and_is_no_error() -> None:
    release = crypsis.anonymize(stream([]), ITSA())
    assert len(release.data) == 0
    assert release.verify().holds


def test_fewer_timestamps_than_a_window_give_one_only_when_it_may_be_partial() -> None:
    assert len(crypsis.anonymize(stream(), ITSA(K=2, N=7)).data) == 0
    (window,) = crypsis.anonymize(stream(), ITSA(K=2, N=7, flush_partial=True)).data
    assert (window.x, window.y) == (1, 2)


def test_a_k_beyond_all_people_suppresses_everything_and_says_so() -> None:
    release = crypsis.anonymize(stream(), ITSA(K=99, N=2))
    assert release.data.records == 0
    assert "everything was suppressed" in release.kind.notes(release.data)[0]


def test_k_1_and_c_1_suppress_nothing_and_are_trivial() -> None:
    release = crypsis.anonymize(stream(), ITSA(K=1, N=2))
    assert len(release.data.windows[0].times) == len(SEEN)
    assert release.guarantee.trivial


def test_people_without_doublets_are_published_only_when_asked() -> None:
    events = [*SEEN, ("9", "z", 2)]
    assert len(crypsis.anonymize(stream(events), ITSA(K=2, N=2)).data.windows[0]) == 4
    release = crypsis.anonymize(stream(events), ITSA(K=2, N=2, empty_records="keep"))
    assert rows_of(release)[:3] == [[], [], [("a", 1), ("f", 2)]]
    assert release.verify().holds


def test_a_window_that_tells_too_much_as_it_is_can_be_withheld() -> None:
    fares = ["student"] * 7
    method = ITSA(K=1, N=2, C="1/2", sensitive_values=EVERY, empty_records="keep", empty_knowledge="withhold")
    assert crypsis.anonymize(stream(fares=fares), method).data.records == 0
    reported = replace(method, empty_knowledge="report")
    assert crypsis.anonymize(stream(fares=fares), reported).data.records == 5


def test_pseudonyms_change_with_the_window_unless_they_are_stable() -> None:
    events = [(str(who), "a", t) for t in range(3) for who in range(3)]
    fresh = crypsis.anonymize(stream(events), ITSA(K=2, N=2)).data
    assert not set(fresh.windows[0].pseudonyms) & set(fresh.windows[1].pseudonyms)
    same = crypsis.anonymize(stream(events), ITSA(K=2, N=2, mode="cumulative", pseudonyms="stable")).data
    assert same.windows[0].pseudonyms == same.windows[1].pseudonyms


def test_scope_and_person_of_a_pseudonym_cannot_be_mixed_up() -> None:
    assert pseudonyms(b"key", 1, ["23"]) != pseudonyms(b"key", 12, ["3"])
    assert pseudonyms(b"key", 1, ["23"]) == pseudonyms(b"key", 1, ["23"])
    assert pseudonyms(b"key", 1, ["23"]) != pseudonyms(b"other", 1, ["23"])


def test_what_all_windows_say_together_cannot_be_checked_by_those_who_cannot_join_them(tmp_path: Any) -> None:
    events = [(str(who), "a", t) for t in range(4) for who in range(3)]
    for how, checkable in (("per-window", False), ("stable", True)):
        release = crypsis.anonymize(stream(events), ITSA(K=2, N=2, mode="cumulative", H=3, pseudonyms=how))
        private = tmp_path / f"{how}.json"
        again = crypsis.read_release(release.write(tmp_path / how, private_report=private))
        told = crypsis.read_release(tmp_path / how, private_report=private)
        verdict = told.verify(stream(events))
        assert verdict.holds, verdict
        assert "joined by person" in verdict.counted
        strangers = told.verify(stream([(f"x{who}", place, t) for who, place, t in events]))
        assert "nobody in the original" in strangers.problem
        if checkable:
            assert again.verify().holds
        else:
            with pytest.raises(OriginalRequired, match="stable pseudonyms"):
                again.verify()


def test_windows_come_one_by_one() -> None:
    events = [(str(who), "a", t) for t in range(9) for who in range(3)]
    made = ITSA(K=2, N=2).windows(stream(events))
    assert next(made).y == 1
    assert [window.y for window in made] == [2, 3, 4, 5, 6, 7, 8]


@pytest.mark.long
@given(
    event_logs(),
    st.integers(0, 3),
    st.sampled_from(["allow", "first"]),
    st.none() | st.integers(0, 4),
    st.none() | st.integers(0, 5),
)
@settings(max_examples=200)
def test_a_recorded_stream_is_accepted_like_a_live_one(
    log: Events, lateness: int, several: str, t0: int | None, jump: int | None
) -> None:
    context = RunContext()
    method = ITSA(lateness=lateness, multi_location=several, t0=t0, max_forward_jump=jump, N=1, flush_partial=True)
    method.anonymize(log, context)
    intake = Intake(lateness=lateness, multi_location=several, t0=t0, max_forward_jump=10**9 if jump is None else jump)
    for row in log.to_frame().iter_rows(named=True):
        intake.offer({"id": row["id"], "loc": row["location"], "t": row["t"], "sa": row.get("fare")})
    assert context.private["events"] == dict(intake.counters)


@given(event_logs(), st.randoms(use_true_random=False))
def test_any_order_in_which_nothing_is_late_gives_the_same_windows(log: Events, random: Any) -> None:
    order = list(range(len(log)))
    random.shuffle(order)
    plain = Events(log.persons, log.location_codes, log.t, log.people, log.locations)
    method = ITSA(K=2, N=2, t0=0, lateness=99, flush_partial=True)
    one = method.anonymize(plain, RunContext())
    other = method.anonymize(plain.take(np.array(order, np.int64)), RunContext())
    assert [sorted(one.rows(window)) for window in one] == [sorted(other.rows(window)) for window in other]


def test_the_run_context_tells_what_each_window_cost() -> None:
    context = RunContext()
    ITSA(K=2, N=2).anonymize(stream(), context)
    (told,) = context.private["windows"]
    assert (told["instances"], told["suppressed_instances"], told["regressed"]) == (7, 1, 0)
    assert context.private["events"] == {"accepted": 7}
