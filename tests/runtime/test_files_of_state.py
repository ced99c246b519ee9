"""What is kept on disk is whole or refused: checkpoints, lines, the spool."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import DamagedCheckpoint
from crypsis.runtime.checkpoint import Checkpoints, decoded, encoded
from crypsis.runtime.engine import StreamEngine
from crypsis.runtime.events import CsvLines, events_of_lines
from crypsis.runtime.line_log import LineLog
from crypsis.runtime.spool import Spool
from tests.runtime.streams import KEY, lively_lines, prepared

CONTENT = {
    "number": 3,
    "nothing": None,
    "words": ["ä", "", "two words"],
    "none": [],
    "array": np.arange(6, dtype=np.int32).reshape(2, 3),
    "inside": {"empty": np.empty((0, 2), np.int64), "one": [""]},
}


def test_a_checkpoint_gives_back_what_was_put_in() -> None:
    found = decoded(encoded(CONTENT))
    assert {name: found[name] for name in ("number", "nothing", "words", "none")} == {
        name: CONTENT[name] for name in ("number", "nothing", "words", "none")
    }
    assert found["array"].dtype == np.int32
    assert found["array"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["inside"]["empty"].shape == (0, 2)
    assert found["inside"]["one"] == [""]


def test_no_changed_or_missing_byte_of_a_checkpoint_goes_unnoticed() -> None:
    whole = encoded(CONTENT)
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 4
        for damaged in (bytes(changed), whole[:at]):
            with pytest.raises(ValueError):
                decoded(damaged)


def test_checkpoints_are_private_and_two_are_kept(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    assert checkpoints.newest() is None
    for number in range(5):
        checkpoints.write(number, {"position": number})
    assert [path.name[-7:-6] for path in checkpoints.files()] == ["3", "4"]
    assert checkpoints.newest() == {"position": 4}
    assert checkpoints.position_before() == 3
    assert all(path.stat().st_mode & 0o077 == 0 for path in checkpoints.files())


@pytest.mark.parametrize("stop", [1, 300, 700, 1200])
def test_an_engine_goes_on_from_its_state_as_if_nothing_had_happened(stop: int, tmp_path: Path) -> None:
    configuration = prepared(tmp_path / "run", [], privacy={"multi_location": "first"})
    events = events_of_lines([line.encode() for line in lively_lines(seed=9)])
    straight = StreamEngine(configuration, bytes.fromhex(KEY))
    engine = StreamEngine(configuration, bytes.fromhex(KEY))
    lines: dict[int, list[bytes]] = {0: [], 1: []}
    for number, event in enumerate(events):
        if number == stop:
            state = decoded(encoded(engine.state()))
            engine = StreamEngine(configuration, bytes.fromhex(KEY))
            engine.restore(state)
        for which, one in enumerate((straight, engine)):
            one.offer(event)
            while (decided := one.next_window()) is not None:
                lines[which].append(decided.line + decided.certificate)
    assert len(lines[0]) > 30
    assert lines[1] == lines[0]
    assert engine.intake.counters == straight.intake.counters


def test_a_torn_last_line_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    log = LineLog(path)
    log.append(b"one\n")
    log.append(b"two\r\n")
    log.close()
    path.write_bytes(path.read_bytes() + b"torn" * 50_000)
    log = LineLog(path)
    assert log.lines() == [b"one\n", b"two\r\n"]
    assert log.last_line() == b"two\r\n"
    log.close()


def test_a_spool_is_read_from_any_position_across_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.runtime.spool._SEGMENT", 64)
    monkeypatch.setattr("crypsis.runtime.spool._READ", 16)
    spool = Spool(tmp_path, 1 << 20)
    lines = [f"line {number} {'x' * (number % 30)}".encode() for number in range(40)]
    for line in lines:
        spool.append([line])
    spool.append([b"with\nbreak"])
    spool.finish()
    read = [(line, at) for some, ats in spool.read(0, threading.Event()) for line, at in zip(some, ats, strict=True)]
    assert [line for line, _ in read] == [*(line + b"\n" for line in lines), b"with break\n"]
    middle = read[20][1]
    again = [line for some, _ in spool.read(middle, threading.Event()) for line in some]
    assert again == [line for line, _ in read[21:]]
    spool.forget_before(middle)
    assert len(list(tmp_path.iterdir())) < 30
    assert [line for some, _ in spool.read(middle, threading.Event()) for line in some] == again
    with pytest.raises(DamagedCheckpoint):
        list(spool.read(0, threading.Event()))
    spool.close()


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [b'{"id":"a"}', b'{"a":1},{"b":2}', b"[1", b"2]", b"", b'{"id":"}', b'{","loc":"x"}', b"1,2"]
            ),
            st.dictionaries(st.text(max_size=3), st.text(max_size=3)).map(lambda one: json.dumps(one).encode()),
        )
    )
)
def test_lines_read_together_are_what_they_are_alone(lines: list[bytes]) -> None:
    assert events_of_lines(lines) == [events_of_lines([line])[0] for line in lines]


def test_csv_lines_become_events() -> None:
    parse = CsvLines(b"\xef\xbb\xbfid,t,loc,sa\r\n", "file")
    lines = [b"1,5,a,\r\n", b'"x,y",-3,"a ""b""",s\n', b"1,5\n", b"1,x,a,\n", b"1,,a,\n", b"\xff,1,a,\n", b'"1,5,a,\n']
    assert parse(lines) == [
        {"id": "1", "loc": "a", "t": 5},
        {"id": "x,y", "loc": 'a "b"', "t": -3, "sa": "s"},
        None,
        {"id": "1", "loc": "a", "t": "x"},
        {"id": "1", "loc": "a", "t": None},
        None,
        None,
    ]
