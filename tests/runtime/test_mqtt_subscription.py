"""The subscription on the wire: packets however they are cut, what is acknowledged, and what a broker may refuse."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import BrokerRefused
from crypsis.runtime.connection import Connection
from crypsis.runtime.mqtt_subscription import MqttSubscription, _packet

WELCOME, SUBSCRIBED = b"\x20\x02\x00\x00", b"\x90\x03\x00\x01\x01"


def message(payload: bytes, number: int | None = 1, topic: bytes = b"gates/7") -> bytes:
    name = struct.pack(">H", len(topic)) + topic
    counted = b"" if number is None else struct.pack(">H", number)
    return _packet(0x30 if number is None else 0x32, name + counted + payload)


def a_subscription(sent: Callable[[bytes], None] | None = None) -> MqttSubscription:
    """One without a connection, to which blocks are given by hand."""
    subscription = MqttSubscription.__new__(MqttSubscription)
    subscription._rest, subscription._payloads, subscription._numbers, subscription._answers = b"", [], [], {}
    if sent is not None:
        subscription._send = sent
    return subscription


@given(st.lists(st.tuples(st.binary(max_size=300), st.booleans()), max_size=8), st.lists(st.integers(1, 200)))
def test_messages_are_the_same_however_the_bytes_are_cut(drawn: list[tuple[bytes, bool]], cuts: list[int]) -> None:
    wire = b"".join(message(load, number if sure else None) for number, (load, sure) in enumerate(drawn, 1))
    subscription = a_subscription()
    for cut in [*cuts, len(wire)]:
        block, wire = wire[:cut], wire[cut:]
        subscription._take(subscription._rest + block)
    assert subscription._payloads == [load for load, _ in drawn]
    assert subscription._numbers == [struct.pack(">H", number) for number, (_, sure) in enumerate(drawn, 1) if sure]
    assert subscription._rest == b""


@pytest.mark.parametrize("length", [0, 1, 117, 118, 119, 16_372, 16_373, 16_374, 2_097_141, 2_097_142])
def test_a_length_of_one_to_four_bytes_is_read_right(length: int) -> None:
    subscription = a_subscription()
    subscription._take(message(b"x" * length) + message(b"after"))
    assert [len(one) for one in subscription._payloads] == [length, 5]


def test_only_what_was_received_is_acknowledged_and_only_once() -> None:
    sent: list[bytes] = []
    subscription = a_subscription(sent.append)
    subscription._take(message(b"a", 7) + message(b"b", 258) + message(b"c", None) + message(b"d", 9)[:-1])
    assert subscription.receive(0) == [b"a", b"b", b"c"]
    subscription.acknowledge()
    subscription.acknowledge()
    assert sent == [b"\x40\x02\x00\x07\x40\x02\x01\x02"]


@contextmanager
def broker(*answers: bytes) -> Iterator[tuple[Connection, list[bytes]]]:
    """Answers each packet of a client with the next of these; the last one is followed by the end."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            wire, _ = server.accept()
            with wire:
                for answer in answers:
                    heard.append(wire.recv(4096))
                    wire.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield Connection("127.0.0.1", server.getsockname()[1], "ann", "secret"), heard
        thread.join(60)


def test_it_logs_in_with_a_session_that_is_kept_and_messages_may_come_before_the_answer() -> None:
    with broker(WELCOME + message(b"old", 3), message(b"new", 4) + SUBSCRIBED, b"") as (connection, heard):
        subscription = MqttSubscription(connection, "me", "gates/#")
        received: list[bytes] = []
        while len(received) < 2:
            received += subscription.receive(60)
        assert received == [b"old", b"new"]
        subscription.close()
    assert heard[0] == _packet(0x10, b"\x00\x04MQTT\x04\xc0\x00\x3c\x00\x02me\x00\x03ann\x00\x06secret")
    assert heard[1] == _packet(0x82, b"\x00\x01\x00\x07gates/#\x01")
    assert heard[2] == b"\xe0\x00"


@pytest.mark.parametrize(
    ("code", "words"), [(4, "bad user name or password"), (5, "not authorized"), (2, "client identifier")]
)
def test_a_refusal_is_final_and_says_why(code: int, words: str) -> None:
    with broker(bytes([0x20, 2, 0, code])) as (connection, _), pytest.raises(BrokerRefused, match=words):
        MqttSubscription(connection, "me", "gates/#")


def test_a_topic_that_is_not_allowed_is_named() -> None:
    with broker(WELCOME, b"\x90\x03\x00\x01\x80") as (connection, _):
        subscription = MqttSubscription(connection, "me", "gates/#")
        with pytest.raises(BrokerRefused, match="gates/#"):
            subscription.receive(60)
        subscription.close()


@pytest.mark.parametrize("answers", [(b"\x20\x02\x00\x03",), (b"",)], ids=["busy", "gone"])
def test_a_broker_that_is_busy_or_gone_may_be_asked_again(answers: tuple[bytes, ...]) -> None:
    with broker(*answers) as (connection, _), pytest.raises(OSError, match="MQTT broker"):
        MqttSubscription(connection, "me", "gates/#")


def test_a_connection_that_the_broker_closed_is_told() -> None:
    with broker(WELCOME, SUBSCRIBED) as (connection, _):
        subscription = MqttSubscription(connection, "me", "gates/#")
        with pytest.raises(OSError, match="closed"):
            for _ in range(3):
                subscription.receive(60)
        subscription.close()


def test_a_quiet_client_pings_and_a_dead_broker_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.runtime.mqtt_subscription._KEEP_ALIVE", 0.05)
    with broker(WELCOME, SUBSCRIBED, b"\xd0\x00") as (connection, heard):
        monkeypatch.setattr("crypsis.runtime.mqtt_subscription._connect_packet", lambda *_: b"\x10\x00")
        subscription = MqttSubscription(connection, "me", "gates/#")
        with pytest.raises(OSError, match="MQTT broker"):
            for _ in range(50):
                subscription.receive(0.04)
        subscription.close()
    assert heard[2].startswith(b"\xc0\x00")
