"""Filling brokers with events: MQTT by hand, since a client library would be slower than what is tested."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Sequence
from typing import Any

import redis
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from crypsis.runtime.connection import Connection
from crypsis.runtime.mqtt import mqtt_client


def fill_redis(port: int, stream: str, lines: Sequence[str]) -> None:
    client = redis.Redis(port=port)
    for lower in range(0, len(lines), 5000):
        with client.pipeline(transaction=False) as pipeline:
            for line in lines[lower : lower + 5000]:
                pipeline.xadd(stream, {"event": line})
            pipeline.execute()
    client.close()


def windows_in_redis(port: int, stream: str) -> list[bytes]:
    client = redis.Redis(port=port)
    found = [fields[b"window"] for _, fields in client.xrange(stream)]
    client.close()
    return found


def reserve_session(port: int, client_id: str, topic: str) -> None:
    """Let the broker keep messages for a client that is not there yet."""
    subscribed = threading.Event()
    client = mqtt_client(client_id, Connection("127.0.0.1", port), kept=True)
    client.on_connect = lambda connected, *_: connected.subscribe(topic, qos=1)
    client.on_subscribe = lambda *_: subscribed.set()
    client.connect("127.0.0.1", port)
    client.loop_start()
    assert subscribed.wait(60)
    client.disconnect()
    client.loop_stop()


def fill_mqtt(port: int, topic: str, lines: Sequence[str]) -> None:
    """Publish at QoS 1 and wait until the broker has acknowledged everything."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        name = b"filler"
        body = b"\x00\x04MQTT\x04\x02\x00\x00" + struct.pack(">H", len(name)) + name
        wire.sendall(b"\x10" + _length(len(body)) + body)
        assert wire.recv(4)[:2] == b"\x20\x02"
        acknowledged = threading.Thread(target=_read, args=(wire, 4 * len(lines)))
        acknowledged.start()
        head = struct.pack(">H", len(topic)) + topic.encode()
        for lower in range(0, len(lines), 500):
            packets = []
            for number, line in enumerate(lines[lower : lower + 500], lower):
                content = head + struct.pack(">H", number % 65535 + 1) + line.encode()
                packets.append(b"\x32" + _length(len(content)) + content)
            wire.sendall(b"".join(packets))
        acknowledged.join(120)
        assert not acknowledged.is_alive()


def windows_in_mqtt(port: int, topic: str, number: int) -> list[bytes]:
    """The retained windows, in order."""
    found: dict[str, bytes] = {}
    complete = threading.Event()

    def take(client: Client, data: object, message: object) -> None:
        found[message.topic] = message.payload
        if len(found) >= number:
            complete.set()

    client = Client(CallbackAPIVersion.VERSION2)
    client.on_message = take
    client.on_connect = lambda connected, *_: connected.subscribe(f"{topic}/+", qos=1)
    client.connect("127.0.0.1", port)
    client.loop_start()
    complete.wait(60)
    client.disconnect()
    client.loop_stop()
    return [found[name] for name in sorted(found, key=lambda name: int(name.rpartition("/")[2]))]


class Subscriber:
    """Whoever listens all the time: what came on each topic, as often as the broker took it."""

    def __init__(self, port: int, topic: str) -> None:
        self.heard: dict[str, list[bytes]] = {}
        self._ready, self._came = threading.Event(), threading.Condition()
        self.client = Client(CallbackAPIVersion.VERSION2, client_id="subscriber", clean_session=False)
        self.client.on_message = self._take
        self.client.on_connect = lambda connected, *_: connected.subscribe(topic, qos=1)
        self.client.on_subscribe = lambda *_: self._ready.set()
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert self._ready.wait(60)

    def _take(self, client: Client, data: object, message: Any) -> None:
        """What a broker repeats, since it was restarted before it knew that we have it, counts once."""
        with self._came:
            if not message.retain and not (message.dup and message.payload in self.heard.get(message.topic, ())):
                self.heard.setdefault(message.topic, []).append(message.payload)
                self._came.notify()

    def close(self, topics: int) -> None:
        """Leave as soon as so many topics were heard: the broker takes a message before it passes it on."""
        with self._came:
            self._came.wait_for(lambda: len(self.heard) >= topics, 60)
        self.client.disconnect()
        self.client.loop_stop()


def _read(wire: socket.socket, wanted: int) -> None:
    with contextlib.suppress(OSError):
        while wanted > 0:
            got = len(wire.recv(min(65536, wanted)))
            if not got:
                return
            wanted -= got


def _length(number: int) -> bytes:
    encoded = b""
    while True:
        number, digit = divmod(number, 128)
        encoded += bytes([digit | (128 if number else 0)])
        if not number:
            return encoded
