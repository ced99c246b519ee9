"""Memory and disk are bounded: a full queue stops the reading, a full spool the broker, and room comes back."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import BadConfiguration
from crypsis.runtime import StreamConfiguration, stream
from crypsis.runtime.events import Batch
from crypsis.runtime.feed import Feed, Nothing
from crypsis.runtime.sources.source import Source
from crypsis.runtime.spool import Spool
from tests.runtime.brokers import Mosquitto
from tests.runtime.publishing import fill_mqtt, reserve_session
from tests.runtime.streams import KEY, lively_lines, prepared, published, tables

SMALL = 1 << 16  # bytes of a spool
AT_ONCE = 2 << 20  # that a source takes at most while it connects and reads once


class Endless(Source):
    """Counts how many events were asked of it."""

    def __init__(self) -> None:
        self.given = 0

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        while not stopped.is_set():
            self.given += 100
            yield Batch([None] * 100, list(range(self.given - 99, self.given + 1)))


def test_a_full_queue_stops_the_reading() -> None:
    source = Endless()
    feed = Feed(source, None, 1000)
    seen = -1
    while seen != source.given:  # until it stands still
        seen = source.given
        time.sleep(0.3)
    assert source.given <= 1000 + 2 * 100
    assert feed.depth <= 1000
    taken = 0
    while taken < 2000:
        batch = feed.next()
        assert batch is not None
        taken += 0 if batch is Nothing else len(batch.events)
    assert source.given <= 2000 + 1000 + 2 * 100
    feed.close()


def test_a_full_spool_has_room_again_when_it_is_read_and_kept(tmp_path: Path) -> None:
    spool = Spool(tmp_path, SMALL)
    reader = spool.read(0, threading.Event())
    line = b"x" * 999
    while not spool.full:
        spool.append([line] * 4)
    assert not spool.starved  # somebody has yet to read
    at = 0
    while at < spool.end:
        at = next(reader)[1][-1]
    spool.finish()
    assert next(reader, None) is None
    assert spool.starved
    spool.forget_before(at)
    assert not spool.full
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= SMALL // 2
    spool.close()


def largest_seen(folder: Path, running: threading.Event) -> list[int]:
    """Watch the bytes of a spool while a stream runs."""
    sizes = [0]

    def watch() -> None:
        while not running.wait(0.005):
            total = 0
            for path in folder.glob("spool-*"):
                try:
                    total += path.stat().st_size
                except FileNotFoundError:
                    continue
            sizes[0] = max(sizes[0], total)

    threading.Thread(target=watch, daemon=True).start()
    return sizes


@pytest.mark.long
def test_mqtt_through_a_small_spool_loses_nothing(tmp_path: Path) -> None:
    """A window needs more events than the spool holds, so that only checkpoints in between make room."""
    lively = lively_lines(seed=4, people=2500, timestamps=12)
    padded = [line.replace('"loc"', f'"note": "{"x" * 300}", "loc"') for line in lively]
    lines = [*padded, '{"op": "end"}']
    changes = {"run": {"spool_limit": SMALL, "verify": "off", "retry_seconds": 60.0, "checkpoint_every": 100}}
    stream(prepared(tmp_path / "whole", lines, **changes))
    broker = Mosquitto(tmp_path / "mosquitto")
    try:
        reserve_session(broker.port, "crypsis", "events")
        fill_mqtt(broker.port, "events", lines)
        (tmp_path / "run" / "state").mkdir(parents=True)
        (tmp_path / "run" / "state" / "pseudonym.key").write_text(KEY, encoding="ascii")
        source = {"kind": "mqtt", "topic": "events", "port": broker.port}
        done = threading.Event()
        largest = largest_seen(tmp_path / "run" / "state" / "spool", done)
        stream(StreamConfiguration.from_tables(tables(source=source, **changes), tmp_path / "run"))
        done.set()
    finally:
        broker.stop()
    assert sum(map(len, lines)) > 2 * (SMALL + AT_ONCE)
    assert 0 < largest[0] <= SMALL + AT_ONCE
    assert published(tmp_path / "run")[0] == published(tmp_path / "whole")[0]


@pytest.mark.long
def test_standard_input_waits_while_its_spool_is_full(tmp_path: Path) -> None:
    lines = lively_lines(seed=4, people=400, timestamps=20)
    whole = prepared(tmp_path / "whole", lines)
    stream(whole)
    settings = tables(source={"kind": "stdin"}, run={"spool_limit": SMALL, "checkpoint_every": 100})
    (tmp_path / "run" / "state").mkdir(parents=True)
    (tmp_path / "run" / "state" / "pseudonym.key").write_text(KEY, encoding="ascii")
    program = "import json, sys, crypsis; crypsis.stream(json.loads(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", program, json.dumps(settings)],
        input="".join(f"{line}\n" for line in lines).encode(),
        cwd=tmp_path / "run",
        check=True,
        timeout=300,
    )
    assert published(tmp_path / "run") == published(tmp_path / "whole")
    left = sum(path.stat().st_size for path in (tmp_path / "run" / "state" / "spool").iterdir())
    assert left <= 2 * SMALL < sum(map(len, lines))


@pytest.mark.parametrize("limit", [0, (1 << 16) - 1])
def test_a_spool_must_have_some_room(limit: int) -> None:
    with pytest.raises(BadConfiguration, match="spool_limit"):
        StreamConfiguration.from_tables(tables(run={"spool_limit": limit}))
