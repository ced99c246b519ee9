"""Real brokers: a hundred thousand events through each to the other, killed on the way, a broker restarted once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crypsis.runtime import StreamConfiguration, stream
from tests.runtime.brokers import Mosquitto, Redis
from tests.runtime.publishing import (
    fill_mqtt,
    fill_redis,
    reserve_session,
    windows_in_mqtt,
    windows_in_redis,
)
from tests.runtime.streams import KEY, lively_lines, prepared, published, tables
from tests.runtime.test_crashes import killed_again_and_again

RUN: dict[str, Any] = {"verify": "off", "checkpoint_every": 5, "retry_seconds": 30.0}


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Mosquitto, Redis]]:
    folder = tmp_path_factory.mktemp("brokers")
    mosquitto, redis_server = Mosquitto(folder / "mosquitto"), Redis(folder / "redis")
    yield mosquitto, redis_server
    mosquitto.stop()
    redis_server.stop()


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[bytes]]:
    """A hundred thousand events, and the windows of the undisturbed run from a file."""
    folder = tmp_path_factory.mktemp("replay") / "whole"
    lines = [*lively_lines(seed=8, people=1700, timestamps=100), '{"op": "end"}']
    assert len(lines) > 100_000
    stream(prepared(folder, lines, run=RUN))
    return lines, published(folder)[0].splitlines()


def begun(folder: Path, source: dict[str, Any], sink: dict[str, Any]) -> dict[str, Any]:
    """The changes of a configuration between brokers, and its key in place."""
    (folder / "state").mkdir(parents=True)
    (folder / "state" / "pseudonym.key").write_text(KEY, encoding="ascii")
    return {"source": source, "sink": sink, "run": RUN}


def restarted_after(broker: Mosquitto | Redis, seconds: float) -> threading.Timer:
    def restart() -> None:
        broker.stop()
        broker.start()

    timer = threading.Timer(seconds, restart)
    timer.start()
    return timer


def test_a_replay_from_redis_to_mqtt_survives_kills_and_a_restart_of_redis(
    brokers: tuple[Mosquitto, Redis], replay: tuple[list[str], list[bytes]], tmp_path: Path
) -> None:
    (mosquitto, redis_server), (lines, windows) = brokers, replay
    fill_redis(redis_server.port, "events", lines)
    source = {"kind": "redis", "stream": "events", "port": redis_server.port}
    changes = begun(tmp_path / "run", source, {"kind": "mqtt", "topic": "windows", "port": mosquitto.port})
    timer = restarted_after(redis_server, 4.0)
    kills = killed_again_and_again(tmp_path / "run", "time", 1, **changes)
    timer.join()
    assert kills >= 5
    assert windows_in_mqtt(mosquitto.port, "windows", len(windows)) == windows


def test_a_replay_from_mqtt_to_redis_survives_kills_and_a_restart_of_mosquitto(
    brokers: tuple[Mosquitto, Redis], replay: tuple[list[str], list[bytes]], tmp_path: Path
) -> None:
    (mosquitto, redis_server), (lines, windows) = brokers, replay
    reserve_session(mosquitto.port, "crypsis", "events")
    fill_mqtt(mosquitto.port, "events", lines)
    source = {"kind": "mqtt", "topic": "events", "port": mosquitto.port}
    changes = begun(tmp_path / "run", source, {"kind": "redis", "stream": "windows", "port": redis_server.port})
    timer = restarted_after(mosquitto, 4.0)
    kills = killed_again_and_again(tmp_path / "run", "time", 2, **changes)
    timer.join()
    assert kills >= 5
    assert windows_in_redis(redis_server.port, "windows") == windows


def test_a_redis_stream_may_hold_events_as_fields(brokers: tuple[Mosquitto, Redis], tmp_path: Path) -> None:
    import redis

    server = brokers[1]
    client = redis.Redis(port=server.port)
    for person in "123":
        client.xadd("fields", {"id": person, "loc": "a", "t": "1"})
    client.xadd("fields", {"event": '{"op": "end"}'})
    client.close()
    settings = tables(
        privacy={"N": 1, "C": 1, "sensitive_values": []},
        run={"state": "state"},
    )
    settings["source"] = {"kind": "redis", "stream": "fields", "port": server.port}
    done = stream(StreamConfiguration.from_tables(settings, tmp_path))
    assert (done["windows"], done["events"]) == (1, {"accepted": 3})
