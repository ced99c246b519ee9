"""Bad configurations and bad events, case by case: counted and told, never lost silently."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import BadConfiguration, BadRow, SensitiveLocation, TooManyBadEvents
from crypsis.runtime import StreamConfiguration, stream
from tests.runtime.streams import crowd, event, prepared, published, tables, windows_of


def counted(tmp_path: Path, lines: list[str], **changes: dict[str, Any]) -> dict[str, int]:
    changes.setdefault("run", {})["max_bad_fraction"] = 1.0
    return stream(prepared(tmp_path / "run", lines, **changes))["events"]


def certificates(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in published(folder)[1].splitlines()]


@pytest.mark.parametrize(
    ("name", "value"),
    [("L", 0), ("K", 0), ("C", -0.01), ("C", "101%"), ("N", 0), ("step_size", 0), ("step_size", 5), ("H", 3)],
)
def test_a_setting_out_of_bounds_is_refused_with_nothing_read(name: str, value: Any, tmp_path: Path) -> None:
    text = "[privacy]\n" + "".join(
        f"{key} = {json.dumps(said)}\n" for key, said in {**tables()["privacy"], name: value}.items()
    )
    ends = '[source]\nkind = "csv"\npath = "missing.csv"\n[sink]\nkind = "stdout"\n[run]\nstate = "state"\n'
    (tmp_path / "stream.toml").write_text(text + ends, encoding="utf-8")
    with pytest.raises(BadConfiguration) as refused:
        stream(tmp_path / "stream.toml")
    assert refused.value.exit_code == 2
    assert refused.value.details["parameter"] == name
    assert name in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["stream.toml"]


def test_with_c_0_nothing_of_a_person_with_a_sensitive_value_is_published(tmp_path: Path) -> None:
    lines = [
        event(str(person), "ab"[person % 2], t, sa="ill" if person == 0 else "fine")
        for t in range(1, 9)
        for person in range(10)
    ]
    stream(prepared(tmp_path / "run", lines, privacy={"C": 0}))
    shown = {
        tuple(doublet)
        for window in windows_of(tmp_path / "run")
        for one in window["records"]
        for doublet in one["doublets"]
    }
    assert shown
    assert {place for place, _ in shown} == {"b"}


def test_with_k_above_the_number_of_people_everything_is_suppressed_and_said(tmp_path: Path) -> None:
    stream(prepared(tmp_path / "run", crowd(range(1, 9), people=5), privacy={"K": 6}))
    assert all(window["records"] == [] for window in windows_of(tmp_path / "run"))
    assert all("all_suppressed" in one["warnings"] for one in certificates(tmp_path / "run"))


@pytest.mark.parametrize(("kind", "text"), [("ndjson", ""), ("ndjson", "\n \n"), ("csv", ""), ("csv", "id,loc,t\n")])
def test_an_empty_file_has_no_window_and_a_certificate_that_says_so(kind: str, text: str, tmp_path: Path) -> None:
    configuration = prepared(tmp_path / "run", [], source={"kind": kind, "path": "empty"})
    (tmp_path / "run" / "empty").write_text(text, encoding="utf-8")
    assert stream(configuration)["windows"] == 0
    certificate = json.loads((tmp_path / "run" / "state" / "certificate.json").read_text())
    assert (certificate["windows"], certificate["finished"], certificate["events"]) == (0, True, {})
    assert published(tmp_path / "run") == (b"", b"")


def test_an_empty_file_is_no_failure_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "events").write_text("", encoding="utf-8")
    (tmp_path / "stream.toml").write_text(
        '[source]\nkind = "csv"\npath = "events"\n[sink]\nkind = "folder"\npath = "out"\n[run]\nstate = "state"\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "crypsis", "stream", "run", str(tmp_path / "stream.toml"), "--quiet", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["windows"] == 0


def test_fewer_timestamps_than_a_window_make_none_unless_flushed(tmp_path: Path) -> None:
    for flush in (False, True):
        done = stream(prepared(tmp_path / str(flush), crowd(range(1, 4)), privacy={"flush_partial": flush}))
        assert done["windows"] == flush


BAD_LINES = {
    "not json": ("nonsense", "malformed"),
    "half an object": ('{"id": "1"', "malformed"),
    "no object": ("[1, 2]", "malformed"),
    "a number": ("7", "malformed"),
    "no id": ('{"loc": "a", "t": 5}', "malformed"),
    "empty id": (event("", "a", 5), "malformed"),
    "no loc": ('{"id": "1", "t": 5}', "malformed"),
    "empty loc": (event("1", "", 5), "malformed"),
    "a number as loc": ('{"id": "1", "loc": 3, "t": 5}', "malformed"),
    "no t": ('{"id": "1", "loc": "a"}', "malformed"),
    "null as t": (event("1", "a", None), "malformed"),
    "a number as sa": (event("1", "b", 5, sa=3), "malformed"),
    "an unknown operation": ('{"op": "dance"}', "malformed"),
    "a watermark without time": ('{"op": "watermark"}', "malformed"),
    "an erasure of nobody": ('{"op": "erase", "id": ""}', "malformed"),
    "a line break in an id": (event("a\nb", "a", 5), "malformed"),
    "a line break in a place": (event("1", "a\nb", 5), "malformed"),
    "a line break in a value": (event("new", "a", 5, sa="a\nb"), "malformed"),
    "a line break in an erasure": (json.dumps({"op": "erase", "id": "a\nb"}), "malformed"),
    "half a surrogate pair": ('{"id": "\\ud800", "loc": "a", "t": 5}', "malformed"),
    "half a surrogate pair as place": ('{"id": "1", "loc": "\\udfff", "t": 5}', "malformed"),
    "text as t": (event("1", "a", "5"), "bad_timestamp"),
    "a fraction as t": (event("1", "a", 5.5), "bad_timestamp"),
    "a whole fraction as t": (event("1", "a", 5.0), "bad_timestamp"),
    "true as t": (event("1", "a", True), "bad_timestamp"),
    "65 bits": (event("1", "a", 2**63), "bad_timestamp"),
    "65 bits below": (event("1", "a", -(2**63) - 1), "bad_timestamp"),
    "not a number": ('{"id": "1", "loc": "a", "t": NaN}', "bad_timestamp"),
    "infinite": ('{"id": "1", "loc": "a", "t": 1e999}', "bad_timestamp"),
    "a list as t": (event("1", "a", [5]), "bad_timestamp"),
    "before the origin": (event("1", "b", 0), "before_origin"),
    "far before the origin": (event("1", "b", -(2**63)), "before_origin"),
    "too far ahead": (event("1", "b", 6 + 40 + 1), "future"),
    "a place that is a sensitive value": (event("1", "ill", 5), "unknown_location"),
    "late": (event("1", "b", 3), "late"),
    "of somebody erased": (event("gone", "a", 5), "erased"),
    "another sensitive value": (event("1", "b", 5, sa="other"), "sa_conflict"),
    "a repeat": (event("1", "a", 6), "duplicate"),
}


@pytest.mark.long
@pytest.mark.parametrize(("line", "result"), BAD_LINES.values(), ids=list(BAD_LINES))
def test_a_bad_event_is_counted_under_its_reason_and_changes_nothing(line: str, result: str, tmp_path: Path) -> None:
    before = [*crowd(range(1, 7)), json.dumps({"op": "erase", "id": "gone"})]
    after = crowd(range(7, 10))
    stream(prepared(tmp_path / "without", [*before, *after]))
    assert counted(tmp_path, [*before, line, *after]) == {"accepted": 45, result: 1}
    assert published(tmp_path / "run") == published(tmp_path / "without")
    assert len(windows_of(tmp_path / "run")) == 6


def test_a_place_outside_the_declared_ones_is_counted(tmp_path: Path) -> None:
    lines = [*crowd(range(1, 7)), event("1", "z", 6)]
    assert counted(tmp_path, lines, run={"locations": ["a", "b"]}) == {"accepted": 30, "unknown_location": 1}


def test_a_second_place_is_counted_where_only_the_first_is_wanted(tmp_path: Path) -> None:
    lines = [*crowd(range(1, 7)), event("1", "b", 6)]
    assert counted(tmp_path, lines, privacy={"multi_location": "first"}) == {"accepted": 30, "second_location": 1}
    assert stream(prepared(tmp_path / "all", lines))["events"] == {"accepted": 31}


def test_the_places_of_ten_bad_events_are_kept_and_nothing_of_what_they_say(tmp_path: Path) -> None:
    counted(tmp_path, [*crowd(range(1, 7)), *[f"secret {number}" for number in range(25)]])
    kept = (tmp_path / "run" / "state" / "refused.ndjson").read_text(encoding="utf-8")
    assert len(kept.splitlines()) == 10
    assert "secret" not in kept


@pytest.mark.parametrize("line", ["nonsense", event("1", "a", "5")])
def test_strict_stops_at_the_first_bad_event(line: str, tmp_path: Path) -> None:
    lines = [*crowd(range(1, 7)), line, *crowd(range(7, 20))]
    with pytest.raises(BadRow, match="strict"):
        stream(prepared(tmp_path / "run", lines, run={"strict": True}))
    assert len(windows_of(tmp_path / "run")) == 0


@pytest.mark.parametrize("bad", ["nonsense", event("1", "a", 1.5)])
def test_more_than_a_tenth_of_bad_events_after_a_thousand_stops_before_the_next_publication(
    bad: str, tmp_path: Path
) -> None:
    good = crowd(range(1, 21), people=50)
    few = [*good[:900], *[bad] * 99, *good[900:]]
    assert stream(prepared(tmp_path / "few", few))["finished"]
    many = [*good[:900], *[bad] * 120, *good[900:]]
    with pytest.raises(TooManyBadEvents) as refused:
        stream(prepared(tmp_path / "many", many))
    assert refused.value.code == "too-many-bad-events"
    assert windows_of(tmp_path / "many")[-1]["y"] <= 18


def test_any_other_character_in_a_label_is_data(tmp_path: Path) -> None:
    places = ["a,b", 'q"uote', "back\\slash", "tab\t", "nul\x00", "line\u2028", "\r", "\u00fc\U0001f680", "\x7f"]
    lines = [event(f"{place}{person}", place, t) for t in range(1, 9) for place in places for person in range(3)]
    stream(prepared(tmp_path / "run", lines, run={"checkpoint_every": 1}))
    windows = windows_of(tmp_path / "run")
    assert windows
    for window in windows:
        assert {doublet[0] for record in window["records"] for doublet in record["doublets"]} == set(places)


def test_a_sensitive_value_that_is_a_declared_place_is_refused() -> None:
    with pytest.raises(SensitiveLocation) as refused:
        StreamConfiguration.from_tables(tables(run={"locations": ["a", "ill"]}))
    assert (refused.value.code, refused.value.exit_code) == ("sensitive-location", 2)


def test_a_promise_of_nothing_is_said_to_be_one(tmp_path: Path) -> None:
    privacy = {"K": 1, "C": 1, "sensitive_values": []}
    done = stream(prepared(tmp_path / "run", crowd(range(1, 9)), privacy=privacy))
    assert done["warnings"] == ["trivial_guarantee"]
    assert all(one["warnings"] == ["trivial_guarantee"] for one in certificates(tmp_path / "run"))
