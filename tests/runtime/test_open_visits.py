"""A live stream that tells when visits ended: the same windows as from a record, through restarts and erasures."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl

from crypsis import ITSA, Events
from crypsis.data.stream import OPEN
from crypsis.data.windows import read_windows
from crypsis.methods.stream.intake import Intake
from crypsis.run_context import RunContext
from crypsis.runtime import StreamRun
from crypsis.verifiers import verify
from tests.runtime.streams import event, prepared, published, windows_of

PRIVACY = {"L": 2, "K": 2, "C": "1", "N": 4, "lateness": 1, "t0": 0, "sensitive_values": [], "exits": True}


def visits(seed: int = 1, people: int = 80, timestamps: int = 12) -> list[tuple[str, str, int, int | None]]:
    chance = random.Random(seed)
    rows = []
    for person in range(people):
        t = chance.randrange(2)
        while t < timestamps:
            end = t + chance.choice([0, 1, 1, 2, 5])
            rows.append((f"p{person}", "ab"[(person + t) // 4 % 2], t, end if chance.random() < 0.9 else None))
            t = end + 1
    return sorted(rows, key=lambda row: (row[2], row[0]))


def lines_when_they_happen(rows: Any) -> list[str]:
    """A visit is told when it begins, and again when it ends."""
    told = [(t, 0, event(person, place, t)) for person, place, t, _ in rows]
    told += [(end, 1, event(person, place, t, exit=end)) for person, place, t, end in rows if end is not None]
    return [line for *_, line in sorted(told)]


def run(folder: Path, lines: list[str], **changes: Any) -> list[dict[str, Any]]:
    configuration = prepared(folder, lines, privacy={**PRIVACY, **changes.pop("privacy", {})}, **changes)
    StreamRun(configuration).execute()
    return windows_of(folder)


def shown(windows: list[dict[str, Any]]) -> list[list[Any]]:
    return [sorted(json.dumps(record["visits"]) for record in window["records"]) for window in windows]


def test_live_windows_are_those_of_the_record(tmp_path: Path) -> None:
    rows = visits()
    whole = [event(p, place, t, **({} if end is None else {"exit": end})) for p, place, t, end in rows]
    at_once = run(tmp_path / "at_once", whole)
    as_it_happens = run(tmp_path / "live", lines_when_they_happen(rows))
    frame = {
        "id": [row[0] for row in rows],
        "location": [row[1] for row in rows],
        "t": [row[2] for row in rows],
        "exit": [row[3] for row in rows],
    }
    data = Events.from_frame(pl.DataFrame(frame), exit="exit")
    method = ITSA(L=2, K=2, N=4, t0=0, lateness=1, exits=True).resolve(data)
    record = method.anonymize(data, RunContext())
    ends = [sorted(window.exits.tolist()) for window in record]  # type: ignore[union-attr]
    assert sum(end != OPEN for window in ends for end in window) > 10
    assert shown(at_once)[: len(ends)] == shown(as_it_happens)[: len(ends)]
    for window, expected in zip(at_once, ends, strict=False):
        found = [OPEN if visit[4] is None else visit[3] for record in window["records"] for visit in record["visits"]]
        assert sorted(found) == expected


def test_a_restarted_stream_tells_the_same(tmp_path: Path) -> None:
    lines = lines_when_they_happen(visits(2))
    lines.insert(len(lines) // 2, json.dumps({"op": "erase", "id": "p3"}))
    changes: dict[str, Any] = {"privacy": {"mode": "cumulative", "H": 8}, "run": {"checkpoint_every": 1}}
    whole = run(tmp_path / "whole", lines, **changes)
    folder = tmp_path / "stopped"
    configuration = prepared(folder, lines, privacy={**PRIVACY, "mode": "cumulative", "H": 8}, run=changes["run"])
    for stop_after in (2, 4, 99):
        stream = StreamRun(configuration)

        def stop(observed: Any, stream: StreamRun = stream, after: int = stop_after) -> None:
            if observed.windows >= after:
                stream.stop()

        stream.listener = stop
        stream.execute()
    assert windows_of(folder) == whole
    read = read_windows(published(folder)[0].splitlines())
    assert verify(read, configuration.method.guarantee.__class__(L=2, K=2, exits=True)).holds


def test_an_end_may_come_later_once_and_only_for_a_known_visit() -> None:
    intake = Intake(t0=0, lateness=0, exits=4)
    assert [intake.offer({"id": "1", "loc": "a", "t": t}) for t in (0, 1, 2)] == ["accepted"] * 3
    intake.take(1)
    told = {"id": "1", "loc": "a", "t": 0, "exit": 2}
    assert intake.offer(told) == "accepted"
    assert intake.offer(told) == "duplicate"
    assert intake.offer({**told, "exit": 3}) == "exit_conflict"
    assert intake.offer({**told, "t": 1, "exit": 1}) == "late", "its timestamp is closed"
    assert intake.offer({**told, "loc": "b"}) == "late", "nobody was there"
    assert intake.offer({**told, "t": 2, "exit": 1}) == "bad_timestamp"
    assert intake.offer({**told, "t": 2, "exit": "soon"}) == "bad_timestamp"
    assert intake.take_ends(2).tolist() == [[0, 0, 0, 2]]
    again = Intake(t0=0, lateness=0, exits=4)
    again.restore(intake.state())
    assert again.offer(told) == "duplicate"
