"""Real brokers: a hundred thousand events through each to the other; kills, restarts, a full disk, logins and TLS."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self

import pytest

from crypsis.errors import InputError, SinkBehind
from crypsis.runtime import StreamConfiguration, StreamRun, stream
from crypsis.runtime.observation import Observation
from tests.runtime.brokers import ForgetfulProxy, Mosquitto, Redis
from tests.runtime.publishing import (
    Subscriber,
    fill_mqtt,
    fill_redis,
    reserve_session,
    windows_in_mqtt,
    windows_in_redis,
)
from tests.runtime.small_disk import SmallDisk, small_disk
from tests.runtime.streams import KEY, lively_lines, prepared, published, tables

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
ENOUGH = 16  # kills of each of two replays, so that there are more than thirty
RUN: dict[str, Any] = {"verify": "off", "checkpoint_every": 3, "retry_seconds": 30.0}


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


class Crashing:
    """A stream whose processes are killed one after another; see `tests.runtime.crashing`."""

    def __init__(self, folder: Path, changes: dict[str, Any]) -> None:
        command = [
            sys.executable,
            "-m",
            "tests.runtime.crashing",
            str(folder),
            json.dumps(tables(**changes)),
            "told",
            "0",
        ]
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._answer() == "ready"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()

    def life(self, windows: int, seconds: float, meanwhile: Callable[[], None] | None = None) -> bool:
        """One process; was it killed, or did it finish?"""
        self._tell(f"life {windows} {seconds}")
        if meanwhile is not None:
            meanwhile()
        answer = self._answer()
        assert answer in ("killed", "finished"), answer
        return answer == "killed"

    def on_a_full_disk(self, largest_file: int) -> str:
        self._tell(f"full {largest_file}")
        return self._answer()

    def _tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _answer(self) -> str:
        return self.process.stdout.readline().strip()


def restart(broker: Mosquitto | Redis) -> Callable[[], None]:
    def restarting() -> None:
        time.sleep(0.3)
        broker.stop()
        time.sleep(0.2)
        broker.start()

    return restarting


def disturbed(
    disk: SmallDisk, changes: dict[str, Any], source: Mosquitto | Redis, sink: Mosquitto | Redis, seed: int
) -> int:
    """Run to the end: kills at random moments, both brokers restarted once, the disk full once. How many kills?"""
    chance = random.Random(seed)
    kills = 0
    with Crashing(disk.folder / "run", changes) as crashing:
        meanwhile = {2: restart(source), 5: restart(sink)}
        while True:
            if kills == 8:
                disk.fill()
                assert disk.words in crashing.on_a_full_disk(disk.largest_file)
                disk.empty()
            long = kills in meanwhile  # so that it is alive when the broker goes
            early = kills < ENOUGH  # short lives first, so that it does not get to its end too soon
            windows = 12 if long else chance.randrange(3 if early else 7)
            if not crashing.life(windows, (0.01 if early else 0.05) * chance.random(), meanwhile.get(kills)):
                return kills
            kills += 1
            assert kills < 200, "it never gets to its end"


def test_a_replay_from_redis_to_mqtt_survives_kills_restarts_and_a_full_disk(
    brokers: tuple[Mosquitto, Redis], replay: tuple[list[str], list[bytes]], tmp_path: Path
) -> None:
    (mosquitto, redis_server), (lines, windows) = brokers, replay
    fill_redis(redis_server.port, "events", lines)
    source = {"kind": "redis", "stream": "events", "port": redis_server.port}
    sink = {"kind": "mqtt", "topic": "windows", "port": mosquitto.port}
    with small_disk(tmp_path / "disk") as disk:
        subscriber = Subscriber(mosquitto.port, "windows/+")
        kills = disturbed(disk, begun(disk.folder / "run", source, sink), redis_server, mosquitto, 1)
        subscriber.close(len(windows))
    assert kills >= ENOUGH
    assert windows_in_mqtt(mosquitto.port, "windows", len(windows)) == windows
    assert subscriber.heard == {f"windows/{seq}": [window] for seq, window in enumerate(windows)}


def test_a_replay_from_mqtt_to_redis_survives_kills_restarts_and_a_full_disk(
    brokers: tuple[Mosquitto, Redis], replay: tuple[list[str], list[bytes]], tmp_path: Path
) -> None:
    (mosquitto, redis_server), (lines, windows) = brokers, replay
    reserve_session(mosquitto.port, "crypsis", "events")
    fill_mqtt(mosquitto.port, "events", lines)
    source = {"kind": "mqtt", "topic": "events", "port": mosquitto.port}
    sink = {"kind": "redis", "stream": "windows", "port": redis_server.port}
    with small_disk(tmp_path / "disk") as disk:
        kills = disturbed(disk, begun(disk.folder / "run", source, sink), mosquitto, redis_server, 2)
    assert kills >= ENOUGH
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


def test_an_answer_of_redis_that_is_lost_loses_no_event(brokers: tuple[Mosquitto, Redis], tmp_path: Path) -> None:
    """The group has given the entries and would give the next ones, so it must be set back."""
    lines = [*lively_lines(seed=5, people=150), '{"op": "end"}']  # more than one answer holds
    stream(prepared(tmp_path / "whole", lines))
    fill_redis(brokers[1].port, "lost", lines)
    proxy = ForgetfulProxy(brokers[1].port)
    source = {"kind": "redis", "stream": "lost", "port": proxy.port}
    stream(prepared(tmp_path / "run", [], source=source, run={"retry_seconds": 60.0}))
    proxy.close()
    assert proxy.lost
    assert published(tmp_path / "run") == published(tmp_path / "whole")


def test_a_redis_stream_that_was_trimmed_too_far_is_refused(brokers: tuple[Mosquitto, Redis], tmp_path: Path) -> None:
    import redis

    port = brokers[1].port
    fill_redis(port, "trimmed", lively_lines(seed=5))
    configuration = prepared(tmp_path / "run", [], source={"kind": "redis", "stream": "trimmed", "port": port})
    running = StreamRun(configuration)
    running.listener = lambda observed: running.stop() if observed.windows > 10 else None
    running.execute()
    client = redis.Redis(port=port)
    client.xtrim("trimmed", maxlen=2, approximate=False)
    client.close()
    with pytest.raises(InputError, match="events are gone"):
        stream(configuration)


def test_a_broker_that_lost_retained_windows_is_noticed_and_given_them_again(tmp_path: Path) -> None:
    """Restarted without what it stored: nothing but asking for every window would tell."""
    broker = Mosquitto(tmp_path / "mosquitto")
    lines = lively_lines(seed=6)
    stream(prepared(tmp_path / "whole", lines))
    sink = {"kind": "mqtt", "topic": "windows", "port": broker.port}
    configuration = prepared(tmp_path / "run", lines, sink=sink, run={"retry_seconds": 60.0})
    running = StreamRun(configuration)
    running.listener = lambda observed: running.stop() if observed.windows > 10 else None
    running.execute()
    broker.stop()
    (broker.folder / "mosquitto.db").unlink()
    broker.start()
    with pytest.raises(SinkBehind, match="does not hold window 0"):
        stream(configuration)
    assert stream(configuration, republish=True)["finished"]
    whole = published(tmp_path / "whole")[0].splitlines()
    assert windows_in_mqtt(broker.port, "windows", len(whole)) == whole
    broker.stop()


def test_a_window_taken_out_of_a_redis_stream_is_noticed(brokers: tuple[Mosquitto, Redis], tmp_path: Path) -> None:
    import redis

    port = brokers[1].port
    sink = {"kind": "redis", "stream": "holes", "port": port}
    configuration = prepared(tmp_path / "run", lively_lines(seed=6), sink=sink, run={"retry_seconds": 60.0})
    assert stream(configuration)["finished"]
    whole = windows_in_redis(port, "holes")
    client = redis.Redis(port=port)
    client.xtrim("holes", minid="2-1", approximate=False)  # read by whoever wanted them
    assert stream(configuration)["finished"]
    client.xdel("holes", "5-1")
    for republish in (False, True):  # Redis takes no entry below its last one
        with pytest.raises(SinkBehind, match=r"[Ww]indow 5"):
            stream(configuration, republish=republish)
    client.delete("holes")
    client.close()
    assert stream(configuration, republish=True)["finished"]
    assert windows_in_redis(port, "holes") == whole


@pytest.mark.parametrize("kind", ["mqtt", "redis"])
def test_a_broker_that_is_halted_is_told_within_seconds_and_nothing_is_lost(kind: str, tmp_path: Path) -> None:
    broker: Mosquitto | Redis = Mosquitto(tmp_path / kind) if kind == "mqtt" else Redis(tmp_path / kind)
    lines = lively_lines(seed=6)
    where = {"topic": "events"} if kind == "mqtt" else {"stream": "events"}
    source = {"kind": kind, "port": broker.port, **where}
    fill = partial(fill_mqtt, broker.port, "events") if kind == "mqtt" else partial(fill_redis, broker.port, "events")
    stream(prepared(tmp_path / "whole", [*lines, '{"op": "end"}']))
    running = StreamRun(prepared(tmp_path / "run", [], source=source))
    halted: list[float] = []

    def look(observed: Observation) -> None:
        if observed.windows and not halted:
            broker.process.send_signal(signal.SIGSTOP)
            halted.append(time.monotonic())
        elif len(halted) == 1 and observed.broker_silences:
            halted.append(time.monotonic())
            assert observed.trouble
            broker.process.send_signal(signal.SIGCONT)
            fill([*lines[len(lines) // 2 :], '{"op": "end"}'])

    if kind == "mqtt":
        reserve_session(broker.port, running.configuration.source["client"], "events")
    fill(lines[: len(lines) // 2])
    running.listener = look
    assert running.execute()["finished"]
    broker.stop()
    assert len(halted) == 2
    assert halted[1] - halted[0] < 60  # five seconds, on a machine that is busy
    assert published(tmp_path / "run") == published(tmp_path / "whole")
