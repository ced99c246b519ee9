"""Events a second from a file and from Mosquitto at QoS 1, through to the published windows, without a loss."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.comparison import Row
from crypsis.runtime import StreamConfiguration, StreamRun
from crypsis.samples.metro_flow import metro_flow

FROM_FILE, FROM_MQTT = 100_000, 15_000  # events a second
_TABLES: dict[str, dict[str, Any]] = {
    "privacy": {"L": 2, "K": 20, "N": 7, "t0": 1},
    "sink": {"kind": "ndjson", "path": "windows.ndjson"},
    "run": {"state": "state", "verify": "off"},
}


def rows(quick: bool = False) -> Iterator[Row]:
    """Each source to the end of the stream; the limit is the time that the required rate allows."""
    columns = ("id", "location", "t", "fare")
    for kind, events, rate in (
        ("csv", 1_000_000, FROM_FILE),
        ("ndjson", 1_000_000, FROM_FILE),
        ("mqtt", 150_000, FROM_MQTT),
    ):
        if kind == "mqtt" and shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None:
            continue
        frame = metro_flow((events // 10 if quick else events) * 13 // 70).to_frame()
        records = list(zip(*(frame[name].to_list() for name in columns), strict=True))
        lines = [json.dumps({"id": who, "loc": place, "t": t, "sa": fare}) for who, place, t, fare in records]
        with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
            folder = Path(place)
            if kind == "csv":
                text = "".join(f"{who},{place},{t},{fare}\n" for who, place, t, fare in records)
                (folder / "events.csv").write_text("id,loc,t,sa\n" + text, encoding="utf-8")
            elif kind == "ndjson":
                (folder / "events.ndjson").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            yield _row(kind, folder, lines, rate)


def _row(kind: str, folder: Path, lines: list[str], rate: int) -> Row:
    _warm(folder / "warm")
    if kind != "mqtt":
        seconds, processor = _run(folder, {"kind": kind, "path": f"events.{kind}"}, len(lines))
    else:
        seconds, processor = _through_mosquitto(folder, [*lines, '{"op":"end"}'])
    return Row(
        f"ingest from {kind}",
        f"{len(lines):,} events of a metro, N=7",
        seconds,
        limit=len(lines) / rate,
        note=f"{len(lines) / seconds:,.0f} events/s, {len(lines) / processor:,.0f} by processor time; none lost",
    )


def _warm(folder: Path) -> None:
    """Let everything be compiled."""
    folder.mkdir()
    text = "".join(json.dumps({"id": str(who), "loc": "a", "t": t}) + "\n" for t in range(1, 12) for who in range(50))
    (folder / "events.ndjson").write_text(text, encoding="utf-8")
    _run(folder, {"kind": "ndjson", "path": "events.ndjson"}, 550)


def _run(folder: Path, source: dict[str, Any], events: int) -> tuple[float, float]:
    run = StreamRun(StreamConfiguration.from_tables({**_TABLES, "source": source}, folder))
    started, before = time.perf_counter(), time.process_time()
    done = run.execute()
    seconds, processor = time.perf_counter() - started, time.process_time() - before
    if done["events"] != {"accepted": events} or not done["finished"]:
        raise AssertionError(f"of {events:,} events there were {done['events']}")
    return seconds, processor


def _through_mosquitto(folder: Path, lines: list[str]) -> tuple[float, float]:
    """The broker holds the messages when the run begins, so that the publisher's pace is not measured."""
    from tests.runtime.brokers import Mosquitto
    from tests.runtime.publishing import fill_mqtt, reserve_session

    broker = Mosquitto(folder / "broker")
    broker.close = broker.stop  # type: ignore[attr-defined]
    with closing(broker):  # type: ignore[type-var]
        reserve_session(broker.port, "crypsis-bench", "gates")
        filling = threading.Thread(target=fill_mqtt, args=(broker.port, "gates", lines))
        filling.start()
        filling.join()
        source = {"kind": "mqtt", "topic": "gates", "host": "127.0.0.1", "port": broker.port, "client": "crypsis-bench"}
        return _run(folder, source, len(lines) - 1)
