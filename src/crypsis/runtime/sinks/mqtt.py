"""Windows as retained MQTT messages, one topic each: TOPIC/NUMBER, and TOPIC/NUMBER/certificate.

Whenever a window may be out already, after a crash or a lost connection, the broker is asked for it first; it is
published again only if the broker has none.
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any

from crypsis.errors import BrokerRefused, BrokerSilent, WriteFailed
from crypsis.runtime.connection import Connection
from crypsis.runtime.mqtt import connect, mqtt_client, refusal
from crypsis.runtime.pulse import SILENCE
from crypsis.runtime.sinks.sink import Sink

_AT_ONCE = 100  # windows that are asked for together: a broker drops what waits beyond its queue, often a thousand


class MqttSink(Sink):
    """QoS 1: a window is out when the broker has acknowledged it."""

    def __init__(self, topic: str, client: str, connection: Connection) -> None:
        self.topic, self.client_id, self.connection = topic, client, connection
        self._there: set[str] = set()  # topics that the broker holds already, of the window that comes next
        self._whole: set[int] = set()  # windows that it holds with their certificates, as far as it was asked
        self._session: _Session | None = None

    def last(self, decided: int) -> int:
        """Windows are published in order, so the broker is asked for the last that was decided."""
        uncertain = max(decided - 1, 0)
        self._ask(uncertain)
        return uncertain if f"{self.topic}/{uncertain}" in self._there else uncertain - 1

    def held(self, decided: int) -> int:
        """The broker is asked for each: one that was restarted without its messages has lost them."""
        asked = self._there
        for lower in range(0, decided, _AT_ONCE):
            listed = range(lower, min(lower + _AT_ONCE, decided))
            self._ask(*listed)
            self._whole |= {seq for seq in listed if self._there.issuperset(self._topics(seq))}
        self._there = asked
        return next(seq for seq in range(decided + 1) if seq not in self._whole) - 1

    def _topics(self, seq: int) -> list[str]:
        return [f"{self.topic}/{seq}", f"{self.topic}/{seq}/certificate"]

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        if seq in self._whole:  # published again after one that was lost
            return
        topic = f"{self.topic}/{seq}"
        if self._session is None or self._session.lost.is_set():
            self._ask(seq)
        assert self._session is not None
        for name, content in ((f"{topic}/certificate", certificate), (topic, window)):
            if name not in self._there:
                try:
                    self._session.send(name, content.rstrip(b"\n"))
                except WriteFailed:
                    self.close()  # and with it what the client would send some day
                    raise
        self._there.clear()

    def _ask(self, *windows: int) -> None:
        """Begin a new session, and find out what of these windows the broker holds."""
        self.close()
        self._session = _Session(f"{self.client_id}-{secrets.token_hex(4)}", self.connection)
        try:
            topics = [topic for seq in windows for topic in self._topics(seq)]
            self._there = self._session.retained(topics, f"{self.topic}/probe")
        except WriteFailed:
            self.close()
            raise

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


class _Session:
    """One connection; once lost it is not used again, since a client would repeat what may have arrived."""

    def __init__(self, client_id: str, connection: Connection) -> None:
        self.lost, self._ready, self._answered = threading.Event(), threading.Event(), threading.Event()
        self._seen: set[str] = set()
        self._probe = ""
        self._refused: BrokerRefused | None = None
        self.connection = connection
        self.client = mqtt_client(client_id, connection, kept=False)
        self.client.on_message = self._take
        self.client.on_connect = self._greeted
        self.client.on_disconnect = lambda *_: self.lost.set()
        if not connect(self.client, connection):
            raise BrokerSilent(f"The MQTT broker at {connection.address} cannot be reached.")
        answered = self._ready.wait(SILENCE)
        if self._refused is not None:
            self.close()
            raise self._refused
        if not answered:
            self.close()
            raise BrokerSilent(f"The MQTT broker at {connection.address} does not answer.")

    def _greeted(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        self._refused = refusal(self.connection, reason)
        if self._refused is not None or not reason.is_failure:
            self._ready.set()

    def _take(self, client: Any, data: Any, message: Any) -> None:
        if message.topic == self._probe:
            self._answered.set()
        elif message.retain:
            self._seen.add(message.topic)

    def retained(self, topics: list[str], probe: str) -> set[str]:
        """Which of these topics hold a message. They come before what is published after the subscription, so a message
        to ourselves ends them."""
        self._probe = f"{probe}/{secrets.token_hex(8)}"
        self.client.subscribe([(topic, 1) for topic in (*topics, self._probe)])
        self.send(self._probe, b"?", retain=False)
        if not self._until(self._answered.is_set):
            raise BrokerSilent(f"The MQTT broker at {self.connection.address} does not say which windows it holds.")
        self.client.unsubscribe([*topics, self._probe])
        return self._seen

    def send(self, topic: str, content: bytes, retain: bool = True) -> None:
        """Publish and wait until the broker has it."""
        sent = self.client.publish(topic, content, qos=1, retain=retain)
        try:
            if not self._until(sent.is_published):
                raise BrokerSilent(f"The MQTT broker at {self.connection.address} did not acknowledge {topic}.")
        except (RuntimeError, ValueError) as error:
            raise WriteFailed(f"MQTT did not take {topic}: {error}.") from error

    def _until(self, done: Any) -> bool:
        """Wait for an answer as long as the connection holds."""
        until = time.monotonic() + SILENCE
        while not done():
            if self.lost.wait(0.0005) or time.monotonic() > until:
                return bool(done())
        return True

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
