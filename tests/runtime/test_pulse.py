"""Brokers that do not answer: said within five seconds, counted, and told again when they are back."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crypsis.errors import BrokerSilent
from crypsis.runtime import StreamRun
from crypsis.runtime.observation import Observation
from crypsis.runtime.pulse import SILENCE, Pulse
from tests.runtime.brokers import free_port
from tests.runtime.streams import crowd, prepared


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_silence_of_five_seconds_is_counted_once_until_the_broker_answers() -> None:
    clock = Clock()
    pulse = Pulse("The broker", clock)
    clock.now += 1000  # nothing was asked yet
    assert (pulse.seconds, pulse.silences, pulse.trouble) == (0, 0, "")
    pulse.heard()
    clock.now += SILENCE - 0.01
    assert pulse.seconds == 0
    clock.now += 1
    assert pulse.seconds == pytest.approx(SILENCE + 0.99)
    assert "has not answered for 5 seconds" in pulse.trouble
    clock.now += 100
    assert (pulse.seconds > 100, pulse.silences) == (True, 1)
    pulse.heard()
    assert (pulse.seconds, pulse.trouble) == (0, "")
    clock.now += SILENCE
    assert (pulse.seconds, pulse.silences) == (SILENCE, 2)
    pulse.rest()  # its events are not wanted now
    assert pulse.seconds == 0


@contextmanager
def deaf_broker() -> Iterator[int]:
    """Takes connections and never says a word."""
    taken = []
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            while True:
                try:
                    taken.append(door.accept()[0])
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield int(door.getsockname()[1])
        door.shutdown(socket.SHUT_RDWR)
    for one in taken:
        one.close()


BROKERS = {"mqtt": {"topic": "windows"}, "redis": {"stream": "windows"}}


@pytest.mark.long
@pytest.mark.parametrize("kind", BROKERS)
def test_a_source_whose_broker_is_silent_says_so_and_counts_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crypsis.runtime.pulse.SILENCE", 0.3)
    monkeypatch.setattr("crypsis.runtime.mqtt_subscription._PATIENCE", 1.0)
    with deaf_broker() as port:
        source = {"kind": kind, "port": port, **BROKERS[kind]}
        privacy = {"mode": "itsa"}
        running = StreamRun(prepared(tmp_path, [], source=source, privacy=privacy))
        seen: list[str] = []

        def look(observed: Observation) -> None:
            if observed.broker_silences:
                seen.append(observed.trouble)
                assert observed.silent_seconds >= 0.3
                assert "crypsis_broker_silences_total 1\n" in observed.prometheus()
                assert "crypsis_broker_silent_seconds 0.0" not in observed.prometheus()
                running.stop()

        running.listener = look
        running.execute()
        assert str(port) in seen[0]


@pytest.mark.parametrize("kind", BROKERS)
def test_a_sink_on_a_wrong_port_is_said_at_once_and_ends_with_exit_code_2(kind: str, tmp_path: Path) -> None:
    sink = {"kind": kind, "port": free_port(), **BROKERS[kind]}
    running = StreamRun(prepared(tmp_path, crowd(range(1, 9)), sink=sink, run={"retry_seconds": 0.5}))
    told: list[tuple[float, str]] = []
    begun = time.monotonic()
    running.listener = lambda observed: told.append((time.monotonic() - begun, observed.trouble))
    with pytest.raises(BrokerSilent) as refused:
        running.execute()
    assert (refused.value.exit_code, refused.value.code) == (2, "broker-silent")
    assert str(sink["port"]) in refused.value.message
    assert str(sink["port"]) in told[0][1]
    assert running.observed.broker_silences == running.observed.write_failures == len(told) > 0


def test_the_plain_view_tells_trouble_when_it_comes_and_when_it_has_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from crypsis.cli.stream import _Plain

    screen = io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    view, observed = _Plain(), Observation()
    for trouble in ("", "Redis is gone.", "Redis is gone.", "", ""):
        observed.trouble = trouble
        view.update(observed)
    assert screen.getvalue().splitlines() == ["waiting: Redis is gone.", "going on"]
